"""What a namespace needs so that runs go on in it: roles, accounts, a claim, limits; plain data.

Source: Argo docs, workflow RBAC (the executor), artifact garbage collection, service account
secrets, argo-server auth modes (with a client's token the server acts with the client's rights);
Kubernetes docs, RBAC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]

ARGO = "argoproj.io"
SUBMITTER = "argojobs-submitter"
READER = "argojobs-reader"
EXECUTOR = "argojobs-executor"

_RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
_RUNS = ["workflows", "workflowtemplates", "cronworkflows"]
_BESIDE = ["workflowtasksets", "workflowtaskresults", "workfloweventbindings"]

#: What a pod's executor needs: it reports its outputs by a WorkflowTaskResult; where Argo removes
#: artifacts with their run, the pod that does it reads what to remove, and reports what it has.
EXECUTOR_RULES = [
    {"apiGroups": [ARGO], "resources": ["workflowtaskresults"], "verbs": ["create", "patch"]},
    {"apiGroups": [ARGO], "resources": ["workflowartifactgctasks"], "verbs": ["list", "watch"]},
    {"apiGroups": [ARGO], "resources": ["workflowartifactgctasks/status"], "verbs": ["patch"]},
]


@dataclass(frozen=True, slots=True)
class Setup:
    """What is wanted in a namespace.

    service_account: of the runs' pods. secret: the one with the store's keys, "" for none. claims:
    size by name. limits: the sizes of semaphores by key, kept in the ConfigMap `limits_name`.
    """

    namespace: str
    service_account: str = "default"
    secret: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    limits_name: str = ""


def setup_objects(setup: Setup) -> list[Object]:
    """Return all objects of a set-up, in the order in which they are to be applied."""
    namespace = setup.namespace
    found: list[Object] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    ]
    if setup.service_account != "default":
        found.append(_account(setup.service_account, namespace))
    found += [
        _role(EXECUTOR, namespace, EXECUTOR_RULES),
        _binding(EXECUTOR, namespace, setup.service_account),
    ]
    for name, rules in (
        (SUBMITTER, submitter_rules(setup.secret)),
        (READER, reader_rules()),
    ):
        found += [
            _account(name, namespace),
            _role(name, namespace, rules),
            _binding(name, namespace, name),
        ]
    found += [claim_object(name, namespace, size) for name, size in setup.claims.items()]
    if setup.limits:
        found.append(_limits_object(setup.limits_name, namespace, setup.limits))
    return found


def submitter_rules(secret: str = "") -> list[Object]:
    """Return the rules of who runs, stops, retries and deletes; and goes into running pods.

    Argo's retry deletes pods with the rights of who asks. secret: the store's keys, which the
    server reads with the rights of who asks for an artifact.
    """
    return [
        _rule([ARGO], _RUNS, ["create", "get", "list", "watch", "update", "patch", "delete"]),
        _rule([ARGO], _BESIDE, _READ),
        _rule([""], ["pods"], [*_READ, "delete"]),
        _rule([""], ["pods/log", "events", "services"], _READ),
        _rule([""], ["pods/exec", "pods/portforward"], ["create", "get"]),
        _rule([""], ["persistentvolumeclaims"], ["get", "list", "create"]),
        *_named("secrets", [secret] if secret else []),
        *_named("configmaps", CONFIG_MAPS),
    ]


def reader_rules() -> list[Object]:
    """Return the rules of who looks at runs and changes nothing."""
    return [
        _rule([ARGO], [*_RUNS, *_BESIDE], _READ),
        _rule([""], ["pods", "pods/log", "events", "services"], _READ),
        _rule([""], ["persistentvolumeclaims"], ["get", "list"]),
        *_named("configmaps", CONFIG_MAPS),
    ]


#: ConfigMaps that doctor reads: Argo's own settings, and ours with the limits.
CONFIG_MAPS = ["argojobs-limits", "artifact-repositories", "workflow-controller-configmap"]


def claim_object(name: str, namespace: str, size: str) -> Object:
    """Return a storage claim of the cluster's usual class, for one machine at a time.

    Args:
        name: of the claim.
        namespace: where it is made.
        size: as Kubernetes writes quantities: `100Gi`.
    """
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
        },
    }


def _limits_object(name: str, namespace: str, limits: Mapping[str, int]) -> Object:
    """Return the ConfigMap with the sizes of semaphores."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": {key: str(size) for key, size in limits.items()},
    }


def _rule(groups: Sequence[str], resources: Sequence[str], verbs: Iterable[str]) -> Object:
    return {"apiGroups": [*groups], "resources": [*resources], "verbs": [*verbs]}


def _named(resource: str, names: Sequence[str]) -> list[Object]:
    if not names:
        return []
    return [{**_rule([""], [resource], ["get"]), "resourceNames": [*names]}]


def _account(name: str, namespace: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace},
    }


def _role(name: str, namespace: str, rules: Sequence[Object]) -> Object:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role",
        "metadata": {"name": name, "namespace": namespace},
        "rules": [*rules],
    }


def _binding(role: str, namespace: str, account: str) -> Object:
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": role, "namespace": namespace},
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": role},
        "subjects": [subject],
    }
