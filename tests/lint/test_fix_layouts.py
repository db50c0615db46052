"""--fix in manifests of any layout: only what is fixed changes."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from argojobs.lint.fix import fix
from argojobs.manifest.documents import parse
from argojobs.manifest.fields import check_fields

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
