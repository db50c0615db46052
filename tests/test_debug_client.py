"""The client of the debug protocol against a real debugpy: the tests' own tool, proven once."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.debug_client import GUARD, DebugClient, DebugClientError

HOST = "127.0.0.1"

#: Listens on a free port, says which one, waits for a client and runs the script it was given.
STARTER = f"""
import debugpy, runpy, sys
print(debugpy.listen(({HOST!r}, 0))[1], flush=True)
debugpy.wait_for_client()
runpy.run_path(sys.argv[1], run_name="__main__")
"""

#: The same, but it only listens once the script has failed, and then shows its exception.
POST_MORTEM = f"""
import debugpy, runpy, sys
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
except ValueError as error:
    print(debugpy.listen(({HOST!r}, 0))[1], flush=True)
    debugpy.wait_for_client()
    debugpy.trigger_exception_handler(error, as_uncaught=False)
    raise SystemExit(3) from None
"""

SCRIPT = """\
def scaled(values, factor):
    total = 0
    for value in values:
        total += value * factor
    return total

print(scaled([1, 2], 10))
"""

TWICE = """\
import sys

def seen(word):
    return word.upper()

for line in sys.stdin:
    print(seen(line.strip()), flush=True)
"""

FAILING = """\
def divide(number):
    if number == 0:
        raise ValueError("nothing to divide")

divide(0)
"""


@contextlib.contextmanager
def debuggee(script: Path, starter: str = STARTER) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a script under debugpy; yield its process and the port where it waits for a client."""
    environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-u", "-c", starter, str(script)]
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of a program that nobody holds any more: exit code, stdout, stderr."""
    output, errors = process.communicate(timeout=GUARD)
    return process.returncode, output, errors


def written(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "script.py"
    script.write_text(text)
    return script


def test_breaks_shows_a_local_steps_leaves_and_the_program_ends_well(tmp_path: Path) -> None:
    script = written(tmp_path, SCRIPT)
    with debuggee(script) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach()
            assert [one["verified"] for one in client.set_breakpoints(str(script), [4])] == [True]
            client.configuration_done()

            stopped = client.wait_for_event("stopped")
            assert stopped["reason"] == "breakpoint"
            thread = stopped["threadId"]
            assert thread in [one["id"] for one in client.threads()]
            frame = client.stack(thread)[0]
            assert (frame["name"], frame["line"]) == ("scaled", 4)
            assert frame["source"]["path"] == str(script)
            assert client.variables_of(frame["id"]) == {
                "factor": "10",
                "total": "0",
                "value": "1",
                "values": "[1, 2]",
            }

            client.next_(thread)
            assert client.wait_for_event("stopped")["reason"] == "step"
            frame = client.stack(thread)[0]
            assert frame["line"] == 3
            assert client.variables_of(frame["id"])["total"] == "10"
            assert client.evaluate("total * 2", frame["id"]) == "20"

            client.continue_(thread)
            frame = client.stack(client.wait_for_event("stopped")["threadId"])[0]
            assert client.variables_of(frame["id"])["value"] == "2"

            client.disconnect()
        assert ended(process) == (0, "30\n", "")


def test_a_breakpoint_is_set_in_the_local_file_and_hit_in_the_remote_one(tmp_path: Path) -> None:
    here = written(tmp_path / "here", SCRIPT)
    there = written(tmp_path / "there", SCRIPT)
    with debuggee(there) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach(path_mappings=[(str(here.parent), str(there.parent))])
            client.set_breakpoints(str(here), [5])
            client.configuration_done()
            frame = client.stack(client.wait_for_event("stopped")["threadId"])[0]
            assert frame["source"]["path"] == str(here)
            assert client.evaluate("__file__", frame["id"]) == repr(str(there))
            client.disconnect()
        assert ended(process)[0] == 0


def test_a_second_client_can_attach_after_the_first_left(tmp_path: Path) -> None:
    script = written(tmp_path, TWICE)
    with debuggee(script) as (process, port):
        assert process.stdin is not None
        for word in ("one", "two"):
            with DebugClient(HOST, port) as client:
                client.initialize()
                client.attach()
                client.set_breakpoints(str(script), [4])
                client.configuration_done()
                process.stdin.write(f"{word}\n")
                process.stdin.flush()
                frame = client.stack(client.wait_for_event("stopped")["threadId"])[0]
                assert client.variables_of(frame["id"]) == {"word": repr(word)}
                client.disconnect()
        assert ended(process) == (0, "ONE\nTWO\n", "")


def test_a_client_that_is_gone_without_a_word_leaves_the_program_waiting(tmp_path: Path) -> None:
    script = written(tmp_path, SCRIPT)
    with debuggee(script) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            # The last that debugpy says to a new client. One that goes before it is said may take
            # the thread along that accepts clients: nobody is answered any more.
            client.wait_for_event("debugpySockets")
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach()
            client.configuration_done()
            client.disconnect()
        assert ended(process)[0] == 0


def test_stops_at_an_exception_that_nobody_caught(tmp_path: Path) -> None:
    script = written(tmp_path, FAILING)
    with debuggee(script) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach()
            client.set_exception_breakpoints(["uncaught"])
            client.configuration_done()
            stopped = client.wait_for_event("stopped")
            assert stopped["reason"] == "exception"
            assert client.exception_info(stopped["threadId"])["description"] == "nothing to divide"
            frame = client.stack(stopped["threadId"])[0]
            assert client.variables_of(frame["id"]) == {"number": "0"}
            client.disconnect()
        code, _, errors = ended(process)
        assert (code, errors.splitlines()[-1]) == (1, "ValueError: nothing to divide")


@pytest.mark.parametrize("filters", [None, [], ["uncaught"]])
def test_an_exception_that_was_caught_is_shown_with_any_filters(
    tmp_path: Path, filters: list[str] | None
) -> None:
    script = written(tmp_path, FAILING)
    with debuggee(script, POST_MORTEM) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach()
            if filters is not None:
                client.set_exception_breakpoints(filters)
            client.configuration_done()
            frame = client.stack(client.wait_for_event("stopped")["threadId"])[0]
            assert (frame["name"], frame["line"]) == ("divide", 3)
            assert client.variables_of(frame["id"]) == {"number": "0"}
            client.disconnect()
        assert ended(process) == (3, "", "")


def test_disconnecting_may_end_the_program(tmp_path: Path) -> None:
    script = written(tmp_path, TWICE)
    with debuggee(script) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            client.attach()
            client.configuration_done()
            client.disconnect(terminate=True)
        # Its stdin is open: by itself it would wait for ever. debugpy ends it with this code.
        assert process.wait(timeout=GUARD) == 0


def test_an_event_that_does_not_come_is_an_error_that_names_those_that_came(
    tmp_path: Path,
) -> None:
    script = written(tmp_path, TWICE)
    with debuggee(script) as (process, port), DebugClient(HOST, port) as client:
        client.initialize()
        client.attach()
        client.configuration_done()
        with pytest.raises(DebugClientError, match=r"no event 'stopped' in time.*initialized"):
            client.wait_for_event("stopped", 0.2)
        client.disconnect()
        assert ended(process)[0] == 0
        with pytest.raises(DebugClientError, match="hung up"):
            client.wait_for_event("no such event")


def test_a_request_that_is_refused_is_an_error(tmp_path: Path) -> None:
    with debuggee(written(tmp_path, SCRIPT)) as (process, port):
        with DebugClient(HOST, port) as client:
            client.initialize()
            with pytest.raises(DebugClientError, match="nonsense was refused"):
                client.request("nonsense")
            client.attach()
            client.configuration_done()
            client.disconnect()
        assert ended(process)[0] == 0
