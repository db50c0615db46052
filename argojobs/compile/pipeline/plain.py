"""Which arguments of a pipeline reach a template from elsewhere, which reads plain text.

A value that argojobs encodes on its way (see `runtime.wire`) would reach it encoded. Where the
value is known it is refused: constants here, what a user gives with `-p` by the signature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from argojobs.dsl.foreign import Foreign, refuse_encoded
from argojobs.dsl.graph import Call, Graph, Items
from argojobs.dsl.placeholders import OutputsReference, Parameter, Texts, field_of
from argojobs.runtime.types import plain_of
from argojobs.runtime.wire import wire_as_text

if TYPE_CHECKING:
    from argojobs.dsl.pipelines import Pipeline


def plain_parameters(pipeline: Pipeline[..., Any], graph: Graph) -> frozenset[str]:
    """Return the names of those of a pipeline's parameters that must not travel encoded.

    graph: the pipeline's, traced. Raises DefinitionError for a constant that would: an item, an
    argument of a nested pipeline, a value of `either`, a default.
    """
    search = _Search(graph)
    for call in search.calls:
        if isinstance(call.callee, Foreign):
            for name, value in call.arguments.items():
                if not isinstance(value, str):  # a constant goes there as it is
                    search.visit(value, f"the argument {name!r} of {call.callee.name}", call.where)
    names = frozenset(name for owner, name in search.reached if owner is graph)
    names |= _mentioned([*(call.callee for call in search.calls), pipeline.on_exit])
    for name in names & pipeline.inputs.keys():
        declared = pipeline.inputs[name]
        if not declared.required:
            schema = declared.fields[name].schema
            text = wire_as_text(plain_of(declared.default, schema), schema)
            refuse_encoded(text, f"the default of {name!r}", pipeline.where)
    return names


_MENTIONED = re.compile(r"\bworkflow\.parameters\.([-\w]+)")


def _mentioned(callees: Iterable[Any]) -> frozenset[str]:
    """Return the workflow's parameters that templates from elsewhere name in their own texts."""
    waiting = list(callees)
    found: set[str] = set()
    while waiting:
        callee = waiting.pop()
        if isinstance(callee, Foreign):
            found.update(_MENTIONED.findall(json.dumps(callee.template)))
            waiting += callee.calls.values()
    return frozenset(found)


class _Search:
    """Follows values back to where they come from; reached: arguments of pipelines by name."""

    def __init__(self, graph: Graph) -> None:
        self.calls: list[Call] = []
        self.reached: dict[tuple[Graph, str], None] = {}
        self._callers: dict[int, list[Call]] = {}
        self._collect(graph)

    def _collect(self, graph: Graph) -> None:
        waiting, seen = [graph], {id(graph)}
        while waiting:
            for call in waiting.pop().calls:
                self.calls.append(call)
                if isinstance(call.callee, Graph):
                    self._callers.setdefault(id(call.callee), []).append(call)
                    if id(call.callee) not in seen:
                        seen.add(id(call.callee))
                        waiting.append(call.callee)

    def visit(self, value: Any, what: str, where: str) -> None:
        """Look at what a template from elsewhere gets.

        Args:
            value: a text, or what stands for one.
            what: the argument that gets it, for the message.
            where: the place of the call, for the message.

        Raises:
            DefinitionError: it would not get plain text.
        """
        if isinstance(value, str):
            refuse_encoded(value, what, where)
        elif isinstance(value, Texts):
            for member in value.members:
                self.visit(member, what, where)
        elif isinstance(value, Parameter) and not value.gathered_:
            self._source(value, what, where)

    def _source(self, value: Parameter, what: str, where: str) -> None:
        source = value.source_
        if isinstance(source, Items):
            self.visit(source.source, what, where)
            for text in source.texts:
                refuse_encoded(text, what, where)
        elif isinstance(source, Graph):
            self._argument(source, value.name_)
        elif isinstance(source.callee, Graph):
            inner = source.callee
            if value.name_ in inner.alternatives:
                for option in inner.alternatives[value.name_].options:
                    self.visit(option, what, where)
            elif isinstance(inner.result, OutputsReference):
                self.visit(field_of(inner.result, value.name_), what, where)
            else:
                self.visit(inner.result, what, where)

    def _argument(self, graph: Graph, name: str) -> None:
        if (graph, name) in self.reached:
            return
        self.reached[graph, name] = None
        for call in self._callers.get(id(graph), ()):
            argument, _, field = name.partition("-")
            value = call.arguments[argument]
            if field:
                value = field_of(value, field)
            self.visit(value, f"the argument {argument!r} of {graph.name}", call.where)
