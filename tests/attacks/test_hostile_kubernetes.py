"""What a kubeconfig leads to is not a Kubernetes: it gives no end, another shape, or leads elsewhere."""

import json
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from support.exec_server import exec_server
from support.hostile_server import ENDLESS, ODD, hostile, once, whole

from argojobs.client.kube import argo_server, cluster_state, pods, transport
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.exec import run_in
from argojobs.client.kube.forbidden import forbidden
from argojobs.client.kube.gpus import gpus_of, waiting_for
from argojobs.client.kube.objects import apply, list_all, merge, read
from argojobs.client.kube.platforms import platform_of
from argojobs.client.kube.rights import Right, may
from argojobs.errors import ArgojobsError, UsageError

WITHIN = 20.0
TOKEN = "a-token-of-ours"
MAP = {"kind": "ConfigMap", "metadata": {"name": "m", "namespace": "argo"}}


def all_gpus(kube):
    nodes, every = list_all(kube, "Node"), list_all(kube, "Pod")
    return gpus_of(nodes, every), waiting_for(every), platform_of(nodes)


OPERATIONS = {
    "read": lambda kube: read(kube, "Pod", "argo", "p"),
    "apply": lambda kube: apply(kube, MAP),
    "merge": lambda kube: merge(kube, MAP),
    "look": lambda kube: cluster_state.look_at(kube, "argo", "r"),
    "gpus": all_gpus,
    "find": lambda kube: argo_server.find(kube, "argo"),
    "rights": lambda kube: may(kube, Right("get", "pods"), "argo"),
    "pods": lambda kube: pods.KubePods(kube, "argo").of_run("r"),
    "events": lambda kube: pods.KubePods(kube, "argo").events("r"),
    "runs": lambda kube: pods.KubePods(kube, "argo").runs("p"),
    "machines": lambda kube: pods.KubePods(kube, "argo").machines(),
    "run": lambda kube: run_in(kube, "argo", "p", ["true"], "main"),
}
#: As Kubernetes would write it, but for one part.
OF_PODS = {
    "a pod without a spec": {"metadata": {"name": "p"}},
    "a container without a name": {
        "metadata": {"name": "p"},
        "spec": {"containers": [{}], "volumes": [{}]},
        "status": {"containerStatuses": [{}], "conditions": [{}]},
    },
    "half a GPU": {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "0.5"}}}]},
        "status": {"allocatable": {"nvidia.com/gpu": [1]}},
    },
    "volumes that are texts": {"metadata": {"name": "p"}, "spec": {"volumes": ["x"]}},
    "a port that is a list": {
        "metadata": {"name": "argo-server"},
        "spec": {"selector": {"a": "b"}, "ports": [{"targetPort": [1]}]},
    },
    "a time that is a number": {"metadata": {"name": "p"}, "lastTimestamp": 1},
}
pytestmark = pytest.mark.usefixtures("small", "figure")


@pytest.fixture(autouse=True)
def _hasty(monkeypatch):
    monkeypatch.setattr(transport, "TIMEOUT", (2.0, 2.0))


@pytest.fixture
def tried(tmp_path):
    """Try an operation on a server and return what it raised, None for nothing."""

    def of(server, operation):
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url}}],
            "users": [{"name": "u", "user": {"token": TOKEN}}],
        }
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(config))
        begun, error = time.monotonic(), None
        with Kube(str(path), label="lab") as kube:
            try:
                OPERATIONS[operation](kube)
            except ArgojobsError as raised:
                error = raised
            if error is not None:
                forbidden(UsageError('User "x" cannot create resource "pods/exec"'), kube, "/exec")
        assert TOKEN not in str(error)
        assert time.monotonic() - begun < WITHIN
        return error

    return of


@pytest.mark.parametrize("how", ENDLESS)
@pytest.mark.parametrize("operation", ["read", "apply", "run"])
def test_an_answer_without_end_is_an_error(tried, operation, how):
    with hostile(ENDLESS[how]) as server:
        assert tried(server, operation) is not None
    assert server.sent < 1 << 26


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_answer_of_another_shape_is_an_error_or_means_nothing(tried, operation, odd):
    for status in ("200 OK", "401 No", "403 No", "404 No", "409 No", "500 Bad"):
        with hostile(once(whole(ODD[odd], status=status))) as server:
            tried(server, operation)


@pytest.mark.parametrize("part", OF_PODS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_object_of_which_a_part_is_odd_is_an_error_or_means_nothing(tried, operation, part):
    for answer in (OF_PODS[part], {"items": [OF_PODS[part]]}):
        with hostile(once(whole(json.dumps(answer).encode()))) as server:
            tried(server, operation)


def test_the_same_page_again_and_again_is_an_error(tried):
    page = whole(b'{"metadata":{"continue":"on"},"items":[]}')
    with hostile(once(page)) as server:
        error = tried(server, "gpus")
    assert "the same page of a list comes again and again" in error.what
    assert len(server.requests) == 2


def test_pages_without_end_are_not_asked_for_for_ever(tried, monkeypatch):
    monkeypatch.setattr("argojobs.client.kube.objects.LONGEST_LIST", 5000)
    pages = iter(range(1_000_000))

    def answer(_request):
        yield whole(b'{"metadata":{"continue":"%d"},"items":[]}' % next(pages))

    with hostile(answer) as server:
        error = tried(server, "gpus")
    assert "a list has no end" in error.what
    assert len(server.requests) == 10


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("operation", ["read", "apply", "merge", "run"])
def test_a_redirect_elsewhere_gets_no_token(tried, operation, status):
    with hostile(once(whole(b"{}"))) as elsewhere:
        moved = whole(b"", status=f"{status} Moved", Location=f"{elsewhere.url}/api")
        with hostile(once(moved)) as server:
            assert tried(server, operation) is not None
    assert not elsewhere.requests


#: A frame of 2^62 bytes, and one that others are to follow, again and again.
FRAMES = {
    "a message of 2^62": (b"\x82\x7f" + b"\x40" + bytes(7), b"x"),
    "parts": (b"", b"\x02\x01x"),
}


@pytest.mark.parametrize("how", FRAMES)
def test_a_message_without_end_is_an_error(tried, how):
    begin, piece = FRAMES[how]

    def serve(line):
        with suppress(OSError):
            line.raw(begin)
            while True:
                line.raw(piece * 4096 if not begin else piece * 65536)

    with exec_server(serve) as (url, _):
        assert tried(SimpleNamespace(url=url), "run") is not None
