"""--fix moves what Argo would drop to its right place, and changes nothing else in the file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ManifestError
from argojobs.manifest.documents import parse
from argojobs.manifest.fields import check_fields
from argojobs.manifest.fix import fix

HEAD = "kind: Workflow\nmetadata: {generateName: w-}\nspec:\n  entrypoint: main\n  templates:\n"


def fixed(text: str) -> str:
    return fix(text).text


def template(block: str) -> str:
    """A workflow with one more template, from its lines."""
    return HEAD + "".join(f"  {line}\n" if line else "\n" for line in dedent(block).split("\n"))


def check_fix(before: str, after: str) -> None:
    assert fixed(template(before)) == template(after)
    assert fixed(template(after)) == template(after)


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
    assert "no duration" in result.refused[0].reason


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


def test_numbers_in_a_pod_are_quoted():
    pod = "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: x, env: [{name: A, value: %s}]}\n"
    assert fixed(pod % "0.10") == pod % '"0.10"'


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
    assert "no mapping" in result.refused[0].reason


def test_the_time_grows_as_the_file_does():
    tasks = "".join(
        f'      - {{name: t{n}, template: one, when: "{{{{workflow.name}}}} == a-b"}}\n'
        for n in range(2000)
    )
    text = (
        f"{HEAD}  - name: main\n    dag:\n      tasks:\n{tasks}  - {{name: one, suspend: {{}}}}\n"
    )
    start = time.process_time()
    parse(text)
    reading = time.process_time() - start
    start = time.process_time()
    assert len(fix(text).fixed) == 2000
    assert time.process_time() - start < 60 * reading + 1


def test_a_text_that_is_no_manifest_is_an_error():
    with pytest.raises(ManifestError):
        fix("a: [")


# --- any layout ------------------------------------------------------------------------------

VALUES = st.recursive(
    st.sampled_from(["text", "3", "a: b", "# no", "'", '"', "two\nlines", "", 3, True, "é😀"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2)
    ),
    max_leaves=4,
)
CONTAINER = st.fixed_dictionaries(
    {"image": st.just("x")},
    optional={
        "args": st.lists(st.sampled_from(["a", "{{x}}", "two\nlines"]), max_size=3),
        "retryStrategy": st.fixed_dictionaries({"limit": st.sampled_from([3, "3"])}),
        "nodeSelector": st.dictionaries(st.sampled_from("abc"), st.sampled_from(["d", "4", 5])),
        "env": st.lists(
            st.fixed_dictionaries({"name": st.just("A"), "value": st.sampled_from(["b", 1, True])}),
            max_size=2,
        ),
        "podSpecPatch": st.sampled_from(["a: b\n", "a: b\n\nc: d", "|"]),
    },
)
TEMPLATE = st.fixed_dictionaries(
    {"container": CONTAINER},
    optional={
        "labels": st.dictionaries(st.sampled_from("abc"), st.sampled_from(["d", 5]), min_size=1),
        "resources": st.fixed_dictionaries({"limits": st.just({"cpu": 1})}),
        "metadata": st.fixed_dictionaries({"labels": st.just({"z": "y"})}),
        "inputs": st.just({"parameters": [{"name": "p", "value": "1e-4"}]}),
    },
)
WORKFLOW = st.fixed_dictionaries(
    {"spec": st.fixed_dictionaries({"templates": st.lists(TEMPLATE, min_size=1, max_size=3)})},
    optional={
        "metadata": st.sampled_from([{"name": "w"}, {"labels": {"z": "y"}}, {}]),
        "annotations": st.dictionaries(st.sampled_from("abc"), st.sampled_from(["d", "a\nb\n"])),
        "labels": st.dictionaries(st.sampled_from("abc"), st.just("d")),
    },
)


class Layout:
    """Writes a value in a layout that hypothesis chooses: style, indentation, comments, order."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.comments = 0

    def chance(self) -> bool:
        return self.draw(st.integers(0, 3)) == 0

    def comment(self) -> str:
        if not self.chance():
            return ""
        self.comments += 1
        return f"  # comment {self.comments}"

    def scalar(self, value, wide: int) -> str:
        if isinstance(value, str) and "\n" in value and value.strip() and self.chance():
            keep = "" if value.endswith("\n") else "-"
            return f"|{keep}\n" + "\n".join(
                " " * (wide + 2) + line if line else "" for line in value.rstrip("\n").split("\n")
            )
        return json.dumps(value, ensure_ascii=False)

    def lines(self, value, wide: int) -> list[str]:
        """The lines of a value in block style at a column."""
        lines = []
        if isinstance(value, dict):
            for key in self.draw(st.permutations(list(value))):
                if self.chance():
                    lines.append(" " * wide + self.comment().strip())
                lines += self.entry(f"{key}:", value[key], wide, is_key=True)
        else:
            for item in value:
                if isinstance(item, (dict, list)) and item and not self.chance():
                    inner = self.lines(item, wide + 2)
                    first = next(
                        i for i, one in enumerate(inner) if one.strip()[:1] not in ("", "#")
                    )
                    inner[first] = " " * wide + "- " + inner[first][wide + 2 :]
                    lines += inner
                else:
                    lines += self.entry("-", item, wide, is_key=False)
        if self.chance():
            lines.append("")
        return lines

    def entry(self, head: str, value, wide: int, *, is_key: bool) -> list[str]:
        if isinstance(value, (dict, list)):
            if not value or self.chance():
                flow = json.dumps(value, ensure_ascii=False)
                return [f"{' ' * wide}{head} {flow}{self.comment()}"]
            deeper = wide + self.draw(st.sampled_from([2, 4]))
            if isinstance(value, list) and is_key and self.chance():
                deeper = wide
            return [f"{' ' * wide}{head}{self.comment()}", *self.lines(value, deeper)]
        text = self.scalar(value, wide)
        return f"{' ' * wide}{head} {text}{'' if text[0] == '|' else self.comment()}".split("\n")


@st.composite
def manifests(draw) -> str:
    workflow = draw(WORKFLOW)
    for number, one in enumerate(workflow["spec"]["templates"]):
        one["name"] = f"t{number}"
    workflow["spec"]["entrypoint"] = "t0"
    kind = draw(st.sampled_from(["", "Workflow", "WorkflowTemplate", "CronWorkflow"]))
    if kind == "CronWorkflow":
        workflow["spec"] = {"workflowSpec": workflow["spec"]}
    workflow = {**workflow, "kind": kind} if kind else {"workflow": workflow}
    if draw(st.booleans()):
        return json.dumps(workflow, indent=draw(st.sampled_from([None, 2, "\t"])))
    text = "\n".join(Layout(draw).lines(workflow, 0)) + draw(
        st.sampled_from(["\n", "", "\n# end\n"])
    )
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def comments(text: str) -> list[str]:
    return sorted(part.split()[0] for part in text.split("# comment ")[1:])


@given(manifests())
def test_in_any_layout_only_the_fix_changes_the_object(text):
    before = only(text)
    result = fix(text)
    after = only(result.text)
    assert comments(result.text) == comments(text)
    assert fix(result.text).text == result.text
    assert ("\r\n" in result.text) == ("\r\n" in text)
    left = {change.finding.path for change in result.refused}
    for finding in check_fields(after, before.get("kind", "Workflow")):
        assert finding.path in left
    # every leaf is still there, numbers in quotes perhaps
    assert leaves(after) == leaves(before)


def only(text: str):
    contents = parse(text)
    (one,) = [*contents.workflows, *contents.others]
    return one.value


def leaves(value) -> list[str]:
    if isinstance(value, dict):
        return sorted(leaf for key, item in value.items() for leaf in [key, *leaves(item)] if key not in ("metadata", "workflowMetadata", "annotations", "labels"))  # fmt: skip
    if isinstance(value, list):
        return sorted(leaf for item in value for leaf in leaves(item))
    return [str(value).lower()]


def test_the_first_users_file(shared: Path):
    text = (shared / "cases" / "crisplitdemo.yaml").read_text()
    result = fix(text)
    workflow = yaml.safe_load(result.text)["workflow"]
    assert len(result.fixed) == 2
    assert result.refused == ()
    assert "annotations" in workflow["metadata"]
    assert workflow["spec"]["templates"][1]["retryStrategy"]["limit"] == "3"
    assert check_fields(parse(result.text).workflows[0].workflow) == []
    assert sorted(line.strip() for line in result.text.splitlines()) == sorted(
        line.strip() for line in text.splitlines()
    )
