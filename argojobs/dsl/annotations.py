"""Annotations as types, evaluated only when somebody asks.

With `from __future__ import annotations` they are text; they are evaluated in the module of
their function or class, plus the local names of a function that is defined inside another one.
"""

from __future__ import annotations

import sys

from .where import mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def of_function(function: Any, local: Mapping[str, Any] | None, where: str) -> dict[str, Any]:
    """Return the annotations of a function as types. Raises DefinitionError.

    Args:
        function: The user's own.
        local: The names around a function that is defined inside another one.
        where: The place of a mistake.
    """
    return _evaluated(
        _raw(function, where), getattr(function, "__globals__", {}), local or {}, where
    )


def of_class(cls: type, where: str) -> dict[str, Any]:
    """Return the annotations that this class itself (no base) declares, as types."""
    raw = _raw(cls, where)
    if not raw:
        return {}
    module = sys.modules.get(cls.__module__)
    local = getattr(cls, "_defined_in", None) or {}
    return _evaluated(raw, vars(module) if module else {}, {**local, **vars(cls)}, where)


def _raw(owner: Any, where: str) -> dict[str, Any]:
    try:
        return dict(owner.__annotations__)
    except NameError as error:  # Python 3.14 evaluates them here
        raise _unknown(error, where) from error


def _evaluated(
    raw: dict[str, Any], known: dict[str, Any], local: Mapping[str, Any], where: str
) -> dict[str, Any]:
    return {
        name: _evaluate(value, known, local, where) if isinstance(value, str) else value
        for name, value in raw.items()
    }


def _evaluate(text: str, known: dict[str, Any], local: Mapping[str, Any], where: str) -> Any:
    try:
        return eval(text, known, dict(local))  # noqa: S307 - the user's own annotation
    except NameError as error:
        raise _unknown(error, where) from error
    except Exception as error:
        raise mistake(
            f"the annotation {text!r} cannot be evaluated: {error}",
            "write a type that Python can evaluate while the file is imported",
            where,
        ) from error


def _unknown(error: NameError, where: str) -> Exception:
    return mistake(
        f"an annotation names what is not there: {error}",
        "import the type outside of `if TYPE_CHECKING:`, and define it at the top of the module",
        where,
    )
