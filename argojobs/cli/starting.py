"""What `run` and `submit` do with a request: start it, and show it as the options say."""

from __future__ import annotations

from dataclasses import dataclass

from argojobs.cli.formats import Format, print_object
from argojobs.cli.place import target
from argojobs.cli.plan_lines import plan_lines
from argojobs.cli.started import follow_new, say_started
from argojobs.cli.text import show, warn
from argojobs.errors import UsageError
from argojobs.runs.debug_steps import to_attach
from argojobs.runs.load import loaded, not_for_a_shell
from argojobs.runs.pending import pending_of
from argojobs.runs.plan import Plan
from argojobs.runs.request import RunRequest
from argojobs.runs.shell import idle_of
from argojobs.runs.submit import dry_run, submit


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Where a run is started, and how it is shown. verb: what the user called."""

    verb: str
    context: str
    server: str
    detach: bool
    wait: bool = False
    dry_run: bool
    strict_resources: bool = False
    share_host_paths: bool = False
    pending_timeout: str
    output: Format | None


def start(request: RunRequest, how: How) -> int:
    """Start a run and follow it as far as is wanted; return the exit code."""
    _check(request, how)
    what = loaded(request, how.verb)
    place = target(
        how.context,
        how.server,
        what.root,
        strict_resources=how.strict_resources,
        share_host_paths=how.share_host_paths,
        new_run=True,
    )
    pending = pending_of(how.pending_timeout, place)
    if how.dry_run:
        _show_plan(dry_run(request, what, place), how.output)
        return 0
    created, kept = submit(request, what, place)
    try:
        if request.shell:
            from argojobs.cli.shell_job import open_shell, say_waits

            if not how.detach:
                return open_shell(place, created, pending, idle_of(request.idle))
            say_waits(created, place, how.output, idle_of(request.idle))
            return 0
        if how.detach:
            say_started(created, place, how.output)
            warn(to_attach(created, place.options), "note")
            return 0
        return follow_new(
            place, created, how.output, quiet=how.wait, pending=pending, folder=what.root
        )
    finally:
        kept.join()


def _check(request: RunRequest, how: How) -> None:
    """Raise UsageError for options that exclude each other."""
    if how.detach and how.wait:
        raise UsageError("--detach and --wait exclude each other", hint="leave one of them out")
    if request.shell and how.wait:
        raise not_for_a_shell("--wait")
    if request.shell and how.output and not (how.detach or how.dry_run):
        raise UsageError(
            "--shell with --output needs --detach", hint="what is printed is the shell's"
        )


def _show_plan(plan: Plan, output: Format | None) -> None:
    if output is not None:
        print_object(plan.workflow, output)
    else:
        show(plan_lines(plan))
