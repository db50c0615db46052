"""What the node offers beside its processors and memory: volumes for claims, and GPUs in name.

A claim without a class takes one of the volumes. The GPUs are numbers that Kubernetes counts with,
so that waiting for them and showing them can be tested where there are none.
"""

from __future__ import annotations

import json
from typing import Any

from harness import kubectl
from harness.places import NODE
from harness.state import State

#: A volume serves one claim: after that its content is kept and it is not given out again.
VOLUMES = 40
VOLUME_SIZE = "50Gi"
GPUS = 8


def up(state: State) -> None:
    """Offer the volumes and the GPUs."""
    volumes = state.folder / "volumes"
    volumes.mkdir(exist_ok=True)
    kubectl.apply(
        state.folder, [json.dumps(volume(state, number)) for number in range(1, VOLUMES + 1)]
    )
    change = [{"op": "add", "path": "/status/capacity/nvidia.com~1gpu", "value": str(GPUS)}]
    kubectl.kubectl(
        state.folder,
        *("patch", "node", NODE, "--subresource=status", "--type=json", "-p", json.dumps(change)),
    )


def volume(state: State, number: int) -> dict[str, Any]:
    """The manifest of a volume, for which a folder that anybody may write to is made here."""
    folder = state.folder / "volumes" / str(number)
    folder.mkdir()
    folder.chmod(0o1777)
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"volume-{number}"},
        "spec": {
            "capacity": {"storage": VOLUME_SIZE},
            "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": str(folder)},
        },
    }
