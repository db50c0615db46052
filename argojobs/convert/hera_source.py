"""A manifest as a readable hera program: `argojobs compile FILE --to hera`.

    with Workflow(generate_name="x-", entrypoint="main") as workflow:
        with DAG(name="main"):
            a = Task(name="a", template="say")
            b = Task(name="b", template="say")
            a >> b
        Container(name="say", image="alpine", command=["echo"])

Templates stand in the manifest's order. What hera's own classes do not say exactly is a model
(`m.Volume`), a whole template in the worst case. Executed, it builds an equal manifest; tests do
so for golden manifests and Argo's examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from argojobs.convert.hera_calls import described, graph_call, template_call, workflow_arguments
from argojobs.convert.hera_workflow import to_hera
from argojobs.convert.source_text import WIDTH, Call, Name, indented, printed, variable

#: What the class says by itself, and its templates, which follow in the block.
_IMPLIED = frozenset({"api_version", "kind", "status", "workflows_service", "templates"})
_RESERVED = frozenset({"m", "workflow"})
_FIELD = 4


def to_hera_source(manifest: Mapping[str, Any]) -> str:
    """Return the program. Raises what `to_hera` raises for the same manifest."""
    workflow = to_hera(manifest)
    head = _workflow(workflow)
    known: dict[str, str] = {}
    last = {name: place for place, each in enumerate(workflow.templates) for name in _invoked(each)}
    blocks: list[str] = []
    classes = _classes(head)
    for place, template in enumerate(workflow.templates):
        block, used = _template(template, known, last.get(template.name or "", -1) > place)
        blocks.append(block)
        classes |= used
    body = [f"with {printed(head)} as workflow:"]
    body += [indented(block) for block in blocks] or ["    pass"]
    models = "from hera.workflows import models as m\n" if "m" in classes else ""
    ending = 'if __name__ == "__main__":\n    print(workflow.to_yaml())\n'
    return f"{_import(sorted(classes - {'m'}))}{models}\n{_spaced(body)}\n\n{ending}"


def _import(names: list[str]) -> str:
    line = f"from hera.workflows import {', '.join(names)}\n"
    if len(line) <= WIDTH:
        return line
    return "\n".join(["from hera.workflows import (", *(f"    {name}," for name in names), ")", ""])


def _spaced(parts: list[str]) -> str:
    """Join the head and its blocks, with an empty line between templates."""
    return parts[0] + "\n" + "\n\n".join(parts[1:])


def _workflow(workflow: Any) -> Call:
    arguments = {
        name: described(value)
        for name, value in vars(workflow).items()
        if name not in _IMPLIED and value is not None and value != []
    }
    if workflow.arguments:
        arguments["arguments"] = workflow_arguments(workflow.arguments)
    return Call(type(workflow).__name__, arguments)


def _invoked(template: Any) -> Iterable[str]:
    """Yield the names of templates that a template's tasks and steps call."""
    tasks = template.dag.tasks if getattr(template, "dag", None) else ()
    groups = [group.root for group in getattr(template, "steps", None) or ()]
    for task in [*(tasks or ()), *(step for group in groups for step in group)]:
        if task.template:
            yield task.template


def _template(template: Any, known: dict[str, str], needed: bool) -> tuple[str, set[str]]:
    """Return the statements that make one template, and the classes they use.

    known: variables of the templates so far, by name. needed: whether a later one calls it.
    """
    call = template_call(template)
    graph = None if call is not None else graph_call(template)
    name = template.name or ""
    own = variable(name, {*known.values(), *_RESERVED}) if needed else ""
    if graph is not None:
        text, classes = _graph(*graph, own, known)
    elif call is not None:
        text, classes = _assigned(call, own, _FIELD), _classes(call)
    else:
        call = described(template)
        own = own or variable(name or "template", {*known.values(), *_RESERVED})
        text = f"{_assigned(call, own, _FIELD)}\nworkflow.templates.append({own})"
        classes = _classes(call)
    if own and name not in known:
        known[name] = own
    return text, classes


def _assigned(call: Call, name: str, column: int) -> str:
    start = f"{name} = " if name else ""
    return start + printed(call, column + len(start))


def _graph(
    call: Call, groups: list[list[Call]], own: str, known: dict[str, str]
) -> tuple[str, set[str]]:
    classes = _classes(call).union(*(_classes(each) for group in groups for each in group))
    if call.name == "DAG":
        text = f"with {printed(call, _FIELD + 9 + len(own))}" + (f" as {own}:" if own else ":")
        return f"{text}\n{indented(_tasks(groups[0], known))}", classes
    parallel = any(len(group) > 1 for group in groups)
    own = own or (variable("steps", {*known.values(), *_RESERVED}) if parallel else "")
    lines = [f"with {printed(call, _FIELD + 9 + len(own))}" + (f" as {own}:" if own else ":")]
    for group in groups:
        if len(group) == 1:
            lines.append(indented(printed(_with_variables(group[0], known), _FIELD + 4)))
            continue
        steps = [printed(_with_variables(each, known), _FIELD + 8) for each in group]
        lines += [f"    with {own}.parallel():", *(indented(each, 8) for each in steps)]
    return "\n".join(lines), classes


def _tasks(tasks: list[Call], known: dict[str, str]) -> str:
    """Return the statements of a DAG's tasks: those that wait by `>>` have variables."""
    needs = {task.arguments["name"]: _conjunction(task, tasks) for task in tasks}
    named = {name for name, found in needs.items() if found}
    named.update(each for found in needs.values() for each in found)
    variables: dict[str, str] = {}
    for name in needs:
        if name in named:
            taken = {*variables.values(), *known.values(), *_RESERVED}
            variables[name] = variable(name, taken, "task")
    lines = []
    for task in tasks:
        name = task.arguments["name"]
        arguments = dict(task.arguments)
        if needs[name]:
            del arguments["depends"]
        plain = _with_variables(Call("Task", arguments), known)
        lines.append(_assigned(plain, variables.get(name, ""), _FIELD + 4))
    return "\n".join([*lines, *_arrows(needs, variables)])


def _conjunction(task: Call, tasks: list[Call]) -> tuple[str, ...]:
    """Return the tasks that a `depends` joins by && and nothing else, where `>>` says the same."""
    names = {each.arguments["name"] for each in tasks}
    parts = tuple(str(task.arguments.get("depends") or "").split(" && "))
    return parts if len(set(parts)) == len(parts) and names.issuperset(parts) else ()


def _arrows(needs: dict[str, tuple[str, ...]], variables: dict[str, str]) -> list[str]:
    """Return `a >> b` for what tasks wait for; a chain goes on in its line."""
    lines: list[tuple[str, str]] = []  # the text, and the task it ends with
    for name, found in needs.items():
        if not found:
            continue
        if len(found) == 1 and lines and lines[-1][1] == found[0] and len(lines[-1][0]) < 80:
            lines[-1] = (f"{lines[-1][0]} >> {variables[name]}", name)
            continue
        sources = [variables[each] for each in found]
        left = sources[0] if len(sources) == 1 else f"[{', '.join(sources)}]"
        lines.append((f"{left} >> {variables[name]}", name))
    return [text for text, _ in lines]


def _with_variables(call: Call, known: dict[str, str]) -> Call:
    """Name a template that stands above by its variable."""
    template = call.arguments.get("template")
    if not isinstance(template, str) or template not in known:
        return call
    return Call(call.name, {**call.arguments, "template": Name(known[template], template)})


def _classes(value: Any) -> set[str]:
    """Return the names that a value's source needs; `m` for the models."""
    if isinstance(value, Call):
        own = "m" if value.name.startswith("m.") else value.name
        return {own}.union(*(_classes(each) for each in value.arguments.values()))
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return set().union(*(_classes(each) for each in parts))
    return set()
