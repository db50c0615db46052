"""Scripts of the deep learning scheduler run unchanged, and go on after a kill as if there were none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.job import older_scripts

HERE = Path(__file__).parent
SCRIPTS = ["of_pytorch", "of_lightning", "of_tensorflow"]
CONTRACT = {
    "JOB_UUID": "6f1d",
    "EPOCHS_TO_BE_DONE": "4",
    "BATCH_SIZE": "2",
    "TRAINING_SET_SIZE": "6",
    "HEARTBEAT_FREQ": "2",
    "NUM_GPUS": "0",
    "NODELIST": "node-a,node-b",
}


def environment(folder: Path, **more: str) -> dict[str, str]:
    places = [str(HERE / "stand_ins"), older_scripts.path()]
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(places),
        "ARGOJOBS_RESULTS": str(folder / "results"),
        "DIED": str(folder / "died"),
        **CONTRACT,
        **more,
    }


def attempt(script: str, folder: Path, **more: str) -> int:
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(HERE / "scripts" / f"{script}.py"), str(folder / "weights.json")],
        env=environment(folder, **more),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=120,
    )
    return done.returncode


def weights(folder: Path) -> dict:
    return json.loads((folder / "weights.json").read_text())


def lines(folder: Path, name: str = "0-1") -> list[dict]:
    text = (folder / "results" / "attempts" / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


UNBROKEN = [[epoch, batch] for epoch in range(4) for batch in range(3)]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_trains_all_its_epochs(script: str, tmp_path: Path) -> None:
    assert attempt(script, tmp_path) == 0
    assert weights(tmp_path)["seen"] == UNBROKEN
    told = lines(tmp_path)
    assert [line["epoch"]["number"] for line in told if isinstance(line.get("epoch"), dict)] == [
        0, 1, 2, 3,
    ]  # fmt: skip
    assert len([line for line in told if line.get("checkpoint")]) == 4


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize(
    "place",
    [
        "in epoch 0",
        "while saving 0",
        "in epoch 2",
        "after epoch 2",
        "while saving 2",
        "after epoch 3",
    ],
)
def test_killed_anywhere_it_goes_on_as_if_it_had_not_been(
    script: str, place: str, tmp_path: Path
) -> None:
    attempt(script, tmp_path / "unbroken")
    folder = tmp_path / "killed"
    assert attempt(script, folder, DIE=f"SIGKILL {place}") == -9
    assert attempt(script, folder) == 0
    assert weights(folder) == weights(tmp_path / "unbroken")


@pytest.mark.parametrize("script", SCRIPTS)
def test_told_to_end_it_ends_with_143_after_its_epoch_and_goes_on_with_the_next(
    script: str, tmp_path: Path
) -> None:
    assert attempt(script, tmp_path, DIE="SIGTERM in epoch 1") == 143
    told = [line["epoch"] for line in lines(tmp_path) if isinstance(line.get("epoch"), dict)]
    assert [epoch["number"] for epoch in told] == [0, 1]
    assert attempt(script, tmp_path) == 0
    assert weights(tmp_path)["seen"] == UNBROKEN


def test_told_to_end_in_the_last_epoch_it_does_not_end_as_if_it_had_not_been(
    tmp_path: Path,
) -> None:
    assert attempt("of_tensorflow", tmp_path, DIE="SIGTERM in epoch 3") == 143
    assert attempt("of_tensorflow", tmp_path) == 0
    assert weights(tmp_path)["seen"] == UNBROKEN


def test_the_last_epoch_is_stored_where_no_thread_can_be_started_any_more(tmp_path: Path) -> None:
    assert attempt("of_pytorch", tmp_path, DIE="UNTHREADED in epoch 3") == 0
    told = lines(tmp_path)
    assert [line["mark"] for line in told if line.get("epoch") == 3] == ["0-1:4"]
    assert "ended" in told[-1]


def test_how_long_steps_take_is_logged_each_few_of_them(tmp_path: Path) -> None:
    attempt("of_pytorch", tmp_path)
    rows = [line["rows"] for line in lines(tmp_path) if "rows" in line]
    values = [value for each in rows for value in each["values"]["iteration_seconds"]]
    assert len(values) == 6  # 4 epochs of 3 steps, each second one
    assert all(value > 0 for value in values)


ASKING = """
import copy, json, os, pickle
from kubernetesdlprofile import kubeprofiler
api = kubeprofiler.KubeProfiler()
print(json.dumps([{}]))
"""


def told_by(expressions: str, folder: Path, **more: str) -> list[object]:
    """Return the values of expressions about the profiler `api`, asked for in a folder."""
    text = subprocess.run(
        [sys.executable, "-c", ASKING.format(expressions)],
        env={name: value for name, value in environment(folder, **more).items() if value},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: list[object] = json.loads(text)
    return found


def test_its_attributes_are_those_of_the_guide(tmp_path: Path) -> None:
    expected = {
        "JOBID": "6f1d",
        "RESTARTED": False,
        "EPOCHS": 4,
        "EPOCHS_DONE": 0,
        "BATCH_SIZE": 2,
        "TRAINING_SET_SIZE": 6,
        "PROFILE_EACH": 2,
        "NODE_LIST": "node-a,node-b",
        "RANK": 3,
        "NUM_GPUS": 0,
        "NUM_NODES": 1,
    }
    asked = ", ".join(f"api.{name}" for name in expected)
    found = told_by(asked, tmp_path, NODE_RANK="3")
    assert dict(zip(expected, found, strict=True)) == expected


def test_after_a_restart_it_says_so_and_has_what_was_stored(tmp_path: Path) -> None:
    attempt("of_tensorflow", tmp_path, DIE="SIGKILL in epoch 3")
    assert told_by("api.RESTARTED, api.EPOCHS_DONE, os.listdir(api.root_dir)", tmp_path) == [
        True,
        3,
        ["tf_ckpts"],
    ]


def test_the_environment_may_say_it_as_well(tmp_path: Path) -> None:
    found = told_by(
        "api.RESTARTED, api.EPOCHS_DONE", tmp_path, JOB_RESTARTED="TRUE", EPOCHS_DONE="2"
    )
    assert found == [True, 2]


def test_a_number_that_no_parameter_gives_is_missed_by_name(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as missed:
        told_by("api.BATCH_SIZE", tmp_path, BATCH_SIZE="")
    assert missed.value.stderr.endswith(
        "AttributeError: BATCH_SIZE is not set: run it with -p batch_size=...\n"
    )
    assert told_by("hasattr(api, 'EPOCHS'), hasattr(api, 'x')", tmp_path, EPOCHS_TO_BE_DONE="") == [
        False,
        False,
    ]


def test_it_can_be_copied_and_pickled_with_a_model(tmp_path: Path) -> None:
    copies = "copy.deepcopy(api).JOBID, pickle.loads(pickle.dumps(api)).root_dir == api.root_dir"
    assert told_by(copies, tmp_path) == ["6f1d", True]


def test_the_newest_of_lightnings_checkpoints_is_found(tmp_path: Path) -> None:
    logs = tmp_path / "snapshots" / "6f1d" / "lightning_logs"
    for name in (
        "version_2/checkpoints/epoch=9-step=90.ckpt",
        "version_10/checkpoints/epoch=9-step=900.ckpt",
        "version_10/checkpoints/epoch=10-step=1000.ckpt",
        "version_10/checkpoints/epoch=10-step=1000.ckpt.part",
        "version_11/hparams.yaml",
        "version_x/checkpoints/epoch=99-step=9999.ckpt",
    ):
        (logs / name).parent.mkdir(parents=True, exist_ok=True)
        (logs / name).touch()
    alone = {"ARGOJOBS_RESULTS": ""}
    found = "snapshots/6f1d/lightning_logs/version_10/checkpoints/"
    assert told_by("api.ckpt_path", tmp_path, **alone) == [found + "epoch=10-step=1000.ckpt"]
    (tmp_path / found / "last.ckpt").touch()
    assert told_by("api.ckpt_path", tmp_path, **alone) == [found + "last.ckpt"]


def test_without_a_run_its_folder_is_below_the_working_directory(tmp_path: Path) -> None:
    found = told_by(
        "api.root_dir, api.ckpt_path, os.path.isdir(api.root_dir)", tmp_path, ARGOJOBS_RESULTS=""
    )
    assert found == ["snapshots/6f1d", "snapshots/6f1d/tf_ckpt", True]


@pytest.mark.parametrize("place", ["after epoch 2", "while saving 2"])
def test_where_results_go_to_a_store_a_pod_that_has_nothing_of_the_one_before_goes_on(
    place: str, tmp_path: Path
) -> None:
    attempt("of_pytorch", tmp_path / "unbroken")
    store = f"file://{tmp_path / 'store'}"
    first, second = tmp_path / "first", tmp_path / "second"
    assert attempt("of_pytorch", first, ARGOJOBS_RESULTS=store, DIE=f"SIGKILL {place}") == -9
    assert attempt("of_pytorch", second, ARGOJOBS_RESULTS=store) == 0
    assert weights(second) == weights(tmp_path / "unbroken")
    for folder in (first, second):
        assert [path.name for path in folder.iterdir() if path.is_dir()] == ["snapshots"]


def test_a_second_one_and_another_rank_leave_the_folder_alone(tmp_path: Path) -> None:
    kept = "open(api.root_dir + '/mine', 'w').close(), kubeprofiler.KubeProfiler().start_epoch()"
    assert told_by(f"{kept}, os.listdir(api.root_dir)", tmp_path)[-1] == ["mine"]
    for name in ("RANK", "LOCAL_RANK", "NODE_RANK"):
        told = "api.start_epoch(), api.measure(), api.end_epoch(), os.listdir(api.root_dir)"
        assert told_by(told, tmp_path, **{name: "1"})[-1] == ["mine"]
    assert not any(name.startswith("1-") for name in os.listdir(tmp_path / "results" / "attempts"))
