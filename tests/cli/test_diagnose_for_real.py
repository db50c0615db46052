"""diagnose on the real engine of this machine: the same verb, with the causes of this machine."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from argojobs.engine.local import LocalService
from argojobs.engine.logs import LOG_NAME

MANIFEST = """
kind: Workflow
metadata: {{generateName: why-}}
spec:
  entrypoint: main
  templates:
  - name: main
    {more}
    container: {{image: python, command: {command}}}
"""


@pytest.fixture
def manifest(tmp_path: Path, home: Path):
    """Write the manifest with a command, as JSON."""

    def write(*command: str, more: str = "metadata: {}") -> str:
        path = tmp_path / "why.yaml"
        path.write_text(MANIFEST.format(command=json.dumps(command), more=more))
        return str(path)

    return write


@pytest.mark.parametrize(
    ("command", "more", "cause"),
    [
        (("sh", "-c", "none-such"), "metadata: {}", "program-missing"),
        (("python3", "-c", "import none_such"), "metadata: {}", "missing-module"),
        (("sleep", "60"), "activeDeadlineSeconds: 1", "deadline"),
        (("sh", "-c", "kill -9 $$"), "metadata: {}", "exit-code"),
        (
            ("true",),
            "outputs: {parameters: [{name: p, valueFrom: {path: /argojobs/none}}]}",
            "output-missing",
        ),
    ],
)
def test_a_failed_run_is_explained(argojobs, manifest, command, more, cause) -> None:
    argojobs("run", manifest(*command, more=more), "--wait")
    said = json.loads(argojobs("diagnose", "@latest", "-o", "json").out)
    assert [(one["cause"], one["step"]) for one in said["findings"]] == [(cause, "main")]
    assert said["not_looked_at"] == []
    assert "image" not in said["findings"][0]["what"]


def test_the_end_of_a_run_has_the_first_line(argojobs, manifest) -> None:
    answer = argojobs("run", manifest("python3", "-c", "import none_such"))
    assert "  why: Python finds no module none_such: this machine does not have it" in answer.out
    assert "argojobs diagnose why-" in answer.out


def test_raw_and_bundle_are_there_too(argojobs, manifest, tmp_path) -> None:
    argojobs("run", manifest("sh", "-c", "echo password=hush; exit 3"), "--wait")
    raw = argojobs("diagnose", "@latest", "--raw").out
    assert [line.split()[2] for line in raw.splitlines()] == ["Started", "Failed"]
    file = tmp_path / "why.tgz"
    argojobs("diagnose", "@latest", "--bundle", str(file))
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2]: name for name in archive.getnames()}
        log = archive.extractfile(names["logs/main.log"])
        assert log is not None
        assert log.read() == b"password=***\n"
        events = archive.extractfile(names["events.json"])
        assert events is not None
        assert [one["reason"] for one in json.load(events)] == ["Started", "Failed"]


def test_a_run_that_went_well_needs_no_words(argojobs, manifest) -> None:
    argojobs("run", manifest("true"), "--wait")
    out = argojobs("diagnose", "@latest").out
    assert out.rstrip().endswith("Succeeded: it succeeded")


def test_a_step_that_has_written_nothing_for_long_is_told_of(argojobs, manifest, home) -> None:
    argojobs("run", manifest("sh", "-c", "echo begun; sleep 600"), "--detach")
    name = argojobs("list", "-o", "name").out.strip()
    try:
        with LocalService(home) as service:
            next(iter(service.logs(name, follow=True)))
        assert json.loads(argojobs("diagnose", name, "-o", "json").out)["findings"] == []
        (log,) = home.glob(f"pods/*/*/{LOG_NAME}")
        then = log.stat().st_mtime - 1300
        os.utime(log, (then, then))
        (finding,) = json.loads(argojobs("diagnose", name, "-o", "json").out)["findings"]
        assert finding["cause"] == "no-progress"
        assert "for 21 minutes" in finding["what"]
        assert finding["command"] == f"argojobs logs {name} main --tail 20"
    finally:
        argojobs("abort", name)
