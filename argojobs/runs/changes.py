"""Changing a run: which run, whether it may be, other parameters for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argojobs.errors import ConflictError, UsageError
from argojobs.manifest.parameters import resolve
from argojobs.runs.names import find_run
from argojobs.runs.owners import check_owner, user_name
from argojobs.runs.request import given
from argojobs.runs.view.facts import COMMAND_LINE
from argojobs.service import USER_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.runs.target import Target


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

    spec: dict[str, Any]
    assignments: tuple[str, ...]


def overridden(workflow: Workflow, params: str, assignments: Sequence[str]) -> Overridden:
    """Put `--params` and `-p` into a run's spec, checked as `run` checks them.

    Raises ParameterError, and UsageError for an artifact, which stays as it was.
    """
    overrides = given(params, assignments)
    if not overrides:
        return Overridden(dict(workflow["spec"]), ())
    applied = resolve(workflow, overrides)
    if applied.artifacts:
        raise UsageError(
            f"{applied.artifacts[0].name} is an artifact: it stays as the run had it",
            hint="start a new run with another one: argojobs run FILE -p NAME=PATH",
        )
    spec: dict[str, Any] = applied.workflow["spec"]
    parameters = (spec.get("arguments") or {}).get("parameters") or ()
    texts = [f"{p['name']}={p.get('value', '')}" for p in parameters if p["name"] in overrides]
    return Overridden(spec, tuple(texts))


def owned(workflow: Workflow, command_line: str) -> Workflow:
    """Return a new run's object as one of whoever asks for it by this command line."""
    metadata = workflow["metadata"]
    labels = {**(metadata.get("labels") or {}), USER_LABEL: user_name()}
    notes = {**(metadata.get("annotations") or {}), COMMAND_LINE: command_line}
    return {**workflow, "metadata": {**metadata, "labels": labels, "annotations": notes}}
