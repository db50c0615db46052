# travels with: tracing
"""Arguments of a traced call: bound to names, checked against what is declared, made wire text.

A constant becomes the text that travels; a placeholder stays, once its type and place fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.types import describe
from .artifacts import Artifact, Directory
from .compatible import accepts
from .constants import SCALARS, constant, settle
from .fields import Field
from .graph import Items
from .placeholders import (
    ArtifactReference,
    GatheredReference,
    NothingReference,
    OutputsReference,
    Parameter,
    Texts,
    field_of,
)
from .refusing import Placeholder
from .where import mistake, nearest, shown

if TYPE_CHECKING:
    from .signature import Input
    from .trace import Tracer


def bind(
    tracer: Tracer, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name, in declared order. Raises DefinitionError.

    Args:
        tracer: Of the pipeline that makes the call.
        callee: The step, pipeline or template.
        arguments: By position.
        keywords: By name.
    """
    if callee.kind == "template":
        return callee.bind(tracer, arguments, keywords)  # type: ignore[no-any-return]
    signature = callee.signature
    names = signature.names
    if len(arguments) > signature.positional:
        raise mistake(
            f"{callee.name} takes {signature.positional} arguments by position, "
            f"{len(arguments)} are given",
            f"it is {callee.name}({', '.join(names)})",
        )
    given = dict(zip(names, arguments))  # noqa: B905 - there may be fewer arguments
    for name, value in keywords.items():
        if name not in signature.inputs:
            raise mistake(
                f"{callee.name} has no argument {name!r}", nearest(name, names, "its arguments")
            )
        if name in given:
            raise mistake(f"{callee.name} gets {name!r} twice", "give it once")
        given[name] = value
    bound: dict[str, Any] = {}
    for name, declared in signature.inputs.items():
        if name in given:
            bound[name] = _value(tracer, callee, declared, given[name])
        elif declared.required:
            missing = [each for each in names if signature.inputs[each].required]
            raise mistake(
                f"{callee.name} lacks the argument {name!r}",
                f"its required arguments: {', '.join(missing)}",
            )
        else:
            bound[name] = _value(tracer, callee, declared, declared.default)
    return bound


def _value(tracer: Tracer, callee: Any, declared: Input, value: Any) -> Any:
    if declared.kind == "parameter":
        field = declared.fields[declared.name]
        # The common case, without a text for messages.
        if not isinstance(value, Placeholder) and isinstance(value, SCALARS):
            known = field.texts.get((type(value), value))
            if known is not None:
                return known
    what = f"the argument {declared.name!r} of {callee.name}"
    if declared.kind == "outputs":
        return outputs_value(tracer, declared.cls, value, what)
    if declared.kind == "gathered":
        return _gathered_value(tracer, declared, value, what)
    if declared.optional and value is None:
        return None
    return field_value(tracer, declared.fields[declared.name], value, what)


def field_value(
    tracer: Tracer, field: Field, value: Any, what: str, where: str | None = None
) -> Any:
    """Return what a single parameter or artifact gets. Raises DefinitionError if it does not fit.

    Args:
        tracer: Knows which placeholders are visible.
        field: What is declared.
        value: A constant or a placeholder.
        what: Names it in messages.
        where: The place of a mistake; the user's line now if left out.
    """
    if isinstance(value, Placeholder):
        tracer.check_visible(value, what, where)
    if field.kind == "artifact":
        return _artifact_value(field, value, what, where)
    if isinstance(value, Parameter):
        return _parameter_value(field, value, what, where)
    if isinstance(value, OutputsReference):
        raise mistake(
            f"{what} gets all outputs ({value!r})",
            "take one field: " + ", ".join(f".{name}" for name in value.fields_),
            where,
        )
    if isinstance(value, Placeholder) or type(value).__name__ == "Condition":
        raise mistake(
            f"{what} takes {describe(field.schema)}, not {value!r}",
            "hand over a parameter; a condition belongs into `with when(...)`",
            where,
        )
    if isinstance(value, (list, tuple)) and any(isinstance(one, Placeholder) for one in value):
        return _list_value(tracer, field, value, what, where)
    return constant(field, value, what, where)


def _parameter_value(field: Field, value: Parameter, what: str, where: str | None) -> Parameter:
    if isinstance(value.source_, Items) and value.schema_ is None:
        settle(value, field, what)
        return value
    if not accepts(field.schema, value.schema_):
        raise mistake(
            f"{what} takes {describe(field.schema)}, not {describe(value.schema_)} ({value!r})",
            "declare the same type on both sides, or convert it inside a step",
            where,
        )
    return value


def _artifact_value(field: Field, value: Any, what: str, where: str | None) -> Any:
    if isinstance(value, ArtifactReference):
        if value.optional_ and not field.optional:
            raise mistake(
                f"{what} takes a {field.cls.__name__} that is always there, and {value!r} may be "
                "left out",
                f"declare it as {field.cls.__name__} | None there as well, or as "
                f"{value.cls_.__name__} here",
                where,
            )
        if (
            issubclass(value.cls_, field.cls)
            or value.any_kind_
            or (value.gathered_ and issubclass(Directory, field.cls))
        ):
            return value
        raise mistake(
            f"{what} takes a {field.cls.__name__}, not a {value.cls_.__name__} ({value!r})",
            f"declare it as {value.cls_.__name__}, or as {_common(field.cls, value.cls_)}",
            where,
        )
    if isinstance(value, OutputsReference):
        fits = [
            name
            for name, one in value.fields_.items()
            if one.kind == "artifact" and issubclass(one.cls, field.cls)
        ]
        hint = f"take one field: {' or '.join('.' + name for name in fits)}" if fits else ""
        raise mistake(
            f"{what} takes a {field.cls.__name__}, not all outputs ({value!r})",
            hint or f"let a step hand on a {field.cls.__name__}",
            where,
        )
    if isinstance(value, Artifact):
        raise mistake(
            f"{what} is a file of this machine ({value!r}), which a run cannot see",
            f"make it an argument of the pipeline, and give it with -p {field.name}=./folder",
            where,
        )
    raise mistake(
        f"{what} takes a {field.cls.__name__}, not {shown(value)}",
        "hand over an artifact of a step or of the pipeline's arguments",
        where,
    )


def _common(one: type, other: type) -> str:
    return next(base.__name__ for base in one.__mro__ if issubclass(other, base))


def outputs_value(
    tracer: Tracer, cls: Any, value: Any, what: str, where: str | None = None
) -> OutputsReference:
    """Return what an Outputs argument gets: outputs of this class or one derived from it.

    Args:
        tracer: Knows which placeholders are visible.
        cls: The class that is declared.
        value: What is given.
        what: Names it in messages.
        where: The place of a mistake; the user's line now if left out.
    """
    if isinstance(value, OutputsReference):
        tracer.check_visible(value, what, where)
        if isinstance(value.cls_, type) and issubclass(value.cls_, cls):
            return value
        given = getattr(value.cls_, "__name__", "other outputs")
        raise mistake(
            f"{what} takes {cls.__name__}, not {given} ({value!r})",
            f"derive {given} from {cls.__name__}, or put the fields together: {cls.__name__}(...)",
            where,
        )
    hint = f"hand over what a step with -> {cls.__name__} returned"
    if isinstance(value, NothingReference):
        hint = f"let {value.source_.base} return {cls.__name__}"
    raise mistake(f"{what} takes {cls.__name__}, not {shown(value)}", hint, where)


def _gathered_value(tracer: Tracer, declared: Input, value: Any, what: str) -> GatheredReference:
    if isinstance(value, GatheredReference):
        tracer.check_visible(value, what)
        if isinstance(value.cls_, type) and issubclass(value.cls_, declared.cls):
            for name in declared.fields:
                field_of(value, name)  # artifacts are gathered for whom they are asked
            return value
    raise mistake(
        f"{what} takes what each() gathers of {declared.cls.__name__}, not {shown(value)}",
        "hand over what each(values, function) returned",
    )


def _list_value(tracer: Tracer, field: Field, value: Any, what: str, where: str | None) -> Texts:
    """Return a list of placeholders and constants, as an unrolled loop makes one."""
    if field.schema["type"] != "list":
        raise mistake(
            f"{what} takes {describe(field.schema)}, not a list", "hand over one value", where
        )
    one = Field.of_schema(field.name, field.schema["items"])
    members = tuple(field_value(tracer, one, member, f"an item of {what}") for member in value)
    if not all(isinstance(member, str) or _is_single(member) for member in members):
        raise mistake(
            f"{what} is a list of lists of values of the run",
            "let each step return its list, and hand them over one by one",
            where,
        )
    return Texts(members)


def _is_single(value: Any) -> bool:
    """Whether this is a parameter of one call, not the list of a fan-out."""
    return isinstance(value, Parameter) and not value.gathered_
