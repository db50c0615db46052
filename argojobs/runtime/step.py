"""Run one step: import the user's file, build the arguments, call the function, write its outputs.

Exit codes: 0 done; 1 the user's code failed or left an output unset; 78 something was wrong before
the user's first line, which a retry cannot mend (import, parameters, a missing input); any other
is what the user's code, or a command's program, ended with.
"""

from __future__ import annotations

import os
import sys

from ..errors import ArgojobsError, DefinitionError, OutputError, StepError
from . import environment, importing, places, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..dsl.steps import Step

#: Reserved: generated retry strategies do not try again.
BEFORE_USER_CODE = 78
FAILED = 1
INTERRUPTED = 130
#: The module with the steps of plain scripts.
SCRIPT = f"{__package__}.script"


class _UserFailure(BaseException):
    """The user's own code raised: `error`, to be shown as Python shows it."""

    def __init__(self, error: BaseException, hint: str = "", code: int = FAILED) -> None:
        super().__init__()
        self.error = error
        self.hint = hint
        self.code = code


def main(arguments: Sequence[str], root: str, entries: Sequence[str] = ("",)) -> int:
    """Run the step `FILE:NAME` with the code in `root` and return the exit status.

    entries: what the project had on `sys.path`, relative to root.
    """
    try:
        file, name = _split(arguments)
        os.environ.update(environment.fill(os.environ))
        if _debugged("1") and os.environ.get("ARGOJOBS_COMMAND") != "1":
            _await_debugger(root)
        step = _find(_import(file, root, entries), name, file)
        values = _arguments(step)
    except _UserFailure as failed:
        return _failed(failed, root)
    except ArgojobsError as error:
        _report(error)
        return BEFORE_USER_CODE
    try:
        return _run(step, values, root)
    except _UserFailure as failed:
        return _failed(failed, root)
    except ArgojobsError as error:
        _report(error)
        return BEFORE_USER_CODE if isinstance(error, StepError) else FAILED


def _split(arguments: Sequence[str]) -> tuple[str, str]:
    if len(arguments) == 1:
        file, separator, name = arguments[0].rpartition(":")
        if separator and file and name:
            return file, name
    raise StepError(
        f"expected one argument FILE:NAME, got {list(arguments)!r}",
        hint="for instance: python3 -m argojobs.runtime workflows/demo.py:train",
    )


def _import(file: str, root: str, entries: Sequence[str]) -> Any:
    """Import the user's file (a path in the project), or a module by its dotted name."""
    folders = [os.path.join(root, entry) if entry else root for entry in entries]
    path = os.path.join(root, file)
    try:
        if not file.endswith(".py"):
            importing.search(folders)
            __import__(file)
            return sys.modules[file]
        if not os.path.isfile(path):
            raise StepError(
                f"there is no file {file} in the code of this step",
                where=root,
                hint="if .argojobsignore or .gitignore lists it, take it out there; "
                "with --code image, the image must have it.",
            )
        importing.search([importing.module_place(path)[1], *folders])
        return importing.import_file(path)
    except SystemExit as error:
        raise StepError(
            f"the file ended the program while it was imported (exit {error.code})",
            where=file,
            hint='put what a script does below `if __name__ == "__main__":`.',
        ) from error
    except (StepError, DefinitionError):
        raise
    except Exception as error:
        from . import failure

        missing = failure.missing_module(error, root)
        hint = (
            f"{missing} is not in this image: import it inside the step that needs it, "
            "or use an image that has it."
            if missing
            else f"{file} must import in the image of each of its steps."
        )
        raise _UserFailure(error, hint, BEFORE_USER_CODE) from error


def _find(module: Any, name: str, file: str) -> Step[Any, Any]:
    """Return the step of this (dotted) name. Raises StepError with what there is instead."""
    from ..dsl.steps import Step

    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, Step):
        return found
    steps = [each for each, value in vars(module).items() if isinstance(value, Step)]
    raise StepError(
        f"{name} is not a step" if found is not None else f"there is no step {name}",
        where=file,
        hint=f"the file has the steps: {', '.join(steps)}." if steps else "the file has no step.",
    )


def _arguments(step: Step[Any, Any]) -> dict[str, Any]:
    from . import inputs

    values = inputs.arguments(step.inputs, os.environ)
    if os.environ.get("ARGOJOBS_DEBUG"):
        for name, value in values.items():
            print(f"argojobs: {name} = {value!r:.200}", file=sys.stderr)
    return values


def _debugged(when: str) -> bool:
    """Whether a debugger is waited for then: before the first line (1), or at an error."""
    return os.environ.get("ARGOJOBS_DEBUG") == when


def _debugger() -> Any:
    """Return the debugger, which came with the run. Raises StepError where it did not."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = f"{places.root()}/argojobs/debugger/__main__.py"
    spec = spec_from_file_location("argojobs_debugger", path)
    if not os.path.exists(path) or spec is None or spec.loader is None:
        raise StepError(
            "this step is told to wait for a debugger, but none came with it",
            where=path,
            hint="argojobs run --debug brings it; ARGOJOBS_DEBUG alone does not.",
        )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _await_debugger(root: str) -> None:
    """Wait for a debugger. Raises StepError where it cannot be had."""
    debugger = _debugger()
    try:
        debugger.wait(root)
    except debugger.DebuggerError as error:
        raise StepError(str(error), hint=error.hint) from error


def _hold(failed: _UserFailure, code: int, root: str) -> None:
    """Hold a step that failed at its exception until a debugger lets it go, if that is wanted."""
    if _debugged("error") and code != INTERRUPTED:
        try:
            _debugger().hold_if_possible(failed.error, root)
        except StepError as error:
            _report(error)


def _run(step: Step[Any, Any], values: dict[str, Any], root: str) -> int:
    """Call the function with its places to write to, and write what it returned."""
    from . import outputs

    with places.writing_to(places.container_outputs()):
        fields = step.output_fields
        outputs.prepare(fields)
        board = _start_tensorboard(step)
        try:
            if step.is_command:
                return _run_command(step, values, root)
            result = _call(step, values)
            written.name_lost(root, outputs.write(step.name, fields, step.outputs, result))
        except _UserFailure as failed:
            outputs.save_what_is_there(fields)
            if any(field.kind == "artifact" for field in fields.values()):
                failed.hint = outputs.hint(failed.error)
            raise
        finally:
            if board:
                from . import tensorboard

                tensorboard.stop(board)
    return 0


def _start_tensorboard(step: Step[Any, Any]) -> int:
    if os.environ.get("ARGOJOBS_TENSORBOARD") != "1":
        return 0
    from ..dsl.artifacts import TensorBoard
    from . import tensorboard

    for name, field in step.output_fields.items():
        if field.kind == "artifact" and issubclass(field.cls, TensorBoard):
            return tensorboard.start(places.output_path(name))
    return 0


def _call(step: Step[Any, Any], values: dict[str, Any], *first: Any) -> Any:
    """Call the user's function; what it raises becomes a _UserFailure."""
    try:
        return step.function(*first, **values)
    except SystemExit as error:
        return _exit(step, error)
    except KeyboardInterrupt as error:
        raise _UserFailure(error, "", INTERRUPTED) from error
    except BaseException as error:
        if isinstance(error, StepError) and step.__module__ == SCRIPT:
            raise  # our own step for scripts: the script is not in the code
        raise _UserFailure(error) from error


def _exit(step: Step[Any, Any], error: SystemExit) -> None:
    """End as `sys.exit` asked: its number is the step's, its text is printed."""
    code = error.code
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = FAILED
    status = (code or 0) & 0xFF  # what the system keeps of it: 256 is 0
    if status:
        raise _UserFailure(error, "", _users_code(status))
    if step.output_fields:
        raise OutputError(
            f"{step.name} ended with sys.exit({'' if code is None else int(code)}) and returned nothing",
            where=step.where,
            hint="return its outputs instead.",
        )


def _users_code(code: int) -> int:
    """Return an exit status of the user's code; ours is not theirs to use."""
    if code != BEFORE_USER_CODE:
        return code
    print(
        f"argojobs: exit code {code} is reserved for errors before a step begins: it ends with 1",
        file=sys.stderr,
    )
    return FAILED


# travels with: command
def _run_command(step: Step[Any, Any], values: dict[str, Any], root: str) -> int:
    """Run the program whose argv the function returns; its outputs are at their places then.

    root: where the code lies, which a debugger of the program is told.
    """
    from . import command, outputs

    made = step.command_outputs() if step.command_outputs is not None else None
    argv = _call(step, values, *([] if made is None else [made]))
    words = command.checked(argv, step.name)
    if os.environ.get("ARGOJOBS_DEBUG"):
        words = _debugger().wrapped(words, root)
    code = _users_code(command.run(words))
    fields = step.output_fields
    is_script = step.__module__ == SCRIPT
    if is_script and made is not None:
        try:
            written.keep(root, places.output_path("results"))
        except OutputError as error:
            if not code:
                raise
            _report(error)
    if code:
        outputs.save_what_is_there(fields)
        return code
    kept: list[str] = []
    if made is not None:
        outputs.read_command_parameters(step.name, fields, made)
        kept = outputs.write(step.name, fields, step.outputs, made)
    if not is_script:
        written.name_lost(root, kept)
    elif made is None:
        written.name_lost(root, kept, "run it in a context that has a store")
    return 0


def _failed(failed: _UserFailure, root: str) -> int:
    """Show what the user's code raised, hold the step there if that is wanted; return the code."""
    code = _show_failure(failed)
    _hold(failed, code, root)
    return code


def _show_failure(failed: _UserFailure) -> int:
    if not isinstance(failed.error, SystemExit):
        from . import failure

        sys.stdout.flush()
        failure.show(failed.error)
    if failed.hint:
        print(f"argojobs: {failed.hint}", file=sys.stderr)
    return failed.code


def _report(error: ArgojobsError) -> None:
    sys.stdout.flush()
    print(f"argojobs: {error}", file=sys.stderr)
