"""Templates that do work, as source: `@command` functions, or `use(...)` as they are."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

from argojobs.convert.dsl import names
from argojobs.convert.dsl.model import Leaf
from argojobs.convert.dsl.tags import CannotSayError, Piece, Reference
from argojobs.convert.dsl.types import PARTS, constant
from argojobs.convert.dsl.workflow import Read
from argojobs.convert.source_text import WIDTH, Call, Name, flat, indented, literal, printed
from argojobs.dsl.names import is_label

_WORKFLOW = re.compile(r"(workflow\.parameters\.)([-\w]+)")
PLACE = '''def place(path: str, artifact: Artifact) -> None:
    """Let a program find an artifact where it looks for it."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if os.path.islink(path):
        os.remove(path)
    os.symlink(artifact.path, path)'''


def kept(read: Read, leaf: Leaf, function: str) -> str:
    """Return the statement that takes a template as it is, with the reason.

    Args:
        read: what the program is written from.
        leaf: the template.
        function: its name in the program.
    """
    template = renamed(read, leaf.template)
    extra: dict[str, Any] = {} if is_label(leaf.name) else {"name": names.label(leaf.name, ())}
    if leaf.prints:
        extra["outputs"] = {"result": Name(read.types.of(("output", leaf.name, "result")))}
    if leaf.calls:
        functions = names.functions(read)
        extra["calls"] = {each: Name(functions[each]) for each in leaf.calls}
    call = printed(Call("use", extra, (template,)), len(function) + 3)
    reason = " ".join(f"Kept as Argo has it: {leaf.reason}.".split())
    comment = textwrap.fill(reason, 100, initial_indent="# ", subsequent_indent="# ")
    return f"{comment}\n{function} = {call}"


def renamed(read: Read, value: Any) -> Any:
    """Name the workflow's parameters as the pipeline's arguments are called."""
    own = names.workflow_arguments(read)
    if all(name == argument for name, argument in own.items()):
        return value
    text = _WORKFLOW.sub(
        lambda match: match.group(1) + own.get(match.group(2), match.group(2)), json.dumps(value)
    )
    return json.loads(text)


def command(read: Read, leaf: Leaf, function: str) -> str:
    """Return a `@command` function and the class of its outputs.

    Args:
        read: what the program is written from.
        leaf: the template.
        function: its name in the program.
    """
    given = names.arguments(read, leaf)
    fields = names.fields(leaf.outputs)
    cls = names.class_name(function) if fields else ""
    options = renamed(read, leaf.options)
    if is_label(leaf.name) and leaf.name != function.replace("_", "-"):
        options = {"name": leaf.name, **options}
    decorator = "@" + printed(Call("command", options, (Name(cls),) if cls else ()), 1)
    texts, lines = _texts(read, leaf, given, fields)
    words = [_word(word, texts) for word in leaf.words]
    lines.append(f"return {printed(words, 11, 0)}")
    head = signature(function, _arguments(read, leaf, given, cls), "list[str]")
    body = indented("\n".join(lines))
    parts = [f"{decorator}\n{head}\n{body}"]
    if cls:
        parts.insert(0, outputs_class(read, leaf.name, leaf.outputs, cls))
    return "\n\n\n".join(parts)


def outputs_class(read: Read, template: str, outputs: dict[str, str], cls: str) -> str:
    """Return the class of a template's outputs.

    Args:
        read: with the types of outputs.
        template: its name.
        outputs: `parameters` or `artifacts` by name.
        cls: the name of the class.
    """
    fields = names.fields(outputs)
    lines = [
        f"    {fields[name]}: "
        + ("Artifact" if kind == "artifacts" else read.types.of(("output", template, name)))
        for name, kind in outputs.items()
    ]
    return "\n".join([f"class {cls}(Outputs):", *lines])


def signature(function: str, arguments: list[str], returns: str) -> str:
    """Return the `def` line, one argument a line where it is long.

    Args:
        function: its name.
        arguments: as they are written, with type and default.
        returns: the type.
    """
    line = f"def {function}({', '.join(arguments)}) -> {returns}:"
    if len(line) <= WIDTH:
        return line
    return "\n".join(
        [f"def {function}(", *(f"    {each}," for each in arguments), f") -> {returns}:"]
    )


def argument(read: Read, template: str, name: str, own: str, declared: dict[str, Any]) -> str:
    """Return an input parameter as an argument, with its default.

    Args:
        read: with the types of inputs.
        template: its name.
        name: of the parameter.
        own: the argument's name in the program.
        declared: the parameter as the template has it.
    """
    kind, default = (
        parameter_type(read, template, name),
        declared.get("value", declared.get("default")),
    )
    if default is None:
        return f"{own}: {kind}"
    value = [default] if (template, name) in read.parts else constant(default, kind)
    return f"{own}: {kind} = {flat(value)}"


def parameter_type(read: Read, template: str, name: str) -> str:
    """Return the type of an input parameter.

    Args:
        read: with the types of inputs.
        template: its name.
        name: of the parameter.
    """
    return PARTS if (template, name) in read.parts else read.types.of(("input", template, name))


def _arguments(read: Read, leaf: Leaf, given: dict[tuple[str, str], str], cls: str) -> list[str]:
    """Return the arguments in Python's order: those with a default last."""
    found = [f"out: {cls}"] if cls else []
    for (kind, name), own in given.items():
        if kind == "input":
            found.append(argument(read, leaf.name, name, own, leaf.parameters[name]))
        elif kind == "workflow":
            found.append(f"{own}: {read.types.of(('workflow', name))}")
        else:
            found.append(f"{own}: Artifact")
    return sorted(found, key=lambda each: " = " in each)


def _texts(
    read: Read, leaf: Leaf, given: dict[tuple[str, str], str], fields: dict[str, str]
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the expression for each reference's text, and the lines that make some of them."""
    texts: dict[tuple[str, str], str] = {("run", ""): "os.environ['ARGOJOBS_RUN']"}
    lines = []
    words = leaf.used("input"), leaf.used("workflow")
    for (kind, name), own in given.items():
        if kind == "input artifact":
            texts["path in", name] = own
            if name not in leaf.used("path in"):
                lines.append(f"place({literal(leaf.artifacts[name]['path'])}, {own})")
            continue
        type_ = (
            parameter_type(read, leaf.name, name)
            if kind == "input"
            else read.types.of(("workflow", name))
        )
        texts[kind, name] = own
        if name not in words[kind == "workflow"]:
            continue
        if type_ == "bool":
            texts[kind, name] = f"{own}_text"
            lines.append(f"{own}_text = str({own}).lower()")
        elif (leaf.name, name) in read.parts and kind == "input":
            texts[kind, name] = f"{own}_text"
            lines.append(f'{own}_text = "".join({own})')
        elif type_ == PARTS:
            raise CannotSayError(f"{leaf.name}: the list {name} in its command")
    for name, field in fields.items():
        texts["path out", name] = f"out.{field}"
        texts["file out", name] = f"out.path_of({field!r})"
    return texts, lines


def _word(word: tuple[Piece, ...], texts: dict[tuple[str, str], str]) -> Any:
    if all(isinstance(piece, str) for piece in word):
        return "".join(str(piece) for piece in word)
    parts = []
    for piece in word:
        if isinstance(piece, Reference):
            found = texts.get((piece.kind, piece.name))
            if found is None:
                raise CannotSayError(f"the tag {piece.text}")
            parts.append("{" + found + "}")
        else:
            parts.append(piece.replace("{", "{{").replace("}", "}}"))
    return Name("f" + literal("".join(parts)))
