"""Argo's objects as types: what mypy knows of a manifest. Written by a script, not by hand.

Made by `scripts/make_manifest_fields.py` of Argo's schema. Every field may be missing; a manifest
that nobody has checked may have null, or anything, in its place. Nothing here exists at run time:
import it below `if TYPE_CHECKING`.
"""

# ruff: noqa: UP013 - a line a field would be three times as long
# fmt: off
from __future__ import annotations

from typing import Any, TypedDict

#: What is in them that the code does not read.
Object = dict[str, Any]

Workflow = TypedDict("Workflow", {
    "apiVersion": "str", "kind": "str", "metadata": "ObjectMeta", "spec": "WorkflowSpec",
    "status": "WorkflowStatus",
}, total=False)
ObjectMeta = TypedDict("ObjectMeta", {
    "annotations": "dict[str, str]", "creationTimestamp": "str",
    "deletionGracePeriodSeconds": "int", "deletionTimestamp": "str", "finalizers": "list[str]",
    "generateName": "str", "generation": "int", "labels": "dict[str, str]", "managedFields": "Any",
    "name": "str", "namespace": "str", "ownerReferences": "list[Object]", "resourceVersion": "str",
    "selfLink": "str", "uid": "str",
}, total=False)
WorkflowSpec = TypedDict("WorkflowSpec", {
    "activeDeadlineSeconds": "int", "affinity": "Object", "archiveLogs": "bool",
    "arguments": "Arguments", "artifactGC": "Object", "artifactRepositoryRef": "Object",
    "automountServiceAccountToken": "bool", "dnsConfig": "Object", "dnsPolicy": "str",
    "entrypoint": "str", "executor": "Object", "executorPlugins": "list[Any]",
    "hooks": "dict[str, LifecycleHook]", "hostAliases": "list[Object]", "hostNetwork": "bool",
    "imagePullSecrets": "list[Object]", "metrics": "Object", "nodeSelector": "dict[str, str]",
    "onExit": "str", "parallelism": "int", "podDisruptionBudget": "Object", "podGC": "Object",
    "podMetadata": "Metadata", "podPriorityClassName": "str",
    "podResources": "ResourceRequirements", "podSpecPatch": "str", "priority": "int",
    "resourceClaims": "list[Object]", "retryStrategy": "RetryStrategy", "schedulerName": "str",
    "securityContext": "Object", "serviceAccountName": "str", "shutdown": "str", "suspend": "bool",
    "synchronization": "Object", "templateDefaults": "Template", "templates": "list[Template]",
    "tolerations": "list[Object]", "ttlStrategy": "Object", "volumeClaimGC": "Object",
    "volumeClaimTemplates": "list[Object]", "volumes": "list[Object]",
    "workflowMetadata": "Object", "workflowTemplateRef": "Object",
}, total=False)
WorkflowStatus = TypedDict("WorkflowStatus", {
    "artifactGCStatus": "Object", "artifactRepositoryRef": "Object", "compressedNodes": "str",
    "conditions": "list[Object]", "estimatedDuration": "int", "finishedAt": "str | None",
    "message": "str", "nodes": "dict[str, NodeStatus]", "offloadNodeStatusVersion": "str",
    "outputs": "Outputs", "persistentVolumeClaims": "list[Object]", "phase": "str",
    "progress": "str", "resourcesDuration": "dict[str, int]", "startedAt": "str | None",
    "storedTemplates": "dict[str, Template]", "storedWorkflowTemplateSpec": "WorkflowSpec",
    "synchronization": "Object", "taskResultsCompletionStatus": "dict[str, bool]",
}, total=False)
NodeStatus = TypedDict("NodeStatus", {
    "boundaryID": "str", "children": "list[str]", "daemoned": "bool", "displayName": "str",
    "estimatedDuration": "int", "failedPodRestarts": "int", "finishedAt": "str | None",
    "hostNodeName": "str", "id": "str", "inputs": "Inputs", "memoizationStatus": "Object",
    "message": "str", "name": "str", "nodeFlag": "NodeFlag", "outboundNodes": "list[str]",
    "outputs": "Outputs", "phase": "str", "podIP": "str", "progress": "str",
    "resourcesDuration": "dict[str, int]", "restartingPodUID": "str", "startedAt": "str | None",
    "synchronizationStatus": "Object", "taskResultSynced": "bool", "templateName": "str",
    "templateRef": "TemplateRef", "templateScope": "str", "type": "str",
}, total=False)
NodeFlag = TypedDict("NodeFlag", {"hooked": "bool", "retried": "bool"}, total=False)
Template = TypedDict("Template", {
    "activeDeadlineSeconds": "int | str", "affinity": "Object", "annotations": "dict[str, str]",
    "archiveLocation": "Object", "automountServiceAccountToken": "bool", "container": "Container",
    "containerSet": "ContainerSetTemplate", "daemon": "bool", "dag": "DAGTemplate",
    "data": "Object", "executor": "Object", "failFast": "bool", "hostAliases": "list[Object]",
    "http": "Object", "initContainers": "list[Container]", "inputs": "Inputs", "memoize": "Object",
    "metadata": "Metadata", "metrics": "Object", "name": "str", "nodeSelector": "dict[str, str]",
    "outputs": "Outputs", "parallelism": "int", "pendingTimeout": "str", "plugin": "Any",
    "podResources": "ResourceRequirements", "podSpecPatch": "str", "priorityClassName": "str",
    "resource": "Object", "resourceClaims": "list[Object]", "retryStrategy": "RetryStrategy",
    "schedulerName": "str", "script": "ScriptTemplate", "securityContext": "Object",
    "serviceAccountName": "str", "sidecars": "list[Container]", "steps": "list[list[DAGTask]]",
    "suspend": "Object", "synchronization": "Object", "timeout": "str",
    "tolerations": "list[Object]", "volumes": "list[Object]",
}, total=False)
Metadata = TypedDict("Metadata", {
    "annotations": "dict[str, str]", "labels": "dict[str, str]",
}, total=False)
TemplateRef = TypedDict("TemplateRef", {
    "clusterScope": "bool", "name": "str", "template": "str",
}, total=False)
DAGTemplate = TypedDict("DAGTemplate", {
    "failFast": "bool", "target": "str", "tasks": "list[DAGTask]",
}, total=False)
DAGTask = TypedDict("DAGTask", {
    "arguments": "Arguments", "continueOn": "Object", "dependencies": "list[str]",
    "depends": "str", "hooks": "dict[str, LifecycleHook]", "inline": "Template", "name": "str",
    "onExit": "str", "template": "str", "templateRef": "TemplateRef", "when": "str",
    "withItems": "list[Any]", "withParam": "str", "withSequence": "Object",
}, total=False)
LifecycleHook = TypedDict("LifecycleHook", {
    "arguments": "Arguments", "expression": "str", "template": "str", "templateRef": "TemplateRef",
}, total=False)
Arguments = TypedDict("Arguments", {
    "artifacts": "list[Artifact]", "parameters": "list[Parameter]",
}, total=False)
Inputs = TypedDict("Inputs", {
    "artifacts": "list[Artifact]", "parameters": "list[Parameter]",
}, total=False)
Outputs = TypedDict("Outputs", {
    "artifacts": "list[Artifact]", "exitCode": "str", "parameters": "list[Parameter]",
    "result": "str",
}, total=False)
Parameter = TypedDict("Parameter", {
    "default": "Any", "description": "str", "enum": "list[str]", "globalName": "str",
    "name": "str", "value": "Any", "valueFrom": "ValueFrom",
}, total=False)
ValueFrom = TypedDict("ValueFrom", {
    "configMapKeyRef": "Object", "default": "Any", "event": "str", "expression": "str",
    "jqFilter": "str", "jsonPath": "str", "parameter": "str", "path": "str", "supplied": "Object",
}, total=False)
Artifact = TypedDict("Artifact", {
    "archive": "Object", "archiveLogs": "bool", "artifactGC": "Object", "artifactory": "Object",
    "azure": "Object", "deleted": "bool", "from": "str", "fromExpression": "str", "gcs": "Object",
    "git": "Object", "globalName": "str", "hdfs": "Object", "http": "Object", "mode": "int",
    "name": "str", "optional": "bool", "oss": "Object", "path": "str", "plugin": "Object",
    "raw": "Object", "recurseMode": "bool", "s3": "Object", "subPath": "str",
}, total=False)
RetryStrategy = TypedDict("RetryStrategy", {
    "affinity": "Object", "backoff": "Object", "expression": "str", "limit": "int | str",
    "retryPolicy": "str",
}, total=False)
Container = TypedDict("Container", {
    "args": "list[str]", "command": "list[str]", "env": "list[EnvVar]", "envFrom": "list[Object]",
    "image": "str", "imagePullPolicy": "str", "lifecycle": "Object", "livenessProbe": "Object",
    "name": "str", "ports": "list[Object]", "readinessProbe": "Object",
    "resizePolicy": "list[Object]", "resources": "ResourceRequirements", "restartPolicy": "str",
    "restartPolicyRules": "list[Object]", "securityContext": "Object", "startupProbe": "Object",
    "stdin": "bool", "stdinOnce": "bool", "terminationMessagePath": "str",
    "terminationMessagePolicy": "str", "tty": "bool", "volumeDevices": "list[Object]",
    "volumeMounts": "list[Object]", "workingDir": "str",
}, total=False)
ScriptTemplate = TypedDict("ScriptTemplate", {
    "args": "list[str]", "command": "list[str]", "env": "list[EnvVar]", "envFrom": "list[Object]",
    "image": "str", "imagePullPolicy": "str", "lifecycle": "Object", "livenessProbe": "Object",
    "name": "str", "ports": "list[Object]", "readinessProbe": "Object",
    "resizePolicy": "list[Object]", "resources": "ResourceRequirements", "restartPolicy": "str",
    "restartPolicyRules": "list[Object]", "securityContext": "Object", "source": "str",
    "startupProbe": "Object", "stdin": "bool", "stdinOnce": "bool",
    "terminationMessagePath": "str", "terminationMessagePolicy": "str", "tty": "bool",
    "volumeDevices": "list[Object]", "volumeMounts": "list[Object]", "workingDir": "str",
}, total=False)
ContainerSetTemplate = TypedDict("ContainerSetTemplate", {
    "containers": "list[Container]", "retryStrategy": "Object", "volumeMounts": "list[Object]",
}, total=False)
EnvVar = TypedDict("EnvVar", {"name": "str", "value": "str", "valueFrom": "Object"}, total=False)
ResourceRequirements = TypedDict("ResourceRequirements", {
    "claims": "list[Object]", "limits": "dict[str, float | str]",
    "requests": "dict[str, float | str]",
}, total=False)
