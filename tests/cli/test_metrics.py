"""`argojobs metrics`: what a reader and what a program see of what steps logged."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from pathlib import Path

import pytest
from support.attempts import START, epoch, head, mark, rows, write
from support.fake_service import FakeService, node, workflow

from argojobs.cli.completion import complete_metric
from argojobs.cli.main import main
from argojobs.cli.text import Screen
from argojobs.config.contexts import LOCAL
from argojobs.runs import target as connecting


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.fixture
def results(service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what the run `r` reports; its step `train` restarted once."""
    place = connecting.Target(
        LOCAL, lambda: service, pytest.fail, lambda: service, results=lambda _: tmp_path, artifacts_here=True,
        detaches_on_interrupt=False, has_owners=False,
    )  # fmt: skip
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    nodes = (node("r", ""), node("r", "train"), node("r", "test"))
    service.runs["r"] = workflow("r", tasks=("train", "test"), nodes=nodes)
    folder = tmp_path / "r"
    write(
        folder / "r-train", "0-1", head(), rows(range(4), loss=[4, 2, 3, 1], lr=0.1),
        epoch(0, of=2, measured={"forward": [4, 0.5, 0.1, 0.2]}), mark("0-1:1", 0), rows([4], loss=[9]),
    )  # fmt: skip
    write(
        folder / "r-train", "0-2", head(0, 2), {"after": "0-1:1"},
        rows([4, 5], loss=[0.5, "NaN"], lr=0.1), epoch(1, of=2), {"summary": {"accuracy": 0.91}},
        {"dropped": 3, "why": "the buffer was full"}, {"ended": START + 9},
    )  # fmt: skip
    write(folder / "r-test", "0-1", head(), rows([0], loss=[0.75]), {"note": "text is not logged"})
    return tmp_path


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


class TestTable:
    def test_each_step_has_its_series_with_extremes_and_their_steps(
        self, argojobs, results
    ) -> None:
        lines = words(argojobs("metrics", "r").out)
        assert lines[0] == ["train", "2", "attempts,", "1", "value", "superseded"]
        assert lines[1] == ["2", "of", "2", "epochs,", "2s", "each"]
        assert lines[2] == ["METRIC", "ROWS", "FIRST", "MIN", "AT", "MAX", "AT", "LAST", "AT"]
        assert lines[3] == ["loss", "6", "4", "0.5", "4", "4", "0", "nan", "5"]
        assert lines[4] == ["lr", "6", "0.1", "0.1", "0", "0.1", "0", "0.1", "5"]
        assert ["test"] in lines

    def test_so_have_what_was_measured_the_summary_and_notes(self, argojobs, results) -> None:
        out = argojobs("metrics", "r").out
        assert ["forward", "4", "500ms", "125ms", "100ms", "200ms"] in words(out)
        assert ["accuracy", "0.91"] in words(out)
        assert "note: 3 rows dropped by the step, which logged too fast\n" in out
        assert "note: the buffer was full\n" in out
        assert "note: text is not logged\n" in out

    def test_names_and_a_step_choose(self, argojobs, results) -> None:
        out = argojobs("metrics", "r", "lr", "--step", "train").out
        assert "lr" in out
        assert "loss" not in out
        assert "test" not in out

    def test_a_wrong_name_is_2_and_answered_with_the_nearest(self, argojobs, results) -> None:
        answer = argojobs("metrics", "r", "los")
        assert (answer.code, answer.out) == (2, "")
        assert "no metric 'los' was logged" in answer.err
        assert "did you mean 'loss'?" in answer.err

    def test_so_is_a_wrong_step(self, argojobs, results) -> None:
        answer = argojobs("metrics", "r", "--step", "tain")
        assert answer.code == 2
        assert "did you mean 'train'?" in answer.err

    def test_a_run_without_metrics_says_how_to_log_some(self, argojobs, results, service) -> None:
        service.runs["bare"] = workflow("bare")
        answer = argojobs("metrics", "bare")
        assert (answer.code, answer.out) == (0, "")
        assert "job.log(loss=0.5, step=1)" in answer.err
        assert json.loads(argojobs("metrics", "bare", "-o", "json").out) == {
            "run": "bare",
            "steps": [],
        }
        assert argojobs("metrics", "bare", "loss").code == 2

    def test_a_server_says_that_it_cannot_yet(self, argojobs, shared) -> None:
        answer = argojobs("metrics", "mine1")
        assert (answer.code, answer.out) == (2, "")
        assert (
            "what steps log is not stored where it can be read: abacus has no S3 with a Secret"
            in answer.err
        )

    def test_what_a_terminal_obeys_is_taken_out(self, argojobs, results) -> None:
        write(
            results / "r" / "r-test",
            "0-1",
            rows([0], **{"\x1b[2Jlo\x07ss\n": 1}),
            {"note": "\x1b[2Jx"},
        )
        out = argojobs("metrics", "r").out + argojobs("metrics", "r", "--plot").out
        assert "\x1b" not in out
        assert "\x07" not in out

    def test_of_very_many_names_some_are_shown(self, argojobs, results) -> None:
        names = {f"layer.{number}": 1.0 for number in range(1_000)}
        write(results / "r" / "r-test", "0-1", rows([1], **names))
        out = argojobs("metrics", "r", "--step", "test").out
        assert "... and 800 more: name those you want, or -o csv" in out
        assert len(out.splitlines()) < 220

    def test_a_name_of_several_ranks_is_the_first_ones_and_one_of_another_says_whose(
        self, argojobs, results
    ) -> None:
        for rank in (1, 2, 9):
            write(results / "r" / "r-test", f"{rank}-1", rows([0], loss=rank, memory=rank))
        found = words(argojobs("metrics", "r", "--step", "test").out)
        every = json.loads(argojobs("metrics", "r", "loss", "--step", "test", "-o", "json").out)
        assert [one["rank"] for one in every["steps"][0]["series"]] == [0, 1, 2, 9]
        assert found[0] == ["test", "ranks", "0", "and", "3", "more"]
        assert [line[0] for line in found[2:4]] == ["loss", "memory"]
        assert found[3][:3] == ["memory", "(rank", "1)"]
        assert words(argojobs("metrics", "r", "--step", "test", "--rank", "9").out)[2][2] == "9"
        (results / "r" / "r-test" / "attempts" / "9-1.jsonl").unlink()
        assert words(argojobs("metrics", "r", "--step", "test").out)[0][1:] == [
            "ranks",
            "0",
            "to",
            "2",
        ]

    def test_what_only_a_child_process_logged_says_so(self, argojobs, results) -> None:
        write(results / "r" / "r-test", "0-1.2", head(), rows([0], workers=1))
        found = words(argojobs("metrics", "r", "--step", "test").out)
        assert found[0] == ["test"]
        assert found[3][:3] == ["workers", "(child", "2)"]
        out = argojobs("metrics", "r", "workers", "-o", "csv").out
        assert out.splitlines()[1].endswith(",test,workers,1.0,1,0,2")

    def test_a_series_of_which_nothing_is_left_or_known_says_so(self, argojobs, results) -> None:
        write(results / "r" / "r-test", "0-1", rows([0], old=1, both=1))
        write(results / "r" / "r-test", "0-2", rows([3], both="NaN"))
        found = words(argojobs("metrics", "r", "--step", "test").out)
        assert ["old", "0", *"-------"] in found
        assert ["both", "1", "nan", "-", "-", "-", "-", "nan", "3"] in found

    def test_long_and_short_times_and_values_can_be_read(self, argojobs, results) -> None:
        measured = {"quick": [1, 1e-5, 1e-5, 1e-5], "slow": [1, 7_500.0, 7_500.0, 7_500.0]}
        summary = {"summary": {"text": "a\nb", "list": [1], "float": 0.123456789, "none": None}}
        write(results / "r" / "r-test", "0-1", epoch(0, measured=measured), summary)
        found = words(argojobs("metrics", "r", "--step", "test").out)
        assert found[1] == ["1", "epoch,", "2s", "each"]
        assert ["quick", "1", "10us", "10us", "10us", "10us"] in found
        assert ["slow", "1", *["2h", "05m"] * 4] in found
        for row in (["text", "a", "..."], ["list", "[1]"], ["float", "0.123457"], ["none", "null"]):
            assert row in found

    def test_of_very_many_notes_some_are_shown(self, argojobs, results) -> None:
        write(results / "r" / "r-test", "0-1", *({"note": f"n{n}"} for n in range(50)), epoch(0))
        out = argojobs("metrics", "r", "--step", "test").out
        assert out.count("note: ") == 9
        assert "note: ... and 42 more" in out


class TestJson:
    def test_has_everything_in_standard_json(self, argojobs, results) -> None:
        def refuse(text: str) -> None:
            raise AssertionError(text)

        found = json.loads(argojobs("metrics", "r", "-o", "json").out, parse_constant=refuse)
        assert found["run"] == "r"
        train, test = found["steps"]
        assert (train["step"], train["node"], test["step"]) == ("train", "r-train", "test")
        first, second = train["attempts"]
        assert (first["number"], first["after"], first["rows"], first["superseded"]) == (
            1,
            None,
            8,
            1,
        )
        assert (second["after"], second["ended"], second["dropped"]) == ("0-1:1", START + 9, 3)
        loss, _ = train["series"]
        assert loss["values"] == [4, 2, 3, 1, 0.5, "NaN"]
        assert loss["steps"] == [0, 1, 2, 3, 4, 5]
        assert loss["attempts"] == [1, 1, 1, 1, 2, 2]
        assert (loss["rows"], loss["superseded"], loss["rank"]) == (6, 1, 0)
        assert train["summary"] == {"accuracy": 0.91}
        assert train["pace"]["done"] == 2
        assert train["measured"]["forward"]["mean"] == 0.125
        assert test["attempts"][0]["notes"] == ["text is not logged"]

    def test_infinities_are_texts_too(self, argojobs, results) -> None:
        write(
            results / "r" / "r-test", "0-1", rows(range(3), loss=["Infinity", "-Infinity", 10**400]),
            b'{"summary": {"a": 1e999}}\n', epoch(0, 1e308, time=START, measured={"f": [2, 1e308, 1, 1e308]}),
            epoch(1, 1e308, time=START, measured={"f": [2, 1e308, 1, 1e308]}),
        )  # fmt: skip
        found = json.loads(argojobs("metrics", "r", "-o", "json").out)["steps"][1]
        assert found["series"][0]["values"] == ["Infinity", "-Infinity", "Infinity"]
        assert found["summary"] == {"a": "Infinity"}
        assert found["measured"]["f"]["total"] == "Infinity"


class TestCsv:
    def read(self, text: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(text)))

    def test_has_a_row_for_each_value_with_its_attempt(self, argojobs, results) -> None:
        out = argojobs("metrics", "r", "loss", "-o", "csv").out
        assert out.splitlines()[0] == "step,time,step_name,name,value,attempt,rank,child"
        found = self.read(out)
        assert [(row["step"], row["value"], row["attempt"]) for row in found[:6]] == [
            ("0", "4.0", "1"), ("1", "2.0", "1"), ("2", "3.0", "1"), ("3", "1.0", "1"),
            ("4", "0.5", "2"), ("5", "NaN", "2"),
        ]  # fmt: skip
        assert float(found[0]["time"]) == START
        assert found[6]["step_name"] == "test"

    def test_takes_names_of_any_characters(self, argojobs, results) -> None:
        name = 'a,"b"\nc'
        write(results / "r" / "r-test", "0-1", rows([0], **{name: 1}))
        assert (
            self.read(argojobs("metrics", "r", "--step", "test", "-o", "csv").out)[0]["name"]
            == name
        )

    def test_has_very_many_rows(self, argojobs, results) -> None:
        write(results / "r" / "r-test", "0-1", rows(range(25_000), loss=range(25_000)))
        found = self.read(argojobs("metrics", "r", "--step", "test", "-o", "csv").out)
        assert [row["step"] for row in found] == [str(step) for step in range(25_000)]

    def test_values_come_back_bit_for_bit(self, argojobs, results) -> None:
        values = [0.1, 1 / 3, 1e-310, 12345678.900000001]
        write(results / "r" / "r-test", "0-1", rows(range(4), loss=values))
        found = self.read(argojobs("metrics", "r", "--step", "test", "-o", "csv").out)
        assert [float(row["value"]) for row in found] == values


class TestPlot:
    def test_draws_a_chart_for_each_name_and_step(self, argojobs, results) -> None:
        lines = argojobs("metrics", "r", "--plot").out.splitlines()
        assert [line for line in lines if line.startswith(("loss", "lr"))] == [
            "loss  train", "lr  train", "loss  test",
        ]  # fmt: skip
        assert sum("┤" in line for line in lines) == 36

    def test_in_colours_the_steps_share_one(self, results, service) -> None:
        from argojobs.cli.metrics_plot import plot_lines
        from argojobs.runs.metrics import metrics_of

        run = service.get("r")
        reported = metrics_of(connecting.target()).read(run)
        lines = plot_lines(reported, Screen(colour=True, width=60))
        assert [line[0] for line in lines if line and line[0][1] == "bold"] == [
            ("loss", "bold"), ("lr", "bold"),
        ]  # fmt: skip

    def test_of_very_many_names_some_are_drawn(self, argojobs, results) -> None:
        names = {f"layer.{number}": 1.0 for number in range(50)}
        write(results / "r" / "r-test", "0-1", rows([1, 2], **names))
        out = argojobs("metrics", "r", "--step", "test", "--plot").out
        assert out.endswith("... and 26 more charts: name those you want\n")

    def test_draws_what_fits_a_height(self, results, service) -> None:
        from argojobs.cli.metrics_plot import plot_lines
        from argojobs.runs.metrics import metrics_of

        run = service.get("r")
        reported = metrics_of(connecting.target()).read(run)
        for height in (8, 14, 24, 60):
            lines = plot_lines(reported, Screen(width=60), height=height)
            assert len(lines) <= height

    def test_excludes_formats_for_programs(self, argojobs, results) -> None:
        assert argojobs("metrics", "r", "--plot", "-o", "csv").code == 2


class TestFollow:
    @pytest.fixture
    def growing(self, service, results, monkeypatch) -> FakeService:
        """The run `r` logs a row with each of its states, and then succeeds."""
        final = service.runs["r"]
        running = workflow("r", "Running", tasks=("train", "test"))
        running["status"]["nodes"] = {**final["status"]["nodes"]}
        service.runs["r"] = running
        path = write(results / "r" / "r-test", "0-1", head(), rows([0], loss=[0.75]))
        states = service.watch

        def watch(name: str):
            service.then["r"] = [running, running, final]
            for number, event in enumerate(states(name)):
                with path.open("a") as file:
                    file.write(json.dumps(rows([10 + number], loss=[number])) + "\n")
                yield event

        monkeypatch.setattr(service, "watch", watch)
        return service

    def test_writes_each_row_once_as_csv(self, argojobs, growing) -> None:
        out = argojobs("metrics", "r", "loss", "--step", "test", "-f", "-o", "csv").out
        found = list(csv.DictReader(io.StringIO(out)))
        assert [row["step"] for row in found] == ["0", "10", "11", "12", "13"]

    def test_and_as_json_one_a_line(self, argojobs, growing) -> None:
        out = argojobs("metrics", "r", "loss", "--step", "test", "-f", "-o", "json").out
        found = [json.loads(line) for line in out.splitlines()]
        assert [row["step"] for row in found] == [0, 10, 11, 12, 13]
        assert found[0]["name"] == "loss"

    def test_and_for_a_reader_with_the_table_at_its_end(self, argojobs, growing) -> None:
        lines = words(argojobs("metrics", "r", "loss", "--step", "test", "-f").out)
        assert [line[1:] for line in lines[:5]] == [
            ["test", str(step), "loss", value]
            for step, value in ((0, "0.75"), (10, "0"), (11, "1"), (12, "2"), (13, "3"))
        ]
        assert ["METRIC", "ROWS", "FIRST", "MIN", "AT", "MAX", "AT", "LAST", "AT"] in lines

    def test_draws_once_where_nothing_can_be_drawn_anew(self, argojobs, growing) -> None:
        lines = argojobs("metrics", "r", "loss", "--step", "test", "--plot", "-f").out.splitlines()
        assert lines[0] == "loss  test"
        assert len(lines) == 14

    @pytest.mark.parametrize("plot", [(), ("--plot",)])
    def test_a_terminal_is_drawn_anew_and_keeps_the_last_state(
        self, growing, monkeypatch, plot: tuple[str, ...]
    ) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert main(["metrics", "r", "loss", "--step", "test", "-f", *plot]) == 0
        text = terminal.getvalue()
        title = "\x1b[1mloss\x1b[0m"
        assert text.count(title) >= 3, "drawn at the start, at the end, and what stays"
        assert "\x1b[2K" in text, "a drawing takes the place of the one before"
        assert "\x1b[2K" not in text[text.rindex(title) :]
        assert "13" in text[text.rindex(title) :]

    def test_waits_for_a_name_that_is_not_logged_yet(self, argojobs, growing) -> None:
        assert argojobs("metrics", "r", "later", "-f", "-o", "csv").code == 0

    def test_leaves_a_run_that_goes_on_at_ctrl_c(self, argojobs, growing) -> None:
        growing.interrupts = 1
        answer = argojobs("metrics", "r", "-f")
        assert answer.code == 130
        assert "r goes on" in answer.err

    def test_of_a_run_that_has_ended_is_what_it_is_without(self, argojobs, results) -> None:
        assert argojobs("metrics", "r", "-f").out == argojobs("metrics", "r").out


def test_rows_that_a_lost_attempt_logged_in_vain_are_not_told_again(results, service) -> None:
    from argojobs.cli.metrics_follow import NewRows
    from argojobs.runs.metrics import metrics_of

    run, new = service.get("r"), NewRows()
    folder = results / "r" / "r-train"
    path = folder / "attempts" / "0-2.jsonl"
    second = path.read_bytes()
    path.unlink()
    metrics = metrics_of(connecting.target(), "train")
    assert [row.step for row in new.among(metrics.read(run)) if row.name == "loss"] == [
        0,
        1,
        2,
        3,
        4,
    ]
    path.write_bytes(second)
    told = [(row.step, row.attempt) for row in new.among(metrics.read(run)) if row.name == "loss"]
    assert told == [(4, 2), (5, 2)]
    assert new.among(metrics.read(run)) == []
    path.unlink()
    assert new.among(metrics.read(run)) == [], "what is whole again was told before"


def test_names_are_completed(results) -> None:
    class Before:
        params = {"run": "r"}  # noqa: RUF012

    assert complete_metric(Before(), "l") == ["loss", "lr"]  # type: ignore[arg-type]
    Before.params = {"run": "nosuch"}
    assert complete_metric(Before(), "") == []  # type: ignore[arg-type]


class TestGet:
    def test_shows_how_far_a_step_is(self, argojobs, results, service) -> None:
        run = service.runs["r"]
        run["status"]["nodes"]["r-train"]["phase"] = "Running"
        run["status"]["phase"] = "Running"
        write(results / "r" / "r-train", "0-3", epoch(0, of=10, time=4e9))
        assert "1 of 10 epochs, 2s each, about 18s left" in argojobs("get", "r").out

    def test_of_one_that_has_ended_nothing_is_left(self, argojobs, results) -> None:
        out = argojobs("get", "r").out
        assert "2 of 2 epochs, 2s each\n" in out
        assert math.isfinite(out.count("left"))
