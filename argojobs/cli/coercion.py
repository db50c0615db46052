"""Values of options without a library for them: most are texts, taken as they are.

Newer versions of typer check every value, be it a plain text, with a library whose import takes as
long as the rest of a short command. Here texts and defaults are passed on as they are, a choice and
a whole number are read where they are plainly right, and typer's own way is gone for all else (a
path, and what is wrong). Versions without that way need nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

#: A number with more digits is typer's to read.
_DIGITS = 15


def lean(command: Any) -> Any:
    """Return a command of typer's whose texts are taken as they are; those of its verbs as well."""
    for parameter in command.params:
        _take_as_is(parameter)
    own_help = command.get_help_option

    def help_option(ctx: Any) -> Any:
        """Return the option for help, which typer makes late."""
        return _take_as_is(own_help(ctx))

    command.get_help_option = help_option
    for verb in getattr(command, "commands", {}).values():
        lean(verb)
    return command


def _take_as_is(parameter: Any) -> Any:
    own = getattr(parameter, "get_runtime_param", None)
    if own is not None and "get_runtime_param" not in vars(parameter):
        lean_way = Lean(own)
        parameter.get_runtime_param = lambda: lean_way
    return parameter


class Lean:
    """What turns the value of one parameter into what its command takes, as typer has it.

    own: makes typer's own.
    """

    def __init__(self, own: Callable[[], Any]) -> None:
        self._own = own

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value; one that is no text came from us, as a default, and is right."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        wanted = getattr(param.type_descriptor, "annotation", None)
        if several and wanted == list[str] and _are_texts(value):
            return list(value)
        if not several and (isinstance(value, str) is (wanted is str)) and param.nargs == 1:
            return value
        if not several and isinstance(value, str) and param.nargs == 1:
            read = _plainly(value, wanted, getattr(param.type_descriptor, "parameter_info", None))
            if read is not None:
                return read
        return self._own().coerce(value, param=param, ctx=ctx)


def _plainly(text: str, wanted: Any, info: Any) -> Any:
    """Return the choice or the whole number that a text plainly is, None for all else."""
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return next((one for one in wanted if one.value == text), None)
    if wanted is not int or not (text.isascii() and text.isdecimal()) or len(text) > _DIGITS:
        return None
    number, least, most = int(text), getattr(info, "min", None), getattr(info, "max", None)
    inside = (least is None or number >= least) and (most is None or number <= most)
    return number if inside else None


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)
