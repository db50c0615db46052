# travels with: fanout
"""Fan-out: `each(values, lambda value: train(value, ...))` runs a step once for each value.

Argo gathers parameters as a list, and no artifacts: those are stored side by side, and the
consumer gets the folder with one entry for each item (see `gathered`).
"""

from __future__ import annotations

from .current import recorder
from .gathered import Gathered
from .where import mistake, shown

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .generic import overload
else:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar, overload

    from .artifacts import Artifact, Directory
    from .graph import Call, Items
    from .outputs import Outputs
    from .trace import Tracer

    V = TypeVar("V")
    R = TypeVar("R")
    A = TypeVar("A", bound=Artifact)
    O_co = TypeVar("O_co", bound=Outputs, covariant=True)


@overload
def each(  # type: ignore[overload-overlap]  # the more special one first
    values: Iterable[V], body: Callable[[V], O_co]
) -> Gathered[O_co]: ...


@overload
def each(  # type: ignore[overload-overlap]
    values: Iterable[V], body: Callable[[V], A]
) -> Directory: ...


@overload
def each(values: Iterable[V], body: Callable[[V], R]) -> list[R]: ...


def each(values: Any, body: Callable[[Any], Any]) -> Any:
    """Run `body`, which calls one step or several, once for each value, in parallel.

    Args:
        values: Constants, or a list that a step returned or that is the pipeline's argument.
        body: Gets a value.

    Returns:
        The outputs in the order of the values: `Gathered` for an Outputs class, a list for a
            parameter, a Directory for an artifact (with entries `000000`, `000001`, ...).
    """
    from .trace import Tracer

    now = recorder.get()
    if isinstance(now, Tracer):
        return _traced(now, values, body)
    from .eager import Skipped

    if isinstance(values, Skipped):
        return values
    return _gather_now([body(value) for value in values])


def _gather_now(results: list[Any]) -> Any:
    """Gather what the calls of a fan-out returned, outside of a pipeline."""
    from .artifacts import Artifact
    from .eager import Skipped
    from .outputs import Outputs, fields_of

    if not results:
        from .gathered import NothingGathered

        return NothingGathered()
    first = results[0]
    if isinstance(first, Skipped):
        return first
    if isinstance(first, Artifact):
        return _side_by_side(results, type(first))
    if not isinstance(first, Outputs):
        return results
    values: dict[str, Any] = {}
    for name, field in fields_of(type(first)).items():
        members = [getattr(result, name) for result in results]
        values[name] = _side_by_side(members, field.cls) if field.kind == "artifact" else members
    gathered: Any = Gathered
    return gathered[type(first)](**values)


def _side_by_side(artifacts: list[Artifact], kind: type[Artifact]) -> Directory:
    import os

    from .gathered import empty_folder, entry_of

    folder = empty_folder(kind)
    for number, artifact in enumerate(artifacts):
        os.symlink(os.path.abspath(artifact), folder.path / entry_of(number))
    return folder


def _traced(tracer: Tracer, values: Any, body: Callable[[Any], Any]) -> Any:
    from .constants import settle
    from .graph import Graph
    from .join import regroup
    from .placeholders import Parameter
    from .where import here

    items = _items(tracer, values)
    graph = Graph("each", "body", here(), parent=tracer.graph, branch=tracer.branch)
    with tracer.inside(graph, tracer.branch):
        item = Parameter(items, "item", items.schema)  # type: ignore[arg-type]
        result = body(item)
        _check_result(tracer, graph, result)
    if not graph.calls:
        raise mistake("the function that each() gets calls no step", "call one: each(v, train)")
    settle(item)
    regroup(graph)
    call = _single(graph, result) or _nested(tracer, graph, result)
    call.items, items.call = items, call
    call.graph = tracer.graph
    tracer.graph.calls.append(call)
    return _stand_for_all(call, result)


def _items(tracer: Tracer, values: Any) -> Items:
    from .graph import Items
    from .placeholders import Parameter
    from .refusing import Placeholder

    if isinstance(values, Parameter):
        tracer.check_visible(values, "each()")
        schema = values.schema_
        if schema["type"] != "list":
            raise mistake(
                f"each() runs over {values!r}, which is not a list", "declare it as list[...]"
            )
        if schema["items"]["type"] in ("union", "any", "none"):
            raise mistake(
                f"each() runs over {values!r}, whose items have no single type",
                "declare it as list[str], list[float], list[SomeDataclass], ...",
            )
        return Items(source=values, schema=schema["items"])
    if isinstance(values, (str, bytes, Placeholder)) or not hasattr(values, "__iter__"):
        raise mistake(
            f"each() runs over {shown(values)}",
            "hand over constants, or a list that a step returned or the pipeline takes",
        )
    constants = tuple(values)
    if not constants:
        raise mistake("each() runs over nothing", "hand over at least one value")
    if any(isinstance(value, Placeholder) for value in constants):
        raise mistake(
            "each() runs over a Python list of values of the run",
            "unroll it with an ordinary Python loop, or let a step return the list",
        )
    return Items(values=constants)


def _check_result(tracer: Tracer, graph: Any, result: Any) -> None:
    from .placeholders import NothingReference, OutputsReference, call_of
    from .refusing import Placeholder

    if result is None or isinstance(result, NothingReference):
        return
    members = [result]
    if isinstance(result, OutputsReference) and result.values_ is not None:
        members = list(result.values_.values())
    for member in members:
        call = call_of(member)
        if call is not None and call.graph is graph and _is_gathered(member):
            raise mistake(
                "the function that each() gets returns what another each() inside it gathers",
                "put the inner each into a @pipeline that returns its lists, and call this: "
                "each(values, inner); or let a step take what it gathers, and return the step's",
            )
        if call is None or call.graph is not graph:
            raise mistake(
                f"the function that each() gets returns {member!r}",
                "return what a step called inside it returned",
            )
        assert isinstance(member, Placeholder)
        tracer.check_visible(member, "the result of each()")


def _is_gathered(value: Any) -> bool:
    from .placeholders import ArtifactReference, GatheredReference, Parameter

    one = isinstance(value, (ArtifactReference, Parameter)) and value.gathered_
    return one or isinstance(value, GatheredReference)


def _single(graph: Any, result: Any) -> Call | None:
    """Return the only call of a body, if it can be a fan-out by itself."""
    from .placeholders import OutputsReference

    (call, *others) = graph.calls
    composed = isinstance(result, OutputsReference) and result.values_ is not None
    if others or composed or call.items is not None or call.branch is not graph.branch:
        return None
    return call  # type: ignore[no-any-return]


def _nested(tracer: Tracer, graph: Any, result: Any) -> Call:
    """Return the call of a body of several calls as a graph of its own."""
    from .graph import Call

    last = graph.calls[-1]
    graph.result = result
    graph.name = f"each-{last.base}"
    graph.call = Call(
        graph, tracer.graph, {}, graph.name, None, (), tracer.branch, {}, last.code, last.line
    )
    made: Call = graph.call
    return made


def _stand_for_all(call: Call, result: Any) -> Any:
    from .fields import Field
    from .placeholders import (
        GatheredReference,
        NothingReference,
        OutputsReference,
        Parameter,
        gathered_field,
    )

    if result is None or isinstance(result, NothingReference):
        return NothingReference(call)
    if isinstance(result, OutputsReference):
        return GatheredReference(call, result.cls_, result.fields_)
    if isinstance(result, Parameter):
        return gathered_field(call, Field.of_schema(result.name_, result.schema_))
    return gathered_field(call, Field.of_artifact(result.name_, result.cls_))
