"""Wait for a debugger: before the first line of a step, or at the exception that ends it.

Also a program of its own, which runs another Python program so: what stands after it are the words
that `python3` would get. It is packed beside debugpy, for containers that have nothing of ours, and
so needs only the standard library and itself.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Any

#: `1`: wait before the first line. `error`: wait at the exception that ends the step.
WANTED = "ARGOJOBS_DEBUG"
FIRST_LINE = "1"
AT_ERROR = "error"
#: Where to listen, `HOST:PORT`. Whoever reaches it can run code in the step, so it is the pod's own
#: loopback, where a port-forward leads. Any other address is open to all who reach it.
ADDRESS = "ARGOJOBS_DEBUG_ADDRESS"
PORT = 3000
DEFAULT_ADDRESS = f"127.0.0.1:{PORT}"
#: The folder of the user's code, which the runtime tells a program that it starts.
CODE = "ARGOJOBS_DEBUG_CODE"
#: Where this program lies in a step, and debugpy if it travelled.
PACKED = "/argojobs/debugger"
PROGRAM = "__main__.py"
#: What is said in the log; whoever attaches reads it there.
WAITING = "argojobs: waiting for a debugger on {host}:{port}, code in {code}"
ATTACHED = "argojobs: a debugger is attached"

#: Exit code: something was wrong before the user's first line (see `step`).
_BEFORE_USER_CODE = 78
_INTERRUPTED = 130
#: What debugpy 1.8.22 wants; an image with an older Python needs its own.
_LEAST = (3, 10)
_TRIED = 200
_LONGEST = 500
#: Options of Python that take a word.
_WITH_WORD = "WX"
_TARGETS = "cm"
#: Starts debugpy's adapter, the process that listens, behind the guard.
_ADAPTER = "--guarded-adapter"
#: Linux' tables of connections, with how an IPv4 address is written there.
_TABLES = {"/proc/net/tcp": "", "/proc/net/tcp6": "0000000000000000FFFF0000"}
#: A table that changes while it is read may leave a line out.
_READINGS = 3
_reserved: list[socket.socket] = []


class DebuggerError(Exception):
    """The debugger cannot be had. hint: what to do."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def wanted(when: str) -> bool:
    """Whether this step is to wait for a debugger then: `FIRST_LINE` or `AT_ERROR`."""
    return os.environ.get(WANTED) == when


def wait(code: str = "") -> None:
    """Listen, say so in the log, and wait until a debugger is attached.

    The port is the first free one from that of `ADDRESS` on: several steps of a machine, or ranks
    of a pod, may wait at once. code: the folder of the user's code. Raises DebuggerError where
    there is no debugpy, or no port.
    """
    host, _, text = os.environ.get(ADDRESS, DEFAULT_ADDRESS).rpartition(":")
    debugpy = _debugpy()
    try:
        first = int(text)
        port = next(each for each in range(first, first + _TRIED) if _is_ours(host, each))
        with _guarded(), _adapter_guarded():
            debugpy.listen((host, port))
    except StopIteration:
        raise DebuggerError(
            f"no port of {host} from {text} on is free for the debugger",
            f"{ADDRESS}=HOST:PORT gives another one to begin with",
        ) from None
    except (RuntimeError, OSError, ValueError) as error:
        raise DebuggerError(
            f"the debugger cannot listen on {host}:{text}: {error}",
            f"{ADDRESS}=HOST:PORT gives it another place",
        ) from error
    place = code or os.environ.get(CODE) or os.getcwd()
    _say(WAITING.format(host=host, port=port, code=place))
    debugpy.wait_for_client()
    _say(ATTACHED)


def hold(error: BaseException, code: str = "") -> None:
    """Wait for a debugger and stop it at an exception, with its frames; return when it goes on.

    Raises as `wait`.
    """
    _say(f"argojobs: held at {type(error).__name__}: {error}"[:_LONGEST])
    wait(code)
    _stop_at(error)


def hold_if_possible(error: BaseException, code: str = "") -> None:
    """The same; where there is no debugger that is said, and the program ends as it would."""
    try:
        hold(error, code)
    except DebuggerError as failed:
        _say(f"argojobs: not held: {failed}\n  {failed.hint}")


def wrapped(argv: Sequence[str], code: str = "") -> list[str]:
    """Return the words that start a Python program so that it waits; other words as they are.

    A program whose first line names Python is one too, as torchrun. It reads `WANTED` itself.
    code: as `wait` has it.
    """
    flags, target = python_words(argv)
    if not target:
        flags, target = _script_words(argv)
    if not target:
        _say(f"argojobs: {argv[0]} is not a Python program: it does not wait for a debugger")
        return list(argv)
    os.environ[CODE] = code or os.getcwd()
    return [*flags, os.path.abspath(__file__), *target]


def python_words(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the words of a Python program: the interpreter with its options, and what it runs.

    The latter begins with `-m`, `-c` or a file. Both are empty for another program, and for a
    Python that runs nothing. Source: Python docs, command line and environment.
    """
    name = os.path.basename(argv[0]) if argv else ""
    if name == "env":
        before = [argv[0], *_assignments(argv[1:])]
        flags, target = python_words(argv[len(before) :])
        return ([*before, *flags], target) if target else ([], [])
    if name.rstrip("0123456789.") not in ("python", "pypy"):
        return [], []
    at = 1
    while at < len(argv):
        word = argv[at]
        if word == "--check-hash-based-pycs":
            at += 2
        elif word.startswith("--"):
            at += 1
        elif not word.startswith("-") or word == "-":
            return list(argv[:at]), list(argv[at:])
        else:
            letter, place = next(
                ((each, i) for i, each in enumerate(word) if i and each in _TARGETS + _WITH_WORD),
                ("", 0),
            )
            rest = [word[place + 1 :]] if place and word[place + 1 :] else []
            if letter and letter in _TARGETS:
                before = [*argv[:at], *([word[:place]] if place > 1 else [])]
                what = [*rest, *argv[at + 1 :]]
                return (before, [f"-{letter}", *what]) if what else ([], [])
            at += 2 if letter and not rest else 1
    return [], []


def _assignments(words: Sequence[str]) -> list[str]:
    """Return the variables that stand before the program of `env`."""
    from itertools import takewhile

    return list(takewhile(lambda word: "=" in word and not word.startswith("-"), words))


def _script_words(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the words of a program in a file that Python runs, as its first line says."""
    import shutil

    path = shutil.which(argv[0])
    if path is None:
        return [], []
    with open(path, "rb") as file:
        lines = file.read(1024).split(b"\n", 2)
    first = os.fsdecode(lines[0])
    if not first.startswith("#!"):
        return [], []
    words = first[2:].split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if word != "-S"]
    if len(lines) > 1 and lines[1].startswith(b"'''exec'"):  # as pip writes long paths
        words = [os.fsdecode(lines[1])[8:].split('"')[1]] if b'"' in lines[1] else words
    return python_words([*words, path, *argv[1:]])


def _debugpy() -> Any:
    """Import debugpy: what travelled, else the image's own. Raises DebuggerError without any."""
    packed = os.environ.get("ARGOJOBS_ROOT", "") + PACKED
    travelled = os.path.isdir(f"{packed}/debugpy") and sys.version_info >= _LEAST
    if travelled:
        sys.path.insert(0, packed)
    # No word of Python's own frozen modules, which nobody breaks in.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        import debugpy  # noqa: T100 - it was asked for
    except ModuleNotFoundError as error:
        raise DebuggerError(
            f"a debugger was asked for, but {sys.executable} has no debugpy",
            "add `pip install debugpy` to the image; to Python {}.{} and later a context with S3 "
            "brings it along".format(*_LEAST),
        ) from error
    finally:
        if travelled:
            sys.path.remove(packed)
    return debugpy


def is_from_owner(connection: socket.socket) -> bool:
    """Whether the other end of a connection on loopback is of this process' user, or of root.

    False where that is not to be known. Linux tells by its tables: a socket that its process has
    closed has no inode there and may seem to be of root. Elsewhere lsof is asked, which shows a user
    their own sockets only. Source: proc_net_tcp in the kernel's documentation; man lsof.
    """
    here, there = connection.getsockname()[:2], connection.getpeername()[:2]
    if sys.platform != "linux":
        return _is_listed_by_lsof(there, here)
    for _ in range(_READINGS):
        found = [
            fields
            for table, mapped in _TABLES.items()
            for fields in _connections(table, _as_listed(there, mapped), _as_listed(here, mapped))
        ]
        if found:
            users = (str(os.geteuid()), "0")
            return all(user in users and inode != "0" for user, inode in found)
    return False


def _connections(table: str, local: str, remote: str) -> list[tuple[str, str]]:
    """Return user and inode of the sockets with these two ends in a table of Linux."""
    try:
        with open(table) as file:
            lines = [line.split() for line in file if f" {local} {remote} " in line]
    except OSError:  # no IPv6 here, or no /proc
        return []
    return [(fields[7], fields[9]) for fields in lines]


def _as_listed(address: tuple[str, int], mapped: str) -> str:
    """Return an address as Linux' tables have it: words of 32 bits in this machine's order."""
    import socket

    host, port = address
    is_six = ":" in host
    packed = socket.inet_pton(socket.AF_INET6 if is_six else socket.AF_INET, host)
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    text = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{text if is_six else mapped + text}:{port:04X}"


def _is_listed_by_lsof(local: tuple[str, int], remote: tuple[str, int]) -> bool:
    import shutil
    import subprocess

    program = shutil.which("lsof", path="/usr/sbin:/usr/bin")
    if program is None:
        return False
    ends = [
        f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in (local, remote)
    ]
    users = f"-u{os.geteuid()},0"
    words = [program, "-nP", "-a", users, f"-iTCP:{local[1]}", "-Fn"]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return "n" + "->".join(ends) in said.splitlines()


def _is_on_loopback(listener: socket.socket) -> bool:
    import socket

    if listener.family not in (socket.AF_INET, socket.AF_INET6):
        return False
    return str(listener.getsockname()[0]).startswith(("127.", "::1", "::ffff:127."))


@contextmanager
def _guarded() -> Iterator[None]:
    """Have what listens on loopback in this process take connections of its owner only."""
    import socket

    accept = socket.socket.accept

    def guarded(listener: socket.socket) -> tuple[socket.socket, Any]:
        while True:
            connection, address = accept(listener)
            try:
                if not _is_on_loopback(listener) or is_from_owner(connection):
                    return connection, address
            except OSError:  # it has gone
                pass
            connection.close()

    socket.socket.accept = guarded  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        socket.socket.accept = accept  # type: ignore[method-assign]


@contextmanager
def _adapter_guarded() -> Iterator[None]:
    """Have the adapter that debugpy starts be started by this program, behind the guard.

    Raises RuntimeError where debugpy has started none, or in another way.
    """
    import subprocess

    started = []

    class Popen(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, words: Any, **more: Any) -> None:
            if isinstance(words, list) and "--for-server" in words:
                started.append(words)
                words = [words[0], os.path.abspath(__file__), _ADAPTER, *words[1:]]
            super().__init__(words, **more)

    before, subprocess.Popen = subprocess.Popen, Popen  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        subprocess.Popen = before  # type: ignore[misc]
    if not started:
        raise RuntimeError("this debugpy cannot be kept from other users of this machine")


def _adapt(words: Sequence[str]) -> None:
    """Run debugpy's adapter, the first word, with what debugpy tells it.

    What it connects stays open until it ends: of a closed socket nobody can tell the owner.
    """
    import runpy
    import socket

    connect, kept = socket.socket.connect, []

    def connected(self: socket.socket, address: Any) -> None:
        connect(self, address)
        kept.append(self.dup())

    socket.socket.connect = connected  # type: ignore[assignment,method-assign]
    sys.argv = list(words)
    with _guarded():
        runpy.run_path(words[0], run_name="__main__")


def _is_ours(host: str, port: int) -> bool:
    """Whether a port is free, and keep others of ours from it until this process ends.

    Nothing else is told of a UDP port, so it serves as a lock that every system has.
    """
    import socket

    if not port:
        return True  # any
    lock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        lock.bind((host, port))
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError:
        lock.close()
        return False
    _reserved.append(lock)
    return True


def _stop_at(error: BaseException) -> None:
    """Let the debugger stop at an exception, whichever of them it was told to stop at.

    Not once more at the one that the program then ends by.
    """
    import debugpy  # noqa: T100
    import pydevd  # type: ignore[import-not-found] # what debugpy has inside

    debugger = pydevd.get_global_debugger()
    found = (type(error), error, error.__traceback__)
    if hasattr(debugpy, "trigger_exception_handler"):
        debugpy.trigger_exception_handler(found, as_uncaught=False)
    elif debugger is not None and error.__traceback__ is not None:
        _stop_in_older(debugger, error.__traceback__, found)
    pydevd.stoptrace()


def _stop_in_older(debugger: Any, traceback: TracebackType, found: Any) -> None:
    import threading

    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    thread = threading.current_thread()
    information = debugger.set_additional_thread_info(thread)
    information.is_tracing += 1  # no breakpoints meanwhile
    try:
        debugger.do_stop_on_unhandled_exception(thread, traceback.tb_frame, None, found)
    finally:
        information.is_tracing -= 1


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(words: Sequence[str]) -> None:
    """Run a Python program as `python3 WORDS` does, waiting for a debugger as `WANTED` says."""
    own = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == own:
        del sys.path[0]
    if words[:1] == [_ADAPTER]:
        _adapt(words[1:])
        return
    if wanted(FIRST_LINE):
        try:
            wait()
        except DebuggerError as error:
            _say(f"argojobs: {error}\n  {error.hint}")
            sys.exit(_BEFORE_USER_CODE)
    _run(words)


def _run(words: Sequence[str]) -> None:
    """Run the program; an exception is shown as Python shows it, and held if that is wanted."""
    try:
        _execute(words)
    except SystemExit as error:
        if error.code and wanted(AT_ERROR):
            error.__traceback__ = _users(error.__traceback__)
            hold_if_possible(error)
        raise
    except BaseException as error:  # noqa: BLE001 - shown as Python shows it
        error.__traceback__ = _users(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            sys.exit(_INTERRUPTED)
        if wanted(AT_ERROR):
            hold_if_possible(error)
        sys.exit(1)


def _execute(words: Sequence[str]) -> None:
    """Run the program in a `__main__` of its own, which stays: threads and what runs at exit use it."""
    import pkgutil

    kind = words[0]
    main = sys.modules["__main__"].__class__("__main__")
    sys.modules["__main__"] = main
    sys.argv = list(words)
    if kind == "-m":
        _search(os.getcwd())
        sys.argv = list(words[1:])
        _run_module(words[1], alter_argv=True)
        return
    if kind == "-c":
        sys.argv = ["-c", *words[2:]]
        _search("")
        name, source = "<string>", words[1].encode()
    elif kind == "-":
        _search("")
        name = main.__file__ = "<stdin>"
        source = sys.stdin.buffer.read()
    elif pkgutil.get_importer(kind) is not None:  # a folder, or a zip file by any name
        sys.path.insert(0, os.path.abspath(kind))
        _run_module("__main__", alter_argv=False)
        return
    else:
        name, source = _file(main, kind)
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)  # noqa: S102


def _run_module(name: str, *, alter_argv: bool) -> None:
    """Run a module in `__main__`, by what `python -m` itself is made of, as debuggers do."""
    import runpy

    runpy._run_module_as_main(name, alter_argv)  # type: ignore[attr-defined] # noqa: SLF001


def _file(main: Any, kind: str) -> tuple[str, bytes]:
    """Return the name and the source of a script, which `main` is told of."""
    from importlib.machinery import SourceFileLoader

    name = main.__file__ = os.path.join(os.getcwd(), kind)
    main.__loader__ = SourceFileLoader("__main__", name)
    try:
        with open(name, "rb") as file:
            source = file.read()
    except OSError as error:
        _say(f"{sys.executable}: can't open file {name!r}: [Errno {error.errno}] {error.strerror}")
        sys.exit(2)
    _search(os.path.dirname(os.path.realpath(name)))
    return name, source


def _search(place: str) -> None:
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path.insert(0, place)


def _users(traceback: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that is the program's: what comes after us and runpy."""
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name != __file__ and not name.startswith("<frozen ") and not name.endswith("runpy.py"):
            break
        traceback = traceback.tb_next
    return traceback


if __name__ == "__main__":
    main(sys.argv[1:])
