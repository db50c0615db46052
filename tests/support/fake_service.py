"""A `Service` in memory: runs are made of states that a test lists beforehand."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from argojobs.errors import ConflictError, NotFoundError
from argojobs.service import FINAL_PHASES, LogLine, WatchEvent, Workflow

START = "2026-01-31T12:00:00Z"


def node(run: str, path: str, phase: str = "Succeeded", **more: Any) -> dict[str, Any]:
    """A node as Argo writes it: a pod under the run's root unless told otherwise."""
    name = f"{run}.{path}" if path else run
    made = {
        "id": name if not path else f"{run}-{path}",
        "name": name,
        "displayName": path or run,
        "type": "Pod" if path else "DAG",
        "templateName": path or "main",
        "phase": phase,
        "startedAt": START,
    }
    if path:
        made["boundaryID"] = run
    if phase in FINAL_PHASES:
        made["finishedAt"] = "2026-01-31T12:00:05Z"
    return {**made, **more}


def workflow(
    name: str = "demo-x7k2p",
    phase: str = "Succeeded",
    *,
    tasks: tuple[str, ...] = (),
    nodes: tuple[dict[str, Any], ...] = (),
    created: str = START,
    **status: Any,
) -> Workflow:
    """A workflow whose entrypoint is a DAG of these tasks."""
    made: Workflow = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "creationTimestamp": created, "labels": {}, "annotations": {}},
        "spec": {
            "entrypoint": "main",
            "arguments": {"parameters": []},
            "templates": [
                {"name": "main", "dag": {"tasks": [{"name": t, "template": t} for t in tasks]}},
                *({"name": t, "container": {"command": ["true"]}} for t in tasks),
            ],
        },
        "status": {"phase": phase, "startedAt": created, **status},
    }
    if phase in FINAL_PHASES:
        made["status"].setdefault("finishedAt", created.replace(":00Z", ":42Z"))
    if nodes:
        made["status"]["nodes"] = {one["id"]: one for one in nodes}
    return made


class FakeService:
    """Keeps workflows as given; `then` lists the states that watching one shows in turn."""

    def __init__(self, *workflows: Workflow) -> None:
        self.runs: dict[str, Workflow] = {w["metadata"]["name"]: w for w in workflows}
        self.then: dict[str, list[Workflow]] = {}
        self.lines: dict[str, list[LogLine]] = {}
        self.calls: list[tuple[str, ...]] = []
        self.interrupts = 0
        #: Whether watching goes on although no further state is listed.
        self.endless = False

    def log(self, run: str, node_id: str, *texts: str) -> None:
        """Add log lines of a pod."""
        self.lines.setdefault(run, []).extend(LogLine(node_id, node_id, text) for text in texts)

    def prepare(self) -> None: ...

    def create(self, workflow: Workflow) -> Workflow:
        name = workflow["metadata"]["name"]
        self.calls.append(("create", name))
        if name in self.runs:
            raise ConflictError(f"{name} exists")
        stored = copy.deepcopy(workflow)
        stored["metadata"].update(uid="u", creationTimestamp=START)
        stored.setdefault("status", {})
        self.runs[name] = stored
        return copy.deepcopy(stored)

    def get(self, name: str) -> Workflow:
        if name not in self.runs:
            raise NotFoundError(f"there is no run {name!r}")
        return copy.deepcopy(self.runs[name])

    def list(self, *, labels: Mapping[str, str] | None = None, limit: int = 0) -> list[Workflow]:
        wanted = (labels or {}).items()
        found = [
            copy.deepcopy(run)
            for run in self.runs.values()
            if wanted <= (run["metadata"].get("labels") or {}).items()
        ]
        found.sort(key=lambda run: run["metadata"]["creationTimestamp"], reverse=True)
        for run in found:
            (run.get("status") or {}).pop("nodes", None)
        return found[:limit] if limit else found

    def watch(self, name: str) -> Iterator[WatchEvent]:
        yield WatchEvent("ADDED", self.get(name))
        while self.then.get(name):
            if self.interrupts:
                self.interrupts -= 1
                raise KeyboardInterrupt
            self.runs[name] = self.then[name].pop(0)
            yield WatchEvent("MODIFIED", self.get(name))
        while self.endless:
            threading.Event().wait(0.05)

    def logs(
        self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0
    ) -> Iterator[LogLine]:
        found = [x for x in self.lines.get(name, []) if not node_id or x.node_id == node_id]
        yield from found[-tail:] if tail else found

    def stop(self, name: str, message: str = "") -> Workflow:
        self.calls.append(("stop", name, message))
        return self.get(name)

    def terminate(self, name: str, message: str = "") -> Workflow:
        self.calls.append(("terminate", name))
        return self.get(name)

    def suspend(self, name: str) -> Workflow:
        self.calls.append(("suspend", name))
        return self.get(name)

    def resume(
        self, name: str, *, node_selector: str = "", outputs: Mapping[str, str] | None = None
    ) -> Workflow:
        given = [f"{key}={value}" for key, value in (outputs or {}).items()]
        self.calls.append(("resume", name, node_selector, *given))
        return self.get(name)

    def retry(
        self,
        name: str,
        *,
        restart_successful: bool = False,
        node_selector: str = "",
        parameters: Sequence[str] = (),
    ) -> Workflow:
        chosen = node_selector if restart_successful else ""
        self.calls.append(("retry", name, chosen, *parameters))
        return self.get(name)

    def names(self) -> list[str]:
        return [str(run["metadata"]["name"]) for run in self.list()]

    def names_and_labels(
        self, part: str = "", *, labels: Mapping[str, str] | None = None
    ) -> Sequence[tuple[str, Mapping[str, str]]]:
        return [] if labels else [(name, {}) for name in self.names() if part in name]

    def summaries(self, *, given: bool = False) -> Sequence[Workflow]:
        return self.list()

    def template(self, name: str, *, cluster: bool = False) -> Workflow:
        raise NotFoundError(f"there is no template {name!r}")

    def version(self) -> str:
        return ""

    def project(self, name: str) -> Path | None: ...

    def folder(self, name: str) -> Path | None: ...

    def delete(self, name: str) -> None:
        self.calls.append(("delete", name))
        del self.runs[name]

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        raise NotFoundError(f"{name} has no artifact {artifact!r}")


class Shared(FakeService):
    """A server that says whose runs are."""

    finds_parts = True

    def names_and_labels(
        self, part: str = "", *, labels: Mapping[str, str] | None = None
    ) -> list[tuple[str, Mapping[str, str]]]:
        found = [(r["metadata"]["name"], r["metadata"]["labels"]) for r in self.list(labels=labels)]
        if part and not self.finds_parts:  # a server that looks for a run of that very name
            return [one for one in found if one[0] == part]
        return [one for one in found if part in one[0]]


def of(user: str, run: Workflow) -> Workflow:
    """The run as one of a user."""
    run["metadata"]["labels"]["argojobs.dev/user"] = user
    return run
