"""The environment contract of the scheduler that users' scripts were written for."""

from pathlib import Path

from argojobs.runtime import environment


def test_every_name_of_the_contract_is_set_or_known() -> None:
    filled = environment.fill(
        {
            "ARGOJOBS_P_batch_size": "32",
            "ARGOJOBS_P_epochs": "2",
            "ARGOJOBS_P_training_set_size": "1000",
        }
    )
    assert filled == filled | {
        "BATCH_SIZE": "32",
        "EPOCHS_TO_BE_DONE": "2",
        "TRAINING_SET_SIZE": "1000",
        "JOB_UUID": "local",
        "JOB_RESTARTED": "FALSE",
        "EPOCHS_DONE": "0",
        "RANK": "0",
        "NODE_RANK": "0",
        "WORLD_SIZE": "1",
        "NUM_NODES": "1",
        "MASTER_ADDR": "127.0.0.1",
        "RESERVED_MEM": "0",
        "HEARTBEAT_FREQ": "10",
    }
    assert set(filled) == set(environment.VARIABLES)


def test_what_the_manifest_sets_stays() -> None:
    given = dict.fromkeys(environment.VARIABLES, "7")
    assert environment.fill(given) == {}


def test_a_variable_for_a_parameter_that_the_step_has_not_is_not_invented() -> None:
    assert "BATCH_SIZE" not in environment.fill({})


def test_a_step_is_restarted_only_from_a_checkpoint(tmp_path: Path) -> None:
    given = {"ARGOJOBS_CHECKPOINT": str(tmp_path)}
    assert environment.fill(given)["JOB_RESTARTED"] == "FALSE"
    (tmp_path / environment.CHECKPOINT_EPOCHS).write_text("3\n")
    filled = environment.fill(given)
    assert (filled["JOB_RESTARTED"], filled["EPOCHS_DONE"]) == ("TRUE", "3")


def test_gpus_are_counted_by_what_is_visible() -> None:
    def count(visible: str) -> str:
        return environment.fill({"CUDA_VISIBLE_DEVICES": visible})["NUM_GPUS"]

    assert [count(visible) for visible in ("0,1", "GPU-a", "", "-1")] == ["2", "1", "0", "0"]


def test_the_backend_is_nccl_where_there_are_gpus() -> None:
    name = "PL_TORCH_DISTRIBUTED_BACKEND"
    assert environment.fill({"NUM_GPUS": "2"})[name] == "nccl"
    assert environment.fill({"NUM_GPUS": "0"})[name] == "gloo"


def test_two_jobs_on_one_host_have_two_ports() -> None:
    ports = {environment.fill({"JOB_UUID": f"job-{n}"})["MASTER_PORT"] for n in range(5)}
    assert len(ports) == 5
    assert all(1024 < int(port) < 32768 for port in ports), "below the ephemeral ports"


def test_the_variable_of_a_field() -> None:
    assert environment.parameter_variable("before-accuracy") == "ARGOJOBS_P_before__accuracy"
