"""The code bundle: unpacked once, seen by each pod as its own."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from support.executor_contract import python, run

from argojobs.engine.artifacts import save_tar
from argojobs.engine.executors.process.bundle import find_bundle
from argojobs.storage.bundle_digest import digest_of_folder

KEY = "code/0123456789abcdef.tgz"  # of no bundle that is there


@pytest.fixture
def bundle(home, tmp_path):
    """A stored bundle of one module and a program."""
    code = tmp_path / "code"
    (code / ".argojobs").mkdir(parents=True)
    (code / "module.py").write_text("VALUE = 7\n")
    (code / ".argojobs" / "__main__.py").write_text("import sys; print(sys.argv[1:])\n")
    key = f"code/{digest_of_folder(str(code))}.tgz"
    stored = Path(home, "artifacts", key)
    stored.parent.mkdir(parents=True)
    save_tar(str(code), str(stored), "code")
    return {"artifacts": [{"name": "code", "path": "/argojobs/code", "s3": {"key": key}}]}


def test_the_program_in_the_bundle_runs(executor, context, bundle):
    template = {
        "container": {
            "image": "x",
            "command": ["python3", "-u", "/argojobs/code/.argojobs", "a:b"],
            "workingDir": "/argojobs/code",
        },
        "inputs": bundle,
    }
    assert run(executor, context, template, capture_result=True).outputs["result"] == "['a:b']"


def test_it_is_compiled_already_and_each_pod_has_its_own(executor, context, bundle, home):
    cached = importlib.util.cache_from_source("module.py")
    code = (
        "import os, module;"
        f"print(module.VALUE, os.path.exists({cached!r}), os.path.exists('mine'));"
        "open('mine', 'w').close(); open('module.py', 'a').write('#')"
    )
    template = {**python(code, workingDir="/argojobs/code"), "inputs": bundle}
    for name in ("one", "two"):
        result = run(executor, context, template, name=name, capture_result=True)
        assert result.outputs["result"] == "7 True False"
    unpacked = [name for name in os.listdir(home / "cache") if not name.endswith(".lock")]
    assert len(unpacked) == 1
    assert (home / "cache" / unpacked[0] / "module.py").read_text() == "VALUE = 7\n"


def test_an_output_among_the_code_is_found(executor, context, bundle):
    template = {
        **python("open('made', 'w').write('x')", workingDir="/argojobs/code"),
        "inputs": bundle,
        "outputs": {"artifacts": [{"name": "m", "path": "/argojobs/code/made"}]},
    }
    result = run(executor, context, template)
    assert result.phase == "Succeeded", result.message


def test_a_missing_bundle_is_named(executor, context):
    inputs = {"artifacts": [{"name": "code", "path": "/argojobs/code", "s3": {"key": KEY}}]}
    result = run(executor, context, {**python("pass"), "inputs": inputs})
    assert result.phase == "Error"
    assert KEY in result.message


def test_only_content_addressed_code_at_its_place_is_a_bundle():
    assert find_bundle({"inputs": [{"name": "c", "path": "/argojobs/code", "key": KEY}]})
    assert not find_bundle({"inputs": [{"name": "c", "path": "/code", "key": KEY}]})
    assert not find_bundle(
        {"inputs": [{"name": "c", "path": "/argojobs/code", "key": "mine/c.tgz"}]}
    )
    assert not find_bundle({"inputs": [{"name": "c", "path": "/argojobs/code", "data": "x"}]})


def test_a_bundle_that_was_changed_is_not_run(executor, context, bundle, home, tmp_path):
    (tmp_path / "code" / "module.py").write_text("VALUE = 8\n")
    stored = Path(home, "artifacts", bundle["artifacts"][0]["s3"]["key"])
    save_tar(str(tmp_path / "code"), str(stored), "code")
    result = run(executor, context, {**python("pass"), "inputs": bundle})
    assert result.phase == "Error"
    assert "was changed" in result.message


def test_an_unpacked_bundle_has_the_hash_it_was_packed_with(tmp_path):
    from argojobs.compile.bundle import pack
    from argojobs.storage.loading import load

    project = tmp_path / "project"
    (project / "deep").mkdir(parents=True)
    (project / "deep" / "module.py").write_text("VALUE = 7\n")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("deep/module.py")
    packed = pack(project)
    (tmp_path / "p").write_bytes(packed.data)
    load(str(tmp_path / "p"), str(tmp_path / "code"), "tar")
    assert digest_of_folder(str(tmp_path / "code")) == packed.hash
