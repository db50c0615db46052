"""Small wrong manifests: each has exactly the findings, and the verdict of the real program, that
its first lines say.

`# argo:` is what `argo lint --offline` said: `silent`, or `refuses:` and its message. With a real
program in `ARGOJOBS_REAL_ARGO` it is asked again.
"""

import os
import subprocess
from pathlib import Path

import pytest

from argojobs.lint import RULES, lint
from argojobs.manifest.places import path_text
from argojobs.manifest.reading import read

BEYOND = {rule.code for rule in RULES.values() if rule.beyond}
CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.yaml"))
TOO_LARGE_FOR_A_FILE = {"argument-size", "object-size"}
#: Warnings of ours where the real program refuses, and why.
MILDER = {
    "misplaced-field": "a run drops the field, as Argo does over REST",
    "template-ref-unknown": "the template may be on the server; --refs strict makes it an error",
}


def said(text, what):
    start = f"# {what}: "
    return [line.removeprefix(start) for line in text.splitlines() if line.startswith(start)]


def findings(text):
    (workflow,) = read(text)
    return lint(workflow, kind=workflow["kind"])


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_a_wrong_manifest_has_exactly_the_expected_findings(file):
    text = file.read_text(encoding="utf-8")
    found = [f"{one.code} {path_text(one.path)}".rstrip() for one in findings(text)]
    assert found == said(text, "expect")


def test_there_is_a_manifest_for_every_rule():
    shown = {code.split()[0] for file in CORPUS for code in said(file.read_text(), "expect")}
    assert shown == set(RULES) - TOO_LARGE_FOR_A_FILE
    assert len(CORPUS) >= 60


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_what_the_real_program_refuses_is_an_error_and_other_errors_are_known(file):
    text = file.read_text(encoding="utf-8")
    (verdict,) = said(text, "argo")
    levels = {one.code: one.level for one in findings(text)}
    errors = {code for code, level in levels.items() if level == "error"}
    if verdict == "silent":
        assert errors <= BEYOND
    else:
        assert verdict.startswith("refuses: ")
        assert errors or set(levels) <= set(MILDER)


def test_where_only_we_find_an_error_is_what_the_list_says():
    silent = [
        text
        for text in (file.read_text(encoding="utf-8") for file in CORPUS)
        if said(text, "argo") == ["silent"]
    ]
    assert {one.code for text in silent for one in findings(text) if one.level == "error"} == BEYOND


@pytest.mark.skipif("ARGOJOBS_REAL_ARGO" not in os.environ, reason="no real argo is named")
def test_the_real_program_still_says_so():
    kinds = "--kinds=workflows,cronworkflows,workflowtemplates,clusterworkflowtemplates"
    for file in CORPUS:
        done = subprocess.run(
            [os.environ["ARGOJOBS_REAL_ARGO"], "lint", "--offline", kinds, str(file)],
            capture_output=True,
            check=False,
        )
        (verdict,) = said(file.read_text(encoding="utf-8"), "argo")
        assert (done.returncode == 0) == (verdict == "silent"), file.name
