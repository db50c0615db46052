"""--fix in any kind of file: several documents, JSON, other objects, large ones."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from support.fixing import HEAD, fixed, template
from support.work_done import calls

from argojobs.errors import ManifestError
from argojobs.lint.fix import fix


def test_windows_line_ends_and_a_last_line_without_one():
    before = template("- name: main\n  container:\n    retryStrategy: {limit: 3}\n    image: x")
    after = template("- name: main\n  container:\n    image: x\n  retryStrategy: {limit: 3}")
    assert fixed(before.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    assert fixed(before.rstrip("\n")) == after.rstrip("\n")


def test_every_document_is_fixed_and_others_are_left():
    one = template("- name: main\n  container: {image: x, retryStrategy: {limit: 3}}")
    config = "kind: ConfigMap\ndata: {retryStrategy: x}  # mine\n"
    result = fix(f"# top\n{one}---\n{config}---\n{one}")
    assert len(result.fixed) == 2
    assert result.text.startswith("# top\n")
    assert config in result.text
    assert result.fixed[1].line > result.fixed[0].line


def test_json_stays_json():
    text = json.dumps(
        {
            "kind": "Workflow",
            "metadata": {"name": "w"},
            "spec": {
                "entrypoint": "m",
                "templates": [
                    {"name": "m", "container": {"image": "x", "retryStrategy": {"limit": 3}}}
                ],
            },
        },
        indent=2,
    )
    template = json.loads(fixed(text))["spec"]["templates"][0]
    assert template == {"name": "m", "container": {"image": "x"}, "retryStrategy": {"limit": 3}}
    assert '\n        "retryStrategy": {\n          "limit": 3\n        }\n' in fixed(text)


def test_json_with_escapes_and_tabs_that_yaml_has_not_is_fixed_too():
    text = (
        '{\n\t"workflow": {\n\t\t"metadata": {"name": "w"},\n\t\t"annotations": '
        '{"a": "\\ud83d\\ude00 \\/ b"},\n\t\t"spec": {"entrypoint": "m"}\n\t}\n}\n'
    )
    assert fixed(text) == (
        '{\n\t"workflow": {\n\t\t"metadata": {"name": "w", "annotations": '
        '{"a": "\\ud83d\\ude00 \\/ b"}},\n\t\t"spec": {"entrypoint": "m"}\n\t}\n}\n'
    )


LIBRARY = """\
kind: %s
metadata:
  name: t
spec:
  templates:
  - name: main
    container:
      image: x
      env: [{name: A, value: 5}]
    retryStrategy: {limit: 3}  # often
"""


MISPLACED_IN_LIBRARY = LIBRARY.replace(
    "value: 5}]\n    retryStrategy", "value: 5}]\n      retryStrategy"
)


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate"])
def test_templates_for_others_are_fixed_too(kind):
    assert fixed(MISPLACED_IN_LIBRARY % kind) == (LIBRARY % kind).replace("5", '"5"')


def test_a_cron_workflow_is_fixed_where_its_workflow_stands():
    before = """\
    kind: CronWorkflow
    annotations: {c: d}
    metadata: {name: c}
    spec:
      schedules: ["0 3 * * *"]
      workflowSpec:
        entrypoint: main
        timeout: 1h  # long
        annotations:
          # of each workflow
          a: b
        templates:
        - name: main
          steps:
          - - {name: a, template: work, when: "{{workflow.name}} == a-b"}
        - name: work
          container:
            retryStrategy: {limit: 3}
            image: x
    """
    after = """\
    kind: CronWorkflow
    metadata: {name: c, annotations: {c: d}}
    spec:
      schedules: ["0 3 * * *"]
      workflowSpec:
        entrypoint: main
        activeDeadlineSeconds: 3600  # long
        templates:
        - name: main
          steps:
          - - {name: a, template: work, when: "'{{workflow.name}}' == 'a-b'"}
        - name: work
          container:
            image: x
          retryStrategy: {limit: 3}
      workflowMetadata:
        annotations:
          # of each workflow
          a: b
    """
    assert fixed(dedent(before)) == dedent(after)
    places = [(change.line, change.column) for change in fix(dedent(before)).fixed]
    assert places == [(2, 1), (8, 5), (9, 5), (15, 37), (18, 9)]


def test_the_work_grows_as_the_file_does():
    def work(count):
        tasks = "".join(
            f'      - {{name: t{n}, template: one, when: "{{{{workflow.name}}}} == a-b"}}\n'
            for n in range(count)
        )
        text = (
            f"{HEAD}  - name: main\n    dag:\n      tasks:\n{tasks}"
            "  - {name: one, suspend: {}}\n"
        )
        return calls(lambda: fixes.append(len(fix(text).fixed)))

    fixes = []
    work(10)  # what is looked up once
    short, long = work(200), work(2000)
    assert fixes == [10, 200, 2000]
    assert long < 10.5 * short


def test_a_text_that_is_no_manifest_is_an_error():
    with pytest.raises(ManifestError):
        fix("a: [")
