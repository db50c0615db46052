"""Secrets and config maps that a pod names and that are not there, and settings it may not have.

Source: Kubernetes, kubelet's CreateContainerConfigError and FailedMount, as recorded.
"""

from __future__ import annotations

from argojobs.diagnosis.cause import told

CAUSES = (
    told(
        "missing-key",
        r"couldn't find key (?P<key>\S+) in (?P<kind>Secret|ConfigMap) (?P<space>[^/\s]+)/(?P<name>\S+)",
        "the {kind} {name} has no key {key}",
        "add the key, or name another in the template",
        "{kubectl} describe {kind} {name}",
    ),
    told(
        "missing-secret",
        r"secrets? \"(?P<name>[^\"]+)\" not found|references non-existent secret key: (?P<key>\S+)",
        "the secret {name}{key} does not exist in the namespace {namespace}",
        "make it; the run goes on by itself then, if its pod still waits",
        "{kubectl} create secret generic {name} --from-literal=KEY=VALUE",
    ),
    told(
        "missing-config-map",
        r"configmaps? \"(?P<name>[^\"]+)\" not found",
        "the config map {name} does not exist in the namespace {namespace}",
        "make it; the run goes on by itself then, if its pod still waits",
        "{kubectl} create configmap {name} --from-literal=KEY=VALUE",
    ),
    told(
        "runs-as-root",
        r"container has runAsNonRoot and image (?P<why>[^\n(]*)",
        "the step may not run as root (runAsNonRoot), but its image {why}",
        "give the template securityContext: {{runAsUser: 1000}}, or an image with a USER",
    ),
    told(
        "container-settings",
        r"CreateContainer(?:Config)?Error: (?P<why>[^\n]+)",
        "the container cannot be made: {why}",
        "correct what the message names in the template",
    ),
)
