"""Every option, on a step, on a pipeline and on a call; a template from elsewhere; an exit step."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from argojobs import (
    GPU,
    Checkpoint,
    Claim,
    ConfigFiles,
    Dataset,
    EmptyDir,
    HostPath,
    Outputs,
    Port,
    Retry,
    Secret,
    SecretFiles,
    Toleration,
    command,
    pipeline,
    step,
    use,
)


class Optimizer(Enum):
    SGD = "sgd"
    ADAM = "adam"


class Trained(Outputs):
    state: Checkpoint
    loss: float


@step(
    image="train:1",
    cpu="500m",
    memory="16Gi",
    gpu=GPU(memory="8Gi", memory_resource="nvidia.com/gpumem"),
    ephemeral_storage="40Gi",
    retry=Retry(infra=5, failures=1, backoff="30s", cap="10m"),
    timeout="2h",
    ports={"debug": Port(3000, host=33000), "metrics": 9090},
    env={"LEVEL": "info", "HUB_TOKEN": Secret("hub", "token"), "WORKERS": 4, "FAST": True},
    volumes={
        "/data": Claim("datasets", read_only=True, sub_path="digits"),
        "/scratch": EmptyDir("10Gi"),
        "/host": HostPath("/srv", kind="Directory"),
        "/secret": SecretFiles("hub"),
        "/config": ConfigFiles("settings"),
    },
    node_selector={"gpu": "a100"},
    tolerations=[Toleration("gpu"), Toleration("team", "vision", "NoSchedule")],
    priority="high",
    service_account="trainer",
)
def train(
    data: Dataset, optimizer: Optimizer, where: Path, tags: list[str], limit: int | None = None
) -> Trained: ...


@command(Trained, image="fit:1", shm="2Gi")
def fit(out: Trained, before: Trained, data: Dataset | None = None) -> list[str]:
    return ["fit", str(out.state)]


scan = use(
    {
        "name": "scan",
        "inputs": {
            "parameters": [{"name": "max-depth"}],
            "artifacts": [{"name": "data", "path": "/d"}],
        },
        "outputs": {"parameters": [{"name": "summary", "valueFrom": {"path": "/s"}}]},
        "container": {"image": "scan:1", "args": ["{{inputs.parameters.max-depth}}"]},
    }
)


@step
def goodbye(status: str, optimizer: Optimizer, text: str = "done") -> None: ...


@step
def note(text: str) -> None: ...


@pipeline(
    image="base:2",
    env={"TEAM": "vision"},
    node_selector={"zone": "a"},
    on_exit=goodbye,
    run_priority=10,
)
def options(
    data: Dataset,
    extra: Dataset | None = None,
    optimizer: Optimizer = Optimizer.ADAM,
    where: Path = Path("/data"),
    tags: list[str] = ["a", "$HOME"],  # noqa: B006 - a default of a pipeline is never changed
) -> Trained:
    trained = train(data, optimizer, where, tags)
    again = train.options(gpu=0, env={"LEVEL": "debug"}, name="on-cpu")(
        data, Optimizer.SGD, where, []
    )
    note(scan(max_depth=3, data=data).summary)
    fit(again, extra)
    return fit(trained)
