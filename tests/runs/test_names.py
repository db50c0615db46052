"""Which run or step a short name means."""

from __future__ import annotations

import json

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.dsl.names import label
from argojobs.errors import NotFoundError
from argojobs.manifest.names import FULL_NAMES, name_start, object_name
from argojobs.runs.names import find_run, find_runs, run_name, step_named

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


@pytest.fixture
def runs() -> FakeService:
    return FakeService(
        workflow("demo-x7k2p", created=NEW),
        workflow("demo-abc2p", created=OLD),
        workflow("other", created=OLD),
    )


@pytest.mark.parametrize("given", ["demo-x7k2p", "x7k2p", "7k2p", "@latest"])
def test_a_run_is_named_by_any_unique_ending_or_as_the_latest(
    runs: FakeService, given: str
) -> None:
    assert run_name(runs, given) == "demo-x7k2p"


def test_several_matches_are_listed(runs: FakeService) -> None:
    runs.runs["demo-ab7k2p"] = workflow("demo-ab7k2p", created=OLD)
    with pytest.raises(NotFoundError, match="2 runs end in '7k2p'") as caught:
        run_name(runs, "7k2p")
    assert "demo-x7k2p" in caught.value.what
    assert "demo-ab7k2p" in caught.value.what


@pytest.mark.parametrize("given", ["p", "2p"])
def test_one_or_two_letters_are_no_name(runs: FakeService, given: str) -> None:
    with pytest.raises(NotFoundError, match="there is no run"):
        run_name(runs, given)


@pytest.mark.parametrize("given", ["@last", "@newest", "@"])
def test_what_begins_like_the_latest_means_it(runs: FakeService, given: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        run_name(runs, given)
    assert caught.value.hint == "did you mean @latest? argojobs list shows all runs"


def test_to_change_a_run_the_whole_suffix_is_wanted(runs: FakeService) -> None:
    with pytest.raises(NotFoundError):
        run_name(runs, "7k2p", changes=True)
    assert run_name(runs, "x7k2p", changes=True) == "demo-x7k2p"
    assert run_name(runs, "mo-x7k2p", changes=True) == "demo-x7k2p"


def test_a_name_without_its_suffix_is_enough_to_read_about_the_only_such_run() -> None:
    one = FakeService(workflow("hang-x7k2p"), workflow("other-abcde"))
    assert run_name(one, "hang") == "hang-x7k2p"
    with pytest.raises(NotFoundError) as caught:
        run_name(one, "hang", changes=True)
    assert "did you mean hang-x7k2p?" in caught.value.hint


def test_several_runs_of_a_name_are_listed(runs: FakeService) -> None:
    with pytest.raises(NotFoundError, match="2 runs are called 'demo'"):
        run_name(runs, "demo")


def test_an_item_is_named_by_its_place() -> None:
    item = {"boundaryID": "r", "type": "Pod", "phase": "Failed", "templateName": "boom"}
    nodes = tuple(
        {
            **item,
            "id": f"r-{i}",
            "name": f"r.boom({i}:{i + 1})",
            "displayName": f"boom({i}:{i + 1})",
        }
        for i in range(2)
    )
    run = workflow("r", tasks=(), nodes=(node("r", ""), *nodes))
    assert step_named(run, "boom(1)").node_id == "r-1"
    assert step_named(run, "boom(1:2)").node_id == "r-1"


def test_a_whole_name_wins_over_a_longer_one_that_ends_so() -> None:
    assert run_name(FakeService(workflow("demo"), workflow("my-demo")), "demo") == "demo"


def test_the_nearest_run_is_named(runs: FakeService) -> None:
    with pytest.raises(NotFoundError, match="there is no run") as caught:
        run_name(runs, "demo-x7k2q")
    assert "did you mean demo-x7k2p?" in caught.value.hint


def test_without_any_run_the_hint_is_how_to_start_one() -> None:
    with pytest.raises(NotFoundError) as caught:
        run_name(FakeService(), "@latest")
    assert "argojobs run FILE" in caught.value.hint


def test_several_names_are_each_resolved_once(runs: FakeService) -> None:
    found = find_runs(runs, ["x7k2p", "other", "@latest"])
    assert [run["metadata"]["name"] for run in found] == ["demo-x7k2p", "other"]


def test_a_whole_name_is_asked_for_and_no_list_of_names(
    runs: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "names", pytest.fail)
    assert find_run(runs, "demo-x7k2p", changes=True) == runs.runs["demo-x7k2p"]


@pytest.mark.parametrize("given", ["7k2p", "@latest"])
def test_what_is_no_whole_name_is_looked_up(runs: FakeService, given: str) -> None:
    assert find_run(runs, given) == runs.runs["demo-x7k2p"]


@pytest.mark.parametrize("given", ["", "a/b", "Demo", "demo-", "x" * 70])
def test_what_can_be_no_name_is_never_asked_for(
    runs: FakeService, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setattr(runs, "get", pytest.fail)
    with pytest.raises(NotFoundError):
        find_run(runs, given)


def test_no_name_at_all_is_no_name(runs: FakeService) -> None:
    with pytest.raises(NotFoundError, match="there is no run ''"):
        run_name(runs, "")


def test_a_step_is_named_by_its_name_and_the_nearest_is_told() -> None:
    run = workflow("r", tasks=("train",), nodes=(node("r", ""), node("r", "train")))
    assert step_named(run, "train").pods == ("r-train",)
    with pytest.raises(NotFoundError) as caught:
        step_named(run, "trian")
    assert "did you mean 'train'?" in caught.value.hint


LONG = "the evaluation of all models that were trained last night on the digits"


def test_a_run_is_found_by_the_full_name_that_its_own_was_cut_from() -> None:
    named = FakeService(workflow(object_name(LONG)), workflow("other-abcde"))
    assert run_name(named, LONG) == object_name(LONG)
    assert run_name(named, LONG, changes=True) == object_name(LONG)


def test_a_run_is_found_by_the_full_name_that_its_own_begins_with() -> None:
    begun = FakeService(workflow(name_start(f"{LONG}-") + "x7k2p"), workflow("my-file-abcde"))
    assert run_name(begun, LONG) == name_start(f"{LONG}-") + "x7k2p"
    assert run_name(begun, "My_File") == "my-file-abcde"
    with pytest.raises(NotFoundError):
        run_name(begun, "My_File", changes=True)


def _cut_run() -> dict[str, object]:
    short, other = label("Train all"), label("Train")
    nodes = (node("r", ""), node("r", short), node("r", f"{short}-2"), node("r", other))
    run = workflow("r", tasks=(short, f"{short}-2", other), nodes=nodes)
    full = {short: "Train all", f"{short}-2": "Train all-2", other: "Train"}
    run["metadata"]["annotations"] = {FULL_NAMES: json.dumps(full)}
    return run


@pytest.mark.parametrize("given", ["Train all", "Train all-2", "Train"])
def test_a_step_is_found_by_its_full_name(given: str) -> None:
    run = _cut_run()
    number = "-2" if given.endswith("-2") else ""
    assert step_named(run, given).name == label(given.removesuffix(number)) + number


def test_a_step_is_found_by_the_name_of_its_function() -> None:
    run = workflow("r", tasks=("fine-tune",), nodes=(node("r", ""), node("r", "fine-tune")))
    assert step_named(run, "fine_tune").name == "fine-tune"
    unknown = label("trainAll")
    run = workflow("r", tasks=(unknown,), nodes=(node("r", ""), node("r", unknown)))
    assert step_named(run, "trainAll").name == unknown
