"""Changes of runs, planned and made: end, suspend, resume, retry, resubmit, delete.

Each function looks at a run and returns what would be done to it, as a value whose `make` does it;
or raises why it may not be. Nothing is changed before that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from argojobs.edits import rerun
from argojobs.edits.parameters import parse_assignment, resolve
from argojobs.edits.resubmit import fresh, new_name
from argojobs.edits.reuse import Reuse, resubmit_from
from argojobs.errors import ConflictError, UsageError
from argojobs.manifest import selectors
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.suspended import Node, supplied_outputs, waiting
from argojobs.manifest.view import nodes_of, parameters_of, spec_of
from argojobs.manifest.words import with_words
from argojobs.runs.metadata import with_metadata
from argojobs.runs.names import find_run, find_runs
from argojobs.runs.owners import check_owner, user_name
from argojobs.runs.request import given
from argojobs.runs.target import Target
from argojobs.runs.view.facts import COMMAND_LINE
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import counted, steps_of
from argojobs.service import USER_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import WorkflowSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a run that may be made.

    workflow: the run as it is. whose: ` of alex` for another's, as its name is told. make: makes
    the change, and returns the run as it is then; of one that is deleted, as it was.
    """

    place: Target
    workflow: Workflow
    whose: str
    make: Callable[[], Workflow]

    @property
    def name(self) -> str:
        """The run's whole name."""
        return str(self.workflow["metadata"]["name"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume(Change):
    """A resume. waiting: what it lets go on: steps by name, and `the whole run`."""

    waiting: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Change):
    """A retry.

    spec: with other parameters, where some were given. again: names of the steps that run again.
    kept: ids of the nodes that stay as they are. stay, steps: how many steps succeeded and stay,
    and how many there are.
    """

    spec: WorkflowSpec
    again: Sequence[str]
    kept: frozenset[str]
    stay: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resubmit(Change):
    """A resubmission; `make` returns the new run.

    new: its name. made: its object. steps: whether each is reused, and why; none where all run
    again.
    """

    new: str
    made: Workflow
    steps: Sequence[Reuse]


def ending(
    place: Target, run: str, *, now: bool = False, message: str = "", force: bool = False
) -> Change:
    """Plan the end of a run.

    Args:
        place: where it is.
        run: its name, as `names.run_name` takes it.
        now: its steps end at once, and its exit handler is skipped.
        message: why, for whoever looks later.
        force: also another user's run.

    Raises:
        NotFoundError: where no run is meant, or several are.
        ConflictError: for one that has ended.
        UsageError: for another's run.
    """
    end = place.service.terminate if now else place.service.stop
    change = _change(place, run, force, "stop", lambda name: end(name, message))
    _refuse_ended(change)
    return change


def suspending(place: Target, run: str, *, force: bool = False) -> Change:
    """Plan that a run starts no further steps.

    Args:
        place: where it is.
        run: its name, as `names.run_name` takes it.
        force: also another user's run.

    Raises:
        NotFoundError: no run is meant, or several are.
        ConflictError: it has ended.
        UsageError: it is another's.
    """
    change = _change(place, run, force, "suspend", place.service.suspend)
    _refuse_ended(change)
    return change


def resuming(
    place: Target, run: str, *, node: str = "", outputs: Sequence[str] = (), force: bool = False
) -> Resume:
    """Plan that a suspended run goes on.

    Args: as of `ending`, and
        node: which of its suspended steps, by name or field selector; "" for all.
        outputs: NAME=VALUE of what the step waits for.

    Raises: as `ending`, and
        ConflictError: where nothing waits.
        UsageError: for outputs that no step waits for.
    """
    found = _change(place, run, force, "resume", place.service.resume)
    _refuse_ended(found, "retry")
    selector = _selector_of(node)
    waiting = _waiting_for_resume(found.workflow, selector)
    if not waiting:
        raise ConflictError(
            f"nothing in {found.name} waits to be resumed" + (f" that is {node}" if node else ""),
            hint=f"argojobs get {found.name}{place.options} shows its steps",
        )
    selector, values = _outputs_given(found.workflow, selector, outputs)
    make = partial(place.service.resume, found.name, node_selector=selector, outputs=values)
    return Resume(
        place=place, workflow=found.workflow, whose=found.whose, make=make, waiting=waiting
    )


def retrying(
    place: Target,
    run: str,
    *,
    node: str = "",
    params: str = "",
    assignments: Sequence[str] = (),
    force: bool = False,
) -> Retry:
    """Plan that the failed steps of a run run again, under the same name.

    Args: as of `ending`, and
        node: steps that run again although they succeeded, by name or field selector.
        params: other parameters, as JSON or a file of them.
        assignments: NAME=VALUE; they win over params.

    Raises: as `ending`, and
        ConflictError: for a run that cannot be retried.
        UsageError: for a wrong selector, or an artifact.
        ParameterError: for what is not a parameter of it, or a wrong value.
    """
    found = _change(place, run, force, "retry", place.service.retry)
    workflow, selector = found.workflow, _selector_of(node)
    given = _overridden(workflow, params, assignments)
    again = rerun.retry(
        workflow,
        now="",
        restart_successful=bool(selector),
        node_selector=selector,
        parameters=given.assignments,
    )
    kept = frozenset(key for key, node in again.nodes.items() if node["phase"] in ENDED)
    steps = list(counted(steps_of(workflow)))
    return Retry(
        place=place,
        workflow=workflow,
        whose=found.whose,
        make=partial(
            place.service.retry,
            found.name,
            restart_successful=bool(selector),
            node_selector=selector,
            parameters=given.assignments,
        ),
        spec=given.spec,
        again=rerun.steps_again(workflow, again),
        kept=kept,
        stay=sum(step.phase == "Succeeded" and step.node_id in kept for step in steps),
        steps=len(steps),
    )


def resubmitting(
    place: Target,
    run: str,
    *,
    start: Sequence[str] = (),
    reuse: bool = False,
    words: Sequence[str] | None = None,
    params: str = "",
    assignments: Sequence[str] = (),
    command_line: str = "",
) -> Resubmit:
    """Plan that a run is started again as a new one of mine; the old one stays, whose it may be.

    Args: place and run as of `ending`, and
        start: steps before which all is taken over that was done and has not changed.
        reuse: all that succeeded and has not changed is taken over.
        words: others for a script or command, None for those that it had.
        params, assignments: as of `retrying`.
        command_line: what asks for it, for whoever looks later.

    Raises:
        NotFoundError: where no run is meant, or several are; for an unknown step.
        UsageError: for words beside what is taken over, or where it takes none; for an artifact.
        ParameterError: for what is not a parameter of it, or a wrong value.
    """
    old = find_run(place.service, run, changes=True, options=place.options)
    over = bool(start or reuse)
    if words is not None and over:
        raise UsageError(
            "with other words nothing of a run is as it was: there is nothing to take over",
            hint="leave out --from and --reuse, or the words",
        )
    given = _overridden(old if words is None else with_words(old, words), params, assignments)
    name = new_name(old, random.SystemRandom())
    steps: Sequence[Reuse] = ()
    if over:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = resubmit_from(old, start, name, now=now, spec=given.spec)
        made, steps = found.workflow, found.steps
    else:
        made = fresh(old, name, given.spec)
    made = owned(made, command_line)
    make = partial(place.service.create, made)
    return Resubmit(
        place=place, workflow=old, whose="", make=make, new=name, made=made, steps=steps
    )


def deleting(place: Target, runs: Sequence[str], *, force: bool = False) -> list[Change]:
    """Plan that runs are forgotten, each once; all are looked up before one is.

    Args:
        place: where they are.
        runs: their names, as `names.run_name` takes them.
        force: also another user's.

    Raises:
        NotFoundError: no run is meant, or several are.
        UsageError: one is another's.
    """

    def delete(workflow: Workflow) -> Workflow:
        place.service.delete(str(workflow["metadata"]["name"]))
        return workflow

    return [
        Change(
            place=place,
            workflow=found,
            whose=check_owner(found, place, force=force, verb="delete"),
            make=partial(delete, found),
        )
        for found in find_runs(place.service, runs, changes=True, options=place.options)
    ]


def _change(
    place: Target, run: str, force: bool, verb: str, do: Callable[[str], Workflow]
) -> Change:
    """Return the change of the run that a name means, if it is mine or forced."""
    workflow = find_run(place.service, run, changes=True, options=place.options)
    whose = check_owner(workflow, place, force=force, verb=verb)
    make = partial(do, str(workflow["metadata"]["name"]))
    return Change(place=place, workflow=workflow, whose=whose, make=make)


def _refuse_ended(change: Change, remedy: str = "get") -> None:
    """Raise ConflictError for a run that has ended, naming the verb that helps."""
    if is_final(change.workflow):
        raise ConflictError(
            f"{change.name} has already ended: {phase_of(change.workflow)}",
            hint=f"argojobs {remedy} {change.name}{change.place.options}",
        )


@dataclass(frozen=True, slots=True)
class Overridden:
    """A spec with other parameters, and the same as texts: `name=value` of each that was given."""

    spec: WorkflowSpec
    assignments: tuple[str, ...]


def _overridden(workflow: Workflow, params: str, assignments: Sequence[str]) -> Overridden:
    """Put `--params` and `-p` into a run's spec, checked as `run` checks them.

    Raises ParameterError, and UsageError for an artifact, which stays as it was.
    """
    overrides = given(params, assignments)
    if not overrides:
        return Overridden({**workflow["spec"]}, ())
    applied = resolve(workflow, overrides)
    if applied.artifacts:
        raise UsageError(
            f"{applied.artifacts[0].name} is an artifact: it stays as the run had it",
            hint="start a new run with another one: argojobs run FILE -p NAME=PATH",
        )
    spec = applied.workflow["spec"]
    parameters = parameters_of(spec.get("arguments"))
    texts = [f"{p['name']}={p.get('value', '')}" for p in parameters if p["name"] in overrides]
    return Overridden(spec, tuple(texts))


def owned(workflow: Workflow, command_line: str) -> Workflow:
    """Return a new run's object as one of whoever asks for it by this command line."""
    labels, notes = {USER_LABEL: user_name()}, {COMMAND_LINE: command_line}
    return with_metadata(workflow, labels=labels, annotations=notes)


def _selector_of(given: str) -> str:
    """Return a field selector for what the user gave: one, or a step's name as it is shown.

    Raises UsageError for a selector that is none.
    """
    if not given:
        return ""
    if "=" not in given:
        escaped = given.replace("\\", "\\\\").replace(",", "\\,")
        return f"displayName={escaped}"
    selectors.parse(given)
    return given


def _waiting_for_resume(workflow: Workflow, selector: str) -> list[str]:
    """Return what a resume would let go on: steps by name, and `the whole run`."""
    names = [str(node["displayName"]) for node in _waiting(workflow, selector)]
    if not selector and spec_of(workflow).get("suspend"):
        names.insert(0, "the whole run")
    return names


def _outputs_given(
    workflow: Workflow, selector: str, assignments: Sequence[str]
) -> tuple[str, dict[str, str]]:
    """Return the selector of the step whose outputs are given by `NAME=VALUE`, and their values.

    Without a selector it is the one step that waits. Raises UsageError for an output that the step
    does not wait for, for one that is missing and has no default, and where several steps wait.
    """
    given = (parse_assignment(text) for text in assignments)
    values = {name: value.text for name, value in given}
    steps = _waiting(workflow, selector)
    names = list(dict.fromkeys(str(step["displayName"]) for step in steps))
    if values and len(names) > 1 and not selector:
        raise UsageError(
            f"{len(names)} steps wait: which one gets the values?",
            hint=f"name it: --node STEP, one of {', '.join(names)}",
        )
    for step in steps:
        awaited, name = supplied_outputs(step), str(step["displayName"])
        for unknown in (one for one in values if one not in awaited):
            raise UsageError(
                f"{name} does not wait for an output {unknown!r}",
                hint=suggestion(unknown, awaited, what="it waits for"),
            )
        missing = [one for one, default in awaited.items() if default is None and one not in values]
        if missing:
            raise UsageError(
                f"{name} waits for a value of {', '.join(missing)}",
                hint=f"give it: {' '.join(f'-p {one}=VALUE' for one in missing)}",
            )
    return selector or (_selector_of(names[0]) if values and names else ""), values


def _waiting(workflow: Workflow, selector: str) -> list[Node]:
    return waiting(nodes_of(workflow).values(), selector)
