"""The one node of the cluster: containerd and the kubelet."""

from __future__ import annotations

from pathlib import Path

from harness import kubectl, processes
from harness.command import run
from harness.config_files import lay
from harness.errors import HarnessError
from harness.places import HOST_ADDRESS, NODE
from harness.state import State


def containerd_up(state: State) -> None:
    """Start containerd, and come back when it answers."""
    lay(state, "containerd.toml", state.folder / "containerd.toml")
    lay(state, "10-bridge.conflist", state.folder / "cni" / "10-bridge.conflist")
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
    lay(state, "kubelet.yaml", state.folder / "kubelet.yaml")
    pods_in_memory(state.folder / "kubelet" / "pods")
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


def pods_in_memory(folder: Path) -> None:
    """Keep the volumes of pods off the disk: Argo copies its 100 MB executor into each pod's."""
    folder.mkdir(parents=True)
    run(["mount", "-t", "tmpfs", "-o", "mode=0750", "argojobs-cluster-pods", folder])


def wait_ready(state: State) -> None:
    """Wait until the node takes pods."""
    processes.wait_ready(state, "kubelet", lambda: ready(state.folder), seconds=90)


def ready(folder: Path) -> bool:
    """Whether Kubernetes calls the node ready."""
    nodes = kubectl.get(folder, "nodes")["items"]
    conditions = [one for node in nodes for one in node["status"].get("conditions", [])]
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
