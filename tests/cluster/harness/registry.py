"""The registry of images: Debian's docker-registry on the bridge, without TLS.

This machine and the node reach it by the same address, so an image has one name for both.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from harness import processes
from harness.places import REGISTRY, REGISTRY_URL
from harness.state import State

NAME = "docker-registry"


def up(state: State) -> None:
    """Start the registry, and have containerd know that it speaks http."""
    hosts = state.folder / "registries" / REGISTRY / "hosts.toml"
    hosts.parent.mkdir(parents=True)
    hosts.write_text(
        f'server = "{REGISTRY_URL}"\n[host."{REGISTRY_URL}"]\n  capabilities = ["pull", "resolve"]\n'
    )
    settings = {
        "version": "0.1",
        "log": {"level": "warn", "accesslog": {"disabled": True}},
        "storage": {
            "filesystem": {"rootdirectory": str(state.folder / "registry")},
            "delete": {"enabled": True},
        },
        "http": {"addr": REGISTRY},
    }
    file = state.folder / "registry.yml"
    file.write_text(json.dumps(settings))  # JSON is YAML, too
    processes.start(state, NAME, ["docker-registry", "serve", file])


def wait_ready(state: State) -> None:
    """Wait until the registry answers."""
    processes.wait_ready(state, NAME, answers)


def answers() -> bool:
    """Whether a registry answers there."""
    try:
        with urllib.request.urlopen(f"{REGISTRY_URL}/v2/", timeout=3) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
