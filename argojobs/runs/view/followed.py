"""The newest state of a run that is followed, shared by the threads that watch and read it."""

from __future__ import annotations

import threading

from argojobs.runs.view.steps import Step, steps_of, walk
from argojobs.service import Workflow


class Followed:
    """The newest state of a run, and which step each of its pods belongs to.

    The steps are made out only when somebody asks for them: who waits in silence never does, and
    the run has the machine to itself.
    """

    def __init__(self, workflow: Workflow) -> None:
        self._lock = threading.RLock()
        self.workflow = workflow
        self._steps: tuple[Step, ...] | None = None
        self._by_pod: dict[str, Step] | None = None

    def update(self, workflow: Workflow) -> None:
        """Take a newer state of the run."""
        with self._lock:
            self.workflow = workflow
            self._steps = self._by_pod = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The run's steps in its newest state."""
        with self._lock:
            if self._steps is None:
                self._steps = steps_of(self.workflow)
            return self._steps

    def step_name(self, node_id: str) -> str:
        """Return the path, as shown, of the step whose pod this is; "" if not known yet."""
        with self._lock:
            step = self.step_of(node_id)
            return _pod_name(step, node_id) if step is not None else ""

    def step_of(self, node_id: str) -> Step | None:
        """Return the step whose pod this is, None if it is not known yet."""
        with self._lock:
            if self._by_pod is None:
                self._by_pod = {pod: step for step in walk(self.steps) for pod in step.pods}
            return self._by_pod.get(node_id)


def _pod_name(step: Step, pod: str) -> str:
    """Return what a pod's log lines are headed with: its step, and the attempt if it is one."""
    return f"{step.title}({step.pods.index(pod)})" if len(step.pods) > 1 else step.title
