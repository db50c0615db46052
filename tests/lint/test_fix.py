"""--fix moves what Argo would drop to its right place, and changes nothing else in the file."""

from __future__ import annotations

from textwrap import dedent

import pytest
from support.fixing import check_fix, fixed, template

from argojobs.lint.fix import fix


def test_a_file_without_faults_is_returned_as_it_is():
    text = template("- name: main  # leave me\n  container:   {image:   x}")
    result = fix(text)
    assert result.text is text
    assert result.fixed == result.refused == ()


def test_a_retry_strategy_moves_out_of_the_container_with_its_comments():
    check_fix(
        """\
        - name: main
          container:
            image: x  # the image
            # nobody's step was ever retried
            retryStrategy:
              limit: "3"   # three more
              # retryPolicy: Always

            args: [a]
          # the end
        - name: other
          suspend: {}""",
        """\
        - name: main
          container:
            image: x  # the image

            args: [a]
          # nobody's step was ever retried
          retryStrategy:
            limit: "3"   # three more
            # retryPolicy: Always
          # the end
        - name: other
          suspend: {}""",
    )


def test_what_is_fixed_is_told_with_its_place_before():
    text = template("- name: main\n  container:\n    image: x\n    retryStrategy: {limit: 3}")
    (change,) = fix(text).fixed
    assert (change.line, change.column) == (9, 7)
    assert change.finding.code == "misplaced-field"


def test_braces():
    check_fix(
        "- {name: main, container: {image: x, retryStrategy: {limit: 3}, args: [a]}, daemon: false}",
        "- {name: main, container: {image: x, args: [a]}, retryStrategy: {limit: 3}, daemon: false}",
    )
    check_fix(
        """\
        - name: main
          container: {image: x, retryStrategy: {limit: 3}}  # c""",
        """\
        - name: main
          container: {image: x}  # c
          retryStrategy: {limit: 3}""",
    )


def test_lines_into_braces_become_braces():
    check_fix(
        """\
        - name: main
          container: {image: x}
          env:
          - {name: A, value: b}
          - name: C
            value: d""",
        """\
        - name: main
          container: {image: x, env: [{"name": "A", "value": "b"}, {"name": "C", "value": "d"}]}""",
    )


def test_the_first_field_of_a_list_item_moves_too():
    check_fix(
        """\
        - resources: {limits: {cpu: 1}}  # much
          # its name
          name: main
          container:
            image: x""",
        """\
          # its name
        - name: main
          container:
            image: x
            resources: {limits: {cpu: 1}}  # much""",
    )


def test_labels_of_a_template_get_a_metadata_where_they_stand():
    check_fix(
        """\
        - labels:
            a: b
          # its name
          name: main
          suspend: {}""",
        """\
        - metadata:
            labels:
              a: b
          # its name
          name: main
          suspend: {}""",
    )


@pytest.mark.parametrize("kind", ["container", "script"])
def test_fields_of_the_container_move_into_it(kind):
    check_fix(
        f"""\
        - name: main
          resources:
            limits: {{cpu: 1}}
          {kind}:
            image: x
          workingDir: /here""",
        f"""\
        - name: main
          {kind}:
            image: x
            resources:
              limits: {{cpu: 1}}
            workingDir: /here""",
    )


def test_block_scalars_keep_their_text():
    check_fix(
        """\
        - name: main
          container:
            image: x
            podSpecPatch: |
              a: b

                # no comment
              c: d
            args: [a]""",
        """\
        - name: main
          container:
            image: x
            args: [a]
          podSpecPatch: |
            a: b

              # no comment
            c: d""",
    )


def test_a_task_gives_its_field_to_the_template_that_is_its_alone():
    check_fix(
        """\
        - name: main
          dag:
            tasks:
            - name: a
              template: only
              retryStrategy: {limit: 2}
              resources: {limits: {cpu: 1}}
        - name: only
          container:
            image: x""",
        """\
        - name: main
          dag:
            tasks:
            - name: a
              template: only
        - name: only
          container:
            image: x
            resources: {limits: {cpu: 1}}
          retryStrategy: {limit: 2}""",
    )


def test_a_template_that_several_call_is_left_and_said():
    text = template(
        """\
        - name: main
          dag:
            tasks:
            - {name: a, template: both, retryStrategy: {limit: 2}}
            - {name: b, template: both}
        - {name: both, container: {image: x}}"""
    )
    result = fix(text)
    assert result.text == text
    (refused,) = result.refused
    assert "not this task's alone" in refused.reason
    assert "a template of its own" in refused.reason


def test_annotations_beside_metadata_go_into_it():
    text = dedent(
        """\
        workflow:
          metadata:
            generateName: w-   # keep
          annotations:
            # what it is
            workflows.argoproj.io/description: |
              Two
              lines
          spec: {entrypoint: main, templates: [{name: main, suspend: {}}]}
        """
    )
    assert fixed(text) == dedent(
        """\
        workflow:
          metadata:
            generateName: w-   # keep
            annotations:
              # what it is
              workflows.argoproj.io/description: |
                Two
                lines
          spec: {entrypoint: main, templates: [{name: main, suspend: {}}]}
        """
    )


def test_annotations_without_metadata_get_one():
    spec = "spec: {entrypoint: main, templates: [{name: main, suspend: {}}]}\n"
    assert fixed(f"kind: Workflow\nannotations:\n  a: b # c\n{spec}") == (
        f"kind: Workflow\nmetadata:\n  annotations:\n    a: b # c\n{spec}"
    )
    assert fixed(f"kind: Workflow\nannotations: {{a: b}}\nmetadata:\n{spec}") == (
        f"kind: Workflow\nmetadata:\n  annotations: {{a: b}}\n{spec}"
    )
    assert fixed(f"kind: Workflow\nannotations: {{a: b}}\nmetadata: {{}}\n{spec}") == (
        f"kind: Workflow\nmetadata: {{annotations: {{a: b}}}}\n{spec}"
    )


def test_labels_join_those_that_are_there():
    spec = "spec: {entrypoint: main, templates: [{name: main, suspend: {}}]}\n"
    before = (
        f"kind: Workflow\nmetadata:\n  labels:\n    a: b\n  name: w\nlabels:\n  c: d # e\n{spec}"
    )
    after = f"kind: Workflow\nmetadata:\n  labels:\n    a: b\n    c: d # e\n  name: w\n{spec}"
    assert fixed(before) == after


def test_two_values_of_one_key_are_left_and_said():
    text = "kind: Workflow\nmetadata: {labels: {a: b}}\nlabels: {a: c}\nspec: {entrypoint: m}\n"
    result = fix(text)
    assert result.text == text
    assert "already" in result.refused[0].reason


def test_what_stands_once_for_several_places_is_left_and_said():
    text = template(
        """\
        - name: main
          container: &c
            image: x
            retryStrategy: {limit: 3}
        - name: other
          container: *c"""
    )
    result = fix(text)
    assert result.text == text
    assert len(result.refused) == 2
    assert any("anchor" in change.reason for change in result.refused)


def test_an_alias_as_the_value_moves():
    check_fix(
        """\
        - name: a
          retryStrategy: &r {limit: 3}
          suspend: {}
        - name: main
          container:
            image: x
            retryStrategy: *r""",
        """\
        - name: a
          retryStrategy: &r {limit: 3}
          suspend: {}
        - name: main
          container:
            image: x
          retryStrategy: *r""",
    )


def test_what_comes_from_a_merge_is_left_and_said():
    text = template(
        """\
        - name: main
          container:
            <<: {retryStrategy: {limit: 3}}
            image: x"""
    )
    result = fix(text)
    assert result.text == text
    assert "anchor" in result.refused[0].reason


def test_a_place_of_the_wrong_type_is_left_and_said():
    text = template("- name: main\n  metadata: none\n  labels: {a: b}\n  suspend: {}")
    result = fix(text)
    assert result.text == text
    assert "not a mapping" in result.refused[0].reason
