"""The bridge of the pods and the address of the API server, put up and taken away."""

from __future__ import annotations

import json
from pathlib import Path

from harness.command import run
from harness.errors import HarnessError
from harness.places import API_ADDRESS, BRIDGE, HOST_ADDRESS
from harness.state import State

#: What the bridge plugin and the kubelet set for the whole machine; put back when all is done.
SETTINGS = (
    "net/ipv4/ip_forward",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)


def up(state: State) -> None:
    """Put up the bridge with this machine's address on it, and the service address on `lo`."""
    if not state.settings:
        state.settings = {name: value for name in SETTINGS if (value := setting(name)) is not None}
        state.save()
    if BRIDGE not in links():
        state.bridges.append(BRIDGE)
        state.save()
        run(["ip", "link", "add", "name", BRIDGE, "type", "bridge"])
        run(["ip", "addr", "add", f"{HOST_ADDRESS}/24", "dev", BRIDGE])
        run(["ip", "link", "set", BRIDGE, "up"])
    elif BRIDGE not in state.bridges:
        raise HarnessError(
            f"a bridge {BRIDGE} that is not this harness's is here already: `ip link show {BRIDGE}`"
        )
    if API_ADDRESS not in addresses("lo"):
        state.addresses.append(API_ADDRESS)
        state.save()
        run(["ip", "addr", "add", f"{API_ADDRESS}/32", "dev", "lo"])
    elif API_ADDRESS not in state.addresses:
        raise HarnessError(f"another cluster has {API_ADDRESS} on lo already: `ip addr show lo`")


def down(state: State) -> None:
    """Take away what `up` put up, and put the machine's settings back."""
    for bridge in state.bridges:
        if bridge in links():
            for port in ports(bridge):
                run(["ip", "link", "delete", port])
            run(["ip", "link", "delete", bridge])
    for address in state.addresses:
        if address in addresses("lo"):
            run(["ip", "addr", "delete", f"{address}/32", "dev", "lo"])
    for name, value in state.settings.items():
        if setting(name) not in {None, value}:
            (Path("/proc/sys") / name).write_text(value)


def links() -> list[str]:
    """The names of this machine's network devices."""
    return [each["ifname"] for each in json.loads(run(["ip", "-j", "link"]))]


def ports(bridge: str) -> list[str]:
    """The devices that are plugged into `bridge`."""
    return [
        each["ifname"]
        for each in json.loads(run(["ip", "-j", "link", "show", "master", bridge]) or "[]")
    ]


def addresses(device: str) -> list[str]:
    """The IP addresses of `device`."""
    found = json.loads(run(["ip", "-j", "addr", "show", "dev", device]))
    return [info["local"] for each in found for info in each["addr_info"]]


def setting(name: str) -> str | None:
    """The value of a kernel setting; None where this machine has no such setting."""
    file = Path("/proc/sys") / name
    return file.read_text().strip() if file.exists() else None
