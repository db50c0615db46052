"""A graph as a DAG template: tasks with their arguments, conditions and what they depend on.

A nested graph (the body of a fan-out, joined branches) sees only its own inputs, so each value
that it takes from around it becomes an input, and an argument of its task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from argojobs.compile.pipeline.arguments import Arguments, lists
from argojobs.compile.pipeline.depends import check_order, depends
from argojobs.compile.pipeline.expression import literal, printed
from argojobs.compile.pipeline.items import NUMBER, OWN_PLACE, with_param
from argojobs.compile.pipeline.step import fields_of_inputs
from argojobs.dsl.foreign import RESULT, Foreign
from argojobs.dsl.graph import Branch, Call, Graph, Items
from argojobs.dsl.options import merged
from argojobs.dsl.outputs import takes_fields
from argojobs.dsl.placeholders import (
    ArtifactReference,
    Parameter,
    Texts,
    call_of,
    field_of,
)
from argojobs.dsl.steps import Step
from argojobs.dsl.where import mistake
from argojobs.runtime.wire import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from argojobs.compile.pipeline.build import Build

#: Inputs that say where the artifacts of a fan-out lie side by side: below PLACE (that of the
#: graph around this one), in GATHER/FIELD/ITEM for those of one fan-out.
PLACE, GATHER, GATHER_ITEM = "argojobs-place", "argojobs-gather", "argojobs-item"
#: Not JSON, so the expression fails and shows it.
NONE_TAKEN = "none of the branches that either() joins was taken"


class GraphWriter:
    """Writes one graph; `template` is its template's name."""

    def __init__(self, build: Build, graph: Graph, settings: dict[str, Any]) -> None:
        self.build = build
        self.graph = graph
        self.settings = settings
        self.template = build.reserve(graph.name)
        build.writers.append(self)
        if graph.pipeline is not None:
            build.keep_full_name(self.template, graph.name, graph.pipeline.full_name)
        self.is_root = len(build._graphs) == 0 and graph.kind == "pipeline"  # noqa: SLF001
        self.tasks: dict[int, str] = _task_names(graph)
        for call in graph.calls:
            build.keep_full_name(self.tasks[id(call)], call.name or call.base, call.full_name)
        self.extra: dict[str, None] = {}
        self.lifted: dict[Any, tuple[str, Any]] = {}
        self._taken = set(graph.inputs)
        self.needs: dict[int, tuple[Call, Mapping[int, Call]]] = {}
        self.now: Call | None = None

    def write(self) -> None:
        """Write the template, and before it those of the calls."""
        tasks = [self._task(call) for call in self.graph.calls]
        if not tasks:
            raise mistake(
                f"the pipeline {self.graph.name} calls no step",
                "call one; a DAG without tasks is refused by Argo",
                self.graph.where,
            )
        check_order(self)
        outputs = self._outputs()
        template: dict[str, Any] = {"name": self.template}
        inputs = self._inputs()
        if inputs:
            template["inputs"] = inputs
        if outputs:
            template["outputs"] = outputs
        template["dag"] = {"tasks": tasks}
        self.build.put(self.template, template)

    # Where values are.

    def located(self, value: Any) -> tuple[str, str, str]:
        """Return where a placeholder is found here: `task`, `input` or `item`; task; name."""
        source = value.source_
        if isinstance(source, Call) and source.graph is self.graph:
            return "task", self.tasks[id(source)], value.name_
        if source is self.graph:
            return "input", "", value.name_
        if isinstance(source, Items) and source.call is self.now and self.now is not None:
            return "item", "", ""
        return "input", "", self._lift(value)

    def _lift(self, value: Any) -> str:
        """Return the name of the input that brings a value from around this graph."""
        key = (id(value.source_), value.name_, type(value), value.gathered_)
        known = self.lifted.get(key)
        if known is None:
            assert self.graph.parent is not None, "a value of another pipeline"
            source = value.source_
            base = f"{source.base}-{value.name_}" if isinstance(source, Call) else value.name_
            name, number = base, 1
            while name in self._taken:
                number += 1
                name = f"{base}-{number}"
            self._taken.add(name)
            known = self.lifted[key] = (name, value)
        return known[0]

    def tag(self, value: Any) -> str:
        """Return what stands between braces for a parameter or artifact."""
        return self._named(value, lambda name: f".{name}")

    def path(self, value: Any) -> str:
        """Return the same as an expression."""
        return self._named(value, lambda name: f"[{literal(name)}]")

    def _named(self, value: Any, member: Callable[[str], str]) -> str:
        kind = "artifacts" if isinstance(value, ArtifactReference) else "parameters"
        place, task, name = self.located(value)
        if place == "item":
            return "item"
        if place == "input":
            return f"inputs.{kind}{member(name)}"
        outputs = f"tasks{member(task)}.outputs"
        return f"{outputs}.{RESULT}" if _is_printed(value) else f"{outputs}.{kind}{member(name)}"

    def list_path(self, value: Parameter) -> str:
        """Return the list that a fan-out gathers, as an expression: [] if it had no items.

        A fan-out over an empty list is skipped. Argo leaves its outputs absent, before 4.1 empty,
        and what it prints absent always. Where an expression names an output that is absent, it
        waits for it without end, reached or not (4.0.5, expressionReplaceStrict); `get` names
        none. The comment does for whom Argo only reads as text: it keeps what a step prints if
        the template mentions it (hasOutputResultRef).
        """
        items = value.source_.items if isinstance(value.source_, Call) else None
        path = self.path(value)
        place, name, _ = self.located(value)
        if place != "task" or (items is not None and items.source is None):
            return path
        task = f"tasks[{literal(name)}]"
        if _is_printed(value):
            path = f"get({task}, 'outputs').{RESULT} /* {path} */"
        return f"({task}.status == 'Skipped' ? '[]' : {path})"

    def place(self) -> str:
        """Return the prefix of keys that belong to this call of this graph alone."""
        if self.is_root:
            return "{{workflow.name}}"
        self.extra[PLACE] = None
        return f"{{{{inputs.parameters.{PLACE}}}}}/{OWN_PLACE}"

    # The parts of the template.

    def _task(self, call: Call) -> dict[str, Any]:
        self.now = call
        arguments = Arguments(self)
        template = self._callee(call, arguments)
        task: dict[str, Any] = {"name": self.tasks[id(call)], "template": template}
        written = arguments.written()
        if written:
            task["arguments"] = written
        when = self._when(call, arguments)
        if call.items is not None:
            task.update(self._fan_out(call, arguments))
        needed = depends(self, call, arguments.needed)
        if needed:
            task["depends"] = needed
        if when:
            task["when"] = when
        self.now = None
        return task

    def _callee(self, call: Call, arguments: Arguments) -> str:
        """Return the template of a call, its arguments added."""
        callee = call.callee
        if isinstance(callee, Graph):
            return self._nested(call, callee, arguments)
        if isinstance(callee, Foreign):
            arguments.add_foreign(call)
            return self.build.foreign(callee)
        arguments.add_declared(call, callee.inputs)
        number = ""
        if call.gathered:
            arguments.parameter(GATHER, self._gather(call))
            number = NUMBER
        if call.gathered and call.items is None:
            arguments.parameter(GATHER_ITEM, self._gather_item())
            number = f"{{{{inputs.parameters.{GATHER_ITEM}}}}}"
        return self.build.step(callee, self.settings, frozenset(call.gathered), number)  # type: ignore[arg-type]

    def _gather(self, call: Call) -> str:
        """Return the prefix of what a fan-out stores: this call's, or the one around this graph."""
        if call.items is not None:
            return f"{self.place()}/{self.tasks[id(call)]}"
        self.extra[GATHER] = None
        return f"{{{{inputs.parameters.{GATHER}}}}}"

    def _gather_item(self) -> str:
        """Return the number of the item that this graph is run for, or a graph around it."""
        if self.graph.call is not None and self.graph.call.items is not None:
            return NUMBER
        self.extra[GATHER_ITEM] = None
        return f"{{{{inputs.parameters.{GATHER_ITEM}}}}}"

    def _nested(self, call: Call, graph: Graph, arguments: Arguments) -> str:
        if graph.kind == "pipeline":
            arguments.add_declared(call, graph.inputs)
            writer = self.build.written(graph, merged(self.settings, call.settings))
        else:
            writer = GraphWriter(self.build, graph, self.settings)
            writer.write()
            for name, value in writer.lifted.values():
                arguments.lifted(name, value)
        if PLACE in writer.extra:
            arguments.parameter(PLACE, self.place())
        if GATHER in writer.extra:
            arguments.parameter(GATHER, self._gather(call))
        if GATHER_ITEM in writer.extra:
            arguments.parameter(GATHER_ITEM, self._gather_item())
        return writer.template

    def _when(self, call: Call, arguments: Arguments) -> str:
        """Return the conditions of the branches around a call, as one expression."""
        branches: list[Branch] = []
        branch = call.branch
        while branch is not None and branch is not self.graph.branch:
            branches.insert(0, branch)
            branch = branch.parent
        for branch in branches:
            for parameter in branch.condition.parameters():
                arguments.need(parameter)
        conditions = [f"({printed(branch.condition, self.path)})" for branch in branches]
        return f"{{{{={' && '.join(conditions)}}}}}" if conditions else ""

    def _fan_out(self, call: Call, arguments: Arguments) -> dict[str, Any]:
        assert call.items is not None
        source = call.items.source
        if source is None:
            return {"withItems": list(call.items.texts)}
        arguments.need(source)
        if source.gathered_:
            return {"withParam": f"{{{{={self.list_path(source)}}}}}"}
        made_by = source.source_
        from_step = isinstance(made_by, Call) and isinstance(made_by.callee, Step)
        return with_param(
            self.path(source),
            self.tag(source),
            call.items.schema,
            from_step=from_step or (self.is_root and made_by is self.graph),
        )

    def _inputs(self) -> dict[str, Any]:
        parameters: list[dict[str, Any]] = []
        artifacts: list[dict[str, Any]] = []
        for name, field, declared in fields_of_inputs(self.graph.inputs):
            if field.kind == "parameter":
                parameters.append({"name": name})
            else:
                optional = {"optional": True} if declared.optional else {}
                artifacts.append({"name": name, **optional})
        for name, value in self.lifted.values():
            if isinstance(value, ArtifactReference):
                optional = {"optional": True} if value.optional_ else {}
                artifacts.append({"name": name, **optional})
            else:
                parameters.append({"name": name})
        parameters += [{"name": name} for name in self.extra]
        return lists(parameters, artifacts)

    # The outputs.

    def _outputs(self) -> dict[str, Any]:
        parameters: list[dict[str, Any]] = []
        artifacts: list[dict[str, Any]] = []
        for name, value in self._results():
            if isinstance(value, ArtifactReference):
                artifacts.append({"name": name, **self._artifact_source(value)})
            else:
                parameters.append({"name": name, "valueFrom": self._parameter_source(value)})
        for name, joined in self.graph.alternatives.items():
            expression = self._chosen(joined.options)
            if joined.kind == "artifact":
                artifacts.append({"name": name, "fromExpression": expression})
            else:
                parameters.append({"name": name, "valueFrom": {"expression": expression}})
        return lists(parameters, artifacts)

    def _results(self) -> list[tuple[str, Any]]:
        result = self.graph.result
        if result is None:
            return []
        if isinstance(result, (Parameter, ArtifactReference, Texts, str)):
            name = "result"
            if self.graph.kind == "body" and isinstance(result, (Parameter, ArtifactReference)):
                name = result.name_
            return [(name, result)]
        if self.graph.pipeline is not None and takes_fields(self.graph.pipeline.outputs):
            names = list(self.graph.pipeline.output_fields)
        else:
            names = list(result.fields_)
        return [(name, field_of(result, name)) for name in names]

    def _artifact_source(self, value: ArtifactReference) -> dict[str, Any]:
        if value.gathered_:
            raise mistake(
                f"{self.graph.name} returns a folder that a fan-out gathers, which Argo cannot "
                "hand on as an output",
                "let a step take the folder and return what it makes of it",
                self.graph.where,
            )
        return {"from": f"{{{{{self.tag(value)}}}}}"}

    def _parameter_source(self, value: Any) -> dict[str, Any]:
        if isinstance(value, str):
            return {"expression": literal(value)}
        if isinstance(value, Texts):
            return {"expression": f"'{TEXTS}' + {Arguments(self).list_expression(value)}"}
        if value.gathered_:
            return {"expression": f"'{TEXTS}' + {self.list_path(value)}"}
        return {"parameter": f"{{{{{self.tag(value)}}}}}"}

    def _chosen(self, options: tuple[Any, ...]) -> str:
        """Return the expression for the first of these whose task has run."""
        *conditional, last = options
        text = literal(last) if isinstance(last, str) else self.path(last)
        if _may_all_be_passed_over(options):
            conditional, text = list(options), f"fromJSON({literal(NONE_TAKEN)})"
        for option in reversed(conditional):
            task = self.located(option)[1]
            text = f"tasks[{literal(task)}].status == 'Succeeded' ? {self.path(option)} : {text}"
        return text


def _is_printed(value: Any) -> bool:
    """Whether a value is what a template from elsewhere prints."""
    callee = getattr(value.source_, "callee", None)
    return isinstance(callee, Foreign) and callee.prints and value.name_ == RESULT


def _may_all_be_passed_over(options: tuple[Any, ...]) -> bool:
    """Whether there may be no value: each belongs to a branch, and no two are `c` and `~c`."""
    conditions = []
    for option in options:
        call = call_of(option)
        if call is None or call.branch is None:
            return False
        if call.branch.parent is call.graph.branch:  # in a block inside of one, both count
            conditions.append(call.branch.condition)
    return not any(
        one.operator == "not" and any(one.operands[0].says_the_same(other) for other in conditions)
        for one in conditions
    )


class Names:
    """Names that are given once: `train`, `train-2`, `train-3`."""

    __slots__ = ("_next", "_taken")

    def __init__(self, taken: set[str] | None = None) -> None:
        self._taken = taken or set()
        self._next: dict[str, int] = {}

    def new(self, base: str) -> str:
        """Return the base, or the base with the next free number."""
        number = self._next.get(base, 1)
        name = base if number == 1 else f"{base}-{number}"
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._next[base] = number + 1
        self._taken.add(name)
        return name


def _task_names(graph: Graph) -> dict[int, str]:
    """Return the name of each call: its own, or its base with a number.

    Raises DefinitionError for a name that two calls were given.
    """
    given: dict[str, Call] = {}
    for call in graph.calls:
        if call.name is not None:
            other = given.setdefault(call.name, call)
            if other is not call:
                raise mistake(
                    f"two calls have the name {call.full_name!r}; the other one is at {other.where}",
                    "give each call in a pipeline a name of its own",
                    call.where,
                )
    names = Names(set(given))
    return {id(call): call.name or names.new(call.base) for call in graph.calls}
