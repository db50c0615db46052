"""The record of what was started and made, in one JSON file that survives a killed run.

A change is on the disk before the next thing is done, so that `cleaning` can always undo it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from harness.errors import HarnessError

FILE = "state.json"


@dataclass(frozen=True)
class Process:
    """A program that was started: `born` tells it from a later process with the same number.

    It is the start time from /proc/PID/stat, in ticks since the machine's start.
    """

    name: str
    pid: int
    born: int


@dataclass
class State:
    """Everything to undo, in the order in which it was done."""

    folder: Path
    boot: str = ""
    keep: bool = False
    ready: bool = False
    processes: list[Process] = field(default_factory=list)
    bridges: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def save(self) -> None:
        """Write the record; whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        plain = asdict(self)
        del plain["folder"]
        file = self.folder / FILE
        new = file.with_suffix(".new")
        new.write_text(json.dumps(plain, indent=1))
        os.replace(new, file)

    def process(self, name: str) -> Process | None:
        """The recorded process `name`, the latest if it was started again."""
        return next((one for one in reversed(self.processes) if one.name == name), None)

    def add(self, process: Process) -> None:
        """Record a started process; an older one of the same name is forgotten."""
        self.processes = [one for one in self.processes if one.name != process.name]
        self.processes.append(process)
        self.save()

    def forget(self, process: Process) -> None:
        """Strike out a process that has ended because it was to."""
        self.processes = [one for one in self.processes if one != process]
        self.save()


def load(folder: Path) -> State | None:
    """The record in `folder`; None if there is none. Raises HarnessError if it can't be read."""
    file = folder / FILE
    if not file.exists():
        return None
    try:
        plain = json.loads(file.read_text())
        processes = [Process(**one) for one in plain.pop("processes")]
        return State(folder=folder, processes=processes, **plain)
    except (ValueError, TypeError, KeyError) as error:
        raise HarnessError(
            f"{file} is not a record of this harness ({error}): look at it, then remove it"
        ) from error


def boot_id() -> str:
    """The identity of this start of the machine: process numbers of an earlier one mean nothing."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
