"""Pods that no node takes: what they ask for, and what the nodes have.

Source: Kubernetes, `pkg/scheduler/framework/plugins/*`, whose reasons the scheduler joins in one
message, and recorded ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.diagnosis.cause import Cause, Look
from argojobs.diagnosis.evidence import Object, Subject
from argojobs.diagnosis.finding import Answer
from argojobs.diagnosis.quantities import asked, largest, names, spoken
from argojobs.manifest.view import labels_of

_INSUFFICIENT = re.compile(r"Insufficient ([\w./-]+)")
_TAINT = re.compile(r"untolerated taint(?:\(s\))? \{(.*?)\}")


def resource(subject: Subject) -> Answer | None:
    """No node has as much of a resource as is asked for, or none of it is free."""
    found = [m[1] for m in map(_INSUFFICIENT.search, subject.unfit) if m]
    if not found:
        return None
    texts = [_lacking(subject, name) for name in found]
    small = any(too_much for _, too_much in texts)
    gpus = any("gpu" in name for name in found)
    return Answer(
        "; ".join(text for text, _ in texts),
        "ask for less in the step's resources, or have the cluster get a larger node"
        if small
        else "it starts when others have ended, or never where no node has so much: Argo does not "
        "say which, a kubeconfig in the context does"
        if not subject.evidence.nodes
        else "it starts when others have ended; who has the GPUs is told by argojobs gpus"
        if gpus
        else "it starts when others have ended; else ask for less in the step's resources",
        f"argojobs gpus{subject.evidence.options}" if gpus else "",
    )


def _lacking(subject: Subject, name: str) -> tuple[str, bool]:
    """Say what is lacking of a resource, and whether no node is large enough."""
    nodes = subject.evidence.nodes
    wanted = asked(subject.spec, name)
    most, node = largest(nodes, name)
    asks = f"the step asks for {spoken(wanted, name)} {name}"
    if not nodes:
        return f"no node has enough {name} free: {asks}", False
    if wanted > most:
        has = (
            f"the largest node, {node}, offers {spoken(most, name)}" if most else "no node has any"
        )
        return f"no node is large enough: {asks}, {has}", True
    return (
        f"no node has enough {name} free: {asks}, a node offers at most {spoken(most, name)}",
        False,
    )


def taint(subject: Subject) -> Answer | None:
    """All nodes keep pods away that do not tolerate something."""
    found = [m[1] for m in map(_TAINT.search, subject.unfit) if m]
    if not found:
        return None
    lost = [
        text for text in found if text.startswith(("node.kubernetes.io/", "node.cloudprovider"))
    ]
    if lost:
        return Answer(
            f"nodes are not fit for work: {names(lost)}",
            "the cluster's keeper has to look at the nodes",
            f"{subject.evidence.kubectl} get nodes",
        )
    key = found[0].partition(":")[0].strip()
    return Answer(
        f"nodes keep pods away that do not tolerate {names(found)}",
        f"give the template tolerations: [{{key: {key}, operator: Exists}}], or ask for other nodes",
    )


def selector(subject: Subject) -> Answer | None:
    """No node has the labels that the pod wants."""
    if not _any(
        subject, r"didn't match Pod's node affinity/selector|didn't satisfy .*node affinity"
    ):
        return None
    wanted = subject.spec.get("nodeSelector") or subject.template.get("nodeSelector") or {}
    said = [f"{key}={value}" for key, value in wanted.items()]
    said += _affinities(subject.spec.get("affinity") or subject.template.get("affinity") or {})
    asks = f": the step wants {names(said)}" if said else ""
    has = _labels(subject, [text.partition("=")[0].partition(" ")[0] for text in said])
    return Answer(
        f"no node has the labels that are asked for{asks}{has}",
        "take the node selector or affinity out of the step, or label a node",
        f"{subject.evidence.kubectl} get nodes --show-labels",
    )


def _affinities(affinity: Object) -> Iterator[str]:
    required = (affinity.get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for one in term.get("matchExpressions") or ():
            values = ",".join(map(str, one.get("values") or ()))
            yield f"{one.get('key')} {str(one.get('operator', '')).lower()} {values}".strip()


def _labels(subject: Subject, keys: list[str]) -> str:
    """Say what the nodes have for these labels."""
    nodes = subject.evidence.nodes
    if not nodes or not keys:
        return ""
    labels = [labels_of(node) for node in nodes]
    found = [f"{key}={one[key]}" for key in keys for one in labels if key in one]
    return f"; the nodes have {names(found)}" if found else "; no node has such a label"


def host_port(subject: Subject) -> Answer | None:
    """The port that the pod wants of its node is taken."""
    if not _any(subject, r"didn't have free ports"):
        return None
    ports = [
        str(port["hostPort"])
        for container in subject.spec.get("containers") or ()
        for port in container.get("ports") or ()
        if port.get("hostPort")
    ]
    return Answer(
        f"the host port {names(ports) or 'that the step asks for'} is taken on every node",
        "end what has it, or leave hostPort out of the template: argojobs reaches a pod's port "
        "without it",
        f"argojobs list{subject.evidence.options}",
    )


def _any(subject: Subject, pattern: str) -> bool:
    compiled = re.compile(pattern)
    return any(compiled.search(reason) for reason in subject.unfit)


def _reason(pattern: str, what: str, remedy: str, command: str = "") -> Look:
    """Return how to see one of the scheduler's reasons that says all by itself."""

    def look(subject: Subject) -> Answer | None:
        if not _any(subject, pattern):
            return None
        return Answer(what, remedy, command.format(kubectl=subject.evidence.kubectl))

    return look


def other(subject: Subject) -> Answer | None:
    """Return the scheduler's own words where nothing else knows them."""
    found = subject.unfit
    return Answer(f"no node takes the pod: {', '.join(found)}") if found else None


CAUSES = (
    Cause("no-resources", resource),
    Cause("host-port", host_port),
    Cause("taint", taint),
    Cause("node-selector", selector),
    Cause(
        "pod-affinity",
        _reason(
            r"didn't (?:match|satisfy).*pod (?:anti-)?affinity|pod topology spread",
            "no node fits the pod's affinity to other pods",
            "relax the affinity or the spread constraints of the step",
        ),
    ),
    Cause(
        "claim-elsewhere",
        _reason(
            r"volume node affinity conflict|had no available volume zone",
            "the step's claim lies on another node or in another zone than those with room",
            "a claim of one node holds its steps to that node: free it, or give the step no claim",
            "{kubectl} get persistentvolumes",
        ),
    ),
    Cause(
        "too-many-pods",
        _reason(
            r"Too many pods",
            "every node has as many pods as it may have",
            "it starts when others have ended",
        ),
    ),
    Cause(
        "nodes-closed",
        _reason(
            r"were unschedulable|node\(s\) were not ready",
            "the nodes are closed to new pods (cordoned), or not ready",
            "the cluster's keeper has to open them",
            "{kubectl} get nodes",
        ),
    ),
)
LAST = (Cause("unschedulable", other),)
