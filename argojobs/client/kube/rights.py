"""What somebody may do, as Kubernetes answers it.

Source: Kubernetes docs, authorization (SelfSubjectAccessReview, SubjectAccessReview).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from argojobs.client.kube.connection import Kube

_REVIEWS = "/apis/authorization.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Right:
    """A verb on a resource of an API group: `create workflows.argoproj.io`, `get pods/log`."""

    verb: str
    resource: str
    group: str = ""

    def __str__(self) -> str:
        resource, slash, below = self.resource.partition("/")
        return f"{self.verb} {resource}{f'.{self.group}' if self.group else ''}{slash}{below}"


#: What a shell or a command in a pod takes, and a way to its ports. Kubernetes asks for `get` where
#: a websocket is opened, from 1.35 on for `create` as well (release notes; seen with 1.35.4).
EXEC = (Right("create", "pods/exec"), Right("get", "pods/exec"))
PORT_FORWARD = (Right("create", "pods/portforward"), Right("get", "pods/portforward"))


def may(kube: Kube, right: Right, namespace: str) -> bool:
    """Whether we may do something in a namespace.

    Args:
        kube: the cluster; we are the user of its kubeconfig.
        right: a verb and a resource.
        namespace: where it would be done.
    """
    return _allowed(
        kube, "SelfSubjectAccessReview", "selfsubjectaccessreviews", right, namespace, {}
    )


def account_may(
    kube: Kube, account: str, right: Right, namespace: str, *, of_namespace: str = ""
) -> bool:
    """Whether a service account may do it in a namespace.

    Args:
        kube: the cluster.
        account: the name of the service account.
        right: what it would do.
        namespace: where it would do it.
        of_namespace: the account's own, where it is another one.

    Raises:
        UsageError: we may not ask that.
    """
    own = of_namespace or namespace
    whole = f"system:serviceaccount:{own}"
    who = {
        "user": f"{whole}:{account}",
        "groups": [
            f"system:serviceaccounts:{own}",
            "system:serviceaccounts",
            "system:authenticated",
        ],
    }
    return _allowed(kube, "SubjectAccessReview", "subjectaccessreviews", right, namespace, who)


def _allowed(
    kube: Kube, kind: str, plural: str, right: Right, namespace: str, who: dict[str, Any]
) -> bool:
    resource, _, below = right.resource.partition("/")
    asked = {
        "verb": right.verb,
        "resource": resource,
        "group": right.group,
        "namespace": namespace,
        **({"subresource": below} if below else {}),
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": kind,
        "spec": {"resourceAttributes": asked, **who},
    }
    answer = kube.ask("POST", f"{_REVIEWS}/{plural}", body=body)
    return bool((answer.get("status") or {}).get("allowed"))
