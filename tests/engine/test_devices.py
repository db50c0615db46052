"""Devices: what pods ask for, what a host has, and who may start."""

import pytest

from argojobs.engine.devices import (
    Resources,
    asked_by,
    choose,
    host_capacity,
    host_gpus,
    missing_devices,
    unlimited_memory,
)

GIB = 2.0**30
HOST = Resources(cpu=4, memory=16 * GIB, gpu=2)
ONE = Resources(cpu=1)


def template(**resources):
    return {"container": {"command": ["x"], "resources": resources}}


def test_as_many_pods_run_as_there_are_cores():
    pending = [(f"p{i}", ONE) for i in range(10)]
    assert choose(pending, [], HOST) == ["p0", "p1", "p2", "p3"]
    assert choose(pending, [ONE, ONE, ONE], HOST) == ["p0"]
    assert choose(pending, [ONE] * 4, HOST) == []


def test_small_requests_share_a_core():
    pending = [(str(i), Resources(cpu=0.5)) for i in range(20)]
    assert len(choose(pending, [], HOST)) == 8


def test_a_pod_that_asks_for_more_than_the_host_has_runs_alone():
    big = Resources(cpu=64, memory=100 * GIB)
    assert choose([("big", big), ("next", ONE)], [], HOST) == ["big"]
    assert choose([("big", big), ("next", ONE)], [ONE], HOST) == []


def test_later_pods_pass_one_that_waits_only_for_what_they_do_not_need():
    gpu = Resources(cpu=1, gpu=2)
    pending = [("gpu", gpu), ("cpu", ONE), ("small gpu", Resources(cpu=1, gpu=1))]
    assert choose(pending, [Resources(cpu=1, gpu=1)], HOST) == ["cpu"]


def test_memory_is_a_limit_too():
    pending = [(str(i), Resources(cpu=1, memory=10 * GIB)) for i in range(3)]
    assert choose(pending, [], HOST) == ["0"]


def test_a_gpu_that_the_host_does_not_have_is_not_waited_for():
    assert choose([("a", Resources(cpu=1, gpu=1))], [], Resources(cpu=1)) == ["a"]


@pytest.mark.parametrize(
    ("more", "asks_it_too"),
    [
        ({"gpu": 5}, {"gpu": 1}),
        ({"memory": 40 * GIB}, {"memory": 1}),
    ],
)
def test_pods_that_ask_for_none_of_it_do_not_wait_for_one_that_has_more_than_there_is(
    more, asks_it_too
):
    running = [Resources(cpu=1, **more)]
    pending = [("same", Resources(cpu=1, **asks_it_too)), ("other", ONE)]
    assert choose(pending, running, HOST) == ["other"]
    assert choose([("other", ONE)], running, Resources(cpu=4)) == ["other"]


def test_choosing_looks_at_few_of_many_that_wait():
    seen = []

    def waiting():
        for i in range(1_000_000):
            seen.append(i)
            yield i, ONE

    assert choose(waiting(), [], HOST) == [0, 1, 2, 3]
    assert len(seen) == 4


def test_requests_come_before_limits():
    asked = asked_by(
        template(
            requests={"cpu": "250m", "memory": "1Gi"},
            limits={"cpu": "2", "memory": "2Gi", "nvidia.com/gpu": "1"},
        )
    )
    assert asked == Resources(cpu=0.25, memory=GIB, gpu=1)


def test_a_pod_without_requests_takes_a_core():
    assert asked_by({"script": {"source": "pass"}}) == Resources(cpu=1.0)


def test_even_a_pod_that_asks_for_nothing_takes_something():
    assert asked_by(template(requests={"cpu": "0"})).cpu > 0


def test_this_host_has_cores_and_memory():
    capacity = host_capacity()
    assert capacity.cpu >= 1
    assert capacity.memory > 2**28


def test_gpus_are_counted_by_their_devices(tmp_path):
    for name in ("nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "tty0"):
        (tmp_path / name).touch()
    assert host_gpus(tmp_path) == ["0", "1", "10"]


def test_what_is_missing_is_noted_once():
    templates = [template(limits={"nvidia.com/gpu": "1"})] * 2 + [
        template(limits={"nvidia.com/gpu": "2", "amd.com/gpu": "1"}, requests={"memory": "99Ti"})
    ]
    notes = missing_devices(templates, Resources(cpu=4, memory=GIB))
    assert len(notes) == 3
    assert any(
        "2 GPUs (nvidia.com/gpu), this host has none: it runs on the CPU" in n for n in notes
    )
    assert any("amd.com/gpu" in note for note in notes)
    assert any("memory" in note for note in notes)
    assert missing_devices(templates[:1], HOST) == []


def test_a_tag_not_yet_replaced_asks_for_nothing():
    assert missing_devices([template(limits={"nvidia.com/gpu": "{{item}}"})], HOST) == []


def test_limits_of_memory_that_cannot_be_kept_are_said(monkeypatch):
    from argojobs.engine.executors.process import memory

    limits = {"container": {"resources": {"limits": {"memory": "1Gi"}}}}
    monkeypatch.setattr(memory, "may_limit", lambda: False)
    (note,) = unlimited_memory([{"dag": {}}, limits, limits])
    assert note.startswith("limits of memory are not enforced")
    assert unlimited_memory([{"container": {"resources": {"requests": {"memory": 1}}}}]) == []
    monkeypatch.setattr(memory, "may_limit", lambda: True)
    assert unlimited_memory([limits]) == []
