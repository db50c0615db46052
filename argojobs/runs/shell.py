"""What a command line asks for that wants a job which waits for a shell: `run --shell`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.errors import ManifestError, UnsupportedError, UsageError
from argojobs.manifest.shell_job import IDLE

if TYPE_CHECKING:
    from argojobs.compile.load import Loaded
    from argojobs.runs.target import Target

#: Options of `run` that have no meaning for a shell, by their names there.
_NOT_FOR_A_SHELL = {
    "wait": "--wait",
    "params": "--params",
    "assignments": "-p",
    "pipeline": "--pipeline",
    "retries": "--retries",
}


def loaded_shell(options: Mapping[str, Any], words: Sequence[str] | None) -> Loaded:
    """Return the job that the options of `run` ask for. Raises UsageError for what it cannot have.

    words: what stands after `--`.
    """
    from argojobs.compile.load import load_shell

    if words is not None:
        raise UsageError(
            "--shell takes no words after --",
            hint="leave --shell out to run them, or run them in the job: "
            "argojobs ssh RUN -- COMMAND",
        )
    for name, value in options.items():
        option = _NOT_FOR_A_SHELL.get(name)
        if name.startswith("debug"):
            option = "--" + name.removesuffix("s").replace("_", "-")
        if option is not None and value not in (None, "", False, [], ()):
            raise UsageError(
                f"--shell and {option} exclude each other",
                hint="a shell is waited for in place of a program: leave one of them out",
            )
    if options.get("output") and not (options.get("detach") or options.get("dry_run")):
        raise UsageError(
            "--shell with --output needs --detach", hint="what is printed is the shell's"
        )
    file, image = str(options.get("file") or ""), str(options.get("image") or "")
    return load_shell(file, image, idle_of(str(options.get("idle") or "")))


def idle_of(text: str) -> int:
    """Return after how many seconds without use a job ends, 0 for never. UsageError for no time."""
    from argojobs.engine.clock import duration

    if not text:
        return IDLE
    try:
        found = duration(text)
    except ManifestError:
        found = -1
    if found < 0 or (found and found < 1):
        raise UsageError(
            f"--idle {text!r} is no time", hint="give one: 30m, 8h; 0 lets it wait for ever"
        )
    return int(found)


def require_way_in(place: Target) -> None:
    """Raise UsageError and its kinds where nobody could enter a job that is about to be started."""
    if place.local is not None:
        from argojobs.engine.pods import program_for_entering

        if not Path("/proc/self/environ").exists():
            raise UnsupportedError(
                "there is no way into a step of this machine", hint="it needs Linux's /proc"
            )
        program_for_entering()
        return
    from argojobs.client.kube.rights import EXEC, may
    from argojobs.runs.cluster import namespace_in, needed_kube

    with needed_kube(place.context) as kube:
        namespace = namespace_in(place.context, kube)
        missing = [str(right) for right in EXEC if not may(kube, right, namespace)]
    if missing:
        raise UsageError(
            f"not allowed to {' nor to '.join(missing)} in the namespace {namespace}: "
            "nobody could enter the job",
            where=place.context.name,
            hint=f"argojobs doctor --write -{place.options} writes the role that has it",
        )
