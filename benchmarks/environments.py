"""Environments of the peers: one each under `.bench/`, made once, so that none meets another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT

FOLDER = ROOT / ".bench"
#: Peers that Python packages bring, each in the range it was tried with.
PACKAGES = {
    "luigi": "luigi>=3.6,<4",
    "submitit": "submitit>=1.5,<2",
    "metaflow": "metaflow>=2.15,<3",
    "kfp": "kfp>=2.10,<3",
}
_SECONDS = 240  # for one installation


@dataclass(frozen=True)
class Peer:
    """A peer that can be run: its interpreter (or program), and its version."""

    name: str
    program: str
    version: str


def available() -> tuple[list[Peer], list[str]]:
    """Return the peers there are, and one line for each that there is not, with the reason."""
    found, missing = [], []
    make = shutil.which("make")
    if make:
        first = subprocess.run([make, "--version"], capture_output=True, text=True, check=True)
        found.append(Peer("make", make, first.stdout.split("\n")[0].split()[-1]))
    else:
        missing.append("make: not on this machine")
    for name, requirement in PACKAGES.items():
        try:
            found.append(installed(name, requirement))
        except (subprocess.SubprocessError, OSError) as error:
            output = getattr(error, "stderr", None) or str(error)
            missing.append(f"{name}: {str(output).strip().splitlines()[-1]:.200}")
    return found, missing


def installed(name: str, requirement: str) -> Peer:
    """Return a peer from its own environment, made now if there is none."""
    folder = FOLDER / name
    program = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != requirement:
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        # kfp's compiler and metaflow import pkg_resources or nothing; setuptools serves both.
        pip = [str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, requirement, "setuptools<81"])
        ready.write_text(requirement)
    said = f"import importlib.metadata as m; print(m.version({name!r}))"
    return Peer(name, str(program), _run([str(program), "-c", said]).strip())


def _run(argv: list[str]) -> str:
    done = subprocess.run(
        argv, capture_output=True, text=True, check=True, timeout=_SECONDS, env=dict(os.environ)
    )
    return done.stdout


def place(name: str) -> Path:
    """Return the folder of a peer."""
    return FOLDER / name
