"""The disk of the home is full, more or less: it is said in those words, and heals by itself.

The home lies on a tmpfs of its own, which only root may mount.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from support.attacking import shell

ROOMS = (0, 16, 150, 1000)  # KiB that are left
SIZE = 96 << 20
OURS = ("Traceback", "a bug in argojobs", "cannot rollback", "cannot commit", "marshal data")


@pytest.fixture
def disk(tmp_path):
    where = tmp_path / "disk"
    where.mkdir()
    options = f"size={SIZE},mode=700"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(where)]
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root may mount a small disk")
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk here: {mounted.stderr.strip()}")
    yield where
    subprocess.run(["umount", "--lazy", str(where)], check=True)


def argojobs(home: Path, *arguments: str) -> tuple[int, str]:
    """Call the command; give its exit status and all that it said."""
    made = subprocess.run(
        [str(Path(sys.executable).with_name("argojobs")), *arguments],
        env={
            **os.environ,
            "ARGOJOBS_HOME": str(home),
            "ARGOJOBS_CONFIG": str(home.parent.parent / "config.toml"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=home.parent.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return made.returncode, made.stdout + made.stderr


def fill(disk: Path, leave: int) -> Path:
    """Fill the disk but for so many bytes, also while others still write on it."""
    path = disk / "fill"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(1 << 20)):
            pass
    found = os.statvfs(disk)
    assert found.f_bavail * found.f_frsize < 1 << 20
    os.truncate(path, max(0, path.stat().st_size - leave))
    return path


def test_a_full_disk_is_named_and_heals_by_itself(disk, tmp_path):
    manifest = tmp_path / "run.yaml"
    (tmp_path / "config.toml").touch()
    one = shell("unused")
    one["metadata"] = {"generateName": "full-"}
    manifest.write_text(
        yaml.safe_dump({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", **one})
    )
    bad, silent, stuck = [], [], []
    for room in ROOMS:
        home = disk / f"home-{room}"
        filled = fill(disk, room * 1024)
        status, said = argojobs(home, "run", str(manifest))
        if any(word in said for word in OURS):
            bad.append((room, said))
        elif status and "no space" not in said.lower():
            silent.append((room, said))
        filled.unlink()
        status, said = argojobs(home, "run", str(manifest))
        if status:
            stuck.append((room, said))
        argojobs(home, "server", "stop", "--force")
    count = len(ROOMS)
    print(
        f"full disks: {len(bad)} of {count} with words of ours, {len(silent)} of {count} without a reason"
    )
    print(f"full disks: {len(stuck)} of {count} did not heal")
    assert not bad, bad
    assert not silent, silent
    assert not stuck, stuck
