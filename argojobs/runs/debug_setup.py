"""What a command line asks for that wants steps to wait for a debugger, put into the workflow."""

from __future__ import annotations

from typing import NamedTuple

from argojobs.compile.loaded import Loaded
from argojobs.config.contexts import Context
from argojobs.edits.debugging import Debugging, with_debugger
from argojobs.edits.parameters import Applied
from argojobs.errors import UsageError
from argojobs.runs.request import RunRequest
from argojobs.runs.stores import shared_folder
from argojobs.runs.uploads import Upload
from argojobs.service import Workflow

_NOT_BROUGHT = (
    "nothing is stored for this run, so debugpy does not travel: each step's image must have it"
)


class DebugSetup(NamedTuple):
    """A workflow whose steps wait, what is to be stored for it, and what is to be said."""

    workflow: Workflow
    archives: tuple[Upload, ...] = ()
    notes: tuple[str, ...] = ()


def told_to_wait(
    applied: Applied, request: RunRequest, loaded: Loaded, context: Context | None
) -> DebugSetup:
    """Return the workflow with its steps told to wait for a debugger, where that was asked for.

    Args:
        applied: the workflow with its parameters.
        request: says which steps wait, and when.
        loaded: what the workflow was made of.
        context: in whose store the debugger goes, None where nothing is stored.

    Raises:
        UsageError: for what cannot wait, and where debugpy is not installed here.
    """
    wanted = _debugging_of(request, loaded, parameter=applied.debug)
    if wanted is None:
        return DebugSetup(applied.workflow)

    from argojobs.compile.debugger_archive import debugger_archive, debugger_program

    if context is None:
        program = debugger_program()
        workflow, notes = with_debugger(applied.workflow, wanted, program=program)
        return DebugSetup(workflow, (), (*notes, _NOT_BROUGHT))
    packed = debugger_archive()
    key = f"{shared_folder(context, 'debugger')}/{packed.hash}.tgz"
    brought = Upload(key, "the debugger (debugpy)", packed=packed)
    workflow, notes = with_debugger(applied.workflow, wanted, key=key)
    return DebugSetup(workflow, (brought,), tuple(notes))


def _debugging_of(request: RunRequest, loaded: Loaded, *, parameter: bool) -> Debugging | None:
    """Return which steps are to wait for a debugger, None for none of them.

    parameter: whether the parameter `debug`, which is nobody's, asks for it too. Raises UsageError
    for a script that is not Python, and for two answers to when.
    """
    debug = request.debug or parameter
    if not (debug or request.debug_steps or request.debug_on_error):
        return None
    if debug and request.debug_on_error:
        raise UsageError(
            "--debug waits before a step begins, --debug-on-error when it has failed",
            hint="leave one of them out; --debug-step NAME says which steps",
        )
    if loaded.kind == "script" and loaded.path.suffix != ".py":
        raise UsageError(
            "only a script in Python can wait for a debugger",
            where=str(loaded.path),
            hint="leave --debug out",
        )
    return Debugging(frozenset(request.debug_steps), on_error=request.debug_on_error)
