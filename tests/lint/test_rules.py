"""The table of rules is whole: it knows every code, and every example shows its rule."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest
from support.whole_examples import complete

import argojobs
from argojobs.cli.lint_rules import ALL
from argojobs.lint import RULES, lint
from argojobs.lint.rule import Fault, Faults, error
from argojobs.lint.rules import rules_in

ROOT = Path(__file__).parents[2]
PACKAGE = Path(argojobs.__file__).parent
TURNED_INTO_ANOTHER = {"not-text"}  # a number where text belongs: lint says not-quoted
SIZES = {"KiB": 1024, "MiB": 1024 * 1024}
LONG_TEXT = re.compile(r"\.\.\. (\d+) (KiB|MiB) of text \.\.\.")  # stands for it in an example
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


def emitted(files):
    """Every code that sources other than rules give to a finding."""
    codes = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        makers = makers_of(tree)
        for node in ast.walk(tree):
            is_made = isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers
            if is_made and node.args and isinstance(node.args[0], ast.Constant):
                codes.add(node.args[0].value)
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


def decorated(tree):
    """The functions of a module that are rules."""
    return {
        node.name.replace("_", "-")
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(
            getattr(getattr(one, "func", 0), "id", "") in ("error", "warning")
            for one in node.decorator_list
        )
    }


def test_every_rule_in_the_sources_is_in_the_table_and_none_else():
    """A group that the table does not name would find nothing that `--explain` knows."""
    trees = [ast.parse(file.read_text()) for file in (PACKAGE / "lint").glob("*.py")]
    assert set().union(*map(decorated, trees)) == set(RULES)


def test_every_code_that_any_command_can_print_is_explained():
    makers = [file for file in PACKAGE.rglob("*.py") if makers_of(ast.parse(file.read_text()))]
    assert emitted(makers) - set(ALL) == set()
    assert {"unreadable", "not-text", "when-unquoted", "request-field"} <= emitted(makers)


def test_every_code_of_fields_is_a_rule_of_the_lint():
    found = emitted([PACKAGE / "manifest" / "fields.py"])
    assert found - TURNED_INTO_ANOTHER <= set(RULES)
    assert found >= TURNED_INTO_ANOTHER


def test_findings_are_made_by_rules_and_these_functions_alone():
    """So that none is missed above."""
    for file in PACKAGE.rglob("*.py"):
        if file.name in ("findings.py", "rule.py") or file.parent.name == "images":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_made = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding"
            assert not (is_made and len(node.args) == 5), file


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_example_of_a_rule_shows_it(rule):
    workflow = complete(
        LONG_TEXT.sub(lambda match: "x" * int(match[1]) * SIZES[match[2]], rule.page.wrong)
    )
    found = [one for one in lint(workflow, kind=workflow["kind"]) if one.code == rule.code]
    assert found
    if rule.code != "template-ref-unknown":  # its level is what --refs says
        assert found[0].level == rule.level
    assert found[0].message


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_right_example_of_a_rule_has_nothing_wrong(rule):
    workflow = complete(rule.page.right)
    found = lint(workflow, kind=workflow["kind"])
    elsewhere = {"template-ref-unknown"} if "emplateRef" in rule.page.right else set()
    assert {one.code for one in found} <= elsewhere - {rule.code}


def test_every_rule_stands_on_the_reference_page():
    for code, rule in ALL.items():
        page, _, anchor = rule.own_page.partition("#")
        assert anchor == code
        assert f"\n## {anchor}\n" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", ALL.values(), ids=lambda rule: rule.code)
def test_a_rule_says_what_it_is_and_what_to_do(rule):
    assert CODE.fullmatch(rule.code)
    assert rule.more.startswith("https://")
    page = rule.page
    assert page.title[0].isupper() or page.title[0] == "`"
    assert page.explanation.endswith(".")
    assert page.remedy.endswith(".")
    for example in (page.wrong, page.right):
        assert example.strip()
        assert not example.startswith(" ")
    assert page.wrong != page.right


@error("fields/")
def the_answer(path: Path, level=None) -> Faults:
    """A question without its answer.

    It goes on
    being asked.
    Remedy: Write it
    down, whole.
    Wrong:
        a:
          b: []
    Right:
        a: 42
    """
    if path:
        yield Fault(path, "it is missing")
        yield Fault(path, "it is wrong", "look it up", "warning")
        yield Fault(path, "no one knows", "")


class TestWhatARuleIs:
    def test_its_name_is_the_code_and_its_docstring_the_page(self):
        assert the_answer.code == "the-answer"
        assert the_answer.more.endswith("/latest/fields/")
        assert the_answer.page == (
            "A question without its answer",
            "It goes on being asked.",
            "Write it down, whole.",
            "a:\n  b: []\n",
            "a: 42\n",
        )

    def test_called_it_gives_findings_with_its_remedy_unless_they_have_a_better_one(self):
        assert the_answer(()) == []
        assert [(one.level, one.code, one.hint) for one in the_answer(("spec",))] == [
            ("error", "the-answer", "write it down, whole"),
            ("warning", "the-answer", "look it up"),
            ("error", "the-answer", ""),
        ]

    def test_one_without_a_check_of_its_own_finds_nothing(self):
        assert RULES["unknown-field"]() == []

    def test_a_code_stands_for_one_rule(self):
        group = ModuleType(the_answer.check.__module__)
        group.one, group.other = the_answer, the_answer
        with pytest.raises(AssertionError, match="two rules are called the-answer"):
            rules_in(group)


def test_a_good_manifest_has_no_findings():
    assert lint(complete("container: {image: busybox:1.36, command: [ls]}")) == []
