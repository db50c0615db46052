"""Two ordinary users of one host: what one of them may see, reach and spoil of the other's.

They are made with useradd, each with a home and a group of its own. It takes root to be both.
"""

from __future__ import annotations

import encodings.idna  # noqa: F401 - what is loaded already needs no right to read it
import fcntl
import json
import os
import pickle
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from support.debug_client import DebugClient, DebugClientError

from argojobs.client.kube import forward
from argojobs.client.kube.forward import listening
from argojobs.compile.debugger_archive import debugger_archive
from argojobs.engine.leases import LEASE_FOLDER, lease, lent, release
from argojobs.errors import HostError

VICTIM, NEIGHBOUR = 54321, 54322
NAMES = {VICTIM: "argojobs-victim", NEIGHBOUR: "argojobs-neighbour"}
#: Seconds an attack may take.
BOUND = 40
ASKS = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="only root of Linux can be two users"
    ),
    pytest.mark.usefixtures("users"),
]


@pytest.fixture(scope="module")
def users() -> Iterator[None]:
    """Make the two users; those that a killed run left behind are as good."""
    made = []
    try:
        for user, name in NAMES.items():
            added = subprocess.run(
                ["useradd", "--uid", str(user), "--user-group", "--create-home", name],
                capture_output=True,
                text=True,
                check=False,
            )
            if added.returncode == 0:
                made.append(name)
            assert pwd.getpwnam(name).pw_uid == user, added.stderr
        yield
    finally:
        for name in made:
            subprocess.run(
                ["userdel", "--force", "--remove", name], capture_output=True, check=True
            )


def as_user(user: int, function: Callable[[], Any]) -> Any:
    """Return what a function answers in a process of a user; an exception is an answer, too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(BOUND)
        os.close(read)
        who = pwd.getpwuid(user)
        os.initgroups(who.pw_name, who.pw_gid)
        os.setgid(who.pw_gid)
        os.setuid(user)
        os.environ.update(HOME=who.pw_dir, USER=who.pw_name, LOGNAME=who.pw_name)
        try:
            answer = function()
        except Exception as error:  # noqa: BLE001 - handed over
            answer = error
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    assert said, "it did not end in time"
    return pickle.loads(said)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all users may look into, as /tmp is; those of pytest are root's."""
    folder = Path(tempfile.mkdtemp(prefix="neighbours-"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


# The debugger


@pytest.fixture
def waiting(open_folder: Path) -> Iterator[int]:
    with program_that_waits(open_folder) as port:
        yield port


@contextmanager
def program_that_waits(open_folder: Path) -> Iterator[int]:
    """Give the port of a program of the victim that waits for a debugger."""
    for entry in debugger_archive().entries:
        path = open_folder / "argojobs" / "debugger" / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.content)
    python = next(
        (one for one in (sys.executable, "/usr/bin/python3") if as_user(VICTIM, lambda p=one: runs(p))), ""
    )  # fmt: skip
    if not python:
        pytest.skip("no Python from 3.10 on that another user may run")
    with subprocess.Popen(
        [python, str(open_folder / "argojobs" / "debugger"), "-c", "print('ran')"],
        env={
            "ARGOJOBS_ROOT": str(open_folder),
            "ARGOJOBS_DEBUG": "1",
            "ARGOJOBS_DEBUG_ADDRESS": "127.0.0.1:23300",
        },
        user=VICTIM,
        group=VICTIM,
        extra_groups=[],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        guard = threading.Timer(BOUND, process.kill)
        guard.start()
        try:
            assert process.stderr is not None
            found = re.search(r"on 127\.0\.0\.1:(\d+)", process.stderr.readline())
            assert found, "it does not wait for its own debugger"
            yield int(found[1])
        finally:
            guard.cancel()
            process.kill()


def runs(python: str) -> bool:
    try:
        asks = "import sys; sys.exit(sys.version_info < (3, 10))"
        return (
            subprocess.run([python, "-c", asks], check=False, capture_output=True).returncode == 0
        )
    except OSError:
        return False


def ports_of(user: int) -> set[int]:
    """Return the ports of loopback on which a user listens."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].partition(":")[2], 16) for row in rows if row[3] == "0A" and row[7] == str(user)}  # fmt: skip


def asked(port: int) -> bytes:
    """Return what a debugger says to whoever asks, b"" where it hangs up or listens no more."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), BOUND) as connection:
        connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(ASKS), ASKS))
        return connection.recv(100)
    return b""


def attached(port: int) -> str:
    """Attach to a program, let it run, and say what came of it."""
    with DebugClient("127.0.0.1", port, timeout=20) as client:
        client.initialize()
        client.attach()
        client.configuration_done()
        client.disconnect()
    return "attached"


def test_a_neighbour_is_hung_up_on_at_every_port_of_a_debugger(waiting: int) -> None:
    ports = ports_of(VICTIM)
    assert waiting in ports
    assert len(ports) >= 2, "the editor's, and that of the program's processes"
    assert {port: as_user(NEIGHBOUR, lambda p=port: asked(p)) for port in ports} == dict.fromkeys(
        ports, b""
    )
    assert as_user(VICTIM, lambda: attached(waiting)) == "attached"


def test_root_gets_to_a_debugger_as_a_port_forward_does(waiting: int) -> None:
    assert attached(waiting) == "attached"


def test_what_a_neighbour_said_before_closing_is_not_heard(waiting: int) -> None:
    def said_and_gone() -> None:
        """Say all that lets the program run, at once, and be gone before anybody looks."""
        requests = [("initialize", {"adapterID": "x"}), ("attach", {}), ("configurationDone", {})]
        said = b""
        for number, (name, given) in enumerate(requests, 1):
            text = json.dumps({"seq": number, "type": "request", "command": name, "arguments": given}).encode()  # fmt: skip
            said += b"Content-Length: %d\r\n\r\n%s" % (len(text), text)
        for _ in range(50):
            connection = socket.create_connection(("127.0.0.1", waiting), BOUND)
            connection.sendall(said)
            connection.close()

    assert as_user(NEIGHBOUR, said_and_gone) is None
    assert as_user(VICTIM, lambda: attached(waiting)) == "attached", "it still waits"


def test_a_neighbour_does_not_attach_with_the_whole_protocol(waiting: int) -> None:
    answer = as_user(NEIGHBOUR, lambda: attached(waiting))
    assert isinstance(answer, (OSError, DebugClientError)), answer


def test_many_connections_of_a_neighbour_keep_nobody_out(waiting: int) -> None:
    def many() -> int:
        held = [socket.create_connection(("127.0.0.1", waiting), BOUND) for _ in range(200)]
        return len(held)

    assert as_user(NEIGHBOUR, many) == 200
    assert as_user(VICTIM, lambda: attached(waiting)) == "attached"


def test_a_neighbour_does_not_speak_for_the_debugger_while_it_starts(open_folder: Path) -> None:
    """For a moment the program asks which ports its adapter has: whoever answers is obeyed."""
    with socket.create_server(("127.0.0.1", 0)) as evil:
        port = evil.getsockname()[1]
        false = json.dumps(
            {name: {"host": "127.0.0.1", "port": port} for name in ("client", "server")}
        )
        tries = open_folder / "tries"

        def answers_first() -> None:
            held = []
            while True:
                for each in ports_of(VICTIM):
                    with suppress(OSError):
                        connection = socket.create_connection(("127.0.0.1", each), 1)
                        connection.sendall(false.encode())
                        connection.shutdown(socket.SHUT_WR)
                        held.append(connection)
                        tries.touch()

        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                as_user(NEIGHBOUR, answers_first)
            os._exit(0)
        try:
            with program_that_waits(open_folder) as told:
                assert told != port
                assert as_user(VICTIM, lambda: attached(told)) == "attached"
            assert tries.exists()
        finally:
            for one in Path(f"/proc/{child}/task/{child}/children").read_text().split():
                os.kill(int(one), signal.SIGKILL)
            os.waitpid(child, 0)
        evil.settimeout(0)
        with pytest.raises(BlockingIOError):
            evil.accept()


# A way into a pod


def test_a_neighbour_does_not_get_through_a_port_forward() -> None:
    """Ours alone, without a pod: whoever is let in takes the tunnel that is ready."""

    class Tunnels(forward._Door):
        taken = 0

        def _any_tunnel(self) -> Any:
            self.taken += 1
            raise HostError("no pod here")

    door = Tunnels(None, "argo", lambda: "p", 80)  # type: ignore[arg-type]
    with listening(0) as listener, in_thread(door.serve, listener):
        port = listener.getsockname()[1]
        assert as_user(NEIGHBOUR, lambda: asked(port)) == b""
        assert door.taken == 0
        assert asked(port) == b""
        assert door.taken == 1, "root, who runs this, is let through"


@contextmanager
def in_thread(serve: Callable[[socket.socket], None], listener: socket.socket) -> Iterator[None]:
    thread = threading.Thread(target=serve, args=(listener,))
    thread.start()
    yield
    listener.shutdown(socket.SHUT_RDWR)
    thread.join()


# The home


def test_a_neighbour_sees_nothing_of_a_home_that_runs(open_folder: Path) -> None:
    home = open_folder / "home"
    variables = {
        **os.environ,
        "ARGOJOBS_HOME": str(home),
        "ARGOJOBS_CONFIG": str(open_folder / "c"),
    }
    (open_folder / "c").touch()
    (open_folder / "hello.py").write_text("print('secret words')\n")
    words = [sys.executable, "-m", "argojobs"]

    def command(*more: str) -> None:
        subprocess.run(
            [*words, *more], env=variables, cwd=open_folder, check=True, capture_output=True
        )

    try:
        command("run", "hello.py", "--wait")
        paths = [home, *home.rglob("*")]
        assert any(path.name == "main.log" for path in paths)
        assert as_user(NEIGHBOUR, lambda: [str(p) for p in paths if reached(p)]) == []
    finally:
        command("server", "stop", "--force")


def reached(path: Path) -> bool:
    """Whether a user reads, writes, lists or connects to what is at a path."""
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        with suppress(OSError):
            os.close(os.open(path, flags | os.O_NONBLOCK))
            return True
    with suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        one.connect(str(path))
        return True
    return False


# The folder of leases


def _poisons() -> dict[str, Callable[[Path], Any]]:
    def made(folder: Path) -> Path:
        folder.mkdir()
        folder.chmod(0o1777)
        return folder

    def lease_file(text: str | bytes, name: str = "gpu-0") -> Callable[[Path], Any]:
        content = text.encode() if isinstance(text, str) else text
        return lambda folder: (made(folder) / name).write_bytes(content)

    def held(folder: Path) -> Any:
        lock = os.open(made(folder) / "lock", os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fork() == 0:  # keeps it
            signal.alarm(BOUND)
            os.closerange(0, lock)
            os.closerange(lock + 1, 256)
            while True:
                signal.pause()

    def fields(**more: Any) -> str:
        return json.dumps({"directory": "/", "pid": 1, "start": "1", **more})

    return {
        "dangling link": lambda f: f.symlink_to("/nowhere/at/all"),
        "link to a folder of the victim": lambda f: f.symlink_to(f.parent / "mine"),
        "link to itself": lambda f: f.symlink_to(f),
        "file": lambda f: f.touch(),
        "FIFO": lambda f: os.mkfifo(f, 0o666),
        "socket": lambda f: socket.socket(socket.AF_UNIX).bind(str(f)),
        "closed folder": lambda f: f.mkdir(mode=0o700),
        "folder to read only": lambda f: f.mkdir(mode=0o755),
        "held lock": held,
        "lock of mode 0": lambda f: (made(f) / "lock").touch(mode=0),
        "lock a FIFO": lambda f: os.mkfifo(made(f) / "lock"),
        "lock a link": lambda f: (made(f) / "lock").symlink_to("/etc/passwd"),
        "lock a folder": lambda f: (made(f) / "lock").mkdir(),
        "lease a FIFO": lambda f: os.mkfifo(made(f) / "gpu-0", 0o666),
        "lease a folder": lambda f: (made(f) / "gpu-0").mkdir(),
        "lease a link to a device": lambda f: (made(f) / "gpu-0").symlink_to("/dev/zero"),
        "lease by the victim's name": lease_file("{}", f"gpu-0.{VICTIM}"),
        "no text": lease_file(b"\xff\xfe\x00"),
        "null": lease_file("null"),
        "deep": lease_file("[" * 60_000),
        "huge": lease_file(b"[" + b"1," * 10_000_000 + b"1]"),
        "huge number": lease_file('{"directory": "/", "start": "1", "pid": ' + "9" * 5000 + "}"),
        "process a word": lease_file(fields(pid="x")),
        "negative process": lease_file(fields(pid=-1)),
        "infinite process": lease_file('{"directory": "/", "start": "1", "pid": Infinity}'),
        "folder a list": lease_file(fields(directory=["a"])),
        "folder with a NUL": lease_file(fields(directory="/a\0b")),
        "folder of no text": lease_file(fields(directory="\ud800")),
        "a process of another kind of digits": lease_file(fields(pid="\u0661\u0662")),
        "many files": lambda f: [made(f), *((f / f"gpu-{i}.1").touch() for i in range(3000))],
    }


@pytest.mark.parametrize("poison", _poisons())
def test_a_poisoned_folder_of_leases_costs_a_gpu_and_nothing_more(
    open_folder: Path, poison: str
) -> None:
    mine = open_folder / "mine"
    mine.mkdir()
    os.chown(mine, VICTIM, VICTIM)
    folder = open_folder / "devices"
    as_user(NEIGHBOUR, lambda: [os.umask(0), _poisons()[poison](folder), None][-1])
    began = time.monotonic()

    def used() -> Any:
        try:
            got = lease(1, ["0", "1"], str(open_folder / "pod"), folder)
            lent(["0", "1"], folder)
            release(["0", "1"], str(open_folder / "pod"), folder)
        except HostError as error:
            return error.what
        return got

    answer = as_user(VICTIM, used)
    assert time.monotonic() - began < BOUND
    assert answer in (["0"], ["1"]) or str(answer).startswith(f"{folder}, where the users of"), answer  # fmt: skip
    assert not list(mine.iterdir()), "nothing is written through a link"


def test_a_lease_that_its_user_left_behind_holds_nobody_up(open_folder: Path) -> None:
    folder = open_folder / "devices"
    assert as_user(NEIGHBOUR, lambda: lease(1, ["0"], "/gone", folder)) == ["0"]
    assert as_user(VICTIM, lambda: lease(1, ["0"], "/mine", folder)) == ["0"]


def test_a_gpu_of_a_neighbour_is_not_lent_and_not_given_back(open_folder: Path) -> None:
    folder = open_folder / "devices"
    holds = open_folder / "holds"

    def take_and_stay() -> None:
        lease(1, ["0"], "/theirs", folder)
        holds.touch()
        time.sleep(BOUND)

    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            as_user(NEIGHBOUR, take_and_stay)
        os._exit(0)
    try:
        while not holds.exists():
            time.sleep(0.01)
        assert as_user(VICTIM, lambda: lease(1, ["0"], "/mine", folder)) is None
        as_user(VICTIM, lambda: release(["0"], "/theirs", folder))
        assert as_user(VICTIM, lambda: lease(1, ["0"], "/theirs", folder)) is None
    finally:
        for one in Path(f"/proc/{child}/task/{child}/children").read_text().split():
            os.kill(int(one), signal.SIGKILL)
        os.waitpid(child, 0)


def test_the_first_user_s_umask_keeps_nobody_out(open_folder: Path) -> None:
    folder = open_folder / "devices"
    as_user(NEIGHBOUR, lambda: [os.umask(0o077), lease(1, ["0"], "/gone", folder)])
    assert as_user(VICTIM, lambda: lease(1, ["0"], "/mine", folder)) == ["0"]


# What we put into /tmp


def test_no_name_in_tmp_can_be_guessed_but_that_of_the_leases() -> None:
    """Files and links that a neighbour plants are in nobody's way: all other names are random."""
    package = Path(lease.__code__.co_filename).parents[1]
    fixed = re.compile(r'"/(?:var/)?tmp/([^"]+)"')
    inside = {"argojobs-words", "argojobs-in"}  # of a pod of the cluster, not of this machine
    found = {
        name
        for path in package.rglob("*.py")
        for name in fixed.findall(path.read_text())
        if name not in inside
    }
    assert found == {LEASE_FOLDER.name}
