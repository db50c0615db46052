"""What the author of a manifest lets pass, by an annotation."""

import pytest
from support.whole_examples import complete

from argojobs.lint import RULES, lint
from argojobs.lint.ignored import may_be_ignored
from argojobs.manifest.findings import Finding
from argojobs.manifest.kinds import IGNORE, to_run

WRONG = "container: {image: busybox, args: ['{{item}}', '{{inputs.parameters.none}}']}"


def codes(ignored, example=WRONG):
    workflow = complete(example)
    workflow["metadata"]["annotations"] = {IGNORE: ignored}
    return [one.code for one in lint(workflow, kind=workflow["kind"])]


ALL = ["item-outside-loop", "unresolved-reference", "image-latest"]


@pytest.mark.parametrize(
    ("ignored", "left"),
    [
        ("item-outside-loop", ALL[1:]),
        ("image-latest", ALL[:2]),
        ("item-outside-loop image-latest", ["unresolved-reference"]),
        ("item-outside-loop,unresolved-reference,\n image-latest", []),
        ("", ALL),
        (" , ", ALL),
        ("item-outside-lop", ["lint-ignore", *ALL]),
        ("all", ["lint-ignore", *ALL]),
    ],
)
def test_the_codes_that_it_names_are_left_out(ignored, left):
    assert codes(ignored) == left


def test_what_argo_refuses_is_not_left_out():
    example = "container: {image: 'busybox:1.36', comand: [ls]}"
    assert codes("unknown-field", example) == ["lint-ignore", "unknown-field"]


def test_a_text_that_is_none_is_said_and_means_nothing():
    found = codes(5, "container: {image: busybox}")
    assert sorted(found) == ["image-latest", "lint-ignore", "not-quoted"]


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "CronWorkflow"])
def test_it_stands_in_an_object_of_any_kind_and_stays_for_its_run(kind):
    spec = "templates: [{name: main, " + WRONG[:-1] + "}}], entrypoint: main"
    spec = spec if kind == "WorkflowTemplate" else "workflowSpec: {" + spec + "}"
    example = f"{{kind: {kind}, spec: {{{spec}}}}}"
    assert "item-outside-loop" not in codes("item-outside-loop", example)
    workflow = complete(example)
    workflow["metadata"]["annotations"] = {IGNORE: "item-outside-loop", "other": "x"}
    made = to_run(workflow, "now")
    assert made["metadata"]["annotations"][IGNORE] == "item-outside-loop"
    assert "other" not in made["metadata"]["annotations"]


def test_warnings_may_be_ignored_and_errors_that_argo_itself_lets_pass():
    for rule in RULES.values():
        finding = Finding(rule.level, rule.code, (), "")
        assert may_be_ignored(finding, RULES) is (rule.level == "warning" or rule.beyond)
    assert not may_be_ignored(Finding("error", "unknown-field", (), ""), RULES)
    assert may_be_ignored(Finding("error", "item-outside-loop", (), ""), RULES)
