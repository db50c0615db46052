"""The arguments of one task: texts of parameters, sources of artifacts, and whom they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.compile.pipeline.expression import literal
from argojobs.dsl.graph import Call
from argojobs.dsl.placeholders import ArtifactReference, Parameter, Texts, field_of
from argojobs.runtime.wire import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.compile.pipeline.graph import GraphWriter
    from argojobs.dsl.signature import Input


class Arguments:
    """Collects the arguments of a task, in the order of what its template takes.

    needed: the calls of the same graph that they come from.
    """

    __slots__ = ("artifacts", "needed", "parameters", "writer")

    def __init__(self, writer: GraphWriter) -> None:
        self.writer = writer
        self.parameters: list[dict[str, Any]] = []
        self.artifacts: list[dict[str, Any]] = []
        self.needed: dict[int, Call] = {}

    def written(self) -> dict[str, Any]:
        """Return what was collected, as Argo writes it."""
        return lists(self.parameters, self.artifacts)

    def parameter(self, name: str, text: str) -> None:
        """Add a parameter by its text."""
        self.parameters.append({"name": name, "value": text})

    def need(self, value: Any) -> None:
        """Remember the call that a placeholder comes from, if it is one of this graph."""
        source = value.source_
        if isinstance(source, Call) and source.graph is self.writer.graph:
            self.needed[id(source)] = source

    def add_declared(self, call: Call, inputs: Mapping[str, Input]) -> None:
        """Add the arguments of a step or pipeline."""
        for name, value in call.arguments.items():
            declared = inputs[name]
            if value.__class__ is str:
                self.parameters.append({"name": name, "value": value})
            elif declared.kind in ("outputs", "gathered"):
                whole = declared.kind == "gathered"
                for field_name in declared.fields:
                    self._add(f"{name}-{field_name}", field_of(value, field_name), whole, False)
            elif value is not None:
                self._add(name, value, False, declared.optional)

    def add_foreign(self, call: Call) -> None:
        """Add the arguments of a template from elsewhere, which takes lists as plain JSON."""
        for name, value in call.arguments.items():
            self._add(name, value, True, False)

    def lifted(self, name: str, value: Any) -> None:
        """Add what a nested graph takes from around it; a list stays what Argo made of it."""
        self._add(name, value, True, False)

    def _add(self, name: str, value: Any, plain: bool, optional: bool) -> None:
        if isinstance(value, ArtifactReference):
            self.artifacts.append(
                {
                    "name": name,
                    **self._artifact(value),
                    **({"optional": True} if optional or value.optional_ else {}),
                }
            )
        else:
            self.parameters.append({"name": name, "value": self.text(value, plain)})

    def text(self, value: Any, plain: bool = False) -> str:
        """Return the text of a parameter; `plain`: of a gathered list without our mark."""
        if isinstance(value, str):
            return value
        if isinstance(value, Texts):
            return f"{TEXTS}{{{{={self.list_expression(value)}}}}}"
        self.need(value)
        if value.gathered_ and self.writer.located(value)[0] == "task":
            path = self.writer.list_path(value)
            tag = self.writer.tag(value) if not path.startswith("(") else "=" + path
            return ("" if plain else TEXTS) + f"{{{{{tag}}}}}"
        if value.gathered_ and not plain:
            return f"{TEXTS}{{{{{self.writer.tag(value)}}}}}"
        return f"{{{{{self.writer.tag(value)}}}}}"

    def list_expression(self, value: Texts) -> str:
        """Return the JSON list of the members' texts, as an expression."""
        members = []
        for member in value.members:
            if isinstance(member, Parameter):
                self.need(member)
                members.append(self.writer.path(member))
            else:
                members.append(literal(member))
        return f"toJson([{', '.join(members)}])"

    def _artifact(self, value: ArtifactReference) -> dict[str, Any]:
        self.need(value)
        place, task, _ = self.writer.located(value)
        # A fan-out over an empty list stores nothing; what an argument says of itself counts here.
        optional = {"optional": True} if value.gathered_ and _may_be_empty(value.source_) else {}
        if value.gathered_ and place == "task":
            return {"s3": {"key": f"{self.writer.place()}/{task}/{value.name_}"}, **optional}
        return {"from": f"{{{{{self.writer.tag(value)}}}}}", **optional}


def lists(parameters: list[Any], artifacts: list[Any]) -> dict[str, Any]:
    """Return arguments, inputs or outputs as Argo writes them: an empty list is left out."""
    found = {"parameters": parameters, "artifacts": artifacts}
    return {name: values for name, values in found.items() if values}


def _may_be_empty(source: Any) -> bool:
    """Whether a fan-out runs over a list that only the run knows."""
    items = source.items if isinstance(source, Call) else None
    return items is not None and items.source is not None
