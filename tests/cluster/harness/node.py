"""The one node of the cluster: containerd and the kubelet."""

from __future__ import annotations

from pathlib import Path

from harness import kubectl, processes
from harness.command import run
from harness.errors import HarnessError
from harness.places import HOST_ADDRESS, NODE
from harness.state import State

CONFIG = Path(__file__).parent / "config"


def containerd_up(state: State) -> None:
    """Start containerd, and come back when it answers."""
    _write(state, "containerd.toml", state.folder / "containerd.toml")
    _write(state, "10-bridge.conflist", state.folder / "cni" / "10-bridge.conflist")
    processes.start(
        state, "containerd", ["containerd", "--config", state.folder / "containerd.toml"]
    )
    processes.wait_ready(state, "containerd", lambda: containerd_ready(state.folder))


def containerd_ready(folder: Path) -> bool:
    """Whether containerd answers."""
    if not (folder / "containerd.sock").exists():
        return False
    try:
        ctr(folder, "version", timeout=5)
    except HarnessError:
        return False
    return True


def ctr(folder: Path, *words: str | Path, timeout: float = 300) -> str:
    """What `ctr WORDS` prints, of our containerd, where Kubernetes keeps its things."""
    return run(
        ["ctr", "--address", folder / "containerd.sock", "--namespace", "k8s.io", *words],
        timeout=timeout,
    )


def kubelet_up(state: State, programs: Path) -> None:
    """Start the kubelet; `wait_ready` says when it takes pods."""
    _write(state, "kubelet.yaml", state.folder / "kubelet.yaml")
    processes.start(
        state,
        "kubelet",
        [
            programs / "kubelet",
            f"--config={state.folder / 'kubelet.yaml'}",
            f"--kubeconfig={state.folder / 'kubelet.kubeconfig'}",
            f"--root-dir={state.folder / 'kubelet'}",
            f"--cert-dir={state.folder / 'kubelet' / 'pki'}",
            f"--node-ip={HOST_ADDRESS}",
            f"--hostname-override={NODE}",
        ],
    )


def wait_ready(state: State) -> None:
    """Wait until the node takes pods."""
    processes.wait_ready(state, "kubelet", lambda: ready(state.folder), seconds=90)


def ready(folder: Path) -> bool:
    """Whether Kubernetes calls the node ready."""
    nodes = kubectl.get(folder, "nodes")["items"]
    conditions = [one for node in nodes for one in node["status"].get("conditions", [])]
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _write(state: State, name: str, target: Path) -> None:
    """Lay a file of config/ down with the state folder filled in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text((CONFIG / name).read_text().replace("@STATE@", str(state.folder)))
