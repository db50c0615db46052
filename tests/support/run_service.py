"""The service of tests of `run`: every run ends at once, and nothing is started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argojobs.cli.text import tell
from argojobs.runs import target as connecting
from argojobs.storage.directory import DirectoryRepository
from support.fake_service import FakeService, node

MANIFEST = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: chain-}
spec:
  entrypoint: main
  arguments:
    parameters:
    - {name: batch_size, value: 2}
    artifacts:
    - {name: data, optional: true}
  templates:
  - name: main
    inputs:
      artifacts: [{name: data, path: /in, optional: true}]
    container: {image: "python:3.12", command: [python3, -c, pass]}
"""


class RunService(FakeService):
    """A fake that ends every run at once, and has what only this machine has."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.home = folder.parent / "home"
        self.phase = "Succeeded"
        self.notes: list[str] = []

    def prepare(self) -> None:
        self.calls.append(("prepare",))

    def check(self, workflow: object) -> list[str]:
        return self.notes

    def repository(self) -> DirectoryRepository:
        return DirectoryRepository(str(self.folder))

    def create(self, workflow: dict) -> dict:
        created = super().create(workflow)
        ended = json.loads(json.dumps(created))
        name = created["metadata"]["name"]
        root = {**node(name, "", self.phase), "type": "Pod", "message": "main: Error (exit code 1)"}
        ended["status"] = {"phase": self.phase, "nodes": {name: root}}
        self.then[name] = [ended]
        return created


def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunService:
    """Return the service, which every verb of this test finds by any context."""
    fake = RunService(tmp_path / "repository")
    monkeypatch.setattr(connecting, "connect", lambda *_: fake)
    monkeypatch.setattr(connecting, "local", lambda: fake)
    place = connecting.this_machine(fake, tell=tell)  # which asks `local` above
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ARGOJOBS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return fake


def created(service: FakeService) -> list[str]:
    return [call[1] for call in service.calls if call[0] == "create"]
