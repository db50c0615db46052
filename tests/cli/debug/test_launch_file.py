"""A folder's launch.json is changed at once or not at all, and left as it was found."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.jsonc_texts import read_jsonc

from argojobs.cli.debug.launch_json import Entry, our_entries, put, take_out, with_entry
from argojobs.errors import HostError, UsageError

TEXT = b'\xef\xbb\xbf{\r\n\t// mine\r\n\t"configurations": [\r\n\t\t{"name": "a"},\r\n\t],\r\n}'


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which something listens, and would break if somebody connected to it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.fixture
def closed() -> int:
    """A port of this machine at which nothing listens any more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def entry(name: str, port: int, host: str = "127.0.0.1") -> Entry:
    return Entry(f"argojobs: {name}", host, port, "/argojobs/code")


def written(folder: Path, data: bytes = TEXT) -> Path:
    path = folder / ".vscode" / "launch.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def names(path: Path) -> list[str]:
    return [one.name.removeprefix("argojobs: ") for _, _, one in our_entries(path.read_text())]


def taken_out(folder: Path, *wanted: str) -> None:
    """Take the entries of these names out, wherever they lead."""
    path = folder / ".vscode" / "launch.json"
    there = our_entries(path.read_text()) if path.exists() else ()
    known = {one.name: one for _, _, one in there}
    take_out(folder, [known.get(f"argojobs: {name}", entry(name, 1)) for name in wanted])


def files(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*")}


# In and out


def test_entries_go_in_and_out_and_the_bytes_are_the_old_ones(tmp_path: Path, port: int) -> None:
    path = written(tmp_path)
    assert put(tmp_path, entry("train", port)) == path
    assert path.read_bytes() == with_entry(TEXT.decode(), entry("train", port)).encode()
    assert path.read_bytes() != TEXT
    taken_out(tmp_path, "train")
    assert path.read_bytes() == TEXT
    assert files(tmp_path) == {".vscode", ".vscode/launch.json"}


def test_an_entry_that_another_command_has_replaced_stays(tmp_path: Path, port: int) -> None:
    path = written(tmp_path)
    put(tmp_path, entry("train", port))
    take_out(tmp_path, [entry("train", port + 1)])
    assert names(path) == ["train"]


def test_a_folder_that_was_made_goes_with_the_last_entry(tmp_path: Path, port: int) -> None:
    put(tmp_path, entry("train", port))
    path = put(tmp_path, entry("evaluate", port))
    assert names(path) == ["evaluate", "train"]
    taken_out(tmp_path, "train")
    assert names(path) == ["evaluate"]
    taken_out(tmp_path, "evaluate")
    assert files(tmp_path) == set()


def test_a_folder_into_which_others_put_something_stays(tmp_path: Path, port: int) -> None:
    put(tmp_path, entry("train", port))
    (tmp_path / ".vscode" / "settings.json").write_text("{}")
    taken_out(tmp_path, "train")
    assert files(tmp_path) == {".vscode", ".vscode/settings.json"}


def test_what_users_add_to_our_file_stays(tmp_path: Path, port: int) -> None:
    path = put(tmp_path, entry("train", port))
    path.write_text(path.read_text().replace("}\n    ]", '},\n        {"name": "mine"}\n    ]'))
    taken_out(tmp_path, "train")
    assert read_jsonc(path.read_text())["configurations"] == [{"name": "mine"}]


def test_taking_out_what_is_gone_does_nothing(tmp_path: Path, port: int) -> None:
    taken_out(tmp_path, "train")
    taken_out(tmp_path / "gone", "train")
    assert files(tmp_path) == set()
    path = written(tmp_path)
    before = path.stat().st_ino
    taken_out(tmp_path, "train")
    assert (path.read_bytes(), path.stat().st_ino) == (TEXT, before)


# The file itself


def test_the_mode_of_a_file_stays_and_a_new_one_has_the_usual(tmp_path: Path, port: int) -> None:
    path = written(tmp_path)
    path.chmod(0o640)
    put(tmp_path, entry("train", port))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    usual = tmp_path / "usual"
    usual.touch()
    new = put(tmp_path / ".vscode", entry("train", port))
    assert new.stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a file away")
def test_the_owner_of_a_file_stays(tmp_path: Path, port: int) -> None:
    path = written(tmp_path)
    os.chown(path, 1234, 2345)
    put(tmp_path, entry("train", port))
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path, port: int) -> None:
    elsewhere = tmp_path / "dotfiles" / "launch.json"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(TEXT)
    project = tmp_path / "project"
    link = project / ".vscode" / "launch.json"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../dotfiles/launch.json")
    put(project, entry("train", port))
    assert link.is_symlink()
    assert names(elsewhere) == ["train"]
    taken_out(project, "train")
    assert elsewhere.read_bytes() == TEXT


def test_a_link_to_a_file_that_is_missing_stays_one(tmp_path: Path, port: int) -> None:
    link = tmp_path / ".vscode" / "launch.json"
    link.parent.mkdir()
    link.symlink_to("real.json")
    put(tmp_path, entry("train", port))
    assert names(tmp_path / ".vscode" / "real.json") == ["train"]
    taken_out(tmp_path, "train")
    assert link.is_symlink()
    assert files(tmp_path) == {".vscode", ".vscode/launch.json"}


# Stale entries


def test_entries_that_lead_to_nothing_on_this_machine_go(
    tmp_path: Path, port: int, closed: int
) -> None:
    text = '{"configurations": []}'
    for one in (
        entry("node", closed, "node-1.example.org"),
        entry("waiting", port),
        entry("killed too", closed, "localhost"),
        entry("killed", closed),
    ):
        text = with_entry(text, one)
    path = written(tmp_path, text.encode())
    mine = f'{{"name": "mine", "connect": {{"host": "127.0.0.1", "port": {closed}}}}}'
    path.write_text(path.read_text().replace('"configurations": [', f'"configurations": [{mine},'))
    put(tmp_path, entry("train", port))
    assert names(path) == ["train", "waiting", "node"]
    assert '"name": "mine"' in path.read_text()


def test_an_entry_that_is_put_in_is_not_stale_itself(tmp_path: Path, closed: int) -> None:
    for _ in range(2):
        assert names(put(tmp_path, entry("train", closed))) == ["train"]


def test_a_folder_that_was_made_by_a_killed_command_still_goes(
    tmp_path: Path, port: int, closed: int
) -> None:
    put(tmp_path, entry("killed", closed))
    put(tmp_path, entry("train", port))
    taken_out(tmp_path, "train")
    assert files(tmp_path) == set()


@pytest.mark.parametrize(("family", "host"), [("AF_INET", "0.0.0.0"), ("AF_INET6", "::1")])
def test_who_listens_is_seen_at_any_address(tmp_path: Path, family: str, host: str) -> None:
    try:
        listening = socket.create_server((host, 0), family=getattr(socket, family))
    except OSError:
        pytest.skip(f"this machine has no {host}")
    with listening:
        path = put(tmp_path, entry("waiting", listening.getsockname()[1], "localhost"))
        put(tmp_path, entry("train", 1))
    assert names(path) == ["train", "waiting"]


# Two at a time

CHANGER = """
import sys
from pathlib import Path
from argojobs.cli.debug.launch_json import Entry, put, take_out

folder, name, port = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for number in range(20):
    put(folder, Entry(f"argojobs: {name} {number}", "127.0.0.1", port, ""))
for number in range(0 if sys.argv[4] == "all" else 1, 20):
    take_out(folder, [Entry(f"argojobs: {name} {number}", "127.0.0.1", port, "")])
"""


def change_at_once(folder: Path, port: int, how_many: str) -> None:
    """Let several programs put in and take out entries at the same time."""
    command = [sys.executable, "-c", CHANGER, str(folder)]
    running = [
        subprocess.Popen([*command, name, str(port), how_many], stdin=subprocess.PIPE)
        for name in "abcd"
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
    assert [process.returncode for process in running] == [0, 0, 0, 0]


def test_commands_at_the_same_time_lose_nothing(tmp_path: Path, port: int) -> None:
    change_at_once(tmp_path, port, "all but one")
    assert sorted(names(tmp_path / ".vscode" / "launch.json")) == ["a 0", "b 0", "c 0", "d 0"]
    assert files(tmp_path) == {".vscode", ".vscode/launch.json"}


def test_commands_at_the_same_time_leave_nothing(tmp_path: Path, port: int) -> None:
    change_at_once(tmp_path, port, "all")
    assert files(tmp_path) == set()


def test_threads_at_the_same_time_lose_nothing(tmp_path: Path, port: int) -> None:
    path = written(tmp_path)
    threads = [
        threading.Thread(target=put, args=(tmp_path, entry(f"{number}", port)))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, names(path))) == list(range(12))
    taken_out(tmp_path, *map(str, range(12)))
    assert path.read_bytes() == TEXT


# What cannot be changed


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf", b"// nothing yet", b'{"configurations": 3}']
)
def test_a_file_without_a_list_is_left_as_it_is(tmp_path: Path, port: int, data: bytes) -> None:
    path = written(tmp_path, data)
    with pytest.raises(UsageError, match="no list `configurations`") as caught:
        put(tmp_path, entry("train", port))
    assert caught.value.where == str(path)
    assert caught.value.hint
    take_out(tmp_path, [entry("train", 1)])
    assert path.read_bytes() == data
    assert files(tmp_path) == {".vscode", ".vscode/launch.json"}


def test_what_is_broken_elsewhere_or_not_utf_8_comes_back_as_it_was(
    tmp_path: Path, port: int
) -> None:
    data = b'{"configurations": [{"name": "\xe9"}], "a": \n}'
    path = written(tmp_path, data)
    put(tmp_path, entry("train", port))
    assert b"\xe9" in path.read_bytes()
    take_out(tmp_path, [entry("train", port)])
    assert path.read_bytes() == data


def refused(folder: Path, port: int) -> HostError:
    with pytest.raises(HostError) as caught:
        put(folder, entry("train", port))
    assert caught.value.where == str(folder / ".vscode" / "launch.json")
    assert f"127.0.0.1:{port}" in caught.value.hint
    return caught.value


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path, port: int) -> None:
    (tmp_path / ".vscode").write_text("mine")
    assert "Not a directory" in refused(tmp_path, port).what
    assert (tmp_path / ".vscode").read_text() == "mine"


def test_a_folder_in_the_place_of_a_file_is_said(tmp_path: Path, port: int) -> None:
    (tmp_path / ".vscode" / "launch.json").mkdir(parents=True)
    assert "directory" in refused(tmp_path, port).what


def test_a_link_to_itself_is_said(tmp_path: Path, port: int) -> None:
    link = tmp_path / ".vscode" / "launch.json"
    link.parent.mkdir()
    link.symlink_to(link)
    assert "cannot be changed" in refused(tmp_path, port).what


def test_a_link_into_a_missing_folder_is_said_and_what_was_made_is_removed(
    tmp_path: Path, port: int
) -> None:
    refused(tmp_path / "missing", port)
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "launch.json").symlink_to(tmp_path / "missing" / "launch.json")
    assert "No such file" in refused(tmp_path, port).what


#: Tries as an ordinary user, since root may write everywhere.
ORDINARY = """
import fcntl, os, sys
from pathlib import Path
from argojobs.cli.debug.launch_json import Entry, put, take_out
from argojobs.errors import HostError

if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
folder = Path(sys.argv[1])
for change in (
    lambda: put(folder, Entry("argojobs: train", "127.0.0.1", 3000, "")),
    lambda: take_out(folder, [Entry("argojobs: killed", "127.0.0.1", 1, "")]),
):
    try:
        change()
    except HostError as error:
        print(error)
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_write_access_is_said(there: bool) -> None:
    with tempfile.TemporaryDirectory() as name:  # where an ordinary user gets to
        folder = Path(name)
        if there:
            path = written(
                folder, with_entry('{"configurations": []}', entry("killed", 1)).encode()
            )
            path.chmod(0o666)
            path.parent.chmod(0o555)
        folder.chmod(0o555)
        before = files(folder)
        command = [sys.executable, "-c", ORDINARY, name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert files(folder) == before
        folder.chmod(0o755)
        if there:
            path.parent.chmod(0o755)
            assert names(path) == ["killed"]
    place = f"{name}/.vscode/launch.json: it cannot be changed: Permission denied\n  "
    first = (
        "give yourself write access there, or attach by hand (debugpy, attach): 127.0.0.1:3000\n"
    )
    second = "take them out by hand: argojobs: killed\n"
    assert done.stdout == place + first + (place + second if there else "")
    assert done.stderr == ""


#: Tries where a file may not grow, as on a full disk.
FULL = """
import resource, sys
from pathlib import Path
from argojobs.cli.debug.launch_json import Entry, put
from argojobs.errors import HostError

resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    put(Path(sys.argv[1]), Entry("argojobs: train", "127.0.0.1", 3000, ""))
except HostError as error:
    print(error.what)
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_disk_that_is_full_leaves_all_as_it_was(tmp_path: Path, there: bool) -> None:
    if there:
        written(tmp_path)
    before = files(tmp_path)
    command = [sys.executable, "-B", "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("it cannot be changed: File too large\n", "")
    assert files(tmp_path) == before
    if there:
        assert (tmp_path / ".vscode" / "launch.json").read_bytes() == TEXT
