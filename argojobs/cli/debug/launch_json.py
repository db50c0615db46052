"""VS Code's `.vscode/launch.json`: entries to attach to steps go in, and out again without a trace.

The rest of the file is the user's: an entry goes to the front of `configurations`, with the line
break before it, and exactly that is taken out again. Of two commands that change a file at a time
the second waits for the first.
Source: VS Code docs, "Visual Studio Code debug configuration" (the file is JSON with comments, and
commas before closing brackets); debugpy wiki, "Debug configuration settings".
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from argojobs.config.whole_files import replace_file
from argojobs.errors import HostError, UsageError
from argojobs.runs.debug_tunnels import is_taken

#: Names of our entries begin so.
PREFIX = "argojobs: "

#: A file of ours without entries: one that reads so is removed.
_OWN_FILE = """\
// argojobs made this file, and removes it when the run ends.
{
    "version": "0.2.0",
    "configurations": [
    ]
}
"""
_OURS = re.compile(rf'(?:\r\n|\r|\n)[ \t]*(?=\{{\s*"name"\s*:\s*"{PREFIX})')
_TRIVIA = r"(?>\s|//[^\r\n]*|/\*.*?\*/)*+"
_TOKEN = re.compile(rf'{_TRIVIA}("(?:[^"\\]|\\.)*"|[^\s"])', re.DOTALL)
_LIST = re.compile(rf"{_TRIVIA}:{_TRIVIA}\[", re.DOTALL)
_EMPTY = re.compile(rf"{_TRIVIA}\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """A debugger that waits. remote: the folder of the code in the step, "" for no mapping."""

    name: str
    host: str
    port: int
    remote: str


def put(folder: Path, entry: Entry) -> Path:
    """Put an entry into the launch.json of a folder, which is made if missing; return its path.

    It replaces one of its name. Others of ours that lead to a port of this machine where nothing
    listens go: a command that was killed left them. Raises UsageError for a file without a list of
    configurations, HostError for one that cannot be written.
    """

    def change(text: str) -> str:
        return with_entry(
            without(text, lambda one: one.name == entry.name or _is_stale(one)), entry
        )

    by_hand = f"attach by hand (debugpy, attach): {entry.host}:{entry.port}"
    return _change(folder, change, f"give yourself write access there, or {by_hand}")


def take_out(folder: Path, entries: Collection[Entry]) -> None:
    """Take entries out of the launch.json of a folder; a file that we made goes with the last one.

    One that leads elsewhere by now is another command's, and stays. Raises HostError as `put`.
    """
    known = {(one.name, one.host, one.port) for one in entries}

    def change(text: str) -> str:
        return without(text, lambda one: (one.name, one.host, one.port) in known)

    if folder.exists():
        names = ", ".join(sorted(entry.name for entry in entries))
        _change(folder, change, f"take them out by hand: {names}")


def with_entry(text: str, entry: Entry) -> str:
    """Return the text of a launch.json with one more entry. Raises UsageError as `put`."""
    at = _inside_configurations(text)
    line = re.split(r"[\r\n]", text[:at])[-1]
    unit = line[: len(line) - len(line.lstrip(" \t"))] or "    "
    newline = "\r\n" if "\r\n" in text else "\n"
    mapping = {"localRoot": "${workspaceFolder}", "remoteRoot": entry.remote}
    value = {
        "name": entry.name,
        "type": "debugpy",
        "request": "attach",
        "connect": {"host": entry.host, "port": entry.port},
        **({"pathMappings": [mapping]} if entry.remote else {}),
        "justMyCode": False,
    }
    written = json.dumps(value, indent=unit).replace("\n", newline + 2 * unit)
    comma = "" if _EMPTY.match(text, at) else ","
    return text[:at] + newline + 2 * unit + written + comma + text[at:]


def our_entries(text: str) -> Iterator[tuple[int, int, Entry]]:
    """Yield each entry that bears our name, with where its line break and its comma stand."""
    for start in _OURS.finditer(text):
        try:
            value, end = json.JSONDecoder().raw_decode(text, start.end())
        except ValueError:  # somebody has changed it: it is theirs
            continue
        match value:
            case {"name": str(name), "connect": {"host": str(host), "port": int(port)}}:
                yield start.start(), end + text.startswith(",", end), Entry(name, host, port, "")


def without(text: str, goes: Callable[[Entry], bool]) -> str:
    """Return a text without some of our entries."""
    for start, end, entry in reversed([*our_entries(text)]):
        if goes(entry):
            text = text[:start] + text[end:]
    return text


def _inside_configurations(text: str) -> int:
    """Return where the list of the configurations begins, behind its bracket."""
    depth, at, inside = 0, 0, 0
    while token := _TOKEN.match(text, at):
        at = token.end()
        depth += (token[1] in ("{", "[")) - (token[1] in ("}", "]"))
        if depth == 1 and token[1] == '"configurations"' and (opening := _LIST.match(text, at)):
            inside = opening.end()  # of two the last counts
    if not inside:
        raise UsageError(
            "it has no list `configurations`",
            hint='give it one: {"version": "0.2.0", "configurations": []}; or move it away',
        )
    return inside


def _is_stale(entry: Entry) -> bool:
    """Whether an entry leads to a port of this machine at which nothing listens."""
    here = entry.host in ("localhost", "::1", "0.0.0.0") or entry.host.startswith("127.")  # noqa: S104
    return here and 0 < entry.port < 1 << 16 and not is_taken(entry.port)


def _change(folder: Path, change: Callable[[str], str], hint: str) -> Path:
    """Change the text of a folder's launch.json, and return its path."""
    path = folder / ".vscode" / "launch.json"
    try:
        lock = os.open(folder, os.O_RDONLY)  # `.vscode` itself comes and goes
        try:
            with contextlib.suppress(OSError):  # file systems without locks for folders, as NFS
                fcntl.flock(lock, fcntl.LOCK_EX)
            _replace(path, change)
        finally:
            os.close(lock)
    except OSError as error:
        raise HostError(
            f"it cannot be changed: {error.strerror or error}", where=str(path), hint=hint
        ) from error
    except UsageError as error:
        error.where = str(path)
        raise
    return path


def _replace(path: Path, change: Callable[[str], str]) -> None:
    try:
        before = path.read_bytes().decode("utf-8", "surrogateescape")  # other bytes come back, too
    except FileNotFoundError:
        before = _OWN_FILE
    after = change(before)
    if after == before:
        return
    try:
        if after == _OWN_FILE:
            Path(os.path.realpath(path)).unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, after.encode("utf-8", "surrogateescape"))
    finally:
        with contextlib.suppress(OSError):  # there is something in it, as a rule
            path.parent.rmdir()
