"""Processes that a step starts in a pod: by each start method, in trees, with the code stored and inline."""

from __future__ import annotations

import pytest
from as_user import User, messages, phase, step
from support.step_processes import ALONE, FLOW, METHODS


@pytest.fixture
def project_user(user: User) -> User:
    (user.project / "argojobs.toml").touch()
    (user.project / "many.py").write_text(FLOW)
    (user.project / "alone.py").write_text(ALONE)
    return user


def test_children_of_steps_and_of_their_programs_run_what_they_are_told(project_user: User) -> None:
    user = project_user
    done = user.finished("many.py", "--pipeline", "main", cwd=user.project)
    assert phase(done) == "Succeeded", messages(done)
    told = {name: step(done, name)["outputs"]["parameters"][0]["value"] for name in (
        "grows-a-tree", "shows-progress", *(f"loads-{method}" for method in METHODS),
    )}  # fmt: skip
    assert told == {
        "grows-a-tree": "7",
        "shows-progress": "2",
        **{f"loads-{method}": "140" for method in METHODS},
    }
    logs = user.there("logs", done["metadata"]["name"]).stdout
    assert logs.count("alone [0, 1, 4, 9]") == len(METHODS)


def test_so_do_those_of_code_in_the_manifest(project_user: User) -> None:
    user = project_user
    manifest = user.argojobs("compile", "many.py", "--pipeline", "few", cwd=user.project).stdout
    (user.project / "few.yaml").write_text(manifest)
    done = user.finished("few.yaml", cwd=user.project)
    assert phase(done) == "Succeeded", messages(done)
