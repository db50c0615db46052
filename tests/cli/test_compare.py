"""`argojobs compare`: runs beside each other, for readers and for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from support.attempts import head, rows, write
from support.fake_service import FakeService, node, workflow

from argojobs.cli.completion import complete_column
from argojobs.config.contexts import LOCAL
from argojobs.runs import target as connecting

EXPERIMENT = "argojobs.dev/experiment"


def run_with(name: str, phase: str = "Succeeded", /, **parameters: object) -> dict:
    made = workflow(name, phase, tasks=("train",), nodes=(node(name, ""), node(name, "train")))
    made["metadata"]["labels"] = {EXPERIMENT: "digits"}
    given = [{"name": key, "value": str(value)} for key, value in parameters.items()]
    made["spec"]["arguments"] = {"parameters": given}
    return made


@pytest.fixture
def results(service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs of an experiment: one well, one failed in the middle, one that logged nothing."""
    folder = tmp_path / "results"
    folder.mkdir()
    place = connecting.Target(
        LOCAL, lambda: service, pytest.fail, lambda: service, results=lambda _: folder, artifacts_here=True,
        detaches_on_interrupt=False, has_owners=False,
    )  # fmt: skip
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    service.runs["a-1"] = run_with("a-1", lr=0.1, model="resnet", seed=1)
    service.runs["b-2"] = run_with("b-2", "Failed", lr=0.01, model="resnet", seed=2)
    service.runs["c-3"] = run_with("c-3", "Running", lr=0.1, model="resnet", seed=3)
    write(
        folder / "a-1" / "a-1-train", "0-1", head(), rows(range(3), loss=[3, 1, 2], accuracy=[0.5, 0.9, 0.8]),
        {"summary": {"parameters": 1200, "note": "good"}},
    )  # fmt: skip
    write(folder / "b-2" / "b-2-train", "0-1", head(), rows(range(2), loss=[4, "NaN"]))
    return folder


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


class TestTable:
    def test_has_a_row_a_run_with_what_it_was_given_logged_and_took(
        self, argojobs, results
    ) -> None:
        answer = argojobs("compare", "a-1", "b-2")
        heads, *lines = (line.split() for line in answer.out.splitlines())
        assert heads == [
            "run", "phase", "duration", "gpu_hours", "lr", "model", "seed", "loss:first", "loss:min", "loss",
            "accuracy:first", "accuracy:max", "accuracy", "parameters", "note",
        ]  # fmt: skip
        assert lines[0] == [
            "a-1", "Succeeded", "42s", "0", "0.1", "resnet", "1", "3", "1", "2", "0.5", "0.9", "0.8", "1200", "good",
        ]  # fmt: skip
        assert lines[1][1:3] == ["Failed", "42s"]
        assert lines[1][7:] == ["4", "4", "nan", "-", "-", "-", "-", "-"]

    def test_a_run_without_metrics_is_shown_and_said(self, argojobs, results) -> None:
        answer = argojobs("compare", "a-1", "c-3")
        assert answer.out.splitlines()[2].split()[:2] == ["c-3", "Running"]
        assert "without metrics: c-3" in answer.err

    def test_a_server_says_that_metrics_cannot_be_read(self, argojobs, shared) -> None:
        answer = argojobs("compare", "mine1", "alex1")
        assert answer.code == 0
        assert (
            "what steps log is not stored where it can be read: abacus has no S3 with a Secret"
            in answer.err
        )
        assert "demo-mine1" in answer.out

    def test_an_experiment_has_its_runs(self, argojobs, results, service) -> None:
        service.runs["other-4"] = workflow("other-4")
        out = argojobs("compare", "--experiment", "digits", "-o", "csv").out
        assert {row["run"] for row in table(out)} == {"a-1", "b-2", "c-3"}
        empty = argojobs("compare", "--experiment", "nosuch")
        assert (empty.code, empty.out) == (0, "")
        assert "no runs of the experiment 'nosuch'" in empty.err

    def test_nothing_named_is_wrong(self, argojobs, results) -> None:
        answer = argojobs("compare")
        assert answer.code == 2
        assert "argojobs compare --experiment NAME" in answer.err


class TestChoosing:
    def names(self, argojobs, *options: str) -> list[str]:
        answer = argojobs("compare", "a-1", "b-2", "c-3", *options, "-o", "csv")
        assert answer.code == 0, answer.err
        return [row["run"] for row in table(answer.out)]

    def test_conditions_leave_runs_out_and_all_have_to_fit(self, argojobs, results) -> None:
        assert self.names(argojobs, "--where", "lr<0.1") == ["b-2"]
        assert self.names(argojobs, "--where", "lr=0.10") == ["a-1", "c-3"]
        assert self.names(argojobs, "--where", "lr=0.1", "--where", "phase!=Running") == ["a-1"]
        assert self.names(argojobs, "--where", "accuracy=") == ["b-2", "c-3"]
        assert self.names(argojobs, "--where", "loss:max>=4") == ["b-2"]
        assert self.names(argojobs, "--where", "duration>1m") == ["c-3"]

    def test_an_order_puts_what_is_lacking_last(self, argojobs, results) -> None:
        assert self.names(argojobs, "--sort", "-accuracy")[0] == "a-1"
        assert self.names(argojobs, "--sort", "loss:best") == ["a-1", "b-2", "c-3"]
        assert self.names(argojobs, "--sort", "lr", "--sort", "-seed") == ["b-2", "c-3", "a-1"]

    def test_only_different_leaves_equal_columns_out(self, argojobs, results) -> None:
        out = argojobs("compare", "a-1", "b-2", "--only-different", "-o", "csv").out
        head = out.splitlines()[0].split(",")
        assert {"lr", "seed", "loss"} <= set(head)
        assert not {"model", "gpu_hours", "duration"} & set(head)

    def test_columns_are_chosen_by_name_and_pattern(self, argojobs, results) -> None:
        out = argojobs("compare", "a-1", "--columns", "lr,*:max", "-o", "csv").out
        assert out.splitlines()[0] == "run,lr,accuracy:max"
        out = argojobs("compare", "a-1", "--columns", "loss:max", "-o", "csv").out
        assert out == "run,loss:max\na-1,3.0\n"

    def test_a_column_may_have_a_comma_in_its_name(self, argojobs, results, service) -> None:
        service.runs["a-1"]["spec"]["arguments"]["parameters"].append({"name": "a,b", "value": "7"})
        out = argojobs(
            "compare", "a-1", "--columns", "a,b", "--columns", "lr,seed", "-o", "csv"
        ).out
        assert out == 'run,"a,b",lr,seed\na-1,7,0.1,1\n'

    def test_what_is_better_can_be_said(self, argojobs, results) -> None:
        out = argojobs(
            "compare", "a-1", "--best", "loss:max", "--columns", "loss*", "-o", "csv"
        ).out
        assert out.splitlines()[0] == "run,loss:first,loss:max,loss"
        assert argojobs("compare", "a-1", "--best", "loss").code == 2

    def test_groups_have_aggregates(self, argojobs, results) -> None:
        out = argojobs(
            "compare", "a-1", "b-2", "c-3", "--group-by", "lr", "--agg", "mean,count", "--sort", "lr", "-o", "csv"
        ).out  # fmt: skip
        first, second = table(out)
        assert (first["lr"], first["runs"], first["loss:first:mean"]) == ("0.01", "1", "4.0")
        assert (second["lr"], second["runs"], second["loss:mean"], second["loss:count"]) == (
            "0.1",
            "2",
            "2.0",
            "1",
        )
        assert "seed:mean" not in first

    def test_wrong_names_are_2_and_answered_with_the_nearest(self, argojobs, results) -> None:
        for options in (
            ("--where", "acuracy<1"), ("--sort", "-acuracy"), ("--columns", "acuracy"), ("--group-by", "acuracy"),
        ):  # fmt: skip
            answer = argojobs("compare", "a-1", *options)
            assert (answer.code, answer.out) == (2, ""), options
            assert "did you mean 'accuracy'?" in answer.err
        assert "did you mean 'mean'?" in argojobs("compare", "a-1", "--agg", "meen").err
        for text in ("lr", "lr<", "lr<0.1 and seed>1", "<1"):
            assert argojobs("compare", "a-1", "--where", text).code == 2, text

    def test_no_run_that_fits_is_said(self, argojobs, results) -> None:
        answer = argojobs("compare", "a-1", "--where", "lr>1")
        assert (answer.code, answer.err) == (0, "note: no run fits\n")

    def test_names_of_columns_are_completed(self, results) -> None:
        class Before:
            params = {"runs": ("a-1",)}  # noqa: RUF012
            args = ()

        assert complete_column(Before(), "acc") == [  # type: ignore[arg-type]
            "accuracy:first", "accuracy:max", "accuracy", "accuracy:min",
        ]  # fmt: skip
        assert "-loss" in complete_column(Before(), "-l")  # type: ignore[arg-type]
        Before.params = {"runs": ("nosuch",)}
        assert complete_column(Before(), "") == []  # type: ignore[arg-type]


class TestSteps:
    def test_what_several_log_under_one_name_is_told_with_the_step(
        self, argojobs, results, service
    ) -> None:
        both = ("train", "test")
        nodes = (node("d-4", ""), *(node("d-4", task) for task in both))
        service.runs["d-4"] = workflow("d-4", tasks=both, nodes=nodes)
        write(results / "d-4" / "d-4-train", "0-1", rows([0], loss=1, lr=3))
        write(results / "d-4" / "d-4-test", "0-1", rows([0], loss=2))
        out = argojobs(
            "compare", "d-4", "a-1", "--columns", "train:loss,test:loss,metric:lr", "-o", "csv"
        ).out
        assert [list(row.values()) for row in table(out)] == [
            ["d-4", "1.0", "2.0", "3.0"],
            ["a-1", "2.0", "", ""],
        ]


class TestFormats:
    ODD = 'a,|&<b>"c"\n\\_$%#{x}~^\x1b[2J'

    @pytest.fixture
    def odd(self, results, service) -> str:
        """A run whose parameter and metric are called badly, with values to match."""
        made = run_with("odd-5", lr=1)
        made["spec"]["arguments"]["parameters"].append({"name": self.ODD, "value": self.ODD})
        service.runs["odd-5"] = made
        write(
            results / "odd-5" / "odd-5-train", "0-1",
            rows(range(2), **{self.ODD + "m": ["Infinity", 1e300], "nan": "NaN", "big": 10**400, "e": 123456789.0}),
            {"summary": {"s": True, "list": [1, 2], "text": "=1+1"}},
        )  # fmt: skip
        return "odd-5"

    def test_json_is_a_list_of_standard_objects(self, argojobs, odd) -> None:
        def refuse(text: str) -> None:
            raise AssertionError(text)

        (found,) = json.loads(argojobs("compare", odd, "-o", "json").out, parse_constant=refuse)
        assert found["run"] == "odd-5"
        assert found["lr"] == 1
        assert found[self.ODD] == self.ODD
        assert found[self.ODD + "m"] == 1e300
        assert (found["nan"], found["big"]) == ("NaN", "Infinity")
        assert (found["s"], found["list"]) == ("true", "[1, 2]")

    def test_csv_comes_back_as_it_was(self, argojobs, odd) -> None:
        (found,) = table(argojobs("compare", odd, "-o", "csv").out)
        assert found[self.ODD] == self.ODD
        assert float(found[self.ODD + "m"]) == 1e300
        assert found["nan"] == "nan"

    def test_markdown_has_as_many_cells_in_all_lines(self, argojobs, odd) -> None:
        lines = argojobs("compare", odd, "-o", "md").out.splitlines()
        assert len(lines) == 3
        counts = {line.replace("\\|", "").count("|") for line in lines}
        assert len(counts) == 1
        assert "a,\\|\\&\\<b\\>" in lines[0]
        assert "\x1b" not in "".join(lines)

    def test_latex_has_as_many_cells_in_all_lines(self, argojobs, odd) -> None:
        out = argojobs("compare", odd, "-o", "latex").out
        lines = [line for line in out.splitlines() if line.endswith("\\\\")]
        counts = {line.replace("\\&", "").count(" & ") for line in lines}
        assert len(lines) == 2
        assert len(counts) == 1
        assert r"a,\textbar{}\&\textless{}b\textgreater{}\textquotedbl{}c" in lines[0]
        assert r"\textbackslash{}\_\$\%\#\{x\}\textasciitilde{}\textasciicircum{}" in lines[1]
        assert r"$1 \cdot 10^{300}$" in lines[1]
        assert r"$\infty$" in lines[1]
        assert "123456789" in lines[1]

    def test_html_is_a_page_without_scripts(self, argojobs, odd) -> None:
        out = argojobs("compare", odd, "-o", "html").out
        assert "a,|&amp;&lt;b&gt;&quot;c&quot;" in out
        assert "<b>" not in out
        assert '<td class="Succeeded">' in out
        assert "<script" not in out

    def test_a_terminal_gets_nothing_that_it_obeys(self, argojobs, odd) -> None:
        assert "\x1b" not in argojobs("compare", odd).out


class TestFiles:
    def test_a_csv_file_stands_in_the_place_of_a_run(self, argojobs, results, tmp_path) -> None:
        path = tmp_path / "mine.csv"
        path.write_text("epoch,loss,model\n0,2,resnet\n1,0.5,resnet\n")
        out = argojobs(
            "compare", "a-1", str(path), "--columns", "model,loss,loss:min", "-o", "csv"
        ).out
        assert [list(row.values()) for row in table(out)] == [
            ["a-1", "resnet", "2.0", "1.0"], [str(path), "resnet", "0.5", "0.5"],
        ]  # fmt: skip

    def test_a_file_that_is_none_is_2(self, argojobs, results, tmp_path) -> None:
        path = tmp_path / "empty.csv"
        path.write_text("")
        answer = argojobs("compare", str(path))
        assert answer.code == 2
        assert "is empty" in answer.err


class TestGpus:
    @pytest.mark.parametrize("options", [("g-6",), ("--experiment", "digits")])
    def test_hours_are_counted_from_the_nodes_however_the_run_is_found(
        self, argojobs, results, service, options
    ) -> None:
        made = run_with("g-6")
        made["spec"]["templates"][1]["container"]["resources"] = {
            "limits": {"nvidia.com/gpu": "720"}
        }
        service.runs["g-6"] = made
        out = argojobs("compare", *options, "--where", "run=g-6", "-o", "csv").out
        assert [row["gpu_hours"] for row in table(out)] == ["1.0"]


def test_many_names_are_looked_up_at_once(argojobs, results, service) -> None:
    names = [f"many-{number:03}" for number in range(40)]
    service.runs |= {name: run_with(name, lr=0.5) for name in names}
    out = argojobs("compare", *names, "a-1", names[0], "-o", "csv").out
    assert [row["run"] for row in table(out)] == [*names, "a-1"]
    assert argojobs("compare", *names, "nosuch").code == 2


def test_lines_of_a_stranger_are_shown_or_said_in_every_format(argojobs, results, service) -> None:
    service.runs["s-7"] = run_with("s-7")
    names = {f"layer.{number}": 1.0 for number in range(3_000)}
    odd = b'{"rows": {"time": [1], "step": [1], "values": {"\\ud800": [1]}}}\n'
    write(
        results / "s-7" / "s-7-train",
        "0-1",
        rows([0], **names),
        odd,
        b'{"summary": {"x": %s}}\n' % (b"[" * 9_999),
    )
    for form in ("table", "csv", "md", "latex", "html", "json"):
        answer = argojobs("compare", "a-1", "s-7", "-o", form)
        assert answer.code == 0, answer.err
        assert "layer.2999" in answer.out
        assert "not all could be read of s-7: argojobs metrics RUN says what" in answer.err
    assert argojobs("compare", "s-7", "--where", "layr.5>1").code == 2
