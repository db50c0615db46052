"""Sharing a server: mine are meant before others', and others' are not changed by accident."""

from __future__ import annotations

import pytest
from support.fake_service import FakeService, Shared, of, workflow

from argojobs.errors import NotFoundError
from argojobs.runs.names import run_name
from argojobs.runs.owners import user_name


class TestNames:
    @pytest.fixture(autouse=True, params=[True, False], ids=["finds parts", "finds whole names"])
    def server(self, request: pytest.FixtureRequest, shared: Shared) -> None:
        shared.finds_parts = request.param

    def test_a_name_without_its_suffix_is_the_only_such_run_of_mine(self, shared: Shared) -> None:
        assert run_name(shared, "demo") == "demo-mine1"
        with pytest.raises(NotFoundError) as caught:
            run_name(shared, "demo", changes=True)
        assert "did you mean demo-mine1?" in caught.value.hint

    def test_the_latest_is_mine(self, shared: Shared) -> None:
        assert run_name(shared, "@latest") == "demo-mine1"

    def test_without_one_of_mine_it_is_the_latest_of_all(self, shared: Shared) -> None:
        del shared.runs["demo-mine1"]
        assert run_name(shared, "@latest") == "demo-none1"

    def test_an_ending_of_mine_is_not_confused_with_others(self, shared: Shared) -> None:
        shared.runs["other-mine1"] = of("alex", workflow("other-mine1"))
        assert run_name(shared, "mine1") == "demo-mine1"
        assert run_name(shared, "other-mine1") == "other-mine1"

    def test_an_ending_that_only_others_have_is_theirs(self, shared: Shared) -> None:
        assert run_name(shared, "alex1") == "demo-alex1"

    def test_a_part_that_no_name_ends_in_is_no_name(self, shared: Shared) -> None:
        with pytest.raises(NotFoundError, match="there is no run 'mo-mine'"):
            run_name(shared, "mo-mine")

    def test_two_of_mine_are_listed(self, shared: Shared) -> None:
        shared.runs["last-mine1"] = of(user_name(), workflow("last-mine1"))
        with pytest.raises(NotFoundError, match="2 runs end in 'mine1'"):
            run_name(shared, "mine1")

    def test_a_hint_says_how_to_get_there(self, argojobs, shared: Shared) -> None:
        assert "argojobs list --context abacus shows all runs" in argojobs("get", "nope9").err


VERBS = ("stop", "abort", "suspend", "resume", "retry", "delete")
CHANGED = {"stop": "stop", "abort": "terminate", "suspend": "suspend", "delete": "delete"}


@pytest.mark.parametrize("verb", VERBS)
def test_anothers_run_is_left_alone_and_its_owner_named(argojobs, shared: Shared, verb) -> None:
    shared.runs["demo-alex1"]["status"]["phase"] = "Failed" if verb == "retry" else "Running"
    answer = argojobs(verb, "demo-alex1")
    assert answer.code == 2
    assert f"demo-alex1 is a run of alex, not of {user_name()}" in answer.err
    assert "add --force" in answer.err
    assert shared.calls == []


@pytest.mark.parametrize("verb", CHANGED)
def test_with_force_it_is_changed_and_its_owner_named(argojobs, shared: Shared, verb) -> None:
    shared.runs["demo-alex1"]["status"]["phase"] = "Running"
    answer = argojobs(verb, "demo-alex1", "--force")
    assert answer.code == 0
    assert "demo-alex1 of alex" in answer.out
    assert [call[:2] for call in shared.calls] == [(CHANGED[verb], "demo-alex1")]


def test_one_of_several_is_anothers_so_none_is_deleted(argojobs, shared: Shared) -> None:
    assert argojobs("delete", "demo-mine1", "demo-alex1").code == 2
    assert len(shared.runs) == 3


def test_a_run_of_nobody_may_be_changed(argojobs, shared: Shared) -> None:
    assert argojobs("delete", "demo-none1").code == 0


def test_on_this_machine_runs_are_whoevers_may_read_them(argojobs, service: FakeService) -> None:
    service.runs = {"demo-alex1": of("alex", workflow("demo-alex1"))}
    assert argojobs("delete", "demo-alex1").code == 0


def test_resubmitting_anothers_run_makes_one_of_mine(argojobs, shared: Shared) -> None:
    assert argojobs("resubmit", "demo-alex1", "--detach").code == 0
    (made,) = [name for kind, name, *_ in shared.calls if kind == "create"]
    assert shared.runs[made]["metadata"]["labels"]["argojobs.dev/user"] == user_name()
