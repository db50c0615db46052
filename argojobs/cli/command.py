"""A verb's function as a command of click: what it takes is said once, in its signature.

    def command(run: RunName, last: Annotated[int, option("-n", minimum=0)] = 0) -> int: ...

The annotation's type says how words are read: bool is a flag, a list may be repeated, an enum is a
choice. A parameter without a default has to be given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

#: What a shell may complete a word to, given the words before it.
Complete = Callable[[click.Context, str], list[str]]


class Declared(NamedTuple):
    """What an annotation says of a parameter beside its type; without names it is an argument."""

    names: tuple[str, ...]
    metavar: str
    help: str
    complete: Complete | None
    minimum: int | None
    hidden: bool
    show_default: bool
    part: str


def option(
    *names: str,
    metavar: str = "",
    help: str = "",  # noqa: A002 - click's own word
    complete: Complete | None = None,
    minimum: int | None = None,
    hidden: bool = False,
    show_default: bool = True,
    part: str = "Options",
) -> Declared:
    """Declare an option.

    Args:
        names: As they are typed, with their dashes.
        metavar: What stands for the value in help.
        help: One or two sentences.
        complete: Gives a shell the words that may stand here.
        minimum: The least number that is taken.
        hidden: Whether help leaves it out.
        show_default: Whether help shows the default where there is one.
        part: The list of the help in which it stands.
    """
    return Declared(names, metavar, help, complete, minimum, hidden, show_default, part)


def argument(
    *,
    metavar: str,
    help: str,  # noqa: A002 - click's own word
    complete: Complete | None = None,
    show_default: bool = True,
) -> Declared:
    """Declare an argument.

    Args:
        metavar: What stands for the value in help.
        help: One or two sentences.
        complete: Gives a shell the words that may stand here.
        show_default: Whether help shows the default where there is one.
    """
    return Declared((), metavar, help, complete, None, False, show_default, "")


class BadValueError(click.BadParameter):
    """A value that an option or argument cannot have, with what to give instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def _whole(value: Any, param: Any) -> int:
    try:
        return int(value)
    except ValueError:
        said = f"{param.opts[0]} {value!r} is not a whole number"
        raise BadValueError(said, "write it in digits") from None


class WholeNumber(click.types.IntParamType):
    """Any whole number."""

    def convert(self, value: Any, param: Any, ctx: Any) -> int:  # noqa: ARG002 - click calls it so
        """Return the number.

        Args:
            value: As it was typed, or the default.
            param: The option or argument that it is of, for messages.
            ctx: As click has it; not used.

        Raises:
            BadValueError: It is not a number.
        """
        return _whole(value, param)


class AtLeast(click.IntRange):
    """A whole number from a minimum on."""

    def convert(self, value: Any, param: Any, ctx: Any) -> int:  # noqa: ARG002 - click calls it so
        """Return the number.

        Args:
            value: As it was typed, or the default.
            param: The option or argument that it is of, for messages.
            ctx: As click has it; not used.

        Raises:
            BadValueError: It is not a number, or below the minimum.
        """
        number = _whole(value, param)
        if self.min is not None and number < self.min:
            said = f"{param.opts[0]} {number} is too small"
            raise BadValueError(said, f"it has to be greater than or equal to {self.min}")
        return number


class OneOf(click.Choice[str]):
    """A member of an enum, by its value."""

    def __init__(self, enum: type[Enum]) -> None:
        self.members = {str(member.value): member for member in enum}
        super().__init__([*self.members])

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 - click calls it so
        """Return the member.

        Args:
            value: As it was typed, or a member.
            param: The option or argument that it is of, for messages.
            ctx: As click has it; not used.

        Raises:
            BadValueError: It is not the value of a member.
        """
        if isinstance(value, Enum):
            return value
        if value not in self.members:
            said = f"{param.opts[0]} {value!r}: there is no such choice"
            raise BadValueError(said, f"it is one of: {', '.join(self.members)}")
        return self.members[value]

    def get_metavar(self, param: Any, ctx: Any) -> str:  # noqa: ARG002 - click calls it so
        """Return the choices, as help shows them."""
        return f"<{'|'.join(self.members)}>"


class Argument(click.Argument):
    """An argument that help explains."""

    def __init__(self, *args: Any, shown: str, explained: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.shown, self.explained = shown, explained

    def row(self, ctx: click.Context) -> tuple[str, str]:
        """Return its name and explanation, with whether it is needed or its default."""
        default = self.get_default(ctx)
        said = "[required]" if self.required else ""
        if isinstance(default, (str, Path)) and str(default):
            said = f"[default: {default}]"
        return self.shown, "  ".join(filter(None, [self.explained, said]))


class Option(click.Option):
    """An option that stands in a part of the help."""

    def __init__(self, *args: Any, part: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.part = part


class Group(click.Group):
    """A command that lists its own in the order that they are written in."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return their names."""
        return list(self.commands)


class Command(click.Command):
    """A command whose help lists its arguments before its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists."""
        if rows := [one.row(ctx) for one in self.params if isinstance(one, Argument)]:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        parts: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if isinstance(one, click.Option) and record is not None:
                parts.setdefault(getattr(one, "part", "Options"), []).append(record)
        for part, records in parts.items():
            with formatter.section(part):
                formatter.write_dl(records)


def as_command(
    function: Callable[..., int],
    name: str,
    cls: type[click.Command] = Command,
    more: Sequence[click.Parameter] = (),
) -> click.Command:
    """Make the command that calls a function with what stands on the command line.

    Args:
        function: What is called; its signature says what it takes, its docstring is the help.
        name: How it is typed.
        cls: The class of the command.
        more: Parameters that the function takes by `**`; they stand before its own options.

    Raises TypeError for a parameter whose annotation says nothing of the command line.
    """
    callback, params = callback_of(function)
    arguments = [one for one in params if isinstance(one, Argument)]
    options = [one for one in params if not isinstance(one, Argument)]
    made = [*arguments, *more, *options]
    return cls(name, callback=callback, params=made, help=inspect.getdoc(function))


def group_of(
    name: str,
    help: str,  # noqa: A002 - click's own word
    verbs: Mapping[str, Callable[..., int] | click.Command],
    alone: Callable[..., int] | None = None,
) -> click.Group:
    """Make a command that has commands of its own.

    Args:
        name: Of the command.
        help: What it is for; the first line is its summary.
        verbs: Its commands, each by its name.
        alone: What is called where none of them is given; without it, help is shown.
    """
    callback, params = callback_of(alone) if alone is not None else (None, [])
    commands = {
        one: verb if isinstance(verb, click.Command) else as_command(verb, one)
        for one, verb in verbs.items()
    }
    return Group(
        name,
        commands,
        callback=callback,
        params=params,
        help=help,
        invoke_without_command=alone is not None,
    )


def callback_of(function: Callable[..., int]) -> tuple[Callable[..., int], list[click.Parameter]]:
    """Return a function as click calls it, and its parameters.

    Raises TypeError for a parameter whose annotation says nothing of the command line.
    """
    hints = get_type_hints(function, include_extras=True)
    params, with_context = [], False
    for name, one in inspect.signature(function).parameters.items():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if hints[name] is click.Context:
            with_context = True
            continue
        kind, declared = get_args(hints[name])
        params.append(parameter(name, kind, declared, one.default))

    def call(*context: click.Context, **values: Any) -> int:
        given = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return function(*context, **given)

    call.__doc__ = function.__doc__
    return (click.pass_context(call) if with_context else call), params


def _some(kind: Any) -> Any:
    """Return the type without its None."""
    given = [one for one in get_args(kind) if one is not type(None)]
    return given[0] if type(None) in get_args(kind) else kind


def parameter(name: str, kind: Any, declared: Declared, default: Any) -> click.Parameter:
    """Return click's parameter for one of a function's.

    Args:
        name: The function's own name for it.
        kind: Its type.
        declared: What `option` or `argument` says of it.
        default: Its default; `inspect.Parameter.empty` where it has to be given.
    """
    kind = _some(kind)
    many = get_origin(kind) is list
    required = default is inspect.Parameter.empty
    one = get_args(kind)[0] if many else kind
    attributes: dict[str, Any] = {
        "type": _type(one, declared.minimum),
        "required": required,
        "metavar": declared.metavar or None,
    }
    if one is str or declared.complete:
        attributes["shell_complete"] = _completing(declared.complete)
    if not required and not many:
        attributes["default"] = default
    if not declared.names:
        if not required:
            attributes["metavar"] = f"[{declared.metavar}]"
        nargs = -1 if many else 1
        return Argument(
            [name], shown=declared.metavar, explained=declared.help, nargs=nargs, **attributes
        )
    shown = (
        declared.show_default and not required and default not in (None, "") and kind is not bool
    )
    return Option(
        [*declared.names, name],
        part=declared.part,
        help=declared.help,
        hidden=declared.hidden,
        is_flag=kind is bool or None,  # False would have a value that begins with - be an option
        multiple=many,
        show_default=shown,
        **attributes,
    )


def _type(kind: Any, minimum: int | None) -> Any:
    """Return how click reads words of a type."""
    if kind is int:
        return WholeNumber() if minimum is None else AtLeast(min=minimum)
    if kind is Path:
        return click.Path(path_type=Path)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return OneOf(kind)
    if kind in (str, bool):
        return click.STRING if kind is str else click.BOOL
    raise TypeError(f"the command line cannot be read as {kind!r}")


def _completing(complete: Complete | None) -> Any:
    """Return a completion as click calls it: names of files where a parameter has none of its own."""
    if complete is None:
        return lambda *given: files(given[-1])
    return lambda ctx, _, incomplete: complete(ctx, incomplete)


def files(incomplete: str) -> list[CompletionItem]:
    """Return what leaves a word to the shell, which knows files."""
    return [CompletionItem(incomplete, type="file")]
