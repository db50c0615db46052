"""Argo's expressions: expr-lang v1 with Argo's environment, as in `{{=...}}`, `expression:` and `fromExpression:`.

`evaluate(source, env)` is all that most callers need. Names in `env` are flat and dotted (`inputs.parameters.x`); in an
expression they are nested maps, and of `a` and `a.b` the longer one wins. Sources: Argo docs, variables; expr-lang's
docs, language definition.
"""

import random as random_module
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from argojobs.errors import ExpressionError
from argojobs.expressions import check as expr_check
from argojobs.expressions import names as expr_names
from argojobs.expressions import parser as expr_parser
from argojobs.expressions import sprig
from argojobs.expressions.budget import bounded
from argojobs.expressions.evaluation import Scope, evaluate_node
from argojobs.expressions.functions import ARGO_FUNCTIONS
from argojobs.expressions.nodes import Let, Name, Node
from argojobs.expressions.signature import Context
from argojobs.expressions.values import kind, shorten

_FUNCTIONS: dict[str, object] = {**ARGO_FUNCTIONS, "sprig": sprig.FUNCTIONS}
FUNCTION_NAMES = frozenset(_FUNCTIONS)
"""The names that Argo puts into every environment."""


@lru_cache(maxsize=8192)
def parse(source: str) -> Node:
    """Parse an expression into its tree, cached. Raises ExpressionError for text that is none."""
    try:
        return expr_parser.parse(source)
    except RecursionError as error:
        raise ExpressionError("the expression is nested too deeply", hint="split it up") from error


@lru_cache(maxsize=8192)
def names(source: str) -> tuple[str, ...]:
    """Give the longest paths and names an expression mentions, Argo's functions left out. Raises ExpressionError."""
    used = expr_names.used(parse(source))
    return tuple(name for name in used if name.partition(".")[0] not in FUNCTION_NAMES)


@lru_cache(maxsize=8192)
def required_names(source: str) -> tuple[str, ...]:
    """Give the names that must exist for strict replacement, each prefix of a path too. Raises ExpressionError."""
    return expr_names.required(parse(source))


def let_names(source: str) -> frozenset[str]:
    """Give the names that an expression's own `let` makes. Raises ExpressionError."""
    return frozenset(node.name for node in expr_names.walk(parse(source)) if isinstance(node, Let))


@lru_cache(maxsize=8192)
def _roots(source: str) -> frozenset[str]:
    return frozenset(node.name for node in expr_names.walk(parse(source)) if isinstance(node, Name))


def expand(env: Mapping[str, object], roots: Iterable[str] | None = None) -> dict[str, object]:
    """Nest a flat dotted environment, as Argo does: {"a.b": 1, "a": 2} is {"a": {"b": 1}}.

    With `roots`, only what stands under these first names.
    """
    wanted = None if roots is None else frozenset(roots)
    chosen = [key for key in env if wanted is None or key.partition(".")[0] in wanted]
    nested: dict[str, object] = {}
    made: set[int] = {
        id(nested)
    }  # the maps made here: a value of the environment is never written into
    for key in sorted(chosen, key=lambda key: key.split(".")):
        *parents, last = key.split(".")
        current = nested
        for parent in parents:
            inner = current.get(parent)
            if not isinstance(inner, dict) or id(inner) not in made:
                inner = {}
                made.add(id(inner))
                current[parent] = inner
            current = inner
        current[last] = env[key]
    return nested


def environment(source: str, env: Mapping[str, object]) -> dict[str, object]:
    """Give the nested environment with Argo's functions that an expression needs. Raises ExpressionError."""
    roots = _roots(source)
    nested = expand(env, None if "$env" in roots else roots)
    return nested | {name: _FUNCTIONS[name] for name in FUNCTION_NAMES & roots}


@lru_cache(maxsize=8192)
def _check(source: str, kinds: tuple[tuple[str, str], ...]) -> None:
    expr_check.check(source, parse(source), dict(kinds))


def evaluate(
    source: str,
    env: Mapping[str, object],
    *,
    now: datetime | None = None,
    random: random_module.Random | None = None,
) -> object:
    """Evaluate an expression.

    Args:
        source: the expression, without `{{=` and `}}`.
        env: flat dotted names to values.
        now: what `now()` gives; None for the clock's time.
        random: where sprig's random functions take their values from; None for the system's.

    Returns:
        None, a bool, number, string, list, dict, time or duration.

    Raises:
        ExpressionError: it does not parse, names what is not there, or fails.
    """
    try:
        return evaluate_nested(source, environment(source, env), now=now, random=random)
    except ExpressionError as error:
        raise ExpressionError(
            f"cannot evaluate {shorten(source)}: {error.what}", hint=error.hint
        ) from error


def evaluate_nested(
    source: str,
    nested: dict[str, object],
    *,
    now: datetime | None = None,
    random: random_module.Random | None = None,
) -> object:
    """Evaluate an expression in an environment that `environment()` made.

    Args:
        source: the expression, without `{{=` and `}}`.
        nested: the environment.
        now: what `now()` gives; None for the clock's time.
        random: where sprig's random functions take their values from; None for the system's.

    Raises:
        ExpressionError: it does not parse, names what is not there, or fails.
    """
    context = Context(now or datetime.now(UTC), random or random_module.SystemRandom())
    try:
        _check(source, tuple((name, kind(value)) for name, value in nested.items()))
        with bounded():
            return evaluate_node(parse(source), Scope(nested, context))
    except RecursionError as error:
        raise ExpressionError(
            "the expression or its values nest too deeply", hint="split it up"
        ) from error
