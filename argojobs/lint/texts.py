"""Texts with tags and expressions: which names they use, each asked of whoever knows its place.

Argo's own lint looks into `{{name}}` only; what an expression names is found out when it runs.
Sources: Argo docs, variables; what its expression code says of unknown names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from argojobs.errors import ExpressionError
from argojobs.expressions.tags import raw_tags
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.manifest.findings import Finding, Level
from argojobs.manifest.nearest import nearest
from argojobs.manifest.places import Path

RETRIES = (
    "retries",
    "lastRetry.exitCode",
    "lastRetry.status",
    "lastRetry.duration",
    "lastRetry.message",
)
ALWAYS = frozenset({"steps.name", "tasks.name", "node.name"})
#: The names of a metric's own, in its `when`, labels and values. Source: Argo docs, metrics.
OF_METRICS = frozenset({"status", "duration", "exitCode", "resourcesDuration"})

_ROOTS = (
    "inputs",
    "outputs",
    "workflow",
    "tasks",
    "steps",
    "item",
    "pod",
    "node",
    "lastRetry",
    "cronworkflow",
)
_BEGINNINGS = tuple(f"{root}." for root in _ROOTS)
#: `null` in an expression where there are no parameters; a tag must not name them then.
_LISTS = frozenset({"inputs.parameters", "workflow.parameters"})
_SINGLE = frozenset({"item", "retries"})
#: Faults of names that an expression has, too; a skipped output may be what it asks about.
_OF_EXPRESSIONS = frozenset(
    {"unresolved-reference", "gathered-artifact", "reference-not-before", "item-outside-loop"}
)
#: Finds what is wrong with a name at a path.
Resolver = Callable[[str, Path], list[Finding]]


@error("variables/", beyond=True)
def unresolved_reference(path: Path, message: str, hint: str, level: Level | None = None) -> Faults:
    """A tag that names nothing.

    Argo refuses it, or waits for it for ever.
    Remedy: Correct the name; pass values from templates to templates as arguments.
    Wrong:
        container:
          image: busybox:1.36
          args: ['{{inputs.parameters.x}}']
    Right:
        container:
          image: busybox:1.36
          args: ['{{inputs.parameters.x}}']
        inputs:
          parameters:
          - {name: x, default: '1'}
    """
    yield Fault(path, message, hint, level)


@warning("variables/")
def unknown_variable(path: Path, message: str, hint: str) -> Faults:
    """A tag that Argo does not know.

    It stays as it is. If it was meant for Argo, it misses its first part.
    Remedy: Begin it with inputs., workflow., tasks. or steps.
    Wrong:
        container:
          image: busybox:1.36
          args: ['{{epochs}}']
    Right:
        container:
          image: busybox:1.36
          args: ['{{inputs.parameters.epochs}}']
        inputs:
          parameters:
          - {name: epochs, default: '2'}
    """
    yield Fault(path, message, hint)


@error("variables/")
def unclosed_tag(path: Path, message: str, hint: str, level: Level | None = None) -> Faults:
    """A tag without an end.

    Argo takes the rest of the template for the tag's name, and refuses it. Where what follows is
    none of Argo's names, the text stays as it is, and this is a warning.
    Remedy: Close it with `}}`.
    Wrong:
        container:
          image: busybox:1.36
          args: ['{{workflow.name']
    Right:
        container:
          image: busybox:1.36
          args: ['{{workflow.name}}']
    """
    yield Fault(path, message, hint, level)


@error("variables/#expression", beyond=True)
def expression_syntax(broken: ExpressionError, path: Path) -> Faults:
    """An expression that does not parse.

    The node errors when it is evaluated.
    Remedy: Correct it: the finding says where it ends to make sense.
    Wrong:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: 2, expression: lastRetry.exitCode ==}
    Right:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: 2, expression: lastRetry.exitCode != '78'}
    """
    yield Fault(path, broken.what, broken.hint)


@warning("variables/#expression")
def function_not_here(name: str, path: Path) -> Faults:
    """A function that only a cluster has.

    Argo's expressions have it, the local engine has not: what makes keys and certificates, hashes
    passwords and looks up hosts. A run on this machine ends in an Error there.
    Remedy: Let a step of its own do it, with a program of its image.
    Wrong:
        container:
          image: busybox:1.36
          args: ["{{=sprig.genPrivateKey('ed25519')}}"]
    Right:
        container:
          image: busybox:1.36
          args: ["{{=sprig.sha256sum(workflow.name)}}"]
    """
    what = f"there is no {name} on this machine, only on a cluster"
    hint = "a run here ends in an Error where it is called: do it in a step of its own"
    yield Fault(path, what, hint)


def check_texts(
    value: Any, path: Path, resolver: Resolver, of_tags: Resolver | None = None
) -> Iterator[Finding]:
    """Check every text below a value.

    Args:
        value: plain data.
        path: of the value.
        resolver: whom to ask for the names that texts use.
        of_tags: whom to ask for the names of tags; None for the same.
    """
    stack: list[tuple[Any, Path]] = [(value, path)]
    while stack:
        one, where = stack.pop()
        if type(one) is str:
            if "{{" in one:
                yield from check_text(one, where, resolver, of_tags)
            elif _is_expression(where):
                yield from check_expression(one, where, resolver)
            elif where[-1] == "expression" and "plugin" not in where:
                yield from check_expression(one, where)  # of a data template: it has its own names
        elif isinstance(one, Mapping):
            stack.extend((inner, (*where, key)) for key, inner in reversed(list(one.items())))
        elif isinstance(one, list):
            stack.extend((one[index], (*where, index)) for index in range(len(one) - 1, -1, -1))


def _is_expression(path: Path) -> bool:
    """Whether Argo reads the text at a path as an expression, without a tag around it."""
    if path[-1] == "fromExpression":
        return True
    above = path[-2:-1]
    return path[-1] == "expression" and (
        above in (("valueFrom",), ("retryStrategy",), ("stopStrategy",)) or "hooks" in path[-3:-2]
    )


def check_text(
    text: str, path: Path, resolver: Resolver, of_tags: Resolver | None = None
) -> Iterator[Finding]:
    """Check the tags of one text.

    Args:
        text: which may have none.
        path: of the text.
        resolver: whom to ask for the names that expressions use.
        of_tags: whom to ask for the names of tags; None for the same.
    """
    for tag in raw_tags(text):
        if tag.startswith("="):
            yield from check_expression(tag[1:], path, resolver, in_tag=True)
            continue
        name = tag.strip()
        if "{{" in name:
            continue  # a tag in a tag: known when it runs
        if name in ALWAYS or name in _SINGLE or name.startswith(_BEGINNINGS):
            yield from (of_tags or resolver)(name, path)
        elif "metrics" in path and name.partition(".")[0] in OF_METRICS:
            continue
        elif re.fullmatch(r"[A-Za-z][\w.-]*", name):
            what = f"Argo does not know {{{{{name}}}}}: it stays as it is"
            hint = "if it is meant for Argo, begin it with inputs., workflow., tasks. or steps."
            yield from unknown_variable(path, what, hint)
    if text.count("{{") > text.count("}}"):
        last = text.rpartition("{{")[2].lstrip()
        level: Level = "error" if last.startswith(_BEGINNINGS) else "warning"
        hint = "close it, or write { { if it is not a tag"
        yield from unclosed_tag(path, "a `{{` has no `}}`", hint, level)


def check_expression(
    text: str, path: Path, resolver: Resolver | None = None, *, in_tag: bool = False
) -> Iterator[Finding]:
    """Check that an expression parses and that what it names is there.

    Tags in it are replaced before Argo reads it, so one with tags is not judged.

    Args:
        text: the expression.
        path: of the text that it is in.
        resolver: whom to ask for names; None looks at the syntax alone.
        in_tag: it stands in `{{=...}}`, where a loop wants every name before it begins, those of
            `let` too.
    """
    if "{{" in text:
        return
    from argojobs.expressions import expr  # few manifests have any, and it costs a start 20 ms

    try:
        found = expr.names(text)
    except ExpressionError as broken:
        yield from expression_syntax(broken, path)
        return
    yield from _sprig(text, path)
    if resolver is None:
        return
    required = set(expr.required_names(text))
    own = expr.let_names(text)
    if own and in_tag and "item" in {name.partition(".")[0] for name in found}:
        what = f"Argo does not know {min(own)!r} where an item of a loop is put in"
        hint = "write it without `let`, or pass the item on and compute in the template it calls"
        yield from unresolved_reference(path, what, hint)
    for name in found:
        if name.partition(".")[0] in own or ("metrics" in path and name in OF_METRICS):
            continue
        if name in required:
            found_here = _of_name(name, path, resolver)
            yield from (one for one in found_here if one.code in _OF_EXPRESSIONS)


def _of_name(name: str, path: Path, resolver: Resolver) -> list[Finding]:
    """Return what is wrong with a name in an expression."""
    if (name in _ROOTS and name != "item") or name in _LISTS or name.startswith("$"):
        return []
    if name in ALWAYS or name in _SINGLE or name.startswith(_BEGINNINGS):
        return resolver(name, path)
    from argojobs.expressions import expr
    from argojobs.expressions.functions import BUILTINS
    from argojobs.expressions.parser import PREDICATES

    hint = "text stands in quotes; names begin with inputs., workflow., tasks. or steps."
    near = nearest(name, [*_ROOTS, *BUILTINS, *PREDICATES, *expr.FUNCTION_NAMES])
    if near:
        hint = f"did you mean {near}? {hint}"
    return unresolved_reference(path, f"an expression does not know {name!r} here", hint)


def _sprig(text: str, path: Path) -> Iterator[Finding]:
    """Functions of sprig that there are not."""
    if "sprig." not in text:
        return
    from argojobs.expressions import expr, sprig

    for name in expr.required_names(text):
        function = name.removeprefix("sprig.")
        if function == name or "." in function:
            continue
        if function in sprig.NOT_OFFERED:
            yield from function_not_here(name, path)
        elif function not in sprig.FUNCTIONS:
            near = nearest(function, sprig.FUNCTIONS)
            hint = f"did you mean sprig.{near}?" if near else "its functions are those of sprig"
            yield from unresolved_reference(path, f"there is no function {name}", hint)
