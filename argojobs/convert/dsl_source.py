"""A manifest as a program of our own DSL: `argojobs compile FILE --to dsl`.

Containers that run Python become `@command` steps with typed arguments; other templates are
taken as they are by `use(...)`, with the reason in a comment; graphs become `@pipeline`
functions. A graph that the DSL has no words for (other ends than success in `depends`, hooks,
outputs of what may be skipped) is kept as well, with all that it calls and the reason; what
belongs to the whole workflow and has no words is an error that names each place.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from argojobs.convert.dsl import names, steps
from argojobs.convert.dsl.model import Graph, Leaf, Raw, Task
from argojobs.convert.dsl.pipelines import PipelineWriter
from argojobs.convert.dsl.tags import CannotSayError, Reference, TemplateError, of_template
from argojobs.convert.dsl.workflow import Read, read
from argojobs.convert.source_text import Call, Name, literal, printed
from argojobs.errors import UnsupportedError
from argojobs.manifest.json_read import typed_tree
from argojobs.manifest.kinds import CRON, TEMPLATES, inside
from argojobs.manifest.view import metadata_of, spec_of
from argojobs.service import Workflow

_PUBLIC = [
    "Artifact", "Claim", "ConfigFiles", "EmptyDir", "File", "HostPath", "Outputs", "Port", "Retry",
    "Secret", "SecretFiles", "Toleration", "command", "each", "pipeline", "step", "use", "when",
]  # fmt: skip


def to_dsl_source(manifest: Workflow) -> str:
    """Return the program of a Workflow, or of the one inside a template or CronWorkflow.

    Raises UnsupportedError that names what the DSL has no words for.
    """
    typed = typed_tree(_given(inside(manifest)))
    beside = _beside(manifest)
    kept: dict[str, str] = {}
    while True:
        try:
            found = read(typed, kept)
            found = replace(found, notes=(*beside, *found.notes))
            return _program(found, metadata_of(manifest))
        except TemplateError as error:
            if error.template in kept:
                raise _unsupported(f"{error.template}: {error}") from error
            kept[error.template] = str(error)
        except CannotSayError as error:
            raise _unsupported(str(error)) from error


def _beside(manifest: Workflow) -> tuple[str, ...]:
    """Return what an object says beside its Workflow, which a program does not."""
    kind = manifest.get("kind", "Workflow")
    if kind in TEMPLATES:
        return (f"that it is a {kind}",)
    spec = spec_of(manifest)
    return tuple(f"spec.{name}" for name in spec if name != "workflowSpec") if kind == CRON else ()


def _given(value: Any) -> Any:
    """Return a manifest without its null fields, which are not fields to Argo; items stay."""
    if isinstance(value, Mapping):
        return {
            key: item if key == "withItems" else _given(item)
            for key, item in value.items()
            if item is not None
        }
    return [_given(item) for item in value] if isinstance(value, list) else value


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"the DSL has no words for {what}",
        hint="change this place, or stay with the manifest: it runs as it is.",
    )


def _program(found: Read, metadata: Mapping[str, Any]) -> str:
    functions = names.functions(found)
    raw = _raw_functions(found, functions)
    parts = [_raw_step(data, name) for data, name in raw.items()]
    for name, template in found.templates.items():
        with of_template(name):
            if isinstance(template, Leaf):
                write = steps.command if template.words else steps.kept
                parts.append(write(found, template, functions[name]))
            elif name != found.entrypoint:
                writer = PipelineWriter(found, template, functions, raw)
                parts.append(writer.source("", "@pipeline"))
    with of_template(found.entrypoint):
        parts.append(_entry(found, metadata, functions, raw))
    if any("    place(" in part for part in parts):
        parts.insert(0, steps.PLACE)
    body = "\n\n\n".join(parts)
    words = _words(body)
    used = [name for name in _PUBLIC if name in words]
    imports = ["from __future__ import annotations"]
    imports += ["import os"] if "os" in words or "{os." in body else []
    imports += [_import(used)]
    return "\n\n".join([_head(found), *imports]) + f"\n\n\n{body}\n"


def _words(body: str) -> set[str]:
    """Return the names in a program, those in its texts and comments aside."""
    tokens = tokenize.generate_tokens(io.StringIO(body).readline)
    return {each.string for each in tokens if each.type == tokenize.NAME}


def _head(found: Read) -> str:
    lines = ["Written by `argojobs compile --to dsl`."]
    pipelines = [each for each in found.templates.values() if isinstance(each, Graph)]
    if len(pipelines) > 1:
        name = names.functions(found)[found.entrypoint]
        lines += ["", f"There are several pipelines: run it with --pipeline {name}."]
    if found.composed:
        lines += [
            "",
            f"Put where they were used, as they hold other parameters: {', '.join(found.composed)}.",
        ]
    if found.notes:
        lines += ["", f"Not carried over: {', '.join(found.notes)}."]
    return '"""' + "\n".join(lines) + ('"""' if len(lines) == 1 else '\n"""')


def _import(used: list[str]) -> str:
    line = f"from argojobs import {', '.join(used)}"
    if len(line) <= 100:
        return line
    return "\n".join(["from argojobs import (", *(f"    {name}," for name in used), ")"])


def _raw_functions(found: Read, functions: dict[str, str]) -> dict[str, str]:
    raw: dict[str, str] = {}
    for template in found.templates.values():
        for task in template.tasks if isinstance(template, Graph) else ():
            for name, artifact in task.artifacts.items():
                if isinstance(artifact, Raw) and artifact.data not in raw:
                    base = f"write_{names.fields([name])[name]}"
                    raw[artifact.data] = names.free(base, {*functions.values(), *raw.values()})
    return raw


def _raw_step(data: str, name: str) -> str:
    content = printed(data, 28, 4)
    return (
        f'@step\ndef {name}() -> File:\n    """Write what stood in the manifest as raw data."""\n'
        f"    out = File()\n    out.path.write_text({content})\n    return out"
    )


def _entry(
    found: Read, metadata: Mapping[str, Any], functions: dict[str, str], raw: dict[str, str]
) -> str:
    """Return the pipeline itself; a single template is called by one."""
    options: dict[str, Any] = {}
    if found.on_exit:
        options["on_exit"] = _exit(found, functions)
    if found.priority is not None:
        options["run_priority"] = found.priority
    template = found.templates[found.entrypoint]
    base = str(metadata.get("name") or metadata.get("generateName") or found.entrypoint).rstrip("-")
    label = names.label(base, ())
    docstring = _docstring(metadata)
    if isinstance(template, Leaf):
        graph = _calling(found, template)
        templates = {**found.templates, graph.name: graph}
        found = found.with_entry(templates, graph.name)
        functions = {**functions, graph.name: names.free("main", set(functions.values()))}
        template = graph
    if label != functions[template.name].replace("_", "-"):
        options = {"name": label, **options}
    decorator = "@" + (printed(Call("pipeline", options), 1) if options else "pipeline")
    return PipelineWriter(found, template, functions, raw).source(docstring, decorator)


def _calling(found: Read, leaf: Leaf) -> Graph:
    """Return a graph of one task, for a workflow that is a single template."""
    given: dict[str, Any] = {
        name: (Reference("workflow", (name,), f"{{{{workflow.parameters.{name}}}}}"),)
        for name in leaf.parameters
        if name in found.parameters
    }
    artifacts: dict[str, Any] = {
        name: Reference("input artifact", (name,), f"{{{{inputs.artifacts.{name}}}}}")
        for name in leaf.artifacts
    }
    task = Task(leaf.name, leaf.name, (), given, artifacts, "", None, None)
    inputs = {"artifacts": [{"name": name} for name in leaf.artifacts]}
    return Graph(f"{leaf.name} alone", {"inputs": inputs}, (task,), {})


def _exit(found: Read, functions: dict[str, str]) -> Name:
    """Return the exit handler: a step that takes nothing, or a template as Argo has it."""
    name = found.on_exit
    template = found.templates[name]
    if isinstance(template, Graph):
        raise TemplateError(name, "it is the exit handler, which is one step")
    if template.words and (template.parameters or found.uses[name]):
        raise TemplateError(name, "it is the exit handler, which gets its parameters from Argo")
    return Name(functions[name])


def _docstring(metadata: Mapping[str, Any]) -> str:
    annotations = metadata.get("annotations") or {}
    title = annotations.get("workflows.argoproj.io/title") or ""
    text = annotations.get("workflows.argoproj.io/description") or ""
    whole = "\n\n".join(each.strip() for each in (title, text) if each.strip())
    inside = literal(whole)[1:-1].replace('"', '\\"').replace("\\n", "\n")
    return re.sub(r"[ \t]+\n", "\n", inside)
