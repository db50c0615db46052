"""The names of the environment, typed, with the defaults of the table that our own steps have."""

from pathlib import Path
from typing import Any

import pytest

from argojobs.job import variables
from argojobs.job.variables import READERS
from argojobs.runtime import environment

#: The two tables that users' scripts were written for, and what the launchers of torch add.
SEED = {
    "MASTER_PORT", "WORLD_SIZE", "MASTER_ADDR", "NODE_RANK", "TF_CONFIG", "JOB_UUID", "JOB_RESTARTED",
    "RESERVED_MEM", "EPOCHS_DONE", "HEARTBEAT_FREQ", "NODELIST", "NUM_GPUS", "NUM_NODES",
    "PL_TORCH_DISTRIBUTED_BACKEND", "BATCH_SIZE", "EPOCHS_TO_BE_DONE", "TRAINING_SET_SIZE",
    "RANK", "LOCAL_RANK",
}  # fmt: skip


def read(given: dict[str, str]) -> dict[str, Any]:
    return {name: reader(given, name) for name, reader in READERS.items()}


def test_every_name_of_the_seed_is_there_and_typed_in_the_library() -> None:
    assert set(READERS) == SEED
    text = (Path(variables.__file__).parent / "__init__.py").read_text()
    assert {name for name in SEED if f"    {name}: " in text} == SEED


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ARGO_NODE_ID": "run-1"},
        {"ARGOJOBS_RUN": "run", "CUDA_VISIBLE_DEVICES": "0,2"},
        {"CUDA_VISIBLE_DEVICES": "-1", "JOB_UUID": "ä"},
        {"ARGOJOBS_P_batch_size": "32", "ARGOJOBS_P_epochs": "2"},
        {"ARGOJOBS_P_max_epochs": "3", "ARGOJOBS_P_training_set_size": "argojobs:json:1"},
        {"EPOCHS_DONE": "4", "NODELIST": "a,b", "NUM_GPUS": "8"},
    ],
)
def test_a_foreign_container_sees_what_a_step_of_ours_does(given: dict[str, str]) -> None:
    filled = given | environment.fill(given)
    assert set(environment.VARIABLES) <= set(READERS)
    assert read(given) == read(filled)


def test_what_a_checkpoint_artifact_says_is_known(tmp_path: Path) -> None:
    (tmp_path / environment.CHECKPOINT_EPOCHS).write_text("7")
    given = {environment.CHECKPOINT_DIRECTORY: str(tmp_path)}
    assert read(given) == read(given | environment.fill(given))
    assert read(given)["EPOCHS_DONE"] == 7
    assert read(given)["JOB_RESTARTED"] is True
    assert read({environment.CHECKPOINT_DIRECTORY: str(tmp_path / "no")})["EPOCHS_DONE"] == 0


def test_values_have_the_type_that_their_name_promises() -> None:
    given = {
        "JOB_RESTARTED": "TRUE", "NODELIST": "a, b c", "TF_CONFIG": '{"task": {}}', "BATCH_SIZE": "8",
        "MASTER_PORT": "29500", "PL_TORCH_DISTRIBUTED_BACKEND": "mpi", "LOCAL_RANK": "3",
    }  # fmt: skip
    found = read(given)
    assert {name: found[name] for name in given} == {
        "JOB_RESTARTED": True, "NODELIST": ["a", "b", "c"], "TF_CONFIG": {"task": {}}, "BATCH_SIZE": 8,
        "MASTER_PORT": 29500, "PL_TORCH_DISTRIBUTED_BACKEND": "mpi", "LOCAL_RANK": 3,
    }  # fmt: skip
    assert read({"JOB_RESTARTED": "FALSE"})["JOB_RESTARTED"] is False
    assert [found["EPOCHS_TO_BE_DONE"], read({})["TF_CONFIG"]] == [None, None]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("NUM_NODES", "many", "NUM_NODES is 'many', which is not a whole number"),
        (
            "ARGOJOBS_P_batch_size",
            "1e3",
            "ARGOJOBS_P_batch_size is '1e3', which is not a whole number",
        ),
        ("TF_CONFIG", "{", "TF_CONFIG is '{', which is not JSON"),
    ],
)
def test_a_text_that_is_no_value_is_named(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text is looked at whole
        read({name: text})
    assert str(raised.value) == said
