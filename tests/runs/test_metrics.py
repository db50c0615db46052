"""What the steps of a run reported, where the run is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.attempts import START, epoch, head, rows, write
from support.fake_service import FakeService, node, workflow

from argojobs.config.contexts import LOCAL, Context
from argojobs.errors import NotFoundError, UsageError
from argojobs.runs.metrics import Reported, check_names, chosen, metrics_of, names_of, paces
from argojobs.runs.target import Target

RUN = workflow(
    "r",
    "Running",
    tasks=("prepare", "train", "test"),
    nodes=(
        node("r", "", "Running"),
        node("r", "prepare"),
        node("r", "train", "Running", type="Retry", children=["r-train-0", "r-train-1"]),
        node("r", "train(0)", "Failed", id="r-train-0"),
        node("r", "train(1)", "Running", id="r-train-1"),
    ),
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def place(results: Path) -> Target:
    fake = FakeService(RUN)
    return Target(
        LOCAL,
        lambda: fake,
        pytest.fail,
        lambda: fake,
        results=lambda _: results,
        artifacts_here=True,
    )


def read(place: Target, run: Any = RUN, step: str = "") -> list[Reported]:
    return metrics_of(place, step).read(run)


def test_a_run_may_have_none(place: Target, results: Path) -> None:
    assert read(place) == []
    (results / "r" / "r-train").mkdir(parents=True)
    assert read(place) == []


def test_a_step_with_retries_has_what_its_retry_node_is_called_after(
    place: Target, results: Path
) -> None:
    write(results / "r" / "r-train", "0-1", rows([1], loss=1))
    (one,) = read(place)
    assert (one.step, one.node_id, one.has_ended) == ("train", "r-train", False)


def test_steps_stand_in_the_order_of_the_run_and_what_it_no_longer_has_last(
    place: Target, results: Path
) -> None:
    for name in ("r-train", "a-lost-node", "r-prepare"):
        write(results / "r" / name, "0-1", rows([1], loss=1))
    assert [one.step for one in read(place)] == ["prepare", "train", "a-lost-node"]
    assert [one.has_ended for one in read(place)] == [True, False, True]


def test_one_step_is_asked_for_by_its_name(place: Target, results: Path) -> None:
    for name in ("r-train", "r-prepare"):
        write(results / "r" / name, "0-1", rows([1], loss=1))
    assert [one.step for one in read(place, step="train")] == ["train"]
    with pytest.raises(NotFoundError) as wrong:
        read(place, step="trian")
    assert "did you mean 'train'?" in wrong.value.hint


def test_the_steps_within_one_are_meant_with_it(place: Target, results: Path) -> None:
    item = node("r", "each(0:a)", boundaryID="r")
    group = node("r", "each", type="TaskGroup", children=[item["id"]])
    run = workflow("r", tasks=("each",), nodes=(node("r", ""), group, item))
    run["spec"]["templates"][0]["dag"]["tasks"][0]["withItems"] = ["a"]
    write(results / "r" / item["id"], "0-1", rows([1], loss=1))
    assert [one.step for one in read(place, run, "each")] == ["each(0:a)"]


def test_links_among_the_folders_are_not_followed(place: Target, results: Path) -> None:
    write(results.parent / "elsewhere", "0-1", rows([1], secret=1))
    (results / "r").mkdir(parents=True)
    (results / "r" / "r-train").symlink_to(results.parent / "elsewhere")
    assert read(place) == []


def test_of_a_claim_it_is_said_that_it_cannot_be_read(place: Target) -> None:
    server = replace(place, results=None, context=Context("lab", storage="/storage"))
    with pytest.raises(UsageError, match="what steps of lab log is on its claim"):
        metrics_of(server)


def test_a_place_that_cannot_says_so(place: Target) -> None:
    server = replace(place, results=None)
    with pytest.raises(UsageError, match="is not stored where it can be read"):
        metrics_of(server)
    assert paces(server, RUN, START) == {}


class TestNames:
    @pytest.fixture
    def reported(self, place: Target, results: Path) -> list[Reported]:
        write(
            results / "r" / "r-train", "0-1", rows([1], **{"loss": 1, "val/loss": 2, "val/acc": 3})
        )
        write(results / "r" / "r-train", "1-1", rows([1], loss=10, memory=5))
        write(results / "r" / "r-prepare", "0-1", rows([1], images=7))
        return read(place)

    def shown(self, reported: list[Reported], *names: str, rank: int | None = None) -> list[str]:
        return [
            f"{one.step} {series.name} {series.rank}"
            for one in chosen(reported, names, rank)
            for series in one.job.series
        ]

    def test_without_any_all_are_shown_each_of_the_first_rank_that_has_it(self, reported) -> None:
        assert self.shown(reported) == [
            "prepare images 0", "train loss 0", "train val/loss 0", "train val/acc 0",
            "train memory 1",
        ]  # fmt: skip

    def test_for_programs_each_has_all_its_processes(self, reported, results, place) -> None:
        write(results / "r" / "r-train", "0-1.1", rows([1], loss=1))
        found = chosen(read(place), ["loss"], every=True)
        assert [(s.rank, s.child) for one in found for s in one.job.series] == [
            (0, 0),
            (0, 1),
            (1, 0),
        ]

    def test_a_rank_is_asked_for(self, reported) -> None:
        assert self.shown(reported, rank=1) == ["train loss 1", "train memory 1"]

    def test_some_are_chosen_by_name_or_pattern(self, reported) -> None:
        assert self.shown(reported, "loss") == ["train loss 0"]
        assert self.shown(reported, "val/*", "images") == [
            "prepare images 0", "train val/loss 0", "train val/acc 0",
        ]  # fmt: skip

    def test_a_wrong_one_is_answered_with_the_nearest(self, reported) -> None:
        check_names(reported, ["loss", "val/*"])
        for wrong in ("los", "test/*"):
            with pytest.raises(NotFoundError, match="no metric"):
                check_names(reported, [wrong])
        with pytest.raises(NotFoundError) as error:
            check_names(reported, ["los"])
        assert "did you mean 'loss'?" in error.value.hint

    def test_a_name_of_a_hundred_thousand_is_found_and_a_wrong_one_answered(
        self, place: Target, results: Path
    ) -> None:
        names = {f"layer.{number}": 1.0 for number in range(100_000)}
        write(results / "r" / "r-train", "0-1", rows([1], **names))
        reported = read(place)
        assert len(names_of(reported)) == 100_000
        assert self.shown(reported, "layer.99999") == ["train layer.99999 0"]
        with pytest.raises(NotFoundError) as error:
            check_names(reported, ["layr.12"])
        assert len(error.value.hint) < 2_000

    def test_where_there_are_none_it_is_said_how_to_log_some(self) -> None:
        with pytest.raises(NotFoundError) as error:
            check_names([], ["loss"])
        assert "job.log(" in error.value.hint


class TestPaces:
    def test_steps_say_how_far_they_are(self, place: Target, results: Path) -> None:
        write(results / "r" / "r-prepare", "0-1", {"progress": [5, 5], "time": START})
        write(results / "r" / "r-train", "0-1", head(), epoch(0, of=10), epoch(1, of=10))
        found = paces(place, RUN, START + 4)
        assert set(found) == {"r-prepare", "r-train"}
        assert (found["r-train"].done, found["r-train"].of, found["r-train"].left) == (2, 10, 16.0)
        assert found["r-prepare"].left is None

    def test_a_restarted_one_that_has_not_ended_an_epoch_is_where_the_last_one_was(
        self, place: Target, results: Path
    ) -> None:
        write(results / "r" / "r-train", "0-1", epoch(0, of=10), epoch(1, of=10))
        write(results / "r" / "r-train", "0-2", head(0, 2))
        assert paces(place, RUN, START)["r-train"].done == 2

    def test_only_some_steps_are_looked_at_those_that_run_first(
        self, place: Target, results: Path, monkeypatch
    ) -> None:
        monkeypatch.setattr("argojobs.runs.metrics._MOST_PACES", 1)
        for name in ("r-prepare", "r-train"):
            write(results / "r" / name, "0-1", epoch(0, of=10))
        assert list(paces(place, RUN, START)) == ["r-train"]
