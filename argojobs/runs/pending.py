"""Runs that wait for long: said while they are followed, and given up after a time the user gave."""

from __future__ import annotations

from argojobs.engine.clock import duration
from argojobs.errors import ManifestError, RunFailedError, UsageError
from argojobs.manifest.view import nodes_of, spec_of
from argojobs.runs.target import Target
from argojobs.runs.view.steps import leaves, steps_of
from argojobs.runs.view.times import elapsed
from argojobs.service import Workflow, is_final, phase_of

#: So long a run waits before it is said why, in seconds.
NOTICE = 10.0


class Pending:
    """Watches for how long a run has been waiting without a break.

    limit: seconds after which it is given up, None for never. options, local: as a diagnosis has
    them. said: what was told last, "" while nothing is; why: the reason in it. gave_up: whether the limit has passed.
    """

    def __init__(
        self, *, limit: float | None = None, options: str = "", local: bool = False
    ) -> None:
        self.limit = limit
        self.options = options
        self.local = local
        self.said = ""
        self.why = ""
        self.gave_up = False
        self._since: float | None = None
        self._told_of: Workflow | None = None

    def look(self, workflow: Workflow, now: float) -> str:
        """Look at a run at a moment, and return what is to be said of its waiting; "" for nothing."""
        if not is_waiting(workflow):
            self._since, self.said = None, ""
            return ""
        if self._since is None:
            self._since = now
        waited = now - self._since
        if self.limit is not None and waited >= self.limit:
            self.gave_up = True
        if waited >= NOTICE or self.gave_up:
            name = workflow["metadata"]["name"]
            if workflow is not self._told_of:  # once a second, and mostly the same object
                self._told_of, self.why = workflow, self._why(workflow)
            self.said = f"{self.why}; argojobs diagnose {name}{self.options} says more"
        return self.said

    def error(self, name: str) -> RunFailedError:
        """Return what is said of a run that was given up."""
        return RunFailedError(
            f"{name} was still pending after {elapsed(self.limit or 0.0)}: {self.why}",
            hint=f"argojobs diagnose {name}{self.options}",
        )

    def _why(self, workflow: Workflow) -> str:
        # Only for what waits for long: a table of all that can be wrong.
        from argojobs.diagnosis.diagnose import diagnose
        from argojobs.runs.diagnosis import known

        found = diagnose(known(workflow, options=self.options, local=self.local))
        if found:
            return f"{found[0].step or 'it'} is pending: {found[0].what}"
        steps = [step.title for step in leaves(steps_of(workflow)) if step.phase == "Pending"]
        return f"{steps[0] if steps else 'it'} is pending, and nothing says why yet"


def is_waiting(workflow: Workflow) -> bool:
    """Tell whether a run waits for the cluster: it is not over, and none of its pods runs."""
    if is_final(workflow) or spec_of(workflow).get("suspend"):
        return False
    if phase_of(workflow) in {"", "Pending"}:
        return True
    nodes = nodes_of(workflow).values()
    phases = {node.get("phase") for node in nodes if node.get("type") == "Pod"}
    return "Running" not in phases and "Pending" in phases


def pending_of(timeout: str, place: Target) -> Pending:
    """Return who watches a run's waiting. Raises UsageError for what is not a time."""
    limit = seconds(timeout) if timeout else None
    return Pending(limit=limit, options=place.options, local=place.steps_here)


def seconds(text: str) -> float:
    """Return a time as Argo writes it (`90s`, `5m`, `1h30m`, `300`) in seconds."""
    try:
        found = duration(text)
    except ManifestError:
        found = 0.0
    if found <= 0:
        raise UsageError(f"--pending-timeout {text!r} is not a time", hint="give one: 90s, 5m, 1h")
    return found
