"""Whether a file may hold a pipeline, read from its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs.compile.imports import imports_ours, leads_to_ours, parsed
from argojobs.errors import UserCodeError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "pyproject.toml": "",
        "flows.py": "from argojobs import step\n",
        "plain.py": "import os\n",
        "around.py": "import flows\nimport turn\n",
        "turn.py": "import around_again\n",
        "around_again.py": "import turn\n",
        "package/__init__.py": "",
        "package/deep.py": "from hera import workflows\n",
        "package/beside.py": "from . import deep\n",
        "package/sibling.py": "from .deep import x\n",
        "src/in_src.py": "import argojobs as aj\n",
        "broken.py": "x = = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def read(project: Path, text: str, name: str = "script.py") -> tuple[bool, bool]:
    file = project / name
    file.write_text(text)
    tree = parsed(file)
    return imports_ours(tree), leads_to_ours(tree, file, project)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("from argojobs import job", False),
        ("from argojobs import job as j\nimport argojobs.job", False),
        ("from argojobs.job import log\nfrom argojobs.job.batch import Batch", False),
        ("from argojobs import job, step", True),
        ("from argojobs import jobs", True),
        ("from argojobs import job\nimport argojobs", True),
    ],
)
def test_a_script_that_reports_is_no_pipeline_for_that(
    project: Path, text: str, ours: bool
) -> None:
    assert read(project, text)[0] is ours


@pytest.mark.parametrize(
    "text",
    [
        "import argojobs",
        "import os, argojobs.dsl as d",
        "from argojobs import step",
        "from hera.workflows import Workflow",
        "def f():\n    import argojobs",
        "try:\n    import hera\nexcept ImportError:\n    pass",
    ],
)
def test_a_file_that_imports_ours_itself(project: Path, text: str) -> None:
    assert read(project, text)[0]


@pytest.mark.parametrize(
    "text",
    ["import os", "", "x = 'import argojobs'", "import argojobs_tools", "from .argojobs import x"],
)
def test_a_file_that_does_not(project: Path, text: str) -> None:
    assert read(project, text) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "import flows",
        "from flows import demo",
        "import around",
        "from package import deep",
        "from package.deep import x",
        "import package.deep",
        "import in_src",
        "if True:\n    try:\n        import flows\n    except ImportError:\n        pass",
    ],
)
def test_a_file_that_leads_to_ours_at_its_top(project: Path, text: str) -> None:
    assert read(project, text) == (False, True)


@pytest.mark.parametrize("name", ["beside.py", "sibling.py"])
def test_a_relative_import_leads_there_too(project: Path, name: str) -> None:
    file = project / "package" / name
    assert leads_to_ours(parsed(file), file, project)


@pytest.mark.parametrize(
    "text",
    [
        "import plain, turn, broken, nowhere, package",
        "def main():\n    import flows",
        "if __name__ == '__main__':\n    import flows",
    ],
)
def test_what_is_not_imported_at_the_top_does_not_count(project: Path, text: str) -> None:
    assert read(project, text) == (False, False)


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        (b"x = 1\nif (:\n", "bad.py:2", "SyntaxError: invalid syntax: if (:"),
        (b"\xff = 1\n", "bad.py:1", "SyntaxError"),
        (b"x = 1\0", "bad.py:1", "null bytes"),
        (b"def f():\nx\n", "bad.py:2", "IndentationError"),
    ],
)
def test_a_mistake_in_the_syntax_is_told_with_its_place(
    tmp_path: Path, content: bytes, place: str, what: str
) -> None:
    file = tmp_path / "bad.py"
    file.write_bytes(content)
    with pytest.raises(UserCodeError, match="Error") as caught:
        parsed(file)
    assert caught.value.where.endswith(place)
    assert what in caught.value.what
    assert "Python 3." in caught.value.hint
