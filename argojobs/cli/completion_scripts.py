"""`--install-completion` and `--show-completion`: the script by which a shell completes our words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from click import Command
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from argojobs.errors import UsageError


class Place(NamedTuple):
    """What writes a shell's script, and where it looks for it, below the home folder.

    line: in its start file, makes it look.
    """

    made_by: type[ShellComplete]
    script: str
    start_file: str = ""
    line: str = ""


PLACES = {
    "bash": Place(
        BashComplete,
        ".bash_completions/argojobs.sh",
        ".bashrc",
        "source ~/.bash_completions/argojobs.sh",
    ),
    "zsh": Place(
        ZshComplete,
        ".zfunc/_argojobs",
        ".zshrc",
        "fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    ),
    "fish": Place(FishComplete, ".config/fish/completions/argojobs.fish"),
}


def current_shell() -> str:
    """Return the name of the user's shell. Raises UsageError for one that we have no script for."""
    path = os.environ.get("SHELL", "")
    name = Path(path).name
    if name not in PLACES:
        raise UsageError(
            f"there is completion for {', '.join(PLACES)}; the shell here is {path or 'not known'}",
            hint="name one of them: SHELL=bash argojobs --install-completion",
        )
    return name


def script_of(program: Command, shell: str) -> str:
    """Return what a shell has to read."""
    return PLACES[shell].made_by(program, {}, "argojobs", "_ARGOJOBS_COMPLETE").source()


def install(program: Command, shell: str) -> Path:
    """Write the script where a shell finds it, and the line that makes it look; return the script.

    What the shell's start file has stays; the line is added once.
    """
    place, home = PLACES[shell], Path.home()
    script = home / place.script
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(script_of(program, shell))
    if place.start_file:
        start = home / place.start_file
        text = start.read_text() if start.exists() else ""
        if place.line not in text.splitlines():
            with start.open("a") as file:
                file.write(f"{'' if text.endswith(chr(10)) or not text else chr(10)}{place.line}\n")
    return script
