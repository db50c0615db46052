"""What a diagnosis is made from: the run, its logs, and what Kubernetes or this machine tells."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from argojobs.config.contexts import Context
from argojobs.diagnosis.diagnose import diagnose
from argojobs.diagnosis.evidence import Evidence
from argojobs.diagnosis.finding import Finding
from argojobs.errors import ArgojobsError, NotFoundError
from argojobs.runs.absent import absent_in
from argojobs.runs.debug_steps import template_of, waits
from argojobs.runs.entering import pods_of
from argojobs.runs.paths import localiser
from argojobs.runs.target import Target
from argojobs.runs.view.phases import was_stopped
from argojobs.runs.view.steps import failed_steps, steps_of, walk
from argojobs.service import Workflow

#: Of so many broken steps the logs are read, and so many of their newest lines.
MOST_LOGS, TAIL = 8, 200
#: Causes of which a report says as much by itself.
_SAID = frozenset({"message", "exit-code", "python-error", "retries-spent", "stopped"})


@dataclass(frozen=True)
class Looked:
    """Evidence with what could not be looked at, and why."""

    evidence: Evidence
    missing: list[str] = field(default_factory=list)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the diagnosis says."""
        return diagnose(self.evidence)


def known(
    workflow: Workflow,
    logs: Mapping[str, Sequence[str]] | None = None,
    *,
    options: str = "",
    local: bool = False,
) -> Evidence:
    """Return what the run's object says by itself, with log lines that are at hand; asks nobody.

    Args:
        workflow: the run.
        logs: lines by the pods' node ids; None where none were read.
        options: what a command must say to get there, with a blank in front.
        local: the run is on this machine.
    """
    titles: dict[str, str] = {}
    for step in walk(steps_of(workflow)):
        titles |= {step.node_id: step.typed} if step.node_id else {}
        titles |= dict.fromkeys(step.pods, step.typed)
    return Evidence(
        workflow,
        logs=logs or {},
        absent=_absent(workflow, logs or {}, local=local),
        titles=titles,
        options=options,
        local=local,
    )


def _absent(
    workflow: Workflow, logs: Mapping[str, Sequence[str]], *, local: bool
) -> dict[str, tuple[str, str]]:
    """Return why steps miss files that this machine has, by node id."""
    found = {}
    for node_id, log in logs.items():
        absent = absent_in(log, template_of(workflow, node_id), local=local)
        if absent is not None:
            found[node_id] = (absent.what, absent.remedy)
    return found


def looked_at(place: Target, workflow: Workflow) -> Looked:
    """Look at all there is of a run. What may not be seen is left out and said."""
    missing: list[str] = []
    logs = _logs(place, workflow, missing)
    evidence = known(workflow, logs, options=place.options, local=place.steps_here)
    what = "the pods, their events and the nodes"
    try:
        with pods_of(place, workflow) as pods:
            if not place.steps_here:
                place.tell("progress", f"looking at {what} ...")
            seen = pods.look(evidence.run)
    except ArgojobsError as error:
        how = f" ({error.hint})" if error.hint else ""
        return Looked(evidence, [*missing, f"{what}: {error.what}{how}"])
    now = time.time()
    found = replace(
        evidence,
        pods=seen.pods,
        events=seen.events,
        nodes=seen.nodes,
        claims=seen.claims,
        silent={node: now - at for node, at in seen.written.items()},
        kubectl=kubectl_of(place.context),
    )
    return Looked(found, [*missing, *seen.missing])


def kubectl_of(context: Context) -> str:
    """Return the beginning of a command line of kubectl for a context's cluster."""
    words = ["kubectl"]
    words += [f"--kubeconfig={context.kubeconfig}"] if context.kubeconfig else []
    words += [f"--context={context.kube_context}"] if context.kube_context else []
    return shlex.join(words)


def _logs(place: Target, workflow: Workflow, missing: list[str]) -> dict[str, list[str]]:
    """Read the newest lines of the steps that broke first, and of those a debugger may hold."""
    name = str(workflow["metadata"]["name"])
    local = localiser(place.service, name)
    found: dict[str, list[str]] = {}
    steps = steps_of(workflow)
    held = [
        one
        for one in walk(steps)
        if one.phase == "Running" and one.pods and waits(template_of(workflow, one.pods[-1]))
    ]
    for step in [*[one for one in failed_steps(steps) if one.pods][:MOST_LOGS], *held[:MOST_LOGS]]:
        pod = step.pods[-1]
        try:
            lines = place.service.logs(name, node_id=pod, tail=TAIL)
            found[pod] = [local(line.text) for line in lines]
        except NotFoundError:  # a pod that never began has none
            continue
        except ArgojobsError as error:
            missing.append(f"the log of {step.title}: {error.what}")
    return found


def why(
    workflow: Workflow,
    log: Sequence[str] = (),
    *,
    options: str = "",
    local: bool = False,
) -> str:
    """Return a diagnosis' first line for a run that failed, or "" where a report says as much.

    Args:
        workflow: the run; nobody is asked for more.
        log: lines of the step that failed first.
        options: what a command must say to get there, with a blank in front.
        local: the run is on this machine.
    """
    if was_stopped(workflow):
        return ""
    broken = [step for step in failed_steps(steps_of(workflow)) if step.pods]
    logs = {broken[0].pods[-1]: log} if broken and log else {}
    found = diagnose(known(workflow, logs, options=options, local=local))
    if not found or found[0].cause in _SAID:
        return ""
    return "; ".join(filter(None, (found[0].what, found[0].remedy)))
