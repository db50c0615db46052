# travels with: tracing
"""How branches meet: `either` makes a graph of them, whose outputs are those of the taken one.

Argo joins artifacts only as the output of a template (`fromExpression`; as an argument it refuses
one), so the calls of the joined branches move into a nested graph of their own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .compatible import accepts
from .constants import constant
from .fields import Field
from .graph import Alternatives, Branch, Call, Graph
from .placeholders import (
    ArtifactReference,
    OutputsReference,
    Parameter,
    call_of,
    field_of,
)
from .refusing import Placeholder
from .where import mistake, user_frame

if TYPE_CHECKING:
    from .trace import Tracer


def join(tracer: Tracer, values: tuple[Any, ...]) -> Any:
    """Return what stands for the value of the branch that is taken. Raises DefinitionError."""
    whole = [value for value in values if isinstance(value, OutputsReference)]
    if not whole:
        group, fields = _group(tracer, values), None
        return _joined(tracer, group, "result", values)
    if len(whole) < len(values):
        raise mistake("either() joins outputs and single values", "hand over one kind of value")
    cls = _common([value.cls_ for value in whole])
    fields = next(value.fields_ for value in whole if value.cls_ is cls)
    options = {name: tuple(field_of(value, name) for value in whole) for name in fields}
    group = _group(tracer, [one for several in options.values() for one in several])
    joined = {name: _joined(tracer, group, name, several) for name, several in options.items()}
    return OutputsReference(None, cls, fields, values=joined)


def _group(tracer: Tracer, values: Any) -> Graph:
    """Return the graph of the branches that these values come from."""
    blocks = list(dict.fromkeys(block for value in values if (block := _block(tracer, value))))
    if not blocks:
        raise mistake(
            "either() gets no value of a branch",
            "make at least one of the values inside a `with when(...)`",
        )
    groups = [
        call.callee
        for call in tracer.graph.calls
        if isinstance(call.callee, Graph)
        and call.callee.kind == "either"
        and any(block in call.callee.branches for block in blocks)
    ]
    if len(groups) > 1:
        raise mistake(
            "either() joins branches that two other either() join already",
            "join all these branches at once: either(x, y, z)",
        )
    group = groups[0] if groups else _new_group(tracer)
    group.branches += [block for block in blocks if block not in group.branches]
    return group


def _new_group(tracer: Tracer) -> Graph:
    frame = user_frame() or sys._getframe()  # noqa: SLF001
    graph = Graph("either", "either", "", parent=tracer.graph, branch=tracer.branch)
    graph.call = Call(
        graph,
        tracer.graph,
        {},
        "either",
        None,
        (),
        tracer.branch,
        {},
        frame.f_code,
        frame.f_lineno,
    )
    graph.where = graph.call.where
    tracer.graph.calls.append(graph.call)
    return graph


def _block(tracer: Tracer, value: Any) -> Branch | None:
    """Return the block (right below the current one) that a value belongs to, None for none."""
    call = call_of(value)
    if call is None or call.branch is None:
        if isinstance(value, Placeholder):
            tracer.check_visible(value, "either()")
        return None
    if tracer.branch is not None and tracer.branch.is_within(call.branch):
        return None
    if call.graph is not tracer.graph or not call.branch.is_within(tracer.branch):
        tracer.check_visible(value, "either()")
    block = call.branch
    while block.parent is not tracer.branch:
        assert block.parent is not None
        block = block.parent
    return block


def _joined(tracer: Tracer, group: Graph, name: str, values: tuple[Any, ...]) -> Any:
    """Return what stands for one output of the group, the values of branches before others."""
    assert group.call is not None
    for value in values:
        if isinstance(value, (ArtifactReference, Parameter)) and value.gathered_:
            raise mistake(
                "either() joins what a fan-out gathers", "hand it to a step inside the branch"
            )
    free = [value for value in values if _block(tracer, value) is None]
    if len(free) > 1:
        raise mistake(
            "either() gets several values that belong to no branch",
            "one is enough: it counts if no branch was taken",
        )
    ordered = tuple(value for value in values if not any(value is one for one in free))
    if not ordered:
        return free[0]
    unique, number = name, 1
    while unique in group.alternatives:
        number += 1
        unique = f"{name}-{number}"
    options = (*ordered, *free)
    _refuse_optional(options)
    if all(isinstance(value, ArtifactReference) for value in options):
        cls = _common([value.cls_ for value in options])
        group.alternatives[unique] = Alternatives("artifact", options)
        return ArtifactReference(group.call, unique, cls)
    return _joined_parameter(group, unique, options)


def _refuse_optional(options: tuple[Any, ...]) -> None:
    """Raise DefinitionError for an artifact that may be left out: Argo joins what is there."""
    artifacts = [value for value in options if isinstance(value, ArtifactReference)]
    absent = [value for value in artifacts if value.optional_]
    if absent or (artifacts and any(value is None for value in options)):
        left_out = repr(absent[0]) if absent else "None"
        raise mistake(
            f"either() joins an artifact with {left_out}, and Argo joins only what is there",
            "let a step return an artifact where there is none, or call what takes it inside "
            "each of the branches",
        )


def _joined_parameter(group: Graph, name: str, options: tuple[Any, ...]) -> Parameter:
    assert group.call is not None
    parameters = [value for value in options if isinstance(value, Parameter)]
    schema = next(
        (
            one.schema_
            for one in parameters
            if all(accepts(one.schema_, other.schema_) for other in parameters)
        ),
        None,
    )
    if schema is not None and any(value is None for value in options):
        schema = _or_none(schema)
    if schema is None or any(
        isinstance(value, Placeholder) and not isinstance(value, Parameter) for value in options
    ):
        raise mistake(
            "either() joins values of different kinds: "
            + ", ".join(repr(value) for value in options),
            "join values of one type: two numbers, two models, two outputs of one class",
        )
    typed = Field.of_schema(name, schema)
    group.alternatives[name] = Alternatives(
        "parameter",
        tuple(
            value if isinstance(value, Parameter) else constant(typed, value, "either()")
            for value in options
        ),
    )
    return Parameter(group.call, name, schema)


def _or_none(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the same or None; the wire texts of the others stay what they are."""
    none = {"type": "none"}
    if schema["type"] in ("any", "none"):
        return schema
    members = schema["any"] if schema["type"] == "union" else [schema]
    return {"type": "union", "any": members if none in members else [*members, none]}


def _common(classes: list[Any]) -> Any:
    """Return the class among these that all others derive from, else their nearest common base."""
    if not all(isinstance(cls, type) for cls in classes):
        raise mistake(
            "either() joins outputs of templates from elsewhere", "join their fields one by one"
        )
    for cls in classes:
        if all(issubclass(other, cls) for other in classes):
            return cls
    raise mistake(
        "either() joins " + " and ".join(cls.__name__ for cls in classes),
        "hand over values of one class, or of a class and those derived from it",
    )


def regroup(graph: Graph) -> None:
    """Move the calls of joined branches into the graphs of their `either`."""
    groups = {
        id(branch): call.callee
        for call in graph.calls
        if isinstance(call.callee, Graph)
        for branch in call.callee.branches
    }
    if not groups:
        return
    kept = []
    for call in graph.calls:
        group = _group_of(call, groups)
        if group is None:
            kept.append(call)
            continue
        call.graph = group
        group.calls.append(call)
        if isinstance(call.callee, Graph) and call.callee.kind != "pipeline":
            call.callee.parent = group
    graph.calls = kept


def _group_of(call: Call, groups: dict[int, Graph]) -> Graph | None:
    branch = call.branch
    while branch is not None:
        group = groups.get(id(branch))
        if group is not None and group is not call.callee:
            return group
        branch = branch.parent
    return None
