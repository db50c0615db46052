"""A version is raised, committed and tagged once; whoever comes second is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from argojobs.errors import ConflictError, HostError, UsageError
from argojobs.images import version
from argojobs.images.version import carry_out_raise, newest, plan_raise, raised, standing

BUILD_FILE = "version: {major: 0, minor: 3, patch: 7}  # raised by deploy\ndockerbuild: []\n"


@pytest.fixture(autouse=True)
def a_user_of_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "tester@lab.example")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "build.yaml").write_text(BUILD_FILE)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    return root


@pytest.fixture
def remote(tmp_path: Path, project: Path) -> Path:
    """A repository that the project was cloned from."""
    folder = tmp_path / "remote.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(project), str(folder))
    git(project, "remote", "add", "origin", str(folder))
    return folder


@pytest.mark.parametrize(
    ("old", "part", "new"),
    [
        ("1.2.3", "patch", "1.2.4"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3", "major", "2.0.0"),
        ("v0.9.9", "patch", "0.9.10"),
        ("0.0.1-rc.1", "patch", "0.0.2-rc.1"),
    ],
)
def test_the_parts_below_the_raised_one_begin_again(old: str, part: str, new: str) -> None:
    assert raised(old, part) == new  # type: ignore[arg-type]


def test_a_version_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'1\.2' cannot be raised"):
        raised("1.2", "patch")


def test_the_newest_version_is_by_number_and_other_tags_are_none() -> None:
    assert newest(["v1.9.0", "v1.10.0", "release", "v1.2", "1.3.0"]) == "1.10.0"
    assert newest(["v2.0.0-rc1", "v1.2.0", "v1.1.9"]) == "1.2.0"
    assert newest(["v1.2.0-rc1", "v1.2.0-rc2"]) == "1.2.0-rc2"
    assert newest([]) == "0.0.0"


def test_the_build_file_gets_the_version_with_its_comments(project: Path) -> None:
    file = project / "build.yaml"

    plan = plan_raise(project, "0.3.7", file, "patch")
    carry_out_raise(project, plan)

    assert file.read_text() == BUILD_FILE.replace("patch: 7", "patch: 8")
    assert git(project, "log", "-1", "--format=%s") == "Version 0.3.8"
    assert git(project, "tag", "--points-at", "HEAD") == "v0.3.8"
    assert git(project, "status", "--porcelain") == ""
    assert standing(project).version == "0.3.8"


def test_without_a_build_file_the_last_tag_counts_and_nothing_is_committed(project: Path) -> None:
    git(project, "tag", "v1.4.9")
    before = git(project, "rev-parse", "HEAD")
    (project / "code.py").write_text("")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "second")
    after = git(project, "rev-parse", "HEAD")

    carry_out_raise(project, plan_raise(project, None, None, "minor"))

    assert git(project, "rev-list", "-1", "v1.5.0") == after != before
    assert git(project, "rev-parse", "HEAD") == after


def test_a_tree_with_changes_is_refused_by_their_names(project: Path) -> None:
    (project / "train.py").write_text("x")
    (project / "build.yaml").write_text("changed")

    with pytest.raises(ConflictError) as caught:
        plan_raise(project, "0.3.7", project / "build.yaml", "patch")

    assert "train.py" in str(caught.value)
    assert "build.yaml" in str(caught.value)
    assert git(project, "tag") == ""


def test_the_lock_file_that_a_deploy_wrote_is_no_change(project: Path) -> None:
    (project / "images.lock").write_text("x")

    assert version.changes(project) == ()
    assert plan_raise(project, "0.3.7", project / "build.yaml", "patch").new == "0.3.8"


def test_a_tag_that_is_here_already_is_a_lost_race(project: Path) -> None:
    git(project, "tag", "v0.3.8")

    with pytest.raises(ConflictError, match=r"somebody made v0\.3\.8 already, in this repository"):
        plan_raise(project, "0.3.7", project / "build.yaml", "patch")


def test_a_tag_that_only_the_remote_has_is_a_lost_race(project: Path, remote: Path) -> None:
    git(remote, "tag", "v0.3.8")

    with pytest.raises(ConflictError, match=r"somebody made v0\.3\.8 already, in origin") as caught:
        plan_raise(project, "0.3.7", project / "build.yaml", "patch")

    assert "git pull --tags" in caught.value.hint
    assert (project / "build.yaml").read_text() == BUILD_FILE


def test_a_remote_out_of_reach_is_said_before_anything_changes(project: Path) -> None:
    git(project, "remote", "add", "origin", str(project / "nowhere.git"))

    with pytest.raises(HostError, match="ls-remote"):
        plan_raise(project, "0.3.7", project / "build.yaml", "patch")

    assert git(project, "tag") == ""


def test_a_commit_that_a_hook_refuses_leaves_the_file_as_it_was(project: Path) -> None:
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no such commit here >&2\nexit 1\n")
    hook.chmod(0o755)
    plan = plan_raise(project, "0.3.7", project / "build.yaml", "patch")

    with pytest.raises(HostError, match="no such commit here"):
        carry_out_raise(project, plan)

    assert (project / "build.yaml").read_text() == BUILD_FILE
    assert git(project, "status", "--porcelain") == ""


def test_a_tag_made_meanwhile_takes_the_commit_back(project: Path) -> None:
    plan = plan_raise(project, "0.3.7", project / "build.yaml", "patch")
    before = git(project, "rev-parse", "HEAD")
    git(project, "tag", plan.tag)

    with pytest.raises(HostError, match="already exists"):
        carry_out_raise(project, plan)

    assert git(project, "rev-parse", "HEAD") == before
    assert (project / "build.yaml").read_text() == BUILD_FILE
    assert git(project, "status", "--porcelain") == ""


def test_outside_of_git_there_is_no_version(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a git repository"):
        plan_raise(tmp_path, None, None, "patch")


def test_a_commit_without_a_tag_or_with_changes_has_no_version(project: Path) -> None:
    assert standing(project).version == ""
    git(project, "tag", "v1.0.0")
    assert standing(project).version == "1.0.0"
    (project / "build.yaml").write_text("changed")
    assert standing(project).version == ""
