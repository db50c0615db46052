"""What is cleaned away, and in which order."""

from __future__ import annotations

from pathlib import Path

from harness import cleaning
from harness.state import Process

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 22 0:40 / /var/tmp/cluster/kubelet/pods/x/volumes/token rw - tmpfs tmpfs rw
32 22 0:41 / /var/tmp/cluster/containerd/state/y/rootfs rw shared:1 - overlay overlay rw
33 32 0:42 / /var/tmp/cluster/containerd/state/y/rootfs/with\\040blank rw - tmpfs tmpfs rw
34 22 0:43 / /var/tmp/cluster-of-another rw - tmpfs tmpfs rw
"""


def test_mounts_below_a_folder_come_latest_first_and_no_neighbours() -> None:
    assert cleaning.mounts_below(Path("/var/tmp/cluster"), MOUNTS) == [
        "/var/tmp/cluster/containerd/state/y/rootfs/with blank",
        "/var/tmp/cluster/containerd/state/y/rootfs",
        "/var/tmp/cluster/kubelet/pods/x/volumes/token",
    ]


def test_the_folder_itself_counts() -> None:
    assert cleaning.mounts_below(Path("/var/tmp/cluster-of-another"), MOUNTS) == [
        "/var/tmp/cluster-of-another"
    ]


def test_an_escaped_backslash_is_not_taken_for_an_escape() -> None:
    assert cleaning.unescaped("/a\\134040b") == "/a\\040b"


def test_other_container_engines_are_seen_and_their_zombies_are_not(tmp_path: Path) -> None:
    states = {1: "(init) S", 27: "(containerd) S", 31: "(containerd-shim) S", 40: "(kubelet) Z"}
    for number, text in states.items():
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "stat").write_text(f"{number} {text}{' 0' * 40}\n")
    (tmp_path / "uptime").touch()
    assert cleaning.engines(tmp_path) == {27}


def test_the_last_started_ends_first() -> None:
    started = [Process(name, number, 0) for number, name in enumerate(["etcd", "api", "kubelet"])]
    assert [one.name for one in cleaning.ending_order(started)] == ["kubelet", "api", "etcd"]
