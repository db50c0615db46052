"""A user who debugs a run: what the command says, the entries it writes, and F5 pressed on one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.debug_client import DebugClient
from support.jsonc_texts import read_jsonc


class Followed:
    """A command that follows a run, and what it has said so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []

    def until(self, pattern: str) -> re.Match[str]:
        """Read until a line is as the pattern says."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(pattern, line)
            if found:
                return found
        pytest.fail(f"it ended without {pattern!r}:\n{''.join(self.said)}")

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, "".join(self.said) + out


@contextmanager
def followed(**started: Any) -> Iterator[Followed]:
    """Start a command, by what subprocess takes, and end it in any case."""
    process = subprocess.Popen(
        **{**started, "text": True}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        yield Followed(process)
    finally:
        process.kill()
        process.communicate()


def entries(project: Path) -> dict[str, dict[str, Any]]:
    """Return the configurations of launch.json by name."""
    value = read_jsonc((project / ".vscode" / "launch.json").read_text())
    return {one["name"]: one for one in value["configurations"]}


@contextmanager
def pressed(
    project: Path, entry: dict[str, Any], file: str = "", line: int = 0
) -> Iterator[DebugClient]:
    """Attach as VS Code does when F5 is pressed with an entry and maybe one breakpoint."""
    assert (entry["type"], entry["request"], entry["justMyCode"]) == ("debugpy", "attach", False)
    mappings = [
        (one["localRoot"].replace("${workspaceFolder}", str(project)), one["remoteRoot"])
        for one in entry.get("pathMappings", ())
    ]
    with DebugClient(entry["connect"]["host"], entry["connect"]["port"]) as client:
        client.initialize()
        client.attach(path_mappings=mappings)
        if line:
            client.set_breakpoints(str(project / file), [line])
        client.configuration_done()
        yield client


def stopped(client: DebugClient) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Wait for a stop; return the thread, the innermost frame and its variables."""
    thread = client.wait_for_event("stopped")["threadId"]
    frame = client.stack(thread)[0]
    return thread, frame, client.variables_of(frame["id"])
