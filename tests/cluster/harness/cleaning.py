"""Undo all that was done, from the record: after a session, and after a run that was killed."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from harness import network, own_group, processes
from harness.errors import HarnessError
from harness.places import STATE
from harness.state import Process, State, boot_id

#: Folders with fixed names that containerd, the kubelet and network plugins make. Those that were
#: not there before are removed; a machine's own containerd keeps its.
FOLDERS = (
    "/run/containerd",
    "/run/kubernetes",
    "/run/netns",
    "/run/runc",
    "/var/lib/cni",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/log/containers",
    "/var/log/pods",
    "/usr/libexec/kubernetes",
    "/opt/cni",
    "/opt/containerd",
)


#: The programs whose folders these are, too; Docker starts the first of them itself.
ENGINES = ("containerd", "dockerd", "kubelet", "crio")


def note_absent(state: State) -> None:
    """Record which of the folders are not here yet, before anything is started."""
    state.absent = [name for name in FOLDERS if not Path(name).exists()]
    state.save()


def clean(state: State) -> None:
    """End every process, undo every mount and address, remove every file of the cluster.

    Raises HarnessError that says what stays, if anything does; the record is kept then.
    """
    if state.boot == boot_id():
        for process in ending_order(state.processes):
            processes.stop(process, seconds=0)  # what it would save on its way out is thrown away
    sweep()
    unmount(STATE)
    leave_to_others(state)
    for name in state.absent:
        unmount(Path(name))
    network.down(state)
    left = own_group.remove()
    if left:
        raise HarnessError(f"control groups stay: {', '.join(map(str, left))}")
    for name in state.absent:
        shutil.rmtree(name, ignore_errors=True)
    shutil.rmtree(state.folder)


def leave_to_others(state: State) -> None:
    """Strike the folders from the record if another container engine runs: they are its now."""
    ours = set(own_group.members())
    if engines(Path("/proc")) - ours:
        state.absent = []
        state.save()


def engines(proc: Path) -> set[int]:
    """The numbers of the processes that keep containers in the folders above, from /proc."""
    found = set()
    for file in proc.glob("[0-9]*/stat"):
        try:
            text = file.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        name = text[text.index("(") + 1 : text.rindex(")")]
        if name in ENGINES and processes.start_time(text) is not None:
            found.add(int(file.parent.name))
    return found


def ending_order(started: list[Process]) -> list[Process]:
    """The last started ends first: the kubelet before containerd, etcd after all who write to it."""
    return list(reversed(started))


def sweep(seconds: float = 20) -> None:
    """End what is left in the control group: pods and their keepers, which belong to no program of ours."""
    end = time.monotonic() + seconds
    while pids := own_group.members():
        for pid in pids:
            when = processes.born(pid)
            if when is not None:
                processes.stop(Process("a process in the control group", pid, when), seconds=0)
        if time.monotonic() > end:
            raise HarnessError(f"processes do not end: {', '.join(map(str, pids))}")
        time.sleep(0.1)


def unmount(folder: Path) -> None:
    """Undo every mount at or below `folder`, the latest first."""
    for point in mounts_below(folder, Path("/proc/self/mountinfo").read_text()):
        # lazily: what its last process still holds goes with that process
        subprocess.run(["umount", "--lazy", point], check=False, capture_output=True)
    left = mounts_below(folder, Path("/proc/self/mountinfo").read_text())
    if left:
        raise HarnessError(f"mounts stay: {', '.join(left)}")


def mounts_below(folder: Path, mountinfo: str) -> list[str]:
    """The mount points at or below `folder` in the text of /proc/self/mountinfo, the latest first."""
    points = [unescaped(line.split()[4]) for line in mountinfo.splitlines()]
    return [point for point in reversed(points) if Path(point).is_relative_to(folder)]


def unescaped(point: str) -> str:
    """A mount point as it is: the kernel writes blanks and a few more signs in octal."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, sign)
    return point


def traces(state: State) -> list[str]:
    """What of the cluster is still to be found on this machine; nothing after a clean end."""
    found = [f"process {one.name} ({one.pid})" for one in state.processes if processes.alive(one)]
    found += [f"process {pid} in the control group" for pid in own_group.members()]
    found += [
        f"mount {point}" for point in mounts_below(STATE, Path("/proc/self/mountinfo").read_text())
    ]
    devices = network.links()
    found += [f"bridge {name}" for name in state.bridges if name in devices]
    found += [f"address {name}" for name in state.addresses if name in network.addresses("lo")]
    found += [f"control group {folder}" for folder in own_group.roots() if folder.exists()]
    found += [
        f"folder {name}" for name in [*state.absent, str(state.folder)] if Path(name).exists()
    ]
    return found
