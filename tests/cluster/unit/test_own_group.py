"""Control groups are found in both versions, and a program joins before it starts."""

from __future__ import annotations

from pathlib import Path

from harness import own_group

V1 = """\
tmpfs /sys/fs/cgroup tmpfs rw,relatime 0 0
cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0
cgroup /sys/fs/cgroup/locked cgroup ro,relatime,devices 0 0
"""
V2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0\n"


def test_each_writable_hierarchy_is_found() -> None:
    assert own_group.hierarchies(V1) == [Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup/pids")]
    assert own_group.hierarchies(V2) == [Path("/sys/fs/cgroup")]
    assert own_group.hierarchies("") == []


def test_the_pods_together_weigh_as_much_as_so_many_programs(tmp_path: Path) -> None:
    (tmp_path / "cpu.shares").write_text("1024")
    own_group.weigh(tmp_path)
    assert (tmp_path / "cpu.shares").read_text() == "16384"
    assert [file.name for file in tmp_path.iterdir()] == ["cpu.shares"]
