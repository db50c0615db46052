"""The home: where it is, who may read it, and where it may not lie."""

import errno
import os
import stat
from pathlib import Path

import pytest

from argojobs.config import home
from argojobs.errors import HostError

MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 22 0:40 / /net rw - nfs4 server:/export rw
31 30 0:41 / /net/local\\040disk rw - xfs /dev/sdb rw
32 22 0:42 / /mnt/remote rw - fuse.sshfs me@host:/ rw
"""


def test_the_variable_says_where_the_home_is(monkeypatch, tmp_path):
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "there"))
    assert home.home_path() == tmp_path / "there"


def test_without_the_variable_it_is_platformdirs_folder(monkeypatch):
    import platformdirs

    monkeypatch.delenv("ARGOJOBS_HOME", raising=False)
    assert home.home_path() == Path(platformdirs.user_data_dir("argojobs", appauthor=False))


def test_xdg_data_home_is_respected_as_platformdirs_does(monkeypatch, tmp_path):
    import platformdirs

    monkeypatch.delenv("ARGOJOBS_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert home.home_path() == Path(platformdirs.user_data_dir("argojobs", appauthor=False))


def test_a_new_home_is_only_for_its_user(tmp_path):
    made = home.open_home(tmp_path / "a" / "home")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o777, 0o701])
@pytest.mark.parametrize("used", [True, False])
def test_an_existing_home_is_closed_to_others(tmp_path, mode, used):
    if used:
        (tmp_path / "store.db").touch()
    tmp_path.chmod(mode)
    assert stat.S_IMODE(home.open_home(tmp_path).stat().st_mode) == 0o700


def test_a_folder_of_other_things_is_refused_and_not_closed(tmp_path):
    (tmp_path / "thesis.tex").touch()
    tmp_path.chmod(0o755)
    with pytest.raises(HostError, match="others may look into") as caught:
        home.open_home(tmp_path)
    assert f"export ARGOJOBS_HOME={tmp_path}/argojobs" in caught.value.hint
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    tmp_path.chmod(0o700)
    assert home.open_home(tmp_path) == tmp_path


def test_somebody_elses_folder_is_refused(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(HostError, match="others may look into"):
        home.open_home(tmp_path)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me", "ext4"),
        ("/net/home", "nfs4"),
        ("/network", "ext4"),
        ("/net/local disk/home", "xfs"),
        ("/mnt/remote", "fuse.sshfs"),
    ],
)
def test_the_longest_mount_point_holds_the_path(monkeypatch, path, kind):
    monkeypatch.setattr(home, "existing_parent", lambda path: path)
    assert home.file_system_of(Path(path), MOUNTS) == kind


def test_a_later_mount_hides_an_earlier_one():
    assert home.file_system_of(Path("/"), MOUNTS + "40 1 0:9 / / rw - lustre fs rw\n") == "lustre"


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "fuse.sshfs", "lustre", "beegfs", "afs"])
def test_a_home_on_a_network_file_system_is_refused_with_a_local_proposal(
    monkeypatch, tmp_path, kind
):
    kinds = {tmp_path / "home": kind}
    monkeypatch.setattr(home, "file_system_of", lambda path: kinds.get(path, "ext4"))
    with pytest.raises(HostError, match=kind) as caught:
        home.open_home(tmp_path / "home")
    assert "export ARGOJOBS_HOME=/" in caught.value.hint
    assert not (tmp_path / "home").exists()


def test_a_file_in_the_way_is_a_host_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="cannot be written") as caught:
        home.open_home(tmp_path / "file" / "home")
    assert "ARGOJOBS_HOME" in caught.value.hint


def test_an_unwritable_home_is_a_host_error(monkeypatch, tmp_path):
    monkeypatch.setattr(home.os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(HostError, match="Permission denied"):
        home.open_home(tmp_path)


def test_a_full_disk_names_the_path_and_the_space_needed(tmp_path):
    error = home.host_error(OSError(errno.ENOSPC, "No space left on device"), tmp_path / "x")
    assert str(tmp_path / "x") in error.what
    assert "free, at least 4.0 MiB needed" in error.what
    assert "delete" in error.hint
