"""Manifests as programs of the DSL: read, loaded, compiled and run again."""

import json
import sys
from pathlib import Path
from typing import Any

from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.load import load
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.manifest import documents

STEP = """
import sys
n, words, before, out = sys.argv[1:]
open(out, "w").write(open(before).read() + f"{int(n) + 1} {words!r};")
"""


def workflow_of(text: str) -> dict[str, Any]:
    return documents.choose(documents.parse(text)).workflow


def loaded_from(source: str, folder: Path) -> Any:
    file = folder / "program.py"
    file.write_text(source)
    return load(file, "main" if "--pipeline main" in source else "")


def compiled_in(source: str, folder: Path) -> dict[str, Any]:
    return compile_pipeline(loaded_from(source, folder).pipeline, code=IMAGE_CODE)


def template_of(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(t for t in manifest["spec"]["templates"] if t["name"] == name)
    return found


def chain(when: str = "") -> str:
    """Two commands and a shell script, as an ordinary manifest."""
    task = {
        "name": "A",
        "template": "hop",
        "arguments": {
            "parameters": [{"name": "n", "value": "{{workflow.parameters.n}}"}],
            "artifacts": [{"name": "before", "raw": {"data": "begin;"}}],
        },
    }
    second = {
        "name": "second",
        "template": "hop",
        "depends": "A",
        "arguments": {
            "parameters": [
                {"name": "n", "value": "5"},
                {"name": "words", "value": "w-{{workflow.parameters.n}} $HOME"},
            ],
            "artifacts": [{"name": "before", "from": "{{tasks.A.outputs.artifacts.after}}"}],
        },
    }
    last = {
        "name": "last",
        "template": "show",
        "depends": "second",
        **({"when": when} if when else {}),
        "arguments": {
            "artifacts": [{"name": "file", "from": "{{tasks.second.outputs.artifacts.after}}"}]
        },
    }
    hop = {
        "name": "hop",
        "inputs": {
            "parameters": [{"name": "n"}, {"name": "words", "value": "it's {none}"}],
            "artifacts": [{"name": "before", "path": "/tmp/before"}],
        },
        "outputs": {"artifacts": [{"name": "after", "path": "/tmp/after"}]},
        "container": {
            "image": "python",
            "command": [sys.executable, "-c", STEP],
            "args": [
                "{{inputs.parameters.n}}", "{{inputs.parameters.words}}", "/tmp/before",
                "/tmp/after",
            ],
        },
    }  # fmt: skip
    show = {
        "name": "show",
        "inputs": {"artifacts": [{"name": "file", "path": "/tmp/file"}]},
        "container": {"image": "alpine", "command": ["cat", "/tmp/file"]},
    }
    spec = {
        "entrypoint": "main",
        "arguments": {"parameters": [{"name": "n", "value": "1"}, {"name": "go", "value": "1"}]},
        "templates": [{"name": "main", "dag": {"tasks": [task, second, last]}}, hop, show],
    }
    whole = {"kind": "Workflow", "metadata": {"name": "chain"}, "spec": spec}
    return json.dumps(whole)


LOOP = """
kind: Workflow
metadata: {generateName: loop-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: words, value: '["x", "y"]'}]}
  templates:
  - name: main
    steps:
    - - {name: first, template: print, arguments: {parameters: [{name: text, value: a}]}}
    - - name: fan
        template: print
        arguments: {parameters: [{name: text, value: "{{item}}"}]}
        withParam: "{{workflow.parameters.words}}"
      - name: twice
        template: inner
        arguments: {parameters: [{name: num, value: "3"}]}
  - name: inner
    inputs: {parameters: [{name: num}]}
    dag:
      tasks:
      - name: count
        template: print
        arguments: {parameters: [{name: text, value: "{{item}}"}]}
        withItems: [b, c]
      - name: one
        template: number
        arguments: {parameters: [{name: num, value: "{{inputs.parameters.num}}"}]}
  - name: print
    inputs: {parameters: [{name: text}]}
    container: {image: python, command: [python3, -c, "print('{{inputs.parameters.text}}')"]}
  - name: number
    inputs: {parameters: [{name: num}]}
    container: {image: python, command: [python3, -c, "print({{inputs.parameters.num}})"]}
"""


WITHOUT_FIRST = LOOP.replace(
    "    - - {name: first, template: print, arguments: {parameters: [{name: text, value: a}]}}\n",
    "",
)
