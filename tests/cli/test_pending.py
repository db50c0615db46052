"""A run that waits is noticed while it is followed, and given up where the user wants that."""

from __future__ import annotations

import io

import pytest
from support.fake_service import FakeService, Shared, node, workflow

from argojobs.cli.follow import Follow, _notice, leave
from argojobs.cli.picture import Picture
from argojobs.errors import RunFailedError, UsageError
from argojobs.runs import pending as pending_module
from argojobs.runs.pending import Pending, is_waiting, seconds

FULL = "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."


def waiting(message: str = FULL, phase: str = "Pending"):
    nodes = (node("r", "", "Running"), node("r", "train", phase, message=message))
    return workflow("r", "Running", tasks=("train",), nodes=nodes)


def test_waiting_is_to_have_no_pod_that_runs() -> None:
    assert is_waiting(waiting())
    assert is_waiting(workflow("r", ""))
    assert not is_waiting(waiting(phase="Running"))
    assert not is_waiting(workflow("r", "Succeeded"))
    one_runs = waiting()
    one_runs["status"]["nodes"]["r-eval"] = node("r", "eval", "Running")
    assert not is_waiting(one_runs)
    held = waiting()
    held["spec"]["suspend"] = True
    assert not is_waiting(held), "somebody wants that"


def test_it_is_said_after_ten_seconds_in_plain_words() -> None:
    pending = Pending(options=" --context lab")
    assert pending.look(waiting(), 100.0) == ""
    assert pending.look(waiting(), 109.9) == ""
    said = pending.look(waiting(), 110.0)
    assert said.startswith("train is pending: no node has enough cpu free")
    assert said.endswith("; argojobs diagnose r --context lab says more")
    assert pending.look(waiting(phase="Running"), 111.0) == ""
    assert pending.look(waiting(), 112.0) == "", "it begins anew"


def test_without_a_reason_it_says_so() -> None:
    pending = Pending()
    pending.look(waiting(""), 0.0)
    assert "nothing says why yet" in pending.look(waiting(""), 20.0)


def test_it_is_given_up_after_the_users_time() -> None:
    pending = Pending(limit=30.0)
    pending.look(waiting(), 0.0)
    pending.look(waiting(), 29.0)
    assert not pending.gave_up
    pending.look(waiting(), 30.0)
    assert pending.gave_up
    error = pending.error("r")
    assert isinstance(error, RunFailedError)
    assert "still pending after 30s: train is pending: no node" in error.what
    assert error.hint == "argojobs diagnose r"


@pytest.mark.parametrize(("text", "time"), [("90s", 90.0), ("5m", 300.0), ("300", 300.0)])
def test_times_are_as_argo_writes_them(text: str, time: float) -> None:
    assert seconds(text) == time


@pytest.mark.parametrize("text", ["soon", "-5m", "0", "5 m"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        seconds(text)


def test_a_note_is_shown_once_and_taken_back(capsys) -> None:
    clock = iter((0.0, 20.0, 21.0, 22.0))
    pending = Pending()
    service = FakeService(waiting())
    how = Follow(
        service,
        lambda: service,
        io.StringIO(),
        "plain",
        leave,
        lambda: next(clock),
        pending=pending,
    )
    picture = Picture(waiting())
    for _ in range(3):
        _notice(how, picture, pending)
    assert picture.note.startswith("train is pending")
    assert capsys.readouterr().err.count("train is pending") == 1
    picture.update(waiting(phase="Running"))
    _notice(how, picture, pending)
    assert picture.note == ""


def test_watch_leaves_a_run_that_is_pending_for_too_long(
    argojobs, shared: Shared, monkeypatch
) -> None:
    """The watch is given up by the thread that looks; the run goes on."""
    monkeypatch.setattr(pending_module, "NOTICE", 0.0)
    run = waiting()
    run["metadata"]["labels"] = dict(shared.runs["demo-mine1"]["metadata"]["labels"])
    shared.runs["r"] = run
    shared.endless = True
    answer = argojobs("watch", "r", "--pending-timeout", "1s")
    assert answer.code == 1
    assert "r was still pending after 1s: train is pending: no node" in answer.err
    assert "argojobs diagnose r --context abacus" in answer.err
    assert not [call for call in shared.calls if call[0] in {"stop", "terminate"}]


def test_a_wrong_time_starts_nothing(argojobs, shared: Shared) -> None:
    answer = argojobs("watch", "mine1", "--pending-timeout", "soon")
    assert (answer.code, shared.calls) == (2, [])
    assert "'soon' is not a time" in answer.err
