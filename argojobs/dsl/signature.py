"""What a function declares: its arguments and outputs, by kind, in order.

Read from the function's code object instead of `inspect.signature`, whose import costs more than
the rest of a step's start.
"""

from __future__ import annotations

from . import annotations as types_of
from .artifacts import SINGLE
from .fields import MISSING, Field, is_artifact
from .names import check_field
from .where import mistake, of_code, shown, unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    InputKind = Literal["parameter", "artifact", "outputs", "gathered"]

_VARARGS, _KEYWORDS = 0x04, 0x08  # code flags of *arguments and **keywords


class Input:
    """One argument of a step or pipeline.

    kind: `parameter`, `artifact`, `outputs` (fields travel one by one) or `gathered` (the outputs
    of a fan-out). `cls` is the artifact or Outputs class; `fields` holds what travels: the
    argument itself, or the fields of the class by name. `default` counts unless `required`.
    """

    __slots__ = ("annotation", "cls", "default", "fields", "kind", "name", "optional", "required")

    def __init__(self, name: str, annotation: Any, default: Any, where: str) -> None:
        self.name = name
        self.annotation = annotation
        self.required = default is MISSING
        self.default = None if self.required else default
        self.optional = False
        self.cls: Any = None
        self.fields: dict[str, Field] = {}
        self.kind: InputKind = "parameter"
        self._read(name, annotation, default, where)

    def _read(self, name: str, annotation: Any, default: Any, where: str) -> None:
        from .outputs import fields_of, takes_fields

        gathered = gathered_class(annotation)
        if not self.required and (gathered is not None or takes_fields(annotation)):
            raise mistake(
                f"the argument {name!r} is a group of outputs with a default ({default!r}), which "
                "Argo cannot give",
                "leave the default out, or take its fields one by one",
                where,
            )
        if takes_fields(annotation):
            self.kind, self.cls = "outputs", annotation
            self.fields = fields_of(annotation)
            return
        if gathered is not None:
            if not takes_fields(gathered):
                raise mistake(
                    f"the argument {name!r} gathers {shown(gathered)}, which is not an Outputs class",
                    f"name the class that the step of each() returns: {name}: Gathered[Trained]",
                    where,
                )
            self.kind, self.cls = "gathered", gathered
            self.fields = fields_of(gathered)
            return
        bare = _optional_artifact(annotation)
        if bare is not None:
            self.optional = True
            annotation = bare
        if takes_fields(annotation):
            raise mistake(
                f"the argument {name!r} is an optional {annotation.__name__}: Argo cannot leave "
                "out a whole group of outputs",
                "write a second step without this argument, or take the artifact alone: "
                f"{name}: Model | None",
                where,
            )
        if self.optional and default is None:
            default = MISSING  # left out, which is not a value
        field = Field(name, annotation, f"the argument {name!r}", where, default)
        field.optional = self.optional
        self.fields = {name: field}
        if field.kind == "artifact":
            self.kind, self.cls = "artifact", field.cls
            if name == "code":
                raise mistake(
                    "the artifact argument 'code' has the name of the bundle that brings the code",
                    "call it 'source' or the like",
                    where,
                )


class Signature:
    """The arguments and outputs of a function.

    inputs: name -> Input, in order; `positional`: how many may be given by position; `returns`:
    the Outputs class, the annotation of the single value, or None; `fields`: the outputs by name.
    """

    __slots__ = ("fields", "inputs", "names", "positional", "returns")

    def __init__(
        self, inputs: dict[str, Input], positional: int, returns: Any, fields: dict[str, Field]
    ) -> None:
        self.inputs = inputs
        self.names = tuple(inputs)
        self.positional = positional
        self.returns = returns
        self.fields = fields


def read_signature(
    function: Any, local: dict[str, Any] | None, command: Any = MISSING
) -> Signature:
    """Read what a function declares.

    Args:
        function: The user's own.
        local: The names around a function that is defined inside another one.
        command: For a command, its Outputs class or None.

    Raises:
        DefinitionError: Something cannot be an argument or output; at the function's place.
    """
    function = unwrapped(function)
    code = function.__code__
    where = of_code(code)
    if code.co_flags & (_VARARGS | _KEYWORDS):
        raise mistake(
            f"{function.__name__} takes *arguments or **keywords, which Argo has no parameters for",
            "name each argument; where a decorator hides them, put @step right above the function",
            where,
        )
    types = types_of.of_function(function, local, where)
    positional = code.co_argcount
    names = code.co_varnames[: positional + code.co_kwonlyargcount]
    defaults = _defaults(function, names, positional)
    if command is not MISSING and command is not None:
        _check_command(function, names, types, command, where)
        names, positional = names[1:], positional - 1
    inputs: dict[str, Input] = {}
    for name in names:
        check_field(name, "argument", where)
        if _is_bare_gathered(types.get(name)):
            raise mistake(
                f"the argument {name!r} of {function.__name__} is a Gathered without an Outputs class",
                f"name the Outputs class that the step of each() returns: {name}: "
                f"Gathered[{_an_outputs_class(function)}]",
                where,
            )
        if name not in types:
            raise mistake(
                f"the argument {name!r} of {function.__name__} has no annotation",
                f"say what it is: {name}: int, {name}: Model, ...",
                where,
            )
        inputs[name] = Input(name, types[name], defaults.get(name, MISSING), where)
    returns = command if command is not MISSING else types.get("return", MISSING)
    if returns is MISSING:
        raise mistake(
            f"{function.__name__} does not say what it returns",
            "annotate it: -> Trained, -> float, -> Model, or -> None",
            where,
        )
    return Signature(inputs, positional, *_outputs(function.__name__, returns, where))


def _defaults(function: Any, names: tuple[str, ...], positional: int) -> dict[str, Any]:
    given = function.__defaults__ or ()
    found = dict(zip(names[positional - len(given) : positional], given, strict=True))
    found.update(function.__kwdefaults__ or {})
    return found


# travels with: mistakes
def _check_command(
    function: Any, names: tuple[str, ...], types: dict[str, Any], command: Any, where: str
) -> None:
    if not names or types.get(names[0]) is not command:
        raise mistake(
            f"the first argument of the command {function.__name__} is where its outputs go",
            f"write: def {function.__name__}(out: {command.__name__}, ...) -> list[str]",
            where,
        )


# travels with: mistakes
def _check_tuple(name: str, returns: Any, where: str) -> None:
    if getattr(returns, "__origin__", returns) is tuple:
        raise mistake(
            f"{name} returns a tuple, whose values have no names",
            "return a class of yours with a field for each: class Trained(Outputs): model: Model; "
            "accuracy: float",
            where,
        )


def _outputs(name: str, returns: Any, where: str) -> tuple[Any, dict[str, Field]]:
    from .outputs import fields_of, takes_fields

    if returns is None or returns is type(None):
        return None, {}
    _check_tuple(name, returns, where)
    if takes_fields(returns):
        return returns, fields_of(returns)
    if _optional_artifact(returns) is not None:
        raise mistake(
            f"{name} returns an optional artifact: Argo fails a step whose output is not there",
            "return it always, an empty folder for instance",
            where,
        )
    return returns, {SINGLE: Field(SINGLE, returns, f"what {name} returns", where)}


def _optional_artifact(annotation: Any) -> Any:
    """Return the artifact or Outputs class of `Model | None`, None for any other annotation."""
    members: tuple[Any, ...] = getattr(annotation, "__args__", ())
    if len(members) != 2 or type(None) not in members:
        return None
    from .outputs import takes_fields

    other = members[0] if members[1] is type(None) else members[1]
    return other if is_artifact(other) or takes_fields(other) else None


# travels with: mistakes
def _is_bare_gathered(annotation: Any) -> bool:
    return "_gathered" in getattr(annotation, "__dict__", ()) and gathered_class(annotation) is None


# travels with: mistakes
def _an_outputs_class(function: Any) -> str:
    """Return the name of the Outputs class that a function's module defines last, for a hint."""
    from .outputs import Outputs, takes_fields

    known = getattr(function, "__globals__", {})
    found = [name for name, each in known.items() if takes_fields(each) and each is not Outputs]
    return found[-1] if found else "Trained"


def gathered_class(annotation: Any) -> Any:
    """Return the Outputs class of `Gathered[Trained]`, None for any other annotation."""
    return getattr(annotation, "_gathered", None)
