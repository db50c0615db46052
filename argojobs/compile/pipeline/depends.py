"""What a task waits for, as Argo's `depends`.

A bare name is true for a task that succeeded or was skipped by its `when`, not for an omitted one
(Argo docs: enhanced depends logic). So data of a task in a branch needs `.Succeeded`: where the
branch is not taken, what uses it is omitted in turn. Waiting without data goes on after a branch
that was not taken, but not after one that failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.dsl.graph import Call, Graph
from argojobs.dsl.where import mistake

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.compile.pipeline.graph import GraphWriter


def depends(writer: GraphWriter, call: Call, data: Mapping[int, Call]) -> str:
    """Return the expression for what a call needs and what it was told to wait for.

    Args:
        writer: Of the graph that the call is in.
        call: Whose task it is.
        data: The calls whose outputs it takes, by id.
    """
    writer.needs[id(call)] = (call, data)
    if not data and not call.after and not isinstance(call.callee, Graph):
        return ""
    terms: dict[str, None] = {}
    for one in data.values():
        name = writer.tasks[id(one)]
        terms[f"{name}.Succeeded" if _is_conditional(writer, one) else name] = None
    for one in _waited_for(writer, call):
        if id(one) not in data:
            terms[_after(writer, one)] = None
    return " && ".join(terms)


def _waited_for(writer: GraphWriter, call: Call) -> list[Call]:
    """Return the calls of `after=` of a call (for a nested graph: of its calls) in this graph."""
    found: dict[int, Call] = {}
    for one in call.after:
        own = _in_graph(writer.graph, one)
        if own is not None and own is not call:
            found[id(own)] = own
    if isinstance(call.callee, Graph) and call.callee.kind != "pipeline":
        for inner in call.callee.calls:
            for one in _waited_for(writer, inner):
                if one is not call:
                    found[id(one)] = one
    return list(found.values())


def _in_graph(graph: Graph, call: Call | None) -> Call | None:
    """Return the call, or the call of the nested graph that it moved to, in this graph."""
    while call is not None and call.graph is not graph:
        call = call.graph.call
    return call


def _is_conditional(writer: GraphWriter, call: Call) -> bool:
    return call.branch is not writer.graph.branch


def _after(writer: GraphWriter, call: Call) -> str:
    """Return the condition that a call is over, and did not fail."""
    name = writer.tasks[id(call)]
    if not _is_conditional(writer, call):
        return name
    ancestors: dict[str, None] = {}
    _ancestors(writer, call, ancestors)
    omitted = " && ".join([f"{name}.Omitted", *ancestors])
    return f"({name}.Succeeded || {name}.Skipped || ({omitted}))"


def _ancestors(writer: GraphWriter, call: Call, found: dict[str, None]) -> None:
    """Collect what must hold if an omitted call was omitted for its branch, not for a failure."""
    for one in writer.needs.get(id(call), (call, {}))[1].values():
        name = writer.tasks[id(one)]
        if _is_conditional(writer, one):
            if f"!{name}.Failed" not in found:
                found[f"!{name}.Failed"] = found[f"!{name}.Errored"] = None
                _ancestors(writer, one, found)
        else:
            found[name] = None


def check_order(writer: GraphWriter) -> None:
    """Raise DefinitionError for joined branches that need each other's results.

    Only branches that `either` joins can: they run as one task, whatever stands between them.
    """
    state: dict[int, int] = {}
    for call, _ in writer.needs.values():
        if isinstance(call.callee, Graph) and call.callee.kind == "either":
            _walk(writer, call, state)


def _walk(writer: GraphWriter, start: Call, state: dict[int, int]) -> None:
    """Walk depth first over what is needed; a call that is met while it is open is in a circle."""
    stack = [(start, False)]
    while stack:
        call, done = stack.pop()
        if done:
            state[id(call)] = 2
            continue
        if state.get(id(call)):
            continue
        state[id(call)] = 1
        stack.append((call, True))
        for one in [*writer.needs[id(call)][1].values(), *_waited_for(writer, call)]:
            if state.get(id(one)) == 1:
                names = writer.tasks
                raise mistake(
                    f"{names[id(one)]} and {names[id(call)]} wait for each other: branches that "
                    "either() joins run as one task",
                    "call what both need before the first of these branches",
                    call.where,
                )
            stack.append((one, False))
