"""Fields of Argo 2 and 3: each is named with what stands for it, and --fix puts it there."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from support.fixing import fixed

from argojobs.lint.fix import fix
from argojobs.manifest.documents import parse
from argojobs.manifest.fields import check_fields, since, table
from argojobs.manifest.removed import MOVED, REMOVED

CRON = "kind: CronWorkflow\nmetadata: {name: c}\nspec:\n"


def removed(kind, value):
    """The removed fields that are found in an object: path and hint."""
    found = [one for one in check_fields(value, kind) if one.code == "removed-field"]
    assert all(one.level == "error" for one in found)
    return {one.path: one.hint for one in found}


@pytest.mark.parametrize("kind", REMOVED)
def test_a_removed_field_is_not_known_and_what_stands_for_it_is(kind):
    for field, one in REMOVED[kind].items():
        assert field not in table()[kind]
        assert removed(kind, {field: "x"})[field,].startswith(one.now)
        if one.name:
            assert one.name in table()[kind]


def test_the_hint_names_the_command_where_it_helps():
    assert "lint --fix" in removed("Synchronization", {"mutex": {}})["mutex",]
    assert "lint --fix" not in removed("WorkflowSpec", {"podPriority": 1})["podPriority",]


def test_a_field_in_the_table_of_versions_is_known():
    assert since()["Template"]["podResources"] == "4.1"
    for kind, fields in since().items():
        assert set(fields) <= set(table()[kind])


def test_a_newer_field_is_said_unless_it_is_null():
    found = check_fields({"podResources": {"limits": {"cpu": 1}}}, "Template")
    assert [(one.level, one.code) for one in found] == [("warning", "newer-field")]
    assert "4.1" in found[0].message
    assert check_fields({"podResources": None}, "Template") == []


CASES = {
    "a schedule": (
        "{schedule: '@daily', workflowSpec: {entrypoint: m}}",
        "{schedules: ['@daily'], workflowSpec: {entrypoint: m}}",
    ),
    "with commas": (
        """
        schedule: 0,30 3 * * *  # at night
        workflowSpec: {entrypoint: m}
        """,
        """
        schedules: ["0,30 3 * * *"]  # at night
        workflowSpec: {entrypoint: m}
        """,
    ),
    "a block": (
        """
        workflowSpec:
          synchronization:
            # why
            mutex:  # one
              # its name
              name: a  # b

              namespace: |
                c
            semaphore:
              configMapKeyRef: {name: a, key: b}
        """,
        """
        workflowSpec:
          synchronization:
            # why
            mutexes:  # one
              # its name
              - name: a  # b

                namespace: |
                  c
            semaphores:
              - configMapKeyRef: {name: a, key: b}
        """,
    ),
    "braces": (
        "{workflowSpec: {synchronization: {mutex: {name: a}, semaphore: {namespace: b}}}}",
        "{workflowSpec: {synchronization: {mutexes: [{name: a}], semaphores: [{namespace: b}]}}}",
    ),
    "seconds": (
        """
        workflowSpec:
          ttlSecondsAfterFinished: 300 # s
          entrypoint: m
        """,
        """
        workflowSpec:
          ttlStrategy: {secondsAfterCompletion: 300} # s
          entrypoint: m
        """,
    ),
    "in a template": (
        "{workflowSpec: {templates: [{name: m, synchronization: {mutex: {name: a}}}]}}",
        "{workflowSpec: {templates: [{name: m, synchronization: {mutexes: [{name: a}]}}]}}",
    ),
}


def cron(spec):
    """A CronWorkflow with a spec."""
    return CRON + indent(dedent(spec), "  ") + "\n"


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_it_becomes_what_stands_for_it(before, after):
    assert fixed(cron(before)) == cron(after)
    assert fixed(cron(after)) == cron(after)


def test_in_json_too():
    text = '{"kind": "Workflow", "metadata": {"name": "w"}, "spec": {"synchronization":\n'
    before = text + '  {"mutex": {\n    "name": "a"\n  }}, "ttlSecondsAfterFinished": 5}}\n'
    spec = parse(fixed(before)).workflows[0].workflow["spec"]
    assert spec == {
        "synchronization": {"mutexes": [{"name": "a"}]},
        "ttlStrategy": {"secondsAfterCompletion": 5},
    }


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("{schedule: a, schedules: [b], workflowSpec: {}}", "there is a `schedules` already"),
        ("{schedule: , workflowSpec: {}}", "it is empty"),
        ("{timezone: &x a, schedule: *x, workflowSpec: {}}", "anchor"),
        ("{workflowSpec: {synchronization: {mutex: &m {name: a}}}}", "anchor"),
        ("{workflowSpec: {ttlSecondsAfterFinished: 5, ttlStrategy: {}}}", "ttlStrategy"),
    ],
)
def test_what_cannot_be_is_left_and_said(spec, why):
    result = fix(cron(spec))
    assert result.text == cron(spec)
    assert why in result.refused[0].reason


def test_what_an_alias_uses_too_is_left():
    text = cron(
        "{workflowSpec: {templates: [{synchronization: &s {mutex: {name: a}}}, "
        "{synchronization: *s}]}}"
    )
    assert fix(text).text == text


def test_every_moved_field_has_a_case():
    assert all(any(field in before for before, _ in CASES.values()) for field in MOVED)
