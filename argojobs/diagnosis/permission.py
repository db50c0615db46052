"""What a run or its pods may not do.

Source: Kubernetes docs, RBAC, resource quotas, pod security standards; Argo docs, workflow RBAC; as
recorded.
"""

from __future__ import annotations

import re

from argojobs.diagnosis.cause import Cause, told, words_of
from argojobs.diagnosis.evidence import Evidence, Subject
from argojobs.diagnosis.finding import Answer

_EXECUTOR = re.compile(
    r"workflowtaskresults(?:\.argoproj\.io)?(?: \"[^\"]*\")? is forbidden: User "
    r"\"system:serviceaccount:(?P<space>[^:\"]+):(?P<account>[^\"]+)\""
)
_QUOTA = re.compile(
    r"exceeded quota: (?P<name>[^,\s]+), requested: (?P<asked>.+?), used: (?P<used>.+?), "
    r"limited: (?P<most>[^\n]+)"
)


def executor(subject: Subject) -> Answer | None:
    """The pods' account may not report results to Argo. The answer holds the Role that lets it."""
    found = subject.search(_EXECUTOR) or subject.search_log(_EXECUTOR)
    if found is None:
        return None
    account, kubectl = found["account"], subject.evidence.kubectl
    return Answer(
        f"the service account {account} may not report the step's results to Argo "
        "(create workflowtaskresults)",
        "give it the role that --role prints; somebody who may change the namespace has to",
        f"argojobs diagnose {subject.evidence.run}{subject.evidence.options} --role | "
        f"{kubectl} apply -f -",
        _executor_role(subject.evidence, account),
    )


def _executor_role(evidence: Evidence, account: str) -> str:
    """Return the Role that a run's pods need, and its binding, as YAML."""
    from argojobs.manifest.cluster_setup import EXECUTOR, Setup, setup_objects
    from argojobs.manifest.yaml_write import write_yaml

    objects = setup_objects(Setup(evidence.namespace, account))
    wanted = [one for one in objects if one["metadata"]["name"] == EXECUTOR]
    return "---\n".join(map(write_yaml, wanted))


def quota(subject: Subject) -> Answer | None:
    """The namespace may not have as much as the pod asks for."""
    found = subject.search(_QUOTA)
    if found is None:
        return None
    words = words_of(subject)
    return Answer(
        f"the namespace {words['namespace']} may have no more: its quota {found['name']} allows "
        f"{found['most'].strip()}, {found['used']} is in use, the step asks for {found['asked']}",
        "wait until others have ended, ask for less, or have the quota raised",
        f"{words['kubectl']} describe resourcequota {found['name']}",
    )


CAUSES = (
    Cause("executor-permission", executor),
    Cause("quota", quota),
    told(
        "quota",
        r"failed quota: (?P<name>[^:\s]+): must specify (?P<what>[^\n]+)",
        "the quota {name} of the namespace {namespace} takes only pods that say their {what}",
        "give the step and its neighbours resources; a LimitRange of the namespace does it for all",
        "{kubectl} describe resourcequota {name}",
    ),
    told(
        "no-service-account",
        r"serviceaccount \"(?P<name>[^\"]+)\" not found",
        "the service account {name} does not exist in the namespace {namespace}",
        "make it and give it the executor's role; doctor writes both",
        "argojobs doctor --write -{options}",
    ),
    told(
        "pod-security",
        r"violates PodSecurity \"(?P<level>[^\"]+)\": (?P<why>[^\n]+)",
        "the namespace lets no such pod in (PodSecurity {level}): {why}",
        "give the template the securityContext that the message names, or have the namespace's "
        "label pod-security.kubernetes.io/enforce changed",
    ),
    told(
        "admission",
        r"admission webhook \"(?P<name>[^\"]+)\" denied the request: (?P<why>[^\n]+)",
        "a rule of the cluster ({name}) lets no such pod in: {why}",
        "change the step as the rule wants, or ask its keeper",
    ),
    told(
        "pod-invalid",
        r"Pod \"[^\"]+\" is invalid: (?P<why>[^\n]+)",
        "Kubernetes takes no such pod: {why}",
        "correct the field in the template",
    ),
    told(
        "forbidden",
        r"is forbidden: (?P<why>(?:User|maximum|minimum|unable)[^\n]+)",
        "Kubernetes forbids it: {why}",
        "doctor says which rights are missing and writes the roles",
        "argojobs doctor{options}",
    ),
)
