"""The cluster as its administrator sees it, by the real kubectl."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.command import run


def kubectl(folder: Path, *words: str | Path, text: str | None = None, timeout: float = 400) -> str:
    """What `kubectl WORDS` prints, as administrator of the cluster whose state is in `folder`."""
    return run(
        [folder / "programs" / "kubectl", *connection(folder), *words], text=text, timeout=timeout
    )


def connection(folder: Path) -> list[str]:
    """The options of kubectl that lead it to our cluster and leave the user's home alone."""
    return [
        f"--kubeconfig={folder / 'admin.kubeconfig'}",
        f"--cache-dir={folder / 'kubectl-cache'}",
    ]


def get(folder: Path, *words: str) -> Any:
    """`kubectl get WORDS` as data."""
    return json.loads(kubectl(folder, "get", *words, "-o", "json"))


def apply(folder: Path, manifests: Iterable[str]) -> None:
    """Create or change what YAML texts say, on the server's side, so that large CRDs go through."""
    kubectl(
        folder,
        *("apply", "--server-side", "--force-conflicts", "-f", "-"),
        text="\n---\n".join(manifests),
    )
