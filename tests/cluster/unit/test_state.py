"""The record of what was started survives, says what it can't read, and forgets what was replaced."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import state
from harness.errors import HarnessError
from harness.state import Process, State


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    record = State(
        folder=tmp_path,
        boot="this one",
        keep=True,
        processes=[Process("etcd", 12, 345)],
        bridges=["cni7"],
        addresses=["10.96.0.1"],
        absent=["/run/containerd"],
        settings={"net/ipv4/ip_forward": "0"},
    )
    record.save()
    assert state.load(tmp_path) == record


def test_no_record_is_none(tmp_path: Path) -> None:
    assert state.load(tmp_path) is None
    assert state.load(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"processes": [{"name": "x"}]}', '{"other": 1}'])
def test_a_record_of_another_kind_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / state.FILE).write_text(text)
    with pytest.raises(HarnessError, match=state.FILE):
        state.load(tmp_path)


def test_a_started_again_program_replaces_its_older_self_and_is_the_latest(tmp_path: Path) -> None:
    record = State(folder=tmp_path)
    for process in (Process("a", 1, 1), Process("b", 2, 2), Process("a", 3, 3)):
        record.add(process)
    assert record.processes == [Process("b", 2, 2), Process("a", 3, 3)]
    assert record.process("a") == Process("a", 3, 3)
    assert record.process("c") is None
    assert state.load(tmp_path) == record


def test_one_that_was_to_end_is_forgotten(tmp_path: Path) -> None:
    record = State(folder=tmp_path)
    for process in (Process("a", 1, 1), Process("b", 2, 2)):
        record.add(process)
    record.forget(Process("a", 1, 1))
    record.forget(Process("b", 9, 9))
    assert state.load(tmp_path) == record
    assert record.processes == [Process("b", 2, 2)]
