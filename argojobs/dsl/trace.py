# travels with: tracing
"""Trace a pipeline: call its function with placeholders and write down the calls it makes."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ArgojobsError, UserCodeError
from . import bind
from .current import recorder
from .graph import Branch, Call, Graph
from .join import regroup
from .names import label
from .placeholders import (
    ArtifactReference,
    NothingReference,
    OutputsReference,
    Parameter,
    call_of,
    reference,
)
from .refusing import Placeholder
from .where import mistake, nearest, of_error, shown, user_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conditions import Condition
    from .pipelines import Pipeline


def trace(pipeline: Pipeline[..., Any]) -> Graph:
    """Return the graph of a pipeline. Raises DefinitionError, at the user's line, for mistakes."""
    tracer = Tracer()
    token = recorder.set(tracer)
    try:
        return tracer.graph_of(pipeline)
    finally:
        recorder.reset(token)


class Tracer:
    """Takes the calls that a pipeline's function makes.

    graph: the one that calls go to. branch: the innermost `when` block that is open.
    """

    def __init__(self) -> None:
        self.graph: Graph = Graph("", "pipeline", "")
        self.branch: Branch | None = None
        self._graphs: dict[Any, Graph] = {}
        self._open: list[Pipeline[..., Any]] = []

    def graph_of(self, pipeline: Pipeline[..., Any]) -> Graph:
        """Return the graph of a pipeline, traced once however often it is called."""
        known = self._graphs.get(pipeline.function)
        if known is not None:
            return known
        if any(pipeline.function is other.function for other in self._open):
            names = " -> ".join([*(other.name for other in self._open), pipeline.name])
            raise mistake(
                f"the pipeline {pipeline.name} calls itself: {names}",
                "a graph has an end: fan out with each(), or loop inside a step",
            )
        graph = Graph(
            pipeline.name,
            "pipeline",
            pipeline.where,
            pipeline,
            inputs=dict(pipeline.signature.inputs),
        )
        self._open.append(pipeline)
        with self.inside(graph, None):
            arguments = {name: _stand_in(graph, name) for name in graph.inputs}
            result = _called(pipeline, arguments)
            graph.result = self._result(pipeline, result)
        self._open.pop()
        regroup(graph)
        self._graphs[pipeline.function] = graph
        return graph

    @contextmanager
    def inside(self, graph: Graph, branch: Branch | None) -> Iterator[None]:
        """Let calls go to this graph."""
        before = self.graph, self.branch
        self.graph, self.branch = graph, branch
        try:
            yield
        finally:
            self.graph, self.branch = before

    @contextmanager
    def branching(self, condition: Condition, where: str) -> Iterator[None]:
        """Let calls belong to a branch of this condition."""
        for parameter in condition.parameters():
            self.check_visible(parameter, "the condition")
        branch = Branch(condition, self.branch, self.graph, where)
        with self.inside(self.graph, branch):
            yield

    def call(self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Write down a call and return what stands for its outputs.

        Args:
            callee: The step, pipeline or template.
            arguments: By position.
            keywords: By name.
        """
        # each(values, train) calls the step itself: the user's frame is further out.
        frame = user_frame() or sys._getframe(2)  # noqa: SLF001
        bound = bind.bind(self, callee, arguments, keywords)
        if callee.kind == "pipeline":
            _refuse_run_options(callee)
        target = self.graph_of(callee) if callee.kind == "pipeline" else callee
        call = Call(
            target,
            self.graph,
            bound,
            callee.name,
            None if callee.call_name is None else label(callee.call_name),
            self._calls(callee.call_after) if callee.call_after else (),
            self.branch,
            callee.settings,
            frame.f_code,
            frame.f_lineno,
            full_name=callee.call_name or callee.full_name,
        )
        self.graph.calls.append(call)
        return stand_for(call, callee)

    def compose(self, cls: Any, values: dict[str, Any]) -> OutputsReference:
        """Put outputs of several calls together, for the pipeline's result or an argument."""
        from .outputs import fields_of

        fields = fields_of(cls)
        for name in values:
            if name not in fields:
                raise mistake(
                    f"{cls.__name__} has no field {name!r}", nearest(name, fields, "its fields")
                )
        values = {
            **{name: field.default for name, field in fields.items() if field.has_default},
            **values,
        }
        missing = [name for name in fields if name not in values]
        if missing:
            raise mistake(
                f"{cls.__name__}(...) in a pipeline lacks {', '.join(missing)}",
                "put all fields together: Tested(model=first.model, accuracy=last.accuracy)",
            )
        checked = {
            name: bind.field_value(self, field, values[name], f"the field {name!r}")
            for name, field in fields.items()
        }
        return OutputsReference(None, cls, fields, values=checked)

    def check_visible(self, value: Any, use: str, where: str | None = None) -> None:
        """Raise DefinitionError for a value of another pipeline, or of a branch that is closed.

        Args:
            value: A placeholder; anything else passes.
            use: Says in messages what takes it.
            where: The place of a mistake; the user's line now if left out.
        """
        source = getattr(value, "source_", None)
        if isinstance(source, Call):
            if source.graph is not self.graph and not self.graph.is_within(source.graph):
                raise _foreign(source.graph, use, where)
            branch = source.branch
            if branch is not None and (self.branch is None or not self.branch.is_within(branch)):
                raise mistake(
                    f"{use} takes an output of {source.base} outside of its branch "
                    f"(`with when(...)` at {branch.where})",
                    "use it inside the same `with when(...)`, or join the branches: either(x, y)",
                    where,
                )
        elif isinstance(source, Graph):
            if source is not self.graph and not self.graph.is_within(source):
                raise _foreign(source, use, where)
        elif isinstance(value, OutputsReference) and value.values_ is not None:
            for member in value.values_.values():
                if isinstance(member, Placeholder):
                    self.check_visible(member, use, where)
        elif source is not None and source.call is not None:
            raise mistake(
                f"{use} takes the item of a fan-out outside of it",
                "use the item inside the function that each() calls",
                where,
            )

    def _calls(self, after: tuple[Any, ...]) -> tuple[Call, ...]:
        found = []
        for value in after:
            call = call_of(value)
            if call is None:
                raise mistake(
                    f"after= takes what earlier calls returned, not {shown(value)}",
                    "write after=[first] with first = step(...)",
                )
            if call.graph is not self.graph:
                raise mistake(
                    f"after= names {call.base}, which is a call of {call.graph.name}",
                    "wait for calls of the same pipeline (or the same each)",
                )
            found.append(call)
        return tuple(found)

    def _result(self, pipeline: Pipeline[..., Any], result: Any) -> Any:
        from .outputs import Outputs

        declared = pipeline.signature
        where = pipeline.where
        if declared.returns is None:
            if result is not None and not isinstance(result, NothingReference):
                raise mistake(
                    f"{pipeline.name} returns a value, but declares -> None",
                    "annotate what it returns, or return nothing",
                    where,
                )
            return None
        if isinstance(declared.returns, type) and issubclass(declared.returns, Outputs):
            return bind.outputs_value(
                self, declared.returns, result, f"the result of {pipeline.name}", where
            )
        (field,) = declared.fields.values()
        return bind.field_value(self, field, result, f"the result of {pipeline.name}", where)


def _refuse_run_options(pipeline: Pipeline[..., Any]) -> None:
    """Raise DefinitionError for a called pipeline that says something about the whole run."""
    for option in ("on_exit", "run_priority"):
        if getattr(pipeline, option) is not None:
            raise mistake(
                f"{pipeline.name} is called inside another pipeline, where its {option} counts "
                "for nothing: it belongs to the whole run",
                f"give {option} to the outer pipeline; a pipeline that is run by itself as well "
                "can call this one without it",
            )


def _called(pipeline: Pipeline[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a pipeline's function. Raises UserCodeError, with its frames, for what it raises."""
    try:
        return pipeline.function(**arguments)
    except ArgojobsError:
        raise
    except (Exception, SystemExit) as error:
        from ..runtime.failure import user_traceback

        where = of_error(error) or pipeline.where
        raise UserCodeError(
            f"{type(error).__name__}: {error}",
            where=where,
            hint=_hint(pipeline, error),
            traceback=user_traceback(error),
        ) from error


def _hint(pipeline: Pipeline[..., Any], error: BaseException) -> str:
    if isinstance(error, AttributeError) and error.name in ("map", "starmap", "expand", "foreach"):
        function = getattr(error.obj, "__name__", "")
        if callable(error.obj) and function:
            return f"each(values, {function}) calls it for each of many values."
    return (
        f"the pipeline {pipeline.name} is called once with placeholders, to read it; "
        "what needs values belongs into a step."
    )


def _foreign(graph: Graph, use: str, where: str | None) -> Exception:
    return mistake(
        f"{use} takes a value of {graph.name}, which is another pipeline or fan-out",
        "hand it over as an argument, or return it",
        where,
    )


def stand_for(call: Call, callee: Any) -> Any:
    """Return the placeholder for a call's outputs, by what the callee declares."""
    if callee.kind == "template":
        return callee.stand_for(call)
    declared = callee.signature
    if declared.returns is None:
        return NothingReference(call)
    fields = declared.fields
    if len(fields) == 1 and "result" in fields and fields["result"].annotation is declared.returns:
        return reference(call, "result", fields["result"])
    return OutputsReference(call, declared.returns, fields)


def _stand_in(graph: Graph, name: str) -> Any:
    """Return the placeholder for an argument of a pipeline."""
    declared = graph.inputs[name]
    if declared.kind == "outputs":
        return OutputsReference(graph, declared.cls, declared.fields, f"{name}-")
    if declared.kind == "gathered":
        raise mistake(
            f"the pipeline {graph.name} takes a Gathered",
            "fan out inside the pipeline, or take the lists and the Directory one by one",
            graph.where,
        )
    if declared.kind == "artifact":
        return ArtifactReference(graph, name, declared.cls, optional=declared.optional)
    return Parameter(graph, name, declared.fields[name].schema)
