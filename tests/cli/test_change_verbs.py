"""stop, delete, new: they do what they say, and with --dry-run only say it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fake_service import FakeService, workflow


@pytest.fixture(autouse=True)
def runs(service: FakeService) -> FakeService:
    service.runs = {"going": workflow("going", "Running"), "ended": workflow("ended")}
    return service


def test_stop_stops(argojobs, service: FakeService) -> None:
    answer = argojobs("stop", "going", "--message", "enough")
    assert (answer.code, answer.out) == (0, "stopping going\n")
    assert service.calls == [("stop", "going", "enough")]


def test_stop_now_terminates(argojobs, service: FakeService) -> None:
    argojobs("stop", "--now", "going")
    assert service.calls == [("terminate", "going")]


def test_stop_of_an_ended_run_is_refused(argojobs, service: FakeService) -> None:
    answer = argojobs("stop", "ended")
    assert answer.code == 2
    assert "already ended: Succeeded" in answer.err
    assert service.calls == []


def test_delete_deletes_each(argojobs, service: FakeService) -> None:
    answer = argojobs("delete", "ended", "going")
    assert answer.out == "deleted ended\ndeleted going\n"
    assert service.runs == {}


def test_delete_looks_all_names_up_before_it_deletes_one(argojobs, service: FakeService) -> None:
    assert argojobs("delete", "ended", "nope").code == 2
    assert set(service.runs) == {"going", "ended"}


@pytest.mark.parametrize("arguments", [("stop", "going"), ("delete", "going", "ended")])
def test_dry_run_changes_nothing(
    argojobs, service: FakeService, arguments: tuple[str, ...]
) -> None:
    answer = argojobs(*arguments, "--dry-run")
    assert answer.code == 0
    assert answer.out.startswith("would ")
    assert service.calls == []


class TestNew:
    def test_writes_a_pipeline_and_what_to_do_next(self, argojobs, tmp_path: Path) -> None:
        answer = argojobs("new", "hello", str(tmp_path / "fresh"))
        written = tmp_path / "fresh" / "hello.py"
        assert answer.code == 0
        assert "@pipeline" in written.read_text()
        assert f"argojobs run {written}" in answer.out

    def test_never_overwrites(self, argojobs, tmp_path: Path) -> None:
        mine = tmp_path / "hello.py"
        mine.write_text("mine")
        answer = argojobs("new", "hello", str(tmp_path))
        assert answer.code == 2
        assert "is there already" in answer.err
        assert mine.read_text() == "mine"

    def test_dry_run_writes_nothing(self, argojobs, tmp_path: Path) -> None:
        assert argojobs("new", "demo", str(tmp_path), "--dry-run").code == 0
        assert list(tmp_path.iterdir()) == []

    def test_an_unknown_sample_lists_the_known_ones(self, argojobs) -> None:
        answer = argojobs("new", "helo")
        assert answer.code == 2
        assert "hello" in answer.err


def test_version_names_what_a_report_needs(argojobs) -> None:
    assert argojobs("version").out.split()[::2][:2] == ["argojobs", "python"]
