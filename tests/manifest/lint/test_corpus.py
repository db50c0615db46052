"""Small wrong manifests, each with exactly the findings that its first lines expect."""

from pathlib import Path

import pytest

from argojobs.manifest.lint import RULES, lint
from argojobs.manifest.places import path_text
from argojobs.manifest.yaml_read import read

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.yaml"))
TOO_LARGE_FOR_A_FILE = {"argument-size", "object-size"}


def expected(text):
    return [line[10:] for line in text.splitlines() if line.startswith("# expect: ")]


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_a_wrong_manifest_has_exactly_the_expected_findings(file):
    text = file.read_text(encoding="utf-8")
    (workflow,) = read(text)
    found = lint(workflow, kind=workflow["kind"])
    assert [f"{one.code} {path_text(one.path)}".rstrip() for one in found] == expected(text)


def test_there_is_a_manifest_for_every_rule():
    shown = {code.split()[0] for file in CORPUS for code in expected(file.read_text())}
    assert shown == set(RULES) - TOO_LARGE_FOR_A_FILE
    assert len(CORPUS) >= 60
