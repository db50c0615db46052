"""The memory of a pod: measured when it has ended, limited where control groups allow it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.executor_contract import python, run, start, wait

from argojobs.engine.executors.process import memory

NOTE = "argojobs: a process of this step took "
TAKE = "x = b'x' * (200 << 20)"
IN_A_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {TAKE!r}])"
IN_AN_ORPHAN = (
    "import os, time\nr, w = os.pipe()\nif os.fork() == 0:\n    if os.fork() == 0:\n"
    f"        {TAKE}; os.write(w, b'x'); time.sleep(600)\n    os._exit(0)\nos.wait(); os.read(r, 1)"
)
LIMITS = pytest.mark.skipif(not memory.may_limit(), reason="this user may make no control groups")


def limited(code: str, limit: str) -> dict:
    return python(code, resources={"limits": {"memory": limit}})


@pytest.mark.parametrize("code", [TAKE, IN_A_CHILD, IN_AN_ORPHAN, f"{TAKE}; raise SystemExit(3)"])
@pytest.mark.parametrize("limit", ["64Mi", "6.4e7", "150M"])
def test_a_step_that_takes_more_than_its_limit_is_told_so(executor, context, code, limit):
    pod = start(executor, context, limited(f"print('end', end='', flush=True)\n{code}", limit))
    wait(executor, pod)
    begin, note, rest = context.log(pod).decode().partition(NOTE)
    assert (begin, bool(note)) == ("end\n", True)
    assert rest.endswith("a cluster ends a step that takes more (OOMKilled)\n")


@pytest.mark.parametrize(
    ("code", "resources"),
    [
        (TAKE, {}),
        (TAKE, {"limits": {"memory": "2Gi"}}),
        (TAKE, {"requests": {"memory": "64Mi"}}),  # a request is not a limit
        ("pass", {"limits": {"memory": "1Mi"}}),  # less than any program has at its start
        (TAKE, {"limits": {"memory": "odd"}}),
        (TAKE, {"limits": {"memory": 0}}),
    ],
)
def test_others_are_told_nothing(executor, context, code, resources):
    pod = start(executor, context, python(code, resources=resources))
    assert wait(executor, pod).phase == "Succeeded"
    assert context.log(pod).decode() == ""


@LIMITS
@pytest.mark.parametrize("code", [TAKE, f"{IN_A_CHILD[:-1]}, check=True)"])
def test_a_strict_limit_is_kept_by_the_kernel(executor, context, code):
    result = run(executor, replace(context, strict_resources=True), limited(code, "64Mi"))
    assert result.phase == "Failed"
    assert result.message.startswith("main: OOMKilled (exit code ")


@LIMITS
@pytest.mark.parametrize("limit", ["1", "1Gi"])
def test_a_strict_limit_that_is_kept_to_changes_nothing(executor, context, limit):
    template = {"container": {"command": ["true"], "resources": {"limits": {"memory": limit}}}}
    result = run(executor, replace(context, strict_resources=True), template)
    assert (result.phase, result.message) == ("Succeeded", "")
    for _, _, parent in memory._places(memory.GROUPS, memory.OWN):
        assert not [*Path(parent).glob(f"{memory.PREFIX}[0-9]*")]


def test_version_2_makes_a_group_beside_our_own(tmp_path):
    """The files as the kernel documents them (cgroup-v2): here they are plain ones."""
    own = tmp_path / "own"
    own.write_text("0::/app.slice/shell.scope\n")
    (tmp_path / "app.slice" / "shell.scope").mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n")
    # Left by a supervisor that is no more.
    (tmp_path / "app.slice" / "argojobs-4194999").mkdir()
    group = memory.limited(64 << 20, str(tmp_path), str(own))
    assert group is not None
    (made,) = (tmp_path / "app.slice").glob("argojobs-*")
    assert (made / "memory.max").read_text() == str(64 << 20)


def test_where_no_group_may_be_made_there_is_none(tmp_path):
    own = tmp_path / "own"
    own.write_text("4:memory:/not/there\n0::/nor/this\n")
    assert memory.limited(1, str(tmp_path), str(own)) is None
    assert memory.limited(1, str(tmp_path), str(tmp_path / "no-such-file")) is None
