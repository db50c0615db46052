"""GPUs of a cluster, counted from nodes and pods."""

from __future__ import annotations

import pytest

from argojobs.client.kube.gpus import gpus_of, is_gpu, requested, waiting_for


def node(name, **offers):
    return {"metadata": {"name": name}, "status": {"allocatable": offers}}


def pod(
    name, gpus=1, *, on="n1", phase="Running", namespace="argo", resource="nvidia.com/gpu", **labels
):
    limits = {resource: str(gpus)} if gpus else {}
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"nodeName": on, "containers": [{"resources": {"limits": limits}}]},
        "status": {"phase": phase},
    }


@pytest.mark.parametrize(
    ("resource", "is_it"),
    [
        ("nvidia.com/gpu", True),
        ("amd.com/gpu", True),
        ("gpu.intel.com/i915", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("nvidia.com/gpu.shared", True),
        ("cpu", False),
        ("gpu", False),
        ("example.com/foo", False),
    ],
)
def test_what_counts_as_a_gpu(resource, is_it):
    assert is_gpu(resource) is is_it


def test_used_ones_are_told_by_the_runs_user_else_by_the_namespace():
    mine = pod("a", 2, **{"argojobs.dev/user": "ann", "workflows.argoproj.io/workflow": "train-x"})
    theirs = pod("b", 1, namespace="web")
    (found,) = gpus_of([node("n1", **{"nvidia.com/gpu": "8", "cpu": "4"})], [mine, theirs])
    assert (found.total, found.used, found.free) == (8, 3, 5)
    assert [(use.count, use.user, use.run) for use in found.uses] == [
        (2, "ann", "train-x"),
        (1, "namespace web", ""),
    ]


def test_pods_that_have_ended_or_are_elsewhere_use_none():
    others = [pod("a", phase="Succeeded"), pod("b", phase="Failed"), pod("c", on="n2"), pod("d", 0)]
    (found,) = gpus_of([node("n1", **{"nvidia.com/gpu": "2"})], others)
    assert found.free == 2


def test_a_node_without_gpus_is_left_out_and_kinds_are_apart():
    nodes = [node("b", **{"amd.com/gpu": "1", "nvidia.com/gpu": "0"}), node("a", cpu="4")]
    assert [(one.machine, one.resource) for one in gpus_of(nodes, [])] == [("b", "amd.com/gpu")]


def test_an_init_container_shares_with_the_others():
    def gpu(count):
        return {"resources": {"requests": {"nvidia.com/gpu": count}}}

    value = {"spec": {"containers": [gpu("1"), gpu("2"), {}], "initContainers": [gpu("2")]}}
    assert requested(value) == {"nvidia.com/gpu": 3}
    value["spec"]["initContainers"] = [gpu("4")]
    assert requested(value) == {"nvidia.com/gpu": 4}


def test_more_lent_than_offered_leaves_none_free():
    (found,) = gpus_of([node("n1", **{"nvidia.com/gpu": "1"})], [pod("a", 2)])
    assert found.free == 0


def test_pods_without_a_machine_wait():
    value = pod("a", on="", phase="Pending", **{"argojobs.dev/user": "ann"})
    ((resource, use),) = waiting_for([value, pod("b"), pod("c", phase="Pending")])
    assert (resource, use.user, use.pod) == ("nvidia.com/gpu", "ann", "a")
