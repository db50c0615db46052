"""Options of steps: how they combine, and what is refused where it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tracing import refused

from argojobs import (
    GPU,
    Claim,
    ConfigFiles,
    DefinitionError,
    EmptyDir,
    HostPath,
    Port,
    Retry,
    Secret,
    SecretFiles,
    Toleration,
    pipeline,
    step,
)
from argojobs.dsl.names import digest, is_label, label
from argojobs.dsl.options import checked, merged


def some() -> None: ...


def test_options_are_checked_into_one_form():
    assert checked(
        {"cpu": 2, "gpu": 1, "retry": 3, "timeout": "2h", "ports": {"a": 1}, "env": {"A": True}}
    ) == {
        "cpu": "2",
        "gpu": GPU(1),
        "retry": Retry(3),
        "timeout": 7200,
        "ports": {"a": Port(1)},
        "env": {"A": "true"},
    }


def test_the_last_decorator_counts_and_dicts_are_merged():
    on_gpu = step(gpu=1, env={"A": "1", "B": "1"})
    more = on_gpu(memory="8Gi", env={"B": "2"})
    made = more(step(cpu=4, gpu=2)(some))
    assert made.settings == {
        "cpu": "4", "gpu": GPU(1), "memory": "8Gi", "env": {"A": "1", "B": "2"},
    }  # fmt: skip
    assert on_gpu(some).settings == {"gpu": GPU(1), "env": {"A": "1", "B": "1"}}
    assert step(some).settings == {}


def test_options_of_a_call_leave_the_step_as_it_is():
    made = step(gpu=1)(some)
    changed = made.options(name="other", gpu=4, env={"A": "x"})
    assert (changed.call_name, changed.settings["gpu"]) == ("other", GPU(4))
    assert (made.call_name, made.settings) == (None, {"gpu": GPU(1)})
    assert changed.function is made.function
    assert merged({}, {"cpu": "1"}) == {"cpu": "1"}


def test_names_are_the_functions_with_hyphens_or_given():
    def fine_tune() -> None: ...

    assert step(fine_tune).name == "fine-tune"
    assert step(name="warm")(fine_tune).name == "warm"
    assert pipeline(name="whole")(fine_tune).name == "whole"


WRONG = {
    "unknown": ({"gpus": 1}, "no option 'gpus'", "did you mean 'gpu'?"),
    "cpu": ({"cpu": "many"}, "cpu='many' is not an amount", "500m"),
    "negative": ({"cpu": -1}, "not an amount", ""),
    "memory": ({"memory": "8GiB"}, "not an amount", "8Gi"),
    "milli": ({"memory": "8m"}, "thousandths of a byte", "8Mi"),
    "gpu": ({"gpu": 1.5}, "gpu=1.5 is not a number of GPUs", "gpu=1"),
    "shm": ({"shm": "lots"}, "shm='lots'", ""),
    "retry": ({"retry": -1}, "not a number of attempts", "0, 1, 2"),
    "timeout": ({"timeout": "soon"}, "timeout='soon' is not a time", "2h"),
    "image": ({"image": " x"}, "image=' x' is not text", ""),
    "port": ({"ports": {"a": 70000}}, "70000 is not a port", "65535"),
    "port name": ({"ports": {"A_b": 1}}, "'A_b' is not a valid name for a port", "15 signs"),
    "env": ({"env": ["A"]}, "is not a dict", "env={"),
    "env value": ({"env": {"A": []}}, "cannot be list", "Secret"),
    "env tag": ({"env": {"A": "{{x}}"}}, "which Argo alters", "parameter"),
    "env ours": ({"env": {"ARGOJOBS_X": "1"}}, "set by argojobs itself", "choose"),
    "env name": ({"env": {"A=B": "1"}}, "not a valid name for a variable", ""),
    "secret": (
        {"env": {"HUB_TOKEN": "abcdefgh12"}},
        "looks like a secret",
        "Secret('name', 'key')",
    ),
    "mount": ({"volumes": {"data": Claim("x")}}, "not an absolute path", "'/'"),
    "our mount": ({"volumes": {"/argojobs/in": EmptyDir()}}, "a place of argojobs", "elsewhere"),
    "volume": ({"volumes": {"/data": "x"}}, "'x' is not a volume", "Claim"),
    "label": ({"node_selector": {"gpu": True}}, "is not text", "'true'"),
    "toleration": ({"tolerations": ["gpu"]}, "is not a Toleration", "Toleration('gpu')"),
    "priority": ({"priority": 3}, "priority=3 is not text", ""),
    "port without a letter": (
        {"ports": {"80": 80}},
        "'80' is not a valid name for a port",
        "one letter",
    ),
    "port with two hyphens": ({"ports": {"a--b": 80}}, "not a valid name for a port", ""),
    "port that ends so": ({"ports": {"a-": 80}}, "not a valid name for a port", ""),
    "port beyond ASCII": ({"ports": {"größe": 80}}, "not a valid name for a port", ""),
    "one port twice": ({"ports": {"a": 80, "b": 80}}, "'a' and 'b' are both port 80", "its own"),
    "one host port twice": (
        {"ports": {"a": Port(80, host=9), "b": Port(81, host=9)}},
        "both port of the machine 9",
        "",
    ),
    "mount of all": ({"volumes": {"/": EmptyDir()}}, "'/' is not a path", "not '/' itself"),
    "mount upwards": ({"volumes": {"/a/../b": EmptyDir()}}, "is not a path", ""),
    "mount with a slash": ({"volumes": {"/a/": EmptyDir()}}, "is not a path", ""),
    "mount with two": ({"volumes": {"//a": EmptyDir()}}, "is not a path", ""),
    "mount with a colon": ({"volumes": {"/a:b": EmptyDir()}}, "is not a path", ""),
    "cpu too fine": ({"cpu": 0.1 + 0.2}, "finer than a thousandth", "cpu='300m'"),
    "cpu in half thousandths": ({"cpu": "1.5m"}, "finer than a thousandth", "cpu='2m'"),
    "priority class": ({"priority": "Very_High"}, "not a valid name for a priority class", "253"),
    "account": ({"service_account": "a/b"}, "not a valid name for a service account", "253"),
    "key by its value": ({"env": {"X": "gh" + "p_" + "a1" * 18}}, "looks like a GitHub", "Secret"),
    "secret key": ({"env": {"S3_SECRET_KEY": "abcdefgh12"}}, "looks like a secret", "Secret"),
    "key of a model": ({"env": {"K": "sk-" + "aB3" * 12}}, "looks like a secret key", "Secret"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_option_that_cannot_be_is_refused(name):
    options, match, hint = WRONG[name]
    with pytest.raises(DefinitionError) as caught:
        step(**options)
    assert match in caught.value.what
    assert hint in caught.value.hint
    assert "test_options.py:" in caught.value.where


VALUES = {
    "claim": (
        lambda: Claim("My_Data"),
        "'My_Data' is not a valid name for a persistent volume claim",
    ),
    "claim upwards": (lambda: Claim("a", sub_path="../b"), "leads out of the claim"),
    "secret": (lambda: Secret("hub token", "k"), "is not a valid name for a Secret"),
    "secret's key": (lambda: Secret("hub", ""), "is not a key of a Secret"),
    "secret files": (lambda: SecretFiles(""), "is not a valid name for a Secret"),
    "config files": (lambda: ConfigFiles("a..b"), "is not a valid name for a ConfigMap"),
    "host kind": (lambda: HostPath("/a", kind="Folder"), "is not a kind of path"),
    "host path": (lambda: HostPath("a"), "is not an absolute path of a machine"),
    "effect": (lambda: Toleration("gpu", effect="NoSchedul"), "is not an effect of a taint"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_kubernetes_refuses_is_refused_where_it_is_written(name):
    make, match = VALUES[name]
    with pytest.raises(DefinitionError) as caught:
        make()
    assert match in caught.value.what
    assert caught.value.hint
    assert "test_options.py:" in caught.value.where


def test_what_kubernetes_takes_is_taken():
    assert Claim("data.v2", sub_path="a/b").name == "data.v2"
    assert HostPath("/data", kind="Directory").kind == "Directory"
    assert Toleration("gpu", effect="NoExecute").effect == "NoExecute"
    assert checked({"cpu": 0.125})["cpu"] == "0.125"
    assert checked({"cpu": "1.500"})["cpu"] == "1.500"
    assert checked({"ports": {"a-1": 80}})["ports"] == {"a-1": Port(80)}


def test_ports_of_several_decorators_have_numbers_of_their_own():
    with refused("'a' and 'b' are both port 80"):
        step(ports={"a": 80})(some).options(ports={"b": 80})


def test_the_error_is_at_the_line_of_the_option():
    with refused("no option 'gpus'", "did you mean 'gpu'"):
        step(gpus=1)
    with refused("no option 'gpus'"):
        step(some).options(gpus=1)
    with refused("no option 'images'"):
        pipeline(images="x")


def test_a_variable_with_a_path_or_a_short_value_is_no_secret():
    env = {
        "KEY": "/run/key.pem",
        "TOKENIZERS_PARALLELISM": "false-or-true",
        "API_KEY": "short",
        "GROUP_KEY": "customer_number",
        "TASK": "sk-learn-with-a-very-long-name-of-a-task-it-runs",
    }
    assert checked({"env": env})["env"] == env


@pytest.mark.parametrize(
    ("full", "kept"),
    [
        ("Train", "train"),
        ("Fit the model, twice", "fit-the-model-twice"),
        ("1a", "x-1a"),
        ("a" * 70, "a" * 48),
        ("größe", "gr-e"),
        ("-", "x"),
        ("end_", "end"),
    ],
)
def test_a_name_that_is_no_dns_label_is_cut_to_one_with_a_hash_of_it(full, kept):
    for made in (step(name=full)(some), pipeline(name=full)(some)):
        assert made.full_name == full
        assert made.name == f"{kept}-{digest(full)}"
        assert is_label(made.name)
    assert step(some).options(name=full).call_name == full


def test_a_function_with_such_a_name_is_cut_as_well():
    def TrainIt() -> None: ...

    assert step(TrainIt).name == f"trainit-{digest('TrainIt')}"


@given(st.text(min_size=1))
def test_any_name_becomes_a_label_that_stays_as_it_is(name):
    made = label(name)
    assert is_label(made)
    assert label(made) == made


@pytest.mark.parametrize("name", ["a", "warm-up", "a" * 57, "a2"])
def test_a_name_that_is_a_label_is_not_touched(name):
    assert label(name) == name


def test_names_that_only_look_alike_stay_two():
    names = ["Train", "TRAIN", "train", "train ", "train!", "t" * 58, "t" * 59]
    assert len({label(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["", 3, None])
def test_what_is_no_text_is_no_name(name):
    with pytest.raises(DefinitionError, match="is not text"):
        step(some).options(name=name)


def test_after_takes_a_list():
    with pytest.raises(DefinitionError, match="after= takes a list"):
        step(some).options(after=3)


def test_small_values_are_equal_by_their_fields():
    assert Toleration("a") == Toleration("a")
    assert hash(Secret("a", "b")) == hash(Secret("a", "b"))
    assert Claim("a") != EmptyDir()
    assert (
        repr(GPU(2)) == "GPU(count=2, memory=None, memory_resource=None, resource='nvidia.com/gpu')"
    )
    with pytest.raises(DefinitionError, match="asks for nothing"):
        GPU(memory_resource="x")


WRONG_RETRY = [
    ({}, "one limit, or budgets"),
    ({"limit": 3, "infra": 1}, "one limit, or budgets"),
    ({"limit": True}, "not a number of attempts"),
    ({"limit": 1, "factor": 0}, "not a whole number above 0"),
    ({"limit": 1, "cap": "1m"}, "a cap without a backoff"),
    ({"limit": 1, "backoff": "x"}, "backoff='x' is not a time"),
]


@pytest.mark.parametrize(("options", "match"), WRONG_RETRY)
def test_a_retry_that_cannot_be_is_refused(options, match):
    with pytest.raises(DefinitionError, match=match):
        Retry(**options)


def test_a_pipeline_checks_what_belongs_to_the_run():
    with pytest.raises(DefinitionError, match="on_exit=3 is not a step"):
        pipeline(on_exit=3)
    with pytest.raises(DefinitionError, match="run_priority='x' is not a whole number"):
        pipeline(run_priority="x")
