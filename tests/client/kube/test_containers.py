"""Which containers a pod has, and whether one can be entered."""

from __future__ import annotations

import pytest

from argojobs.client.kube.pods import _require_running, state_of
from argojobs.errors import ConflictError, NotFoundError


def pod(**states):
    return {
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "wait"}, {"name": "main"}],
            "initContainers": [{"name": "init"}],
        },
        "status": {
            "containerStatuses": [
                {"name": name, "state": {state: {}}}
                for name, state in states.items()
                if name != "init"
            ],
            "initContainerStatuses": [
                {"name": name, "state": {state: {}}}
                for name, state in states.items()
                if name == "init"
            ],
        },
    }


def test_each_container_has_a_state_of_its_own():
    found = pod(main="running", wait="running", init="terminated")
    assert [state_of(found, name) for name in ("main", "init", "none")] == [
        "running", "terminated", "",
    ]  # fmt: skip
    _require_running(found, "main", "lab")


def test_a_container_without_a_status_waits():
    assert state_of(pod(), "main") == "waiting"
    assert state_of({**pod(), "status": {}}, "main") == "waiting"


@pytest.mark.parametrize(
    ("state", "said"), [("terminated", "has ended"), ("waiting", "has not begun")]
)
def test_one_at_rest_is_not_entered(state, said):
    with pytest.raises(ConflictError, match=f"container main of the pod p {said}"):
        _require_running(pod(main=state, wait="running"), "main", "lab")


def test_one_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(NotFoundError, match="no container 'side'") as caught:
        _require_running(pod(main="running"), "side", "lab")
    assert caught.value.hint == "its containers are wait, main, init"
