"""Why a step does not find a file that this machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs.runs.absent import Here, absent_in

OURS = {"container": {"image": "i", "command": ["python3", "/argojobs/code/.argojobs", "f:s"]}}
THEIRS = {"container": {"image": "i", "command": ["cat"]}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    root = tmp_path / "project"
    for name in ("gen.csv", "sub/near.csv", "tracked.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (tmp_path / "out.csv").touch()
    home = tmp_path / "home"
    home.mkdir()
    (home / "x").touch()
    monkeypatch.setenv("HOME", str(home))
    return Here(root, root / "sub", lambda: ("tracked.csv", "sub/near.csv"), local=True)


@pytest.mark.parametrize(
    ("path", "reason", "remedy"),
    [
        ("gen.csv", "as git or .argojobsignore ignores it", "!gen.csv to .argojobsignore"),
        ("./gen.csv", "as git or .argojobsignore ignores it", "!gen.csv"),
        ("/argojobs/code/gen.csv", "as git or .argojobsignore ignores it", "!gen.csv"),
        ("near.csv", "begins in the project", "write sub/near.csv"),
        ("../../out.csv", "begins in the project", "pass it as an artifact"),
        ("~/x", "nobody expands ~", "expanduser()"),
    ],
)
def test_the_reason_and_the_remedy_are_named(
    here: Here, path: str, reason: str, remedy: str
) -> None:
    absent = here.absent(path)
    assert absent is not None
    assert absent.what.startswith(f"{path} is on this machine (/")
    assert reason in absent.what
    assert remedy in absent.remedy


@pytest.mark.parametrize(
    "path",
    [
        *(
            "tracked.csv",
            "sub",
            "sub/near.csv",
            ".",
            "no.csv",
            "~/no",
            "~nobody/x",
            "",
            "/etc/passwd",
        ),
        # No paths at all.
        *("a\0b", "x" * 5000, "/tmp/" + "y" * 5000, "\udcff"),
    ],
)
def test_of_others_nothing_is_said(here: Here, path: str) -> None:
    assert here.absent(path) is None


def test_a_step_has_a_tmp_of_its_own(here: Here) -> None:
    with_tmp = Here(Path("/project"), Path("/project"), tuple, local=True)
    absent = with_tmp.absent(str(here.root / "gen.csv"))  # below /tmp in this test
    assert absent is not None
    assert "each step has a /tmp of its own" in absent.what


def test_a_cluster_has_nothing_of_this_machine(here: Here) -> None:
    elsewhere = Here(here.root, here.stood, here.files, local=False)
    absent = elsewhere.absent(str(here.root / "tracked.csv"))
    assert absent is not None
    assert "the step runs elsewhere" in absent.what
    assert elsewhere.absent("/etc/passwd") is None, "an image has one too"


@pytest.mark.parametrize(
    "line",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: 'gen.csv'",
        "OSError: [Errno 2] No such file or directory: PosixPath('gen.csv')",
        "python3: can't open file 'gen.csv': [Errno 2] No such file or directory",
        "cat: gen.csv: No such file or directory",
    ],
)
def test_what_programs_say_of_a_missing_file_is_understood(
    here: Here, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    (here.root / "pyproject.toml").touch()
    (here.root / ".argojobsignore").write_text("gen.csv\n")
    monkeypatch.chdir(here.root)
    absent = absent_in(["before", line, "after"], OURS, local=True)
    assert absent is not None
    assert "ignores it" in absent.what
    absent = absent_in([line], THEIRS, local=True)
    assert absent is not None
    assert "a container sees nothing of a project" in absent.what
    assert '[local.images."i"] workdir = "."' in absent.remedy
    assert absent_in([line], THEIRS, local=False) is None


def test_a_log_that_misses_nothing_says_nothing() -> None:
    assert absent_in([], OURS, local=True) is None
    assert absent_in(["ValueError: x", "No such file or directory"], OURS, local=True) is None
