"""Somebody who may not enter a pod is told the right that is missing, who he is, and the remedy."""

from __future__ import annotations

import pytest
from support.fake_kubernetes import FakeKubernetes

from argojobs.client.kube.attached import attached
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.forward import forwarded
from argojobs.client.kube.pods import KubePods
from argojobs.errors import NotFoundError, UsageError
from argojobs.service import Streams

CANNOT = 'pods "p" is forbidden: User "ann" cannot get resource "pods/{}" in API group "" in the namespace "argo"'
#: What Kubernetes 1.35.4 answers who lacks `create`.
BARE = 'pods "p" is forbidden: '
POD = {
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "main"}]},
    "status": {
        "phase": "Running",
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
    },
}
ME = {"status": {"userInfo": {"username": "ann"}}}


class Refusing(FakeKubernetes):
    """Kubernetes that lets nobody into its only pod; `says` is why, by the way into it."""

    says = BARE
    status = 403
    review: tuple = (201, ME)

    def reply(self, method, path, body):
        if path.endswith(("/exec", "/portforward")):
            way = path.rpartition("/")[2]
            return self.status, {"kind": "Status", "message": self.says.format(way)}
        if path.endswith("/selfsubjectreviews"):
            return self.review
        return super().reply(method, path, body)


@pytest.fixture
def kubernetes():
    fake = Refusing()
    fake.objects["/api/v1/namespaces/argo/pods/p"] = POD
    yield fake
    fake.close()


@pytest.fixture
def kube(kubernetes, tmp_path):
    with Kube(kubernetes.kubeconfig(tmp_path), label="lab") as kube:
        yield kube


def forward(kube):
    with forwarded(kube, "argo", lambda: "p", 80):
        pass


WAYS = {
    "attach": ("exec", lambda kube: attached(kube, "argo", "p", ["sh"], "main", Streams(0, 1, 2))),
    "starts": ("exec", lambda kube: KubePods(kube, "argo").starts("p", ["bash", "-c", ":"], "main")),
    "execute": ("exec", lambda kube: KubePods(kube, "argo").execute("p", ["true"])),
    "forward": ("portforward", forward),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("says", "verb"), [(CANNOT, "get"), (BARE, "create")])
def test_the_right_and_the_user_are_named_with_the_remedy(kubernetes, kube, way, says, verb):
    kubernetes.says = says
    resource, enter = WAYS[way]
    with pytest.raises(UsageError) as caught:
        enter(kube)
    assert (
        caught.value.what == f"not allowed to {verb} pods/{resource} in the namespace argo as ann"
    )
    assert f"the verbs 'create' and 'get' on 'pods/{resource}'" in caught.value.hint
    assert "argojobs doctor --write - --context lab writes it" in caught.value.hint


@pytest.mark.parametrize("review", [(404, {"message": "no"}), (201, {})])
def test_whom_kubernetes_does_not_name_is_left_out(kubernetes, kube, review):
    kubernetes.review = review
    with pytest.raises(UsageError) as caught:
        WAYS["starts"][1](kube)
    assert caught.value.what == "not allowed to create pods/exec in the namespace argo"


def test_another_answer_is_no_matter_of_rights(kubernetes, kube):
    kubernetes.status, kubernetes.says = 404, 'pods "p" not found'
    with pytest.raises(NotFoundError, match="not found"):
        WAYS["attach"][1](kube)
