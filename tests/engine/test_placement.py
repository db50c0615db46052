"""Placement: what pods ask for, and which gangs of them may start."""

import pytest

from argojobs.engine.placement import NVIDIA, Resources, asked_by, place, shortage

GIB = 2.0**30
HOST = Resources(cpu=4, memory=16 * GIB, gpus={NVIDIA: 2})
ONE = Resources(cpu=1)


def template(**resources):
    return {"container": {"command": ["x"], "resources": resources}}


def places(pending, running, capacity):
    """Place pods that start by themselves: gangs of one."""
    gangs = ((key, (asked,)) for key, asked in pending)
    return place(gangs, [(pod,) for pod in running], capacity)


def test_as_many_pods_run_as_there_are_cores():
    pending = [(f"p{i}", ONE) for i in range(10)]
    assert places(pending, [], HOST) == ["p0", "p1", "p2", "p3"]
    assert places(pending, [ONE, ONE, ONE], HOST) == ["p0"]
    assert places(pending, [ONE] * 4, HOST) == []


def test_small_requests_share_a_core():
    pending = [(str(i), Resources(cpu=0.5)) for i in range(20)]
    assert len(places(pending, [], HOST)) == 8


def test_a_pod_that_asks_for_more_than_the_host_has_runs_alone():
    big = Resources(cpu=64, memory=100 * GIB)
    assert places([("big", big), ("next", ONE)], [], HOST) == ["big"]
    assert places([("big", big), ("next", ONE)], [ONE], HOST) == []


def test_later_pods_pass_one_that_waits_only_for_what_they_do_not_need():
    gpu = Resources(cpu=1, gpus={NVIDIA: 2})
    pending = [("gpu", gpu), ("cpu", ONE), ("small gpu", Resources(cpu=1, gpus={NVIDIA: 1}))]
    assert places(pending, [Resources(cpu=1, gpus={NVIDIA: 1})], HOST) == ["cpu"]


def test_memory_is_a_limit_too():
    pending = [(str(i), Resources(cpu=1, memory=10 * GIB)) for i in range(3)]
    assert places(pending, [], HOST) == ["0"]


def test_a_gpu_that_the_host_does_not_have_is_not_waited_for():
    assert places([("a", Resources(cpu=1, gpus={NVIDIA: 1}))], [], Resources(cpu=1)) == ["a"]


@pytest.mark.parametrize(
    ("more", "asks_it_too"),
    [
        ({"gpus": {NVIDIA: 5}}, {"gpus": {NVIDIA: 1}}),
        ({"memory": 40 * GIB}, {"memory": 1}),
    ],
)
def test_pods_that_ask_for_none_of_it_do_not_wait_for_one_that_has_more_than_there_is(
    more, asks_it_too
):
    running = [Resources(cpu=1, **more)]
    pending = [("same", Resources(cpu=1, **asks_it_too)), ("other", ONE)]
    assert places(pending, running, HOST) == ["other"]
    assert places([("other", ONE)], running, Resources(cpu=4)) == ["other"]


def test_choosing_looks_at_few_of_many_that_wait():
    seen = []

    def waiting():
        for i in range(1_000_000):
            seen.append(i)
            yield i, ONE

    assert places(waiting(), [], HOST) == [0, 1, 2, 3]
    assert len(seen) == 4


def test_requests_come_before_limits():
    asked = asked_by(
        template(
            requests={"cpu": "250m", "memory": "1Gi"},
            limits={"cpu": "2", "memory": "2Gi", "nvidia.com/gpu": "1"},
        )
    )
    assert asked == Resources(cpu=0.25, memory=GIB, gpus={NVIDIA: 1})


def test_a_pod_without_requests_takes_a_core():
    assert asked_by({"script": {"source": "pass"}}) == Resources(cpu=1.0)


def test_even_a_pod_that_asks_for_nothing_takes_something():
    assert asked_by(template(requests={"cpu": "0"})).cpu > 0


def test_all_pods_of_a_gang_start_or_none():
    gang = [Resources(cpu=1, gpus={NVIDIA: 1})] * 2
    assert place([("gang", gang)], [], HOST) == ["gang"]
    assert place([("gang", gang)], [[Resources(gpus={NVIDIA: 1})]], HOST) == []
    assert place([("first", gang), ("second", gang)], [], HOST) == ["first"]


def test_a_gang_that_waits_is_not_starved_by_pods_that_would_fit():
    gang, one = [Resources(cpu=1, gpus={NVIDIA: 1})] * 2, [Resources(cpu=1, gpus={NVIDIA: 1})]
    assert place([("gang", gang), ("one", one), ("cpu", [ONE])], [one], HOST) == ["cpu"]


def test_a_gang_that_asks_for_more_than_there_is_runs_alone():
    gang = [ONE] * 8
    assert place([("gang", gang), ("next", [ONE])], [], HOST) == ["gang"]
    assert place([("next", [ONE])], [gang], HOST) == []
    assert place([("gang", gang)], [[ONE]], HOST) == []


def test_parts_of_a_gpu_share_it():
    half = Resources(cpu=0.1, gpus={NVIDIA: 0.5})
    assert len(places([(i, half) for i in range(10)], [], HOST)) == 4
    whole = Resources(cpu=0.1, gpus={NVIDIA: 2})
    assert places([("whole", whole)], [half], HOST) == []
    assert shortage(whole, half, HOST) == "2 GPUs: 0.5 of 2"


def test_kinds_of_gpus_are_not_taken_for_each_other():
    host = Resources(cpu=4, gpus={"a/gpu": 1, "b/gpu": 1})
    a, b = (Resources(cpu=1, gpus={kind: 1}) for kind in ("a/gpu", "b/gpu"))
    assert places([("a", a), ("second a", a), ("b", b)], [], host) == ["a", "b"]
    assert shortage(a, a, host) == "a GPU: 1 of 1"
    assert shortage(a, b, host) == ""
