"""Changing a run: which run and which of its steps, whether it may be, other parameters for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from argojobs.edits.parameters import parse_assignment, resolve
from argojobs.errors import ConflictError, UsageError
from argojobs.manifest import selectors
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.suspended import Node, supplied_outputs, waiting
from argojobs.manifest.view import nodes_of, parameters_of, spec_of
from argojobs.runs.metadata import with_metadata
from argojobs.runs.names import find_run
from argojobs.runs.owners import check_owner, user_name
from argojobs.runs.request import given
from argojobs.runs.target import Target
from argojobs.runs.view.facts import COMMAND_LINE
from argojobs.service import USER_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import WorkflowSpec


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run that is about to be changed. whose: ` of alex` for another's, as its name is told."""

    place: Target
    workflow: Workflow
    whose: str

    @property
    def name(self) -> str:
        """The run's whole name."""
        return str(self.workflow["metadata"]["name"])


def chosen_run(place: Target, run: str, *, force: bool, verb: str) -> Chosen:
    """Return the run that a name means.

    Args:
        place: where it is.
        run: its name, as `names.run_name` takes it.
        force: also another user's run.
        verb: what is about to be done, for the error.

    Raises:
        NotFoundError: where no run is meant, or several are.
        UsageError: for another's run.
    """
    workflow = find_run(place.service, run, changes=True, options=place.options)
    return Chosen(place, workflow, check_owner(workflow, place, force=force, verb=verb))


def refuse_ended(chosen: Chosen, remedy: str = "get") -> None:
    """Raise ConflictError for a run that has ended, naming the verb that helps."""
    if is_final(chosen.workflow):
        raise ConflictError(
            f"{chosen.name} has already ended: {phase_of(chosen.workflow)}",
            hint=f"argojobs {remedy} {chosen.name}{chosen.place.options}",
        )


@dataclass(frozen=True, slots=True)
class Overridden:
    """A spec with other parameters, and the same as texts: `name=value` of each that was given."""

    spec: WorkflowSpec
    assignments: tuple[str, ...]


def overridden(workflow: Workflow, params: str, assignments: Sequence[str]) -> Overridden:
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


def selector_of(given: str) -> str:
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


def waiting_for_resume(workflow: Workflow, selector: str) -> list[str]:
    """Return what a resume would let go on: steps by name, and `the whole run`."""
    names = [str(node["displayName"]) for node in _waiting(workflow, selector)]
    if not selector and spec_of(workflow).get("suspend"):
        names.insert(0, "the whole run")
    return names


def outputs_given(
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
    return selector or (selector_of(names[0]) if values and names else ""), values


def _waiting(workflow: Workflow, selector: str) -> list[Node]:
    return waiting(nodes_of(workflow).values(), selector)
