"""A place to run one step in as a program, without a container: its project, its places."""

import os
import shutil
import subprocess
import textwrap
from pathlib import Path

from argojobs.compile.bundle import needed, pack

HEAD = """
from argojobs import Dataset, Directory, File, Model, Outputs, TensorBoard, command, step

class Trained(Outputs):
    model: Model
    board: TensorBoard
    accuracy: float
"""


def python_of(version: str) -> str | None:
    """Find a Python of a version: on PATH, or among pyenv's (whose own shims may refuse)."""
    below = Path.home() / ".pyenv" / "versions"
    for program in (shutil.which(f"python{version}"), *below.glob(f"{version}.*/bin/python")):
        if program is not None:
            said = subprocess.run([program, "--version"], capture_output=True, check=False)
            if said.stdout.startswith(f"Python {version}.".encode()):
                return str(program)
    return None


class Sandbox:
    """A project, a root for the contract's paths, and a way to run a step there."""

    def __init__(self, folder: Path, python: str) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.root = folder / "root"
        self.python = python
        self.environment: dict[str, str] = {}
        #: All of our own code, as it is stored, and not what travels in a manifest.
        self.whole = False

    @property
    def code(self) -> Path:
        return self.root / "argojobs" / "code"

    def input(self, name: str, content: str | None = None) -> Path:
        """Lay an input artifact down; without content the path alone, to be filled."""
        path = self.root / "argojobs" / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_text(content)
        return path

    def output(self, name: str) -> Path:
        return self.root / "argojobs" / "out" / name

    def parameter(self, name: str) -> str:
        return self.output(f".parameters/{name}").read_bytes().decode()

    def command(self, source: str, name: str, file: str = "flow.py") -> list[str]:
        path = self.project / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(source))
        packed = pack(self.project, entries=[])
        shutil.rmtree(self.code, ignore_errors=True)
        for entry in packed.entries if self.whole else needed(packed):
            target = self.code / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(entry.content)
        return [self.python, "-u", str(self.code / ".argojobs/__main__.py"), f"{file}:{name}"]

    def variables(self, parameters: dict[str, str]) -> dict[str, str]:
        given = {f"ARGOJOBS_P_{name}": text for name, text in parameters.items()}
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "ARGOJOBS_ROOT": str(self.root), **given, **self.environment}

    def run(
        self, source: str, name: str = "work", file: str = "flow.py", **parameters: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(source, name, file),
            cwd=self.code,
            env=self.variables(parameters),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
