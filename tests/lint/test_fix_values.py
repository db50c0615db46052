"""--fix writes values as Argo wants them: text in quotes, conditions, durations."""

from __future__ import annotations

import pytest
from support.fixing import check_fix, fixed, template

from argojobs.lint.fix import fix


@pytest.mark.parametrize(
    ("written", "seconds"), [("30m", "1800"), ('"1h30m"', "5400"), ("90", "90"), ("'90'", "90")]
)
def test_a_timeout_of_the_workflow_becomes_its_deadline(written, seconds):
    rest = "  templates: [{name: m, suspend: {}}]\n"
    text = f"kind: Workflow\nmetadata: {{name: w}}\nspec:\n  entrypoint: m\n  timeout: {{}} # c\n{rest}"
    after = text.replace("timeout: {}", f"activeDeadlineSeconds: {seconds}")
    assert fixed(text.replace("{} # c", f"{written} # c")) == after


def test_a_timeout_that_is_no_duration_is_left_and_said():
    result = fix("kind: Workflow\nmetadata: {name: w}\nspec:\n  entrypoint: m\n  timeout: soon\n")
    assert result.fixed == ()
    assert "not a duration" in result.refused[0].reason


def test_numbers_and_booleans_where_text_belongs_are_quoted_as_written():
    check_fix(
        """\
        - name: main
          container:
            image: x
            env:
            - {name: A, value: 3.10}
            - name: B
              value: yes  # a word
            - name: C
              value: 1e-4""",
        """\
        - name: main
          container:
            image: x
            env:
            - {name: A, value: "3.10"}
            - name: B
              value: "yes"  # a word
            - name: C
              value: "1e-4\"""",
    )


def test_values_of_parameters_are_text_and_stay_as_they_are():
    text = template("- name: main\n  inputs: {parameters: [{name: a, value: 1e-4}]}\n  suspend: {}")
    assert fixed(text) == text


def test_a_list_or_mapping_as_a_value_becomes_its_json_text():
    check_fix(
        """\
        - name: main
          inputs:
            parameters:
            - {name: a, value: [0.02, 1.0]}  # as it stands
            - name: b
              default: {x: 1, 'y': "it's"}
            - name: c
              value:
              - one
              - 2
            - name: d
              enum: [a]
              value:
                k: [true]  # kept
          suspend: {}""",
        """\
        - name: main
          inputs:
            parameters:
            - {name: a, value: "[0.02, 1.0]"}  # as it stands
            - name: b
              default: "{\\"x\\": 1, \\"y\\": \\"it's\\"}"
            - name: c
              value: '["one", 2]'
            - name: d
              enum: [a]
              value: '{"k": [true]}'  # kept
          suspend: {}""",
    )


def test_a_list_with_a_comment_in_it_is_left():
    text = template("- name: main\n  inputs: {parameters: [{name: a, value: [1, # one\n   2]}]}")
    assert fix(text).text == text
    assert fix(text).refused


def test_conditions_get_their_quotes():
    check_fix(
        """\
        - name: main
          steps:
          - - name: a
              template: b
              when: "{{inputs.parameters.x}} == some-value"  # c
            - {name: c, template: b, when: '{{x}} == a b'}
            - name: d
              template: b
              when: "{{workflow.parameters.start}} < 2\"""",
        """\
        - name: main
          steps:
          - - name: a
              template: b
              when: "'{{inputs.parameters.x}}' == 'some-value'"  # c
            - {name: c, template: b, when: "'{{x}}' == 'a b'"}
            - name: d
              template: b
              when: "{{workflow.parameters.start}} < 2\"""",
    )


def test_numbers_in_a_pod_are_quoted():
    pod = "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: x, env: [{name: A, value: %s}]}\n"
    assert fixed(pod % "0.10") == pod % '"0.10"'
