"""Changes of runs as values: what would be done is known before anything is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.fake_service import FakeService, Shared, node, of, workflow

from argojobs.config.contexts import Context
from argojobs.errors import ConflictError, UsageError
from argojobs.runs import changes
from argojobs.runs.owners import user_name
from argojobs.runs.target import Target

Plan = Callable[[Target], changes.Change]


@pytest.fixture
def service() -> FakeService:
    root = node("failed", "", "Failed", children=["failed-a", "failed-b"])
    failed = (root, node("failed", "a"), node("failed", "b", "Failed"))
    suspended = node("held", "approve", "Running", type="Suspend")
    return FakeService(
        workflow("going", "Running"),
        workflow("failed", "Failed", tasks=("a", "b"), nodes=failed),
        workflow("held", "Running", tasks=("approve",), nodes=(suspended,)),
    )


@pytest.fixture
def place(service: FakeService) -> Target:
    lab = Context("lab", server="https://lab")
    return Target(lab, lambda: service, pytest.fail, pytest.fail, " --context lab")


@pytest.mark.parametrize(
    ("plan", "call"),
    [
        (lambda place: changes.ending(place, "going", message="why"), ("stop", "going", "why")),
        (lambda place: changes.ending(place, "going", now=True), ("terminate", "going")),
        (lambda place: changes.suspending(place, "going"), ("suspend", "going")),
        (lambda place: changes.resuming(place, "held"), ("resume", "held", "")),
        (lambda place: changes.retrying(place, "failed"), ("retry", "failed", "")),
        (lambda place: changes.deleting(place, ["failed"])[0], ("delete", "failed")),
    ],
    ids=["stop", "abort", "suspend", "resume", "retry", "delete"],
)
def test_nothing_is_changed_until_a_change_is_made(
    service: FakeService, place: Target, plan: Plan, call: tuple[str, ...]
) -> None:
    change = plan(place)
    assert service.calls == []
    assert change.make()["metadata"]["name"] == change.name
    assert service.calls == [call]


def test_a_retry_says_what_runs_again_and_what_stays(place: Target) -> None:
    change = changes.retrying(place, "failed")
    assert list(change.again) == ["b"]
    assert (change.stay, change.steps) == (1, 2)
    assert "failed-a" in change.kept


def test_a_resume_says_what_goes_on(place: Target) -> None:
    assert changes.resuming(place, "held").waiting == ["approve"]
    with pytest.raises(ConflictError, match="nothing in going waits"):
        changes.resuming(place, "going")


def test_a_resubmission_is_a_new_run_of_mine(service: FakeService, place: Target) -> None:
    change = changes.resubmitting(place, "failed", command_line="argojobs resubmit failed")
    assert change.new != "failed"
    assert service.calls == []
    assert change.make()["metadata"]["name"] == change.new
    labels = service.runs[change.new]["metadata"]["labels"]
    assert labels["argojobs.dev/user"] == user_name()


def test_what_has_ended_is_not_ended_again(place: Target) -> None:
    with pytest.raises(ConflictError, match="failed has already ended: Failed") as caught:
        changes.ending(place, "failed")
    assert caught.value.hint == "argojobs get failed --context lab"


def test_of_several_runs_none_is_deleted_where_one_is_another_s(place: Target) -> None:
    shared = Shared(of(user_name(), workflow("mine")), of("alex", workflow("theirs")))
    lab = Target(place.context, lambda: shared, pytest.fail, pytest.fail)
    with pytest.raises(UsageError, match="a run of alex"):
        changes.deleting(lab, ["mine", "theirs"])
    found = changes.deleting(lab, ["mine", "theirs"], force=True)
    assert [change.whose for change in found] == ["", " of alex"]
