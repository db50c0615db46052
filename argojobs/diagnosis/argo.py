"""Argo's own messages about runs and steps, in plain words.

Source: Argo's controller (`workflow/controller/operator.go`, `steps.go`, `dag.go`, `workflow/sync`)
and its docs: fields, synchronization, retries; as recorded.
"""

from __future__ import annotations

import re

from argojobs.diagnosis.cause import Cause, told, words_of
from argojobs.diagnosis.evidence import Evidence, Subject
from argojobs.diagnosis.finding import Answer
from argojobs.manifest.view import spec_of

_LOCKED = re.compile(r"Waiting for (?P<lock>\S+) lock\. Lock status: (?P<free>\d+)/(?P<most>\d+)")
_TAG = re.compile(
    r"failed to resolve \{\{=?(?P<tag>[^}]+)\}\}|unresolved (?:variable|tag)[^\n]*?(?P<other>\{\{[^}]+\}\})"
)


def lock(subject: Subject) -> Answer | None:
    """The run or the step waits for a lock that others hold."""
    found = subject.search(_LOCKED)
    name = found["lock"] if found else _waited_for(subject.evidence)
    if not name or subject.over:
        return None
    holders = _holders(subject.evidence, name)
    by = f", which {', '.join(holders)} holds" if holders else ""
    most = f" ({found['free']} of {found['most']} free)" if found else ""
    return Answer(
        f"it waits for the lock {name}{most}{by}",
        "it goes on when that has ended; the run of the highest priority goes first",
        f"argojobs list{subject.evidence.options}",
    )


def _waited_for(evidence: Evidence) -> str:
    if evidence.status.get("phase") not in {None, "", "Pending"}:
        return ""
    for kind in ("semaphore", "mutex"):
        for one in ((evidence.status.get("synchronization") or {}).get(kind) or {}).get(
            "waiting"
        ) or ():
            return str(one.get(kind, ""))
    return ""


def _holders(evidence: Evidence, name: str) -> list[str]:
    found: list[str] = []
    for kind in ("semaphore", "mutex"):
        held = (evidence.status.get("synchronization") or {}).get(kind) or {}
        for one in held.get("waiting") or ():
            if one.get(kind) == name:
                holders = one.get("holders") or [one.get("holder")]
                found += [str(each) for each in holders if each]
    return found


def tag(subject: Subject) -> Answer | None:
    """A manifest names a value that there is not."""
    found = _TAG.search(subject.message)
    if found is None:
        return None
    name = (found["tag"] or found["other"] or "").strip("{}= ")
    return Answer(
        f"the manifest names {{{{{name}}}}}, and there is no such value where it stands",
        "correct the tag, or declare the parameter in the template's inputs; lint finds it before "
        "a run",
        "argojobs lint FILE",
    )


def suspended(subject: Subject) -> Answer | None:
    """The run waits for somebody to let it go on."""
    words = words_of(subject)
    whole = bool(spec_of(subject.evidence.workflow).get("suspend"))
    waits = subject.node.get("type") == "Suspend" and subject.node.get("phase") == "Running"
    if not waits and not (whole and not subject.over):
        return None
    return Answer(
        "the run is suspended: no further step starts" if whole else "the step waits for approval",
        "let it go on",
        f"argojobs resume {words['run']}{words['options']}",
    )


def _not_begun(subject: Subject) -> Answer | None:
    """No controller has taken the run up."""
    if subject.node.get("type") or subject.evidence.status.get("phase"):
        return None
    return Answer(
        "Argo's controller has not taken the run up yet",
        "where that lasts: the controller does not run, or does not watch this namespace or this "
        "run's instance id",
        f"argojobs doctor{subject.evidence.options}",
    )


def starting(subject: Subject) -> Answer | None:
    """The pod is on a node, and its containers are about to start."""
    if subject.message != "PodInitializing" and "ContainerCreating" not in subject.message:
        return None
    return Answer(
        "the pod is being started: its inputs are loaded, its volumes mounted",
        "where that lasts, see what its node tells of it",
        f"argojobs diagnose {subject.evidence.run} --raw{subject.evidence.options}",
    )


CAUSES = (
    told(
        "stopped",
        r"Stopped with strategy '(?P<how>\w+)'|workflow shutdown with strategy:? +(?P<other>\w+)",
        "somebody ended the run ({how}{other})",
        "run it again, or go on where it was",
        "argojobs retry {run}{options}",
        where="message",
    ),
    Cause("lock", lock),
    told(
        "server-limit",
        r"Workflow processing has been postponed",
        "the server runs as many runs as it may at once",
        "it begins when others have ended",
        "argojobs list{options}",
        where="message",
    ),
    Cause("unknown-tag", tag),
    told(
        "no-template",
        r"(?:workflowtemplates?|clusterworkflowtemplates?)\S* \"(?P<name>[^\"]+)\" not found"
        r"|template (?:name )?'?\"?(?P<other>[\w./-]+)'?\"? (?:is )?(?:undefined|not found)"
        r"|no template \"?(?P<third>[\w-]+)",
        "there is no template {name}{other}{third}",
        "correct its name, or make the WorkflowTemplate in the namespace {namespace}",
        "{kubectl} get workflowtemplates",
        where="message",
    ),
    told(
        "items-no-json",
        r"^(?!.*withParam).*(?:invalid character '.+' (?:looking for|after |in )"
        r"|unexpected end of JSON input)",
        "Argo gathers what the items of a loop print, and one of them did not print JSON",
        "let each item print one JSON value, or take an output parameter of the loop instead of "
        "its outputs.result",
        "argojobs logs {run}{options}",
        where="message",
    ),
    told(
        "inline-loop",
        r"failed to get a template",
        "a loop has an inline template, and what follows the loop looks for it by its name",
        "give the template a name, and call it by `template:`; lint finds it before a run",
        "argojobs lint FILE",
        where="message",
    ),
    told(
        "invalid-manifest",
        r"invalid spec: (?P<why>[^\n]+)",
        "the manifest is not valid: {why}",
        "lint says where",
        "argojobs lint FILE",
        where="message",
    ),
    told(
        "no-artifact-repository",
        r"You need to configure artifact storage|no artifact repository|"
        r"failed to find any artifact repository",
        "the run keeps artifacts, and neither it nor the server names a store for them",
        "give the context its [s3], or the server its artifact repository",
        "argojobs doctor{options}",
    ),
    told(
        "result-too-large",
        r"(?i)offload node status|too large|exceeded .*size limit|etcdserver: request is too large",
        "the run's object has become too large for Kubernetes",
        "pass large values as artifacts, and fan out in fewer items; or have the server offload "
        "node statuses",
    ),
    Cause("suspended", suspended),
    told(
        "backoff",
        r"Backoff for (?P<time>[^\n]+)",
        "a failed attempt is repeated after a pause ({time})",
        where="message",
    ),
)
LAST = (
    told(
        "retries-spent",
        r"No more retries left|Max duration limit exceeded|Backoff would exceed max duration"
        r"|retryStrategy.expression evaluated to false",
        "all attempts of the step failed",
        "its log says why the last one did",
        "argojobs logs {run} {step}{options}",
        where="message",
    ),
    Cause("not-begun", _not_begun),
    Cause("starting", starting),
)
