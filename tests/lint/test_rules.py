"""The table of rules is whole: it knows every code, and every example shows its rule."""

import ast
import re
from pathlib import Path

import pytest
from support.whole_examples import complete

import argojobs
from argojobs.cli.lint_rules import ALL
from argojobs.lint import RULES, lint

ROOT = Path(__file__).parents[2]
PACKAGE = Path(argojobs.__file__).parent
SOURCES = [
    *(PACKAGE / "manifest" / name for name in ("check.py", "check_calls.py", "fields.py")),
    *(PACKAGE / "lint").glob("*.py"),
]
TURNED_INTO_ANOTHER = {"not-text"}  # a number where text belongs: lint says not-quoted
SIZES = {"KiB": 1024, "MiB": 1024 * 1024}
LONG_TEXT = re.compile(r"\.\.\. (\d+) (KiB|MiB) of text \.\.\.")  # stands for it in an example
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


def emitted(files):
    """Every code that the sources give to a finding, whichever way they write it."""
    codes = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        makers = {"make", *makers_of(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in makers and node.args:
                    codes |= texts(node.args[0])
                elif node.func.id == "check_field_name":
                    codes |= texts(node.args[2])
            elif isinstance(node, ast.Tuple) and len(node.elts) == 4:
                first = node.elts[0]
                level = getattr(first, "id", None) or getattr(first, "value", None)
                if level in (*makers, "error", "warning"):
                    codes |= texts(node.elts[1])
    return codes


def makers_of(tree):
    """What a module calls the functions that make findings; Finding itself only they call."""
    return {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("findings")
        for name in node.names
        if name.name in ("error", "warning")
    }


def texts(node):
    if isinstance(node, ast.Constant):
        return {node.value}
    if isinstance(node, ast.JoinedStr):  # f"duplicate-{what}": a step or a task
        assert [type(part) for part in node.values].count(ast.FormattedValue) == 1
        parts = [one.value if isinstance(one, ast.Constant) else None for one in node.values]
        return {"".join(part or what for part in parts) for what in ("step", "task")}
    return set()


def test_every_code_in_the_sources_is_in_the_table_and_none_else():
    loops = {"deadline", "parallelism"}  # named in a loop over two fields
    assert (emitted(SOURCES) | loops) - TURNED_INTO_ANOTHER == set(RULES)


def test_every_code_that_any_command_can_print_is_explained():
    makers = [file for file in PACKAGE.rglob("*.py") if makers_of(ast.parse(file.read_text()))]
    assert len(makers) > len(SOURCES) // 2
    assert emitted(makers) - set(ALL) == set()
    assert {"unreadable", "not-text", "when-unquoted", "request-field"} <= emitted(makers)


def test_findings_are_made_by_these_functions_alone():
    """So that none is missed above: elsewhere a finding is only copied, with its own code."""
    for file in PACKAGE.rglob("*.py"):
        if file.name == "findings.py" or file.parent.name == "images":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_made = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding"
            if is_made and len(node.args) == 5:
                assert ast.unparse(node.args[1]) == "finding.code", file


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_example_of_a_rule_shows_it(rule):
    workflow = complete(
        LONG_TEXT.sub(lambda match: "x" * int(match[1]) * SIZES[match[2]], rule.wrong)
    )
    found = [one for one in lint(workflow, kind=workflow["kind"]) if one.code == rule.code]
    assert found
    if rule.code != "template-ref-unknown":  # its level is what --refs says
        assert found[0].level == rule.level
    assert found[0].message


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_right_example_of_a_rule_has_nothing_wrong(rule):
    workflow = complete(rule.right)
    found = lint(workflow, kind=workflow["kind"])
    elsewhere = {"template-ref-unknown"} if "emplateRef" in rule.right else set()
    assert {one.code for one in found} <= elsewhere - {rule.code}


def test_every_rule_stands_on_the_reference_page():
    for code, rule in ALL.items():
        page, _, anchor = rule.own_page.partition("#")
        assert anchor == code
        assert f"\n## {anchor}\n" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", ALL.values(), ids=lambda rule: rule.code)
def test_a_rule_says_what_it_is_and_what_to_do(rule):
    assert CODE.fullmatch(rule.code)
    assert rule.title[0].isupper() or rule.title[0] == "`"
    assert rule.explanation.endswith(".")
    assert rule.remedy.endswith(".")
    assert rule.page.startswith("https://")
    assert rule.wrong.endswith("\n")
    assert rule.right.endswith("\n")
    assert rule.wrong != rule.right


def test_a_good_manifest_has_no_findings():
    assert lint(complete("container: {image: busybox:1.36, command: [ls]}")) == []
