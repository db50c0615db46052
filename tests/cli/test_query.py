"""query: all of a run in one look, its logs as files, what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fake_service import FakeService, Shared, node, of, workflow

from argojobs.runs.owners import user_name
from argojobs.runs.step_logs import MOST_OPEN, file_names, step_of_interest
from argojobs.runs.view.steps import steps_of

NAME = "demo-x7k2p"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def failed(shared: Shared) -> Shared:
    """A run of mine on a server: prepare succeeded, train failed with a long log."""
    run = workflow(
        NAME,
        "Failed",
        created="2026-03-01T12:00:00Z",
        tasks=("prepare", "train"),
        nodes=(
            node(
                NAME, "", "Failed", outputs={"parameters": [{"name": "accuracy", "value": "0.5"}]}
            ),
            node(NAME, "prepare"),
            node(NAME, "train", "Failed", message="main: Error (exit code 1)"),
        ),
    )
    run["spec"]["arguments"]["parameters"] = [
        {"name": "batch_size", "value": "2"},
        {"name": "api_key", "value": "hush"},
        {"name": "argojobs-code", "value": "H4sI"},
    ]
    run["spec"]["templates"][1]["container"]["image"] = "prepare:1"
    run["spec"]["templates"][2]["container"].update(
        image="train:1", resources={"limits": {"nvidia.com/gpu": "4"}}
    )
    run["metadata"]["labels"]["argojobs.dev/commit"] = "abcdef0123456789"
    run["metadata"]["annotations"]["argojobs.dev/branch"] = "main"
    run["metadata"]["annotations"]["argojobs.dev/command-line"] = "argojobs run demo.py"
    shared.runs[NAME] = of(user_name(), run)
    shared.log(NAME, f"{NAME}-prepare", "prepared")
    shared.log(NAME, f"{NAME}-train", *(f"epoch {i}" for i in range(150)))
    return shared


def test_one_look_has_it_all(argojobs, failed: Shared) -> None:
    out = argojobs("query", "x7k2p").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[:2] == ["The last lines of train", "epoch 50"]
    assert "epoch 149" in lines
    for line in (
        f"✖ {NAME} Failed 1 of 2 steps succeeded",
        "short id x7k2p",
        "context abacus",
        f"user {user_name()}",
        "command argojobs run demo.py",
        "parameters batch_size=2 api_key=***",
        "image prepare:1, train:1",
        "commit abcdef012345 on main",
        "gpus 4 a step",
        "elapsed 42s",
        f"ui https://abacus/workflows/ml/{NAME}",
        "accuracy 0.5",
        f"assets/{NAME}/train.log",
        f"argojobs logs {NAME} train --context abacus",
        f"argojobs retry {NAME} --context abacus",
        f"argojobs resubmit {NAME} --from train --context abacus",
    ):
        assert line in lines


def test_the_logs_of_all_steps_are_there_as_files(argojobs, failed: Shared) -> None:
    assert argojobs("q", NAME).code == 0
    assert argojobs("q", NAME).code == 0  # a second look writes them anew
    folder = Path("assets") / NAME
    assert (folder / "prepare.log").read_text() == "prepared\n"
    assert len((folder / "train.log").read_text().splitlines()) == 150


def test_without_files_the_last_lines_are_read_from_the_server(argojobs, failed: Shared) -> None:
    answer = argojobs("query", NAME, "--no-logs")
    assert "epoch 149" in answer.out
    assert "epoch 49\n" not in answer.out
    assert not Path("assets").exists()


def test_as_json(argojobs, failed: Shared) -> None:
    found = json.loads(argojobs("query", NAME, "-o", "json").out)
    assert found["id"] == NAME
    assert found["short_id"] == "x7k2p"
    assert found["state"] == "Failed"
    assert found["gpus"] == 4
    assert found["elapsed_seconds"] == 42.0
    assert found["parameters"] == {"batch_size": "2", "api_key": "***"}
    assert found["results"] == {"accuracy": "0.5"}
    assert len(found["log"]) == 100
    assert found["steps"][1] == {
        "name": "train",
        "state": "Failed",
        "message": "main: Error (exit code 1)",
        "logs": [f"assets/{NAME}/train.log"],
    }


def test_several_matches_are_listed_and_exit_2(argojobs, failed: Shared) -> None:
    failed.runs["other-x7k2p"] = of(user_name(), workflow("other-x7k2p"))
    answer = argojobs("query", "x7k2p")
    assert answer.code == 2
    assert NAME in answer.err
    assert "other-x7k2p" in answer.err


class TestNext:
    def commands(self, argojobs, service: FakeService, phase: str) -> list[str]:
        nodes = (node("r", "", phase), node("r", "train", phase))
        service.runs["r"] = workflow("r", phase, tasks=("train",), nodes=nodes)
        found: list[str] = json.loads(argojobs("query", "r", "-o", "json").out)["next"]
        return found

    def test_of_one_that_runs(self, argojobs, service: FakeService) -> None:
        assert self.commands(argojobs, service, "Running") == [
            "argojobs watch r",
            "argojobs logs -f r train",
            "argojobs stop r",
        ]

    def test_of_one_that_succeeded(self, argojobs, service: FakeService) -> None:
        assert self.commands(argojobs, service, "Succeeded") == [
            "argojobs artifacts ls r",
            "argojobs resubmit r",
        ]


def test_what_a_pending_run_waits_for(argojobs, shared: Shared) -> None:
    for name, user, day in (("a", "alex", 1), ("b", user_name(), 2)):
        run = of(user, workflow(name, "Pending", created=f"2026-02-0{day}T00:00:00Z"))
        run["status"]["synchronization"] = {"mutex": {"waiting": [{"mutex": "ml/Mutex/gpus"}]}}
        shared.runs[name] = run
    assert json.loads(argojobs("q", "b", "-o", "json").out)["waits_for"] == "place 2 of 2 for gpus"
    assert "  waits    place 2 of 2 for gpus\n" in argojobs("get", "b").out


class TestLogFiles:
    def test_attempts_have_a_file_each(self) -> None:
        retry = node(
            "r", "train", type="Retry", children=["r-train(0)", "r-train(1)"]
        )  # fmt: skip
        tries = (node("r", "train(0)", "Failed"), node("r", "train(1)"))
        run = workflow("r", tasks=("train",), nodes=(node("r", ""), retry, *tries))
        assert file_names(steps_of(run)) == {
            "r-train(0)": "train.attempt-1.log",
            "r-train(1)": "train.attempt-2.log",
        }

    def test_no_name_leads_out_of_the_folder(self) -> None:
        run = workflow("r", nodes=(node("r", ""), node("r", "a/../b"), node("r", "..")))
        assert all("/" not in name for name in file_names(steps_of(run)).values())

    def test_more_pods_than_files_may_be_open(self, argojobs, service: FakeService) -> None:
        names = [f"s{i}" for i in range(MOST_OPEN + 20)]
        service.runs["r"] = workflow(
            "r", tasks=tuple(names), nodes=(node("r", ""), *(node("r", n) for n in names))
        )
        for turn in ("one", "two"):
            for name in names:
                service.log("r", f"r-{name}", turn)
        assert argojobs("query", "r").code == 0
        texts = {(Path("assets/r") / f"{name}.log").read_text() for name in names}
        assert texts == {"one\ntwo\n"}


def test_the_log_of_interest_is_that_of_what_runs_last_and_not_of_the_exit_handler() -> None:
    run = workflow(
        "r",
        "Running",
        tasks=("a", "b"),
        nodes=(
            node("r", "", "Running"),
            node("r", "a"),
            node("r", "b"),
            node("r", "onExit", "Running", boundaryID="", nodeFlag={"hooked": True}),
        ),
    )
    step = step_of_interest(run)
    assert step is not None
    assert step.name == "b"
