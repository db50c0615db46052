"""A step's template: names, places, what its options become, and its exit handler."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs import (
    GPU,
    Dataset,
    DefinitionError,
    EmptyDir,
    Model,
    Outputs,
    Retry,
    pipeline,
    step,
)
from argojobs.compile.code import Code
from argojobs.compile.pipeline.pod import retry_strategy
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.expressions import tags

CODE = Code("image")


@step
def train(epochs: int = 1, model: Model | None = None) -> None: ...


def renamed(epochs: int = 1) -> None: ...


on_gpu = step(gpu=1)
another_name = on_gpu(renamed)


def template(made, **options):
    @pipeline
    def whole() -> None:
        made.options(**options)() if options else made()

    return compile_pipeline(whole, code=CODE, root=Path(__file__).parent)["spec"]["templates"][1]


def test_a_step_is_found_by_its_name_in_its_module():
    assert template(train)["container"]["command"][-1] == "test_step.py:train"
    assert template(another_name)["container"]["command"][-1] == "test_step.py:another_name"


def test_a_step_of_an_installed_module_is_found_by_the_modules_name(tmp_path):
    @pipeline
    def whole() -> None:
        train()

    made = compile_pipeline(whole, code=CODE, root=tmp_path)["spec"]["templates"][1]
    assert made["container"]["command"][-1] == f"{train.__module__}:train"


def test_a_step_inside_a_function_is_refused_at_its_place():
    @step
    def hidden() -> None: ...

    with pytest.raises(DefinitionError, match="hidden has no name in its module") as caught:
        template(hidden)
    assert "top of the file" in caught.value.hint
    assert caught.value.where.endswith(f"test_step.py:{hidden.function.__code__.co_firstlineno}")


def mounts(made):
    return {mount["mountPath"]: mount["name"] for mount in made["container"]["volumeMounts"]}


def volume(made, name):
    (found,) = [volume for volume in made["volumes"] if volume["name"] == name]
    return found


def test_outputs_are_written_into_a_folder_that_any_user_may_write():
    made = template(another_name)
    assert mounts(made)["/argojobs/out"] == "argojobs-out"
    assert volume(made, "argojobs-out") == {"name": "argojobs-out", "emptyDir": {}}
    assert "/argojobs/in" not in mounts(made)


class Trained(Outputs):
    model: Model
    accuracy: float


class Scores(Outputs):
    score: float


@step
def first() -> Trained: ...


@step
def score() -> Scores: ...


@step
def compare(before: Trained, scores: Scores, data: Dataset | None, name: str = "") -> None: ...


def test_where_an_artifact_may_be_absent_all_are_loaded_into_a_volume():
    """There an absent one has no path; each folder in it is open to the user of any image."""

    @pipeline
    def whole(data: Dataset | None = None) -> None:
        compare(first(), score(), data)

    made = compile_pipeline(whole, code=CODE, root=Path(__file__).parent)["spec"]["templates"][-1]
    assert volume(made, "argojobs-in") == {"name": "argojobs-in", "emptyDir": {}}
    assert made["container"]["volumeMounts"] == [
        {"name": "argojobs-out", "mountPath": "/argojobs/out"},
        {"name": "argojobs-in", "mountPath": "/argojobs/in"},
        {"name": "argojobs-in", "mountPath": "/argojobs/in/before", "subPath": "before"},
    ]
    paths = {one["name"]: one["path"] for one in made["inputs"]["artifacts"]}
    assert paths == {"before-model": "/argojobs/in/before/model", "data": "/argojobs/in/data"}


SHARED_MEMORY = [
    ({"gpu": 1}, {"medium": "Memory"}),
    ({"gpu": 1, "memory": "8Gi"}, {"medium": "Memory", "sizeLimit": str(4 * 1024**3)}),
    ({"shm": "2Gi"}, {"medium": "Memory", "sizeLimit": "2Gi"}),
    ({"shm": True}, {"medium": "Memory"}),
    ({"gpu": 1, "volumes": {"/dev/shm": EmptyDir()}}, {}),
    ({"gpu": 1, "shm": False}, None),
    ({"gpu": 0}, None),
    ({"cpu": 1}, None),
]


@pytest.mark.parametrize(("options", "expected"), SHARED_MEMORY)
def test_a_gpu_step_has_shared_memory_of_its_own(options, expected):
    made = template(train, **options)
    if expected is None:
        assert "/dev/shm" not in mounts(made)
    else:
        assert volume(made, mounts(made)["/dev/shm"])["emptyDir"] == expected


def environment(made):
    return {one["name"]: one.get("value") for one in made["container"]["env"]}


def test_what_a_step_has_of_gpus_is_in_its_environment():
    assert environment(template(train, gpu=2))["NUM_GPUS"] == "2"
    shared = template(train, gpu=GPU(memory="8Gi", resource="amd.com/gpu"))
    assert environment(shared)["RESERVED_MEM"] == "8192"
    assert shared["container"]["resources"]["limits"] == {"amd.com/gpu": "1"}
    assert "NUM_GPUS" not in environment(template(train))


def test_a_host_port_is_opened_only_when_asked():
    assert template(train)["container"]["ports"] == [
        {"name": "debug", "containerPort": 3000},
        {"name": "tensorboard", "containerPort": 6006},
    ]


def retried(retry, **last):
    """Whether Argo would try again, from what it knows of the attempt before."""
    known = {"exitCode": "1", "status": "Failed", "message": "Error (exit code 1)", **last}
    values = {f"lastRetry.{key}": value for key, value in known.items() if key != "retries"}
    values["retries"] = last.get("retries", "0")
    expression = retry_strategy(retry)["expression"]
    return tags.replace("{{=" + expression + "}}", values, strict=True) == "true"


def test_errors_before_the_users_first_line_are_not_retried():
    assert retry_strategy(Retry(3)) == {
        "limit": "3",
        "retryPolicy": "Always",
        "expression": "lastRetry.exitCode != '78'",
    }
    assert retried(Retry(3))
    assert not retried(Retry(3), exitCode="78")


def test_lost_pods_have_a_budget_of_their_own():
    budgets = Retry(infra=5, failures=1)
    assert retry_strategy(budgets)["limit"] == "5"
    assert retried(budgets, retries="0")
    assert not retried(budgets, retries="1")
    lost = [
        {"status": "Error", "exitCode": "-1", "message": "pod deleted"},
        {"exitCode": "137", "message": "Error (exit code 137)"},
        {"exitCode": "143", "message": "Error (exit code 143)"},
        {"exitCode": "-1", "message": "The node was low on resource. Evicted"},
        {"exitCode": "1", "message": "Pod was terminated in response to imminent node shutdown."},
    ]
    for last in lost:
        assert retried(budgets, retries="4", **last)
    own = [
        {"exitCode": "137", "message": "OOMKilled (exit code 137)"},
        {
            "exitCode": "143",
            "message": "Pod was active on the node longer than the specified deadline",
        },
    ]
    for last in own:
        assert not retried(budgets, retries="4", **last)
    assert not retried(budgets, status="Error", exitCode="78")


@step
def goodbye(status: str, epochs: int, note: str = "{{x}}") -> None: ...


@step
def demanding(other: int) -> None: ...


@step
def wants_model(model: Model) -> None: ...


def test_an_exit_handler_gets_status_parameters_and_defaults():
    @pipeline(on_exit=goodbye, image="x")
    def whole(epochs: int = 3) -> None:
        train(epochs)

    manifest = compile_pipeline(whole, code=CODE)
    assert manifest["spec"]["onExit"] == "goodbye"
    made = manifest["spec"]["templates"][-1]
    assert "inputs" not in made
    assert made["container"]["image"] == "x"
    found = environment(made)
    assert found["ARGOJOBS_P_status"] == "{{workflow.status}}"
    assert found["ARGOJOBS_P_epochs"] == "{{workflow.parameters.epochs}}"
    assert found["ARGOJOBS_P_note"] == "argojobs:base64:e3t4fX0="
    assert found["JOB_UUID"] == "{{workflow.uid}}-{{node.name}}"


@step
def plain() -> None: ...


def test_an_exit_handler_without_arguments_is_no_task_either():
    @pipeline(on_exit=plain)
    def whole() -> None:
        train()

    made = compile_pipeline(whole, code=CODE)["spec"]["templates"][-1]
    assert environment(made)["JOB_UUID"] == "{{workflow.uid}}-{{node.name}}"


@pytest.mark.parametrize("handler", [demanding, wants_model])
def test_an_exit_handler_that_takes_more_is_refused(handler):
    @pipeline(on_exit=handler)
    def whole(model: Model, other: str = "a") -> None:
        train()

    with pytest.raises(DefinitionError, match="which is not given") as caught:
        compile_pipeline(whole, code=CODE)
    assert caught.value.where == handler.where


def test_a_jobs_id_is_the_whole_path_to_its_node():
    """The name of a task alone is the same in each call of a pipeline, and in each item."""
    assert environment(template(train))["JOB_UUID"] == "{{workflow.uid}}-{{node.name}}"


def test_a_step_below_a_decorator_from_another_file_is_in_its_own(tmp_path, monkeypatch):
    (tmp_path / "timing.py").write_text(
        "import functools\n\n\ndef timed(function):\n    @functools.wraps(function)\n"
        "    def wrapper(*arguments, **keywords):\n        return function(*arguments, **keywords)\n\n"
        "    return wrapper\n"
    )
    (tmp_path / "flow_of_timed.py").write_text(
        "from argojobs import step\nfrom timing import timed\n\n\n@step\n@timed\n"
        "def work(count: int) -> int:\n    return count\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import flow_of_timed

    @pipeline
    def whole() -> None:
        flow_of_timed.work(1)

    made = compile_pipeline(whole, code=CODE, root=tmp_path)["spec"]["templates"][1]
    assert made["container"]["command"][-1] == "flow_of_timed.py:work"
    assert flow_of_timed.work(3) == 3


ABOVE = """\
import functools
from argojobs import step

def timed(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        return function(*arguments, **keywords)
    return wrapper

class Counted:
    def __init__(self, function):
        self.function = function
    def __call__(self, *arguments):
        return self.function(*arguments)

ABOVE
@step
def work(count: int) -> int:
    return count
"""


@pytest.mark.parametrize(
    "above", ["@timed", "@Counted", "@functools.cache", "@lambda f: lambda n: f(n)"]
)
def test_a_decorator_above_step_is_refused_with_the_order_that_works(above, tmp_path, monkeypatch):
    name = f"flow_above_{abs(hash(above))}"
    file = tmp_path / f"{name}.py"
    file.write_text(ABOVE.replace("ABOVE", above))
    monkeypatch.syspath_prepend(tmp_path)
    flow = __import__(name)

    @pipeline
    def whole() -> None:
        flow.work(1)

    with pytest.raises(DefinitionError, match="has no name in its module") as caught:
        compile_pipeline(whole, code=CODE, root=tmp_path)
    assert caught.value.where == f"{file}:16"
    assert caught.value.hint.endswith("put @step above the decorator")


def test_a_decorated_name_beside_the_step_hides_nothing(tmp_path, monkeypatch):
    text = ABOVE.replace("ABOVE\n", "") + "\nagain = timed(work)\n"
    (tmp_path / "flow_beside.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import flow_beside

    @pipeline
    def whole() -> None:
        flow_beside.again(1)

    made = compile_pipeline(whole, code=CODE, root=tmp_path)["spec"]["templates"][1]
    assert made["container"]["command"][-1] == "flow_beside.py:work"


@pytest.mark.parametrize("text", ["a$b", "a$$b", "$(HOME)", "$$$(X)", "$", "100$$", "x"])
def test_a_variable_arrives_as_it_was_written(text):
    from argojobs.engine.expansion import expand

    value = environment(template(train, env={"A": text}))["A"]
    assert expand(value, {"HOME": "/root", "X": "x"}) == text


def test_a_variable_stands_once_and_the_users_counts():
    made = template(train, gpu=2, env={"NUM_GPUS": "1", "JOB_UUID": "mine"})
    names = [one["name"] for one in made["container"]["env"]]
    assert len(names) == len(set(names))
    assert environment(made)["NUM_GPUS"] == "1"
    assert environment(made)["JOB_UUID"] == "mine"


def test_a_port_of_ours_makes_room_for_the_steps_own():
    made = template(train, ports={"board": 6006})
    assert made["container"]["ports"] == [
        {"name": "debug", "containerPort": 3000},
        {"name": "board", "containerPort": 6006},
    ]
