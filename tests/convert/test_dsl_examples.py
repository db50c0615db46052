"""Argo's examples as programs of the DSL, and the part of docs/conformance.md about them.

The table of the page between its marks is made here: `ARGOJOBS_WRITE_DOCS=1 pytest` on this file.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.load import load
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.convert.dsl.names import label
from argojobs.convert.dsl_source import to_dsl_source
from argojobs.errors import UnsupportedError
from argojobs.lint import lint
from argojobs.manifest import documents
from argojobs.manifest.findings import errors
from argojobs.manifest.view import recalled

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
BEGIN, END = "<!-- dsl: begin -->\n", "<!-- dsl: end -->\n"
#: At least so many become programs; so many of those without a graph that is kept as it is.
EXPRESSIBLE, IN_WORDS = 110, 67


class Made(NamedTuple):
    """One workflow of an example: its program and what that compiles to, or why there is none."""

    name: str
    workflow: dict[str, Any]
    source: str = ""
    manifest: dict[str, Any] | None = None
    reason: str = ""


@pytest.fixture(scope="module")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    found = []
    for file in sorted((shared / "argo" / "examples").rglob("*.yaml")):
        if file.name == "k8s-patch-json-workflow.yaml":  # a key stands twice in it
            continue
        for document in documents.load(file).workflows:
            name = file.relative_to(shared / "argo" / "examples").as_posix()
            try:
                source = to_dsl_source(document.workflow)
            except UnsupportedError as error:
                reason = error.what.removeprefix("the DSL has no words for ")
                found.append(Made(name, document.workflow, reason=reason))
                continue
            program = tmp_path_factory.mktemp("program") / "program.py"
            program.write_text(source)
            loaded = load(program, source.partition("--pipeline ")[2].partition(".")[0])
            assert loaded.pipeline is not None
            manifest = compile_pipeline(loaded.pipeline, code=IMAGE_CODE)
            found.append(Made(name, document.workflow, source, manifest))
    return found


def _kept_graphs(one: Made) -> list[str]:
    """Return the names of the graphs that stand in a program as Argo has them."""
    templates = one.workflow["spec"].get("templates") or ()
    graphs = [each["name"] for each in templates if "dag" in each or "steps" in each]
    return [name for name in graphs if f'use(\n    {{\n        "name": "{name}",' in one.source]


def test_most_examples_become_programs(made: list[Made]) -> None:
    programs = [one for one in made if one.manifest is not None]
    assert len(programs) >= EXPRESSIBLE
    assert sum(not _kept_graphs(one) for one in programs) >= IN_WORDS


def test_no_program_has_a_fault_that_its_manifest_has_not(made: list[Made]) -> None:
    for one in made:
        if one.manifest is not None and not errors(lint(one.workflow, refs="off")):
            assert errors(lint(one.manifest, refs="off")) == [], one.name


def test_what_is_kept_stands_in_the_manifest_as_it_was(made: list[Made]) -> None:
    """But for names that are no labels, or that the whole pipeline has as well (a `-2` then)."""
    seen = 0
    for one in made:
        if one.manifest is None:
            continue
        by_name = {each["name"]: each for each in one.manifest["spec"]["templates"]}
        called = {
            label(each["name"], ()): each["name"] for each in one.workflow["spec"]["templates"]
        }
        called |= {f"{short}-2": name for short, name in called.items() if f"{short}-2" in by_name}
        given = {name: by_name[short] for short, name in called.items() if short in by_name}
        for template in one.workflow["spec"]["templates"]:
            name = template["name"]
            if name in _kept_graphs(one):
                assert {**recalled(given[name], called), "name": name} == template, one.name
                seen += 1
    assert seen > 20


def test_the_reasons_name_fields_of_the_whole_workflow(made: list[Made]) -> None:
    assert all(one.reason for one in made if one.manifest is None)


def test_the_page_says_so(made: list[Made]) -> None:
    programs = [one for one in made if one.manifest is not None]
    words = sum(not _kept_graphs(one) for one in programs)
    lines = [
        "| Workflows of Argo's examples | |",
        "| --- | ---: |",
        f"| become programs, all graphs as `@pipeline` | {words} |",
        f"| become programs, a graph kept as Argo has it | {len(programs) - words} |",
        f"| are refused | {len(made) - len(programs)} |",
        "",
        "| Refused | The DSL has no words for |",
        "| --- | --- |",
        *(f"| {one.name} | {' '.join(one.reason.split())} |" for one in made if one.reason),
        "",
    ]
    table = "\n" + "\n".join(lines) + "\n"
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    written, _, after = rest.partition(END)
    if os.environ.get("ARGOJOBS_WRITE_DOCS"):
        PAGE.write_text(before + BEGIN + table + END + after)
    else:
        assert written == table, "ARGOJOBS_WRITE_DOCS=1 pytest tests/compile/test_dsl_examples.py"
