"""mypy --strict sees each step with its function's own signature, in a pipeline as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent


@pytest.fixture(scope="module", params=["3.11", "3.10"])
def errors(request, tmp_path_factory):
    """The errors of both files, by file and line."""
    cache = str(tmp_path_factory.mktemp("mypy"))
    options = ["--strict", "--python-version", request.param, "--cache-dir", cache]
    text, problem, _ = api.run([*options, str(HERE / "right.py"), str(HERE / "wrong.py")])
    assert not problem
    found = re.findall(r"^(?:.*/)?(\w+\.py):(\d+): error: (.*)$", text, re.MULTILINE)
    return {(file, int(line)): message for file, line, message in found}


def test_what_is_right_has_no_error(errors):
    assert [(key, message) for key, message in errors.items() if key[0] != "wrong.py"] == []


def test_each_wrong_call_is_the_error_that_its_comment_says(errors):
    lines = enumerate((HERE / "wrong.py").read_text().splitlines(), 1)
    expected = {
        ("wrong.py", number): line.partition("# error: ")[2]
        for number, line in lines
        if "# error: " in line
    }
    assert errors == expected
    assert len(expected) >= 15
