"""mypy --strict sees each step with its function's own signature, in a pipeline as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Where mypy keeps what it knows of libraries, so that it looks at each once."""
    return str(tmp_path_factory.mktemp("mypy"))


@pytest.fixture(scope="module", params=["3.11", "3.10"])
def errors(request, cache):
    """The errors of both files, by file and line."""
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


def test_the_pipelines_to_copy_from_are_typed(cache):
    files = [str(PROJECT / "workflows" / name) for name in ("demo.py", "hello.py")]
    config = str(PROJECT / "pyproject.toml")
    options = ["--config-file", config, "--strict", "--cache-dir", cache]
    text, problem, code = api.run([*options, *files])
    assert not problem
    assert code == 0, text


def test_a_wrong_call_in_the_demo_is_an_error(tmp_path, cache):
    source = (PROJECT / "workflows" / "demo.py").read_text()
    wrong = source.replace("train(batch_size, epochs, first)", "train(batch_size, 'two', first)")
    assert wrong != source
    (tmp_path / "demo.py").write_text(wrong)
    config = str(PROJECT / "pyproject.toml")
    options = ["--config-file", config, "--strict", "--cache-dir", cache]
    text, problem, _ = api.run([*options, str(tmp_path / "demo.py")])
    assert not problem
    assert 'Argument 2 to "train"' in text or 'incompatible type "str"; expected "int"' in text
