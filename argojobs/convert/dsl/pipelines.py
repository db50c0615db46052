"""Templates that call others, as source: `@pipeline` functions."""

from __future__ import annotations

from typing import Any

from argojobs.convert.dsl import names
from argojobs.convert.dsl.condition import Comparison, Condition, Operand
from argojobs.convert.dsl.model import Graph, Leaf, Raw, Task
from argojobs.convert.dsl.steps import argument, outputs_class, parameter_type, signature
from argojobs.convert.dsl.tags import CannotSayError, Piece, Reference, single
from argojobs.convert.dsl.types import constant
from argojobs.convert.dsl.workflow import Read
from argojobs.convert.source_text import Call, Name, flat, indented, literal, printed, variable
from argojobs.dsl.names import is_label

#: Constants of a loop that are longer stand in a line of their own.
_LONG = 60
#: Kinds of references that are parameters; the others are artifacts.
_VALUES = ("output", "result", "input", "workflow")


class PipelineWriter:
    """Writes the function of one graph.

    functions: of all templates. raw: functions of steps that write raw artifacts, by content.
    """

    def __init__(
        self, read: Read, graph: Graph, functions: dict[str, str], raw: dict[str, str]
    ) -> None:
        self.read = read
        self.graph = graph
        self.functions = functions
        self.raw = raw
        self.given = names.arguments(read, graph)
        taken = {*functions.values(), *self.given.values(), *raw.values(), "place"}
        self.variables: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        for task in graph.tasks:
            own = variable(task.name.lower(), {*self.variables.values(), *taken}, "call")
            self.variables[task.name] = own
            self.labels[task.name] = names.label(task.name, self.labels.values())
        self.tasks = {task.name: task for task in graph.tasks}
        self.unrolled = self._unrolled()

    def _unrolled(self) -> frozenset[str]:
        """Return the tasks over constants that `each` cannot say: over maps, or waiting for others."""
        return frozenset(
            task.name
            for task in self.graph.tasks
            if isinstance(task.items, tuple)
            and (isinstance(task.items[0], dict) or not self._data(task).keys() >= {*task.after})
        )

    def source(self, docstring: str, decorator: str) -> str:
        """Return the function, and the class of its outputs before it."""
        function = self.functions[self.graph.name]
        end = "\n" if "\n" in docstring else ""
        lines = [f'"""{docstring}{end}"""'] if docstring else []
        for tasks in self._blocks():
            calls = [self._statement(task) for task in tasks]
            first = tasks[0]
            if first.condition is None:
                lines += calls
            else:
                lines.append(f"with when({self._condition(first.condition)}):")
                lines += [indented(each) for each in calls]
        for source in self.graph.outputs.values():
            made_by = self.tasks.get(source.names[0])
            if made_by is not None and made_by.condition is not None and len(source.names) > 1:
                raise CannotSayError(
                    f"{self.graph.name}: the output {source.name}, of a task that may be skipped"
                )
        kinds = {
            name: "parameters" if source.kind in _VALUES else "artifacts"
            for name, source in self.graph.outputs.items()
        }
        cls = names.class_name(function) if kinds else ""
        if kinds:
            fields = names.fields(kinds)
            made = {
                fields[name]: Name(self._expression(source))
                for name, source in self.graph.outputs.items()
            }
            lines.append(f"return {printed(Call(cls, made), 11)}")
        head = signature(function, self._arguments(), cls or "None")
        body = indented("\n".join(lines or ["pass"]))
        own = f"{decorator}\n{head}\n{body}"
        if not kinds:
            return own
        return outputs_class(self.read, self.graph.name, kinds, cls) + "\n\n\n" + own

    def _arguments(self) -> list[str]:
        found = []
        entry = self.graph.name == self.read.entrypoint
        for (kind, name), own in self.given.items():
            if kind == "workflow":
                value = self.read.parameters.get(name) if entry else None
                type_ = self.read.types.of(("workflow", name))
                default = "" if value is None else f" = {flat(constant(value, type_))}"
                found.append(f"{own}: {type_}{default}")
            elif kind == "input artifact":
                found.append(f"{own}: Artifact")
            elif not entry:
                found.append(
                    argument(self.read, self.graph.name, name, own, self.graph.parameters[name])
                )
        return sorted(dict.fromkeys(found), key=lambda each: " = " in each)

    def _blocks(self) -> list[list[Task]]:
        """Order the tasks by what they wait for; those of one condition stand together."""
        waiting, made = list(self.graph.tasks), set[str]()
        blocks: list[list[Task]] = []
        while waiting:
            first = next((task for task in waiting if made.issuperset(task.after)), None)
            if first is None:
                raise CannotSayError(f"{self.graph.name}: its tasks wait for each other")
            block = [first]
            ready = made | {first.name}
            for task in waiting if first.condition is not None else ():
                if task is not first and task.when == first.when and ready.issuperset(task.after):
                    block.append(task)
                    ready.add(task.name)
            for task in block:
                self._check_visible(task, {each.name for each in block})
            made = ready
            waiting = [task for task in waiting if task.name not in made]
            blocks.append(block)
        return blocks

    def _check_visible(self, task: Task, block: set[str]) -> None:
        for name in self._data(task):
            source = self.tasks.get(name)
            if source is None or name not in task.after:
                raise CannotSayError(
                    f"{task.name} takes an output of {name} without waiting for it"
                )
            if source.condition is not None and name not in block:
                raise CannotSayError(
                    f"{task.name} takes an output of {name}, which `when: {source.when}` may skip: "
                    "there is nothing to take then (a `start` parameter is needless with resubmit)"
                )

    def _data(self, task: Task) -> dict[str, None]:
        """Return the tasks that one takes outputs of."""
        kinds = ("output", "result", "artifact")
        return dict.fromkeys(each.names[0] for each in task.references if each.kind in kinds)

    def _statement(self, task: Task) -> str:
        data = self._data(task)
        after = [Name(self._waited(name)) for name in task.after if name not in data]
        unrolled = task.name in self.unrolled
        if task.items is not None and after and not unrolled:
            raise CannotSayError(f"{task.name}: a loop waits for {flat(after)} without their data")
        function = self.functions[task.template]
        callee = self.read.templates[task.template]
        options: dict[str, Any] = {}
        named_so = self.labels[task.name] != self._default_label(task.template)
        if named_so:
            label = self.labels[task.name]
            options["name"] = Name(f'f"{label}-{{number}}"') if unrolled else label
        if after:
            options["after"] = after
        called = function if not options else flat(Call(f"{function}.options", options))
        named, others = self._call_arguments(task, callee)
        before = [
            f"{self._raw_variable(task, name)} = {self.raw[each.data]}()\n"
            for name, each in task.artifacts.items()
            if isinstance(each, Raw)
        ]
        positional = (Name(f"**{flat(others)}"),) if others else ()
        call: Any = Call(called, named)
        if positional:  # an argument whose name is not an identifier
            call = Name(
                flat(Call(called, named, ())).removesuffix(")")
                + (", " if named else "")
                + f"**{flat(others)})"
            )
        if unrolled:
            return "".join(before) + self._loop(task, flat(call), numbered=named_so)
        if task.items is not None:
            call = Call("each", {}, (self._items(task), Name(f"lambda item: {flat(call)}")))
        start = f"{self.variables[task.name]} = " if self._is_used(task) else ""
        return "".join(before) + start + printed(call, 8 + len(start))

    def _loop(self, task: Task, call: str, *, numbered: bool) -> str:
        """Return an ordinary loop over constants, which makes one call for each."""
        items, before = flat(self._items(task)), ""
        if len(items) > _LONG:
            before, items = f"items = {printed(self._items(task), 12)}\n", "items"
        head = f"number, item in enumerate({items})" if numbered else f"item in {items}"
        if not self._is_used(task):
            return f"{before}for {head}:\n    {call}"
        return f"{before}{self.variables[task.name]} = [\n    {call}\n    for {head}\n]"

    def _waited(self, name: str) -> str:
        """Return what a task that is waited for is called in `after=`: a loop is all its calls."""
        return f"*{self.variables[name]}" if name in self.unrolled else self.variables[name]

    def _default_label(self, template: str) -> str:
        leaf = self.read.templates[template]
        if is_label(template):
            return template
        if isinstance(leaf, Leaf) and not leaf.words:
            return names.label(template, ())
        return self.functions[template].replace("_", "-")

    def _raw_variable(self, task: Task, name: str) -> str:
        return f"{self.variables[task.name]}_{names.fields([name])[name]}"

    def _is_used(self, task: Task) -> bool:
        outputs = [each.names[0] for each in self.graph.outputs.values() if len(each.names) == 2]
        return task.name in outputs or any(
            task.name in (*other.after, *self._data(other)) for other in self.graph.tasks
        )

    def _call_arguments(self, task: Task, callee: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the keyword arguments of a call, and those whose name is not an identifier."""
        plain = isinstance(callee, Leaf) and not callee.words
        given = {} if plain else names.arguments(self.read, callee)
        named: dict[str, Any] = {}
        others: dict[str, Any] = {}

        def add(kind: str, name: str, value: Any) -> None:
            own = given.get((kind, name), name.replace("-", "_"))
            (named if own.isidentifier() else others)[own if own.isidentifier() else name] = value

        for name, text in task.parameters.items():
            add("input", name, self._value(callee, name, text))
        for name, each in task.artifacts.items():
            if name not in callee.artifacts:
                raise CannotSayError(
                    f"the artifact {name} of {task.name}: no input of its template"
                )
            raw = isinstance(each, Raw)
            expression = self._raw_variable(task, name) if raw else self._expression(each)  # type: ignore[arg-type]
            add("input artifact", name, Name(expression))
        for name in () if plain else self.read.uses[callee.name]:
            add("workflow", name, Name(self.given["workflow", name]))
        return named, others

    def _value(self, callee: Any, name: str, text: tuple[Piece, ...]) -> Any:
        only = single(list(text))
        if isinstance(callee, Leaf) and not callee.words:
            return Name(self._expression(only)) if only is not None else text[0]
        if (callee.name, name) in self.read.parts:
            if only is not None and (self.graph.name, only.name) in self.read.parts:
                return Name(self._expression(only))
            return [
                Name(self._expression(each)) if isinstance(each, Reference) else each
                for each in text
            ]
        if only is not None:
            return Name(self._expression(only))
        return constant(str(text[0]), parameter_type(self.read, callee.name, name))

    def _items(self, task: Task) -> Any:
        if isinstance(task.items, Reference):
            return Name(self._expression(task.items))
        own = ("item", self.graph.name, task.name)
        return [
            constant(each, self.read.types.of(own))
            if isinstance(each, str)
            else {key: constant(one, self.read.types.of((*own, key))) for key, one in each.items()}
            for each in task.items or ()
        ]

    def _expression(self, reference: Reference) -> str:
        """Return what a reference is called in this function."""
        kind, name = reference.kind, reference.name
        if kind == "item":
            return f"item[{literal(name)}]" if name else "item"
        if kind in ("output", "result", "artifact") and reference.names[0] in self.tasks:
            source = self.tasks[reference.names[0]]
            attribute = names.outputs(self.read.templates[source.template]).get(name)
            if attribute is not None and source.items is None:
                return f"{self.variables[source.name]}.{attribute}"
        found = self.given.get((kind, name))
        if found is None and kind == "input":
            declared = self.graph.parameters.get(name, {})
            value = declared.get("value", declared.get("default"))
            if isinstance(value, str):
                return literal(constant(value, parameter_type(self.read, self.graph.name, name)))
        if found is None:
            raise CannotSayError(f"the tag {reference.text} in {self.graph.name}")
        return found

    def _condition(self, found: Condition) -> str:
        if isinstance(found, Comparison):
            return self._comparison(found)
        parts = [self._condition(each) for each in found.parts]
        wrapped = [part if part.isidentifier() else f"({part})" for part in parts]
        return f"~{wrapped[0]}" if found.operator == "~" else f" {found.operator} ".join(wrapped)

    def _comparison(self, found: Comparison) -> str:
        reference = next(
            each.value for each in (found.left, found.right) if isinstance(each.value, Reference)
        )
        type_ = self._type(reference)
        sides = [self._side(each, type_) for each in (found.left, found.right)]
        if type_ == "bool" and found.operator in ("==", "!="):
            constants = [each for each in sides if each in ("True", "False")]
            other = next(each for each in sides if each not in ("True", "False"))
            if constants:
                holds = (constants[0] == "True") == (found.operator == "==")
                return other if holds else f"~{other}"
        return f"{sides[0]} {found.operator} {sides[1]}"

    def _type(self, reference: Reference) -> str:
        kind, name = reference.kind, reference.name
        if kind == "input":
            return parameter_type(self.read, self.graph.name, name)
        if kind in ("output", "result"):
            return self.read.types.of(("output", self.tasks[reference.names[0]].template, name))
        return self.read.types.of(("workflow", name))

    def _side(self, operand: Operand, type_: str) -> str:
        if isinstance(operand.value, Reference):
            return self._expression(operand.value)
        return literal(constant(operand.value, type_))
