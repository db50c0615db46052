"""What lint says beside what the real `argo lint --offline` says, and docs/conformance.md.

The table of the page between its marks is made here: `ARGOJOBS_WRITE_DOCS=1 pytest` on this file.
"""

import json
import os
from pathlib import Path

import pytest

from argojobs.runs.linting import lint_files

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
BEGIN, END = "<!-- lint: begin -->\n", "<!-- lint: end -->\n"

#: Where we find something and the real program is silent, and why. There is no other difference.
DIFFERENCES = {
    "activedeadline-negative": "a deadline below 0 ends the workflow at once",
    "api-version-old": "no Kubernetes with Argo knows this apiVersion",
    "artifact-gathered-from-loop": "the controller errors: only parameters are gathered",
    "depends-bad-grammar": "the dag errors when it runs",
    "item-without-loop": "the tag stays as it is",
    "list-parameter": "the value is not text; over REST the request is refused",
    "name-uppercase": "Kubernetes refuses the name",
    "podspecpatch-bad": "every pod fails to be made",
    "retry-bad-limit": "the step errors when the limit is read",
    "retry-expression-bad": "the step errors when it is retried",
    "suspend-bad-duration": "the node errors when the duration is read",
    "timeout-bad": "the node errors when the timeout is read",
    "volume-mount-undeclared": "Kubernetes refuses the pod",
    "when-unquoted": "the step errors when the condition is evaluated",
}


#: Findings of ours that are warnings, where Argo's lint, which is strict, ends with an error: a run
#: drops a field in a wrong place, and a file without a workflow may be meant.
STRICT = {"misplaced-field", "nothing-to-lint"}


def finds(file):
    """Whether lint finds in a file, alone, what stops Argo."""
    found = [report.finding for report in lint_files([file], "strict").reports]
    return any(one.level == "error" or one.code in STRICT for one in found)


@pytest.fixture(scope="module")
def recorded(shared):
    return json.loads((shared / "argo" / "lint" / "expected.json").read_text())


@pytest.fixture(scope="module")
def differing(shared, recorded):
    """Of each group of files: what differs, and how many there are."""
    folders = {"cases": "lint", "examples": "examples"}
    groups = {}
    for group, folder in folders.items():
        ending = ".yaml" if group == "cases" else ""
        differ = {
            name
            for name, said in recorded[group].items()
            if finds(shared / "argo" / folder / (name + ending)) == said["ok"]
        }
        groups[group] = differ, len(recorded[group])
    return groups


def test_lint_agrees_with_the_real_program_but_for_the_listed_differences(differing):
    assert differing["examples"][0] == set()
    assert differing["cases"][0] == set(DIFFERENCES)


def test_where_we_differ_the_real_program_is_silent(recorded, differing):
    assert all(recorded["cases"][name]["ok"] for name in differing["cases"][0])


def test_the_page_says_so(differing):
    lines = [
        "| Files | Agree | Differ |",
        "| --- | ---: | ---: |",
    ]
    names = {"cases": "small manifests with one fault, or none", "examples": "Argo's examples"}
    for group, (differ, count) in differing.items():
        lines.append(f"| {names[group]} | {count - len(differ)} of {count} | {len(differ)} |")
    lines += ["", "Where they differ, we find something and the real program is silent:", ""]
    lines += ["| Manifest | Why it is wrong all the same |", "| --- | --- |"]
    lines += [f"| {name} | {why} |" for name, why in DIFFERENCES.items()]
    made = BEGIN + "\n" + "\n".join(lines) + "\n\n" + END
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Conformance\n"
    if BEGIN not in text:
        text += f"\n## Lint\n\nBeside the real `argo lint --offline` 4.1.2, each file alone.\n\n{BEGIN}{END}"
    before, _, rest = text.partition(BEGIN)
    whole = before + made + rest.partition(END)[2]
    if os.environ.get("ARGOJOBS_WRITE_DOCS"):
        PAGE.write_text(whole, encoding="utf-8")
    assert PAGE.exists()
    assert PAGE.read_text(encoding="utf-8") == whole
