"""Where things lie in a home: `pods/<run>/<pod>/`, `results/<run>/<job>/`, `artifacts/`."""

from __future__ import annotations

from pathlib import Path

#: Folders of the artifact repository with what the steps of other runs run.
SHARED = ("code", "debugger", "job")


def pod_directory(home: Path, run: str, pod: str) -> Path:
    """Return where request, log and result of a pod lie.

    Args:
        home: the home's folder.
        run: the run's name.
        pod: the pod's name; "" for the folder that holds those of all pods of the run.
    """
    return home / "pods" / run / pod


def results_directory(home: Path, run: str) -> Path:
    """Return where the folders lie in which the steps of a run keep what they report."""
    return home / "results" / run


def artifact_root(home: Path) -> Path:
    """Return the folder of the home's artifact repository."""
    return home / "artifacts"
