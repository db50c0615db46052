"""Argo's objects as types: what mypy knows of a manifest. Written by a script, not by hand.

Made by `scripts/make_manifest_fields.py` of Argo's schema. Every field may be missing; a manifest
that nobody has checked may have null, or anything, in its place. Nothing here exists at run time:
import it below `if TYPE_CHECKING`.
"""

# ruff: noqa: UP013 - a line a field would be three times as long
# fmt: off
from __future__ import annotations

from typing import Any, TypedDict

Workflow = TypedDict("Workflow", {
    "apiVersion": "str", "kind": "str", "metadata": "ObjectMeta", "spec": "WorkflowSpec",
    "status": "Any",
}, total=False)

ObjectMeta = TypedDict("ObjectMeta", {
    "annotations": "dict[str, str]", "creationTimestamp": "str",
    "deletionGracePeriodSeconds": "int", "deletionTimestamp": "str", "finalizers": "list[str]",
    "generateName": "str", "generation": "int", "labels": "dict[str, str]", "managedFields": "Any",
    "name": "str", "namespace": "str", "ownerReferences": "list[dict[str, Any]]",
    "resourceVersion": "str", "selfLink": "str", "uid": "str",
}, total=False)

WorkflowSpec = TypedDict("WorkflowSpec", {
    "activeDeadlineSeconds": "int", "affinity": "dict[str, Any]", "archiveLogs": "bool",
    "arguments": "Arguments", "artifactGC": "dict[str, Any]",
    "artifactRepositoryRef": "dict[str, Any]", "automountServiceAccountToken": "bool",
    "dnsConfig": "dict[str, Any]", "dnsPolicy": "str", "entrypoint": "str",
    "executor": "dict[str, Any]", "executorPlugins": "list[Any]",
    "hooks": "dict[str, LifecycleHook]", "hostAliases": "list[dict[str, Any]]",
    "hostNetwork": "bool", "imagePullSecrets": "list[dict[str, Any]]", "metrics": "dict[str, Any]",
    "nodeSelector": "dict[str, str]", "onExit": "str", "parallelism": "int",
    "podDisruptionBudget": "dict[str, Any]", "podGC": "dict[str, Any]", "podMetadata": "Metadata",
    "podPriorityClassName": "str", "podResources": "ResourceRequirements", "podSpecPatch": "str",
    "priority": "int", "resourceClaims": "list[dict[str, Any]]", "retryStrategy": "RetryStrategy",
    "schedulerName": "str", "securityContext": "dict[str, Any]", "serviceAccountName": "str",
    "shutdown": "str", "suspend": "bool", "synchronization": "dict[str, Any]",
    "templateDefaults": "Template", "templates": "list[Template]",
    "tolerations": "list[dict[str, Any]]", "ttlStrategy": "dict[str, Any]",
    "volumeClaimGC": "dict[str, Any]", "volumeClaimTemplates": "list[dict[str, Any]]",
    "volumes": "list[dict[str, Any]]", "workflowMetadata": "WorkflowMetadata",
    "workflowTemplateRef": "WorkflowTemplateRef",
}, total=False)

WorkflowTemplateRef = TypedDict("WorkflowTemplateRef", {
    "clusterScope": "bool", "name": "str",
}, total=False)

WorkflowMetadata = TypedDict("WorkflowMetadata", {
    "annotations": "dict[str, str]", "labels": "dict[str, str]",
    "labelsFrom": "dict[str, dict[str, Any]]",
}, total=False)

WorkflowStatus = TypedDict("WorkflowStatus", {
    "artifactGCStatus": "dict[str, Any]", "artifactRepositoryRef": "ArtifactRepositoryRefStatus",
    "compressedNodes": "str", "conditions": "list[dict[str, Any]]", "estimatedDuration": "int",
    "finishedAt": "str | None", "message": "str", "nodes": "dict[str, NodeStatus]",
    "offloadNodeStatusVersion": "str", "outputs": "Outputs",
    "persistentVolumeClaims": "list[dict[str, Any]]", "phase": "str", "progress": "str",
    "resourcesDuration": "dict[str, int]", "startedAt": "str | None",
    "storedTemplates": "dict[str, Template]", "storedWorkflowTemplateSpec": "WorkflowSpec",
    "synchronization": "dict[str, Any]", "taskResultsCompletionStatus": "dict[str, bool]",
}, total=False)

ArtifactRepositoryRefStatus = TypedDict("ArtifactRepositoryRefStatus", {
    "artifactRepository": "dict[str, Any]", "configMap": "str", "default": "bool", "key": "str",
    "namespace": "str",
}, total=False)

NodeStatus = TypedDict("NodeStatus", {
    "boundaryID": "str", "children": "list[str]", "daemoned": "bool", "displayName": "str",
    "estimatedDuration": "int", "failedPodRestarts": "int", "finishedAt": "str | None",
    "hostNodeName": "str", "id": "str", "inputs": "Inputs", "memoizationStatus": "dict[str, Any]",
    "message": "str", "name": "str", "nodeFlag": "NodeFlag", "outboundNodes": "list[str]",
    "outputs": "Outputs", "phase": "str", "podIP": "str", "progress": "str",
    "resourcesDuration": "dict[str, int]", "restartingPodUID": "str", "startedAt": "str | None",
    "synchronizationStatus": "dict[str, Any]", "taskResultSynced": "bool", "templateName": "str",
    "templateRef": "TemplateRef", "templateScope": "str", "type": "str",
}, total=False)

NodeFlag = TypedDict("NodeFlag", {
    "hooked": "bool", "retried": "bool",
}, total=False)

Template = TypedDict("Template", {
    "activeDeadlineSeconds": "int | str", "affinity": "dict[str, Any]",
    "annotations": "dict[str, str]", "archiveLocation": "dict[str, Any]",
    "automountServiceAccountToken": "bool", "container": "Container",
    "containerSet": "ContainerSetTemplate", "daemon": "bool", "dag": "DAGTemplate",
    "data": "dict[str, Any]", "executor": "dict[str, Any]", "failFast": "bool",
    "hostAliases": "list[dict[str, Any]]", "http": "dict[str, Any]",
    "initContainers": "list[UserContainer]", "inputs": "Inputs", "memoize": "dict[str, Any]",
    "metadata": "Metadata", "metrics": "dict[str, Any]", "name": "str",
    "nodeSelector": "dict[str, str]", "outputs": "Outputs", "parallelism": "int",
    "pendingTimeout": "str", "plugin": "Any", "podResources": "ResourceRequirements",
    "podSpecPatch": "str", "priorityClassName": "str", "resource": "dict[str, Any]",
    "resourceClaims": "list[dict[str, Any]]", "retryStrategy": "RetryStrategy",
    "schedulerName": "str", "script": "ScriptTemplate", "securityContext": "dict[str, Any]",
    "serviceAccountName": "str", "sidecars": "list[UserContainer]",
    "steps": "list[list[WorkflowStep]]", "suspend": "SuspendTemplate",
    "synchronization": "dict[str, Any]", "timeout": "str", "tolerations": "list[dict[str, Any]]",
    "volumes": "list[dict[str, Any]]",
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

WorkflowStep = TypedDict("WorkflowStep", {
    "arguments": "Arguments", "continueOn": "dict[str, Any]", "hooks": "dict[str, LifecycleHook]",
    "inline": "Template", "name": "str", "onExit": "str", "template": "str",
    "templateRef": "TemplateRef", "when": "str", "withItems": "list[Any]", "withParam": "str",
    "withSequence": "Sequence",
}, total=False)

DAGTask = TypedDict("DAGTask", {
    "arguments": "Arguments", "continueOn": "dict[str, Any]", "dependencies": "list[str]",
    "depends": "str", "hooks": "dict[str, LifecycleHook]", "inline": "Template", "name": "str",
    "onExit": "str", "template": "str", "templateRef": "TemplateRef", "when": "str",
    "withItems": "list[Any]", "withParam": "str", "withSequence": "Sequence",
}, total=False)

LifecycleHook = TypedDict("LifecycleHook", {
    "arguments": "Arguments", "expression": "str", "template": "str", "templateRef": "TemplateRef",
}, total=False)

Sequence = TypedDict("Sequence", {
    "count": "int | str", "end": "int | str", "format": "str", "start": "int | str",
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
    "configMapKeyRef": "dict[str, Any]", "default": "Any", "event": "str", "expression": "str",
    "jqFilter": "str", "jsonPath": "str", "parameter": "str", "path": "str",
    "supplied": "dict[str, Any]",
}, total=False)

Artifact = TypedDict("Artifact", {
    "archive": "dict[str, Any]", "archiveLogs": "bool", "artifactGC": "dict[str, Any]",
    "artifactory": "dict[str, Any]", "azure": "dict[str, Any]", "deleted": "bool", "from": "str",
    "fromExpression": "str", "gcs": "dict[str, Any]", "git": "dict[str, Any]", "globalName": "str",
    "hdfs": "dict[str, Any]", "http": "dict[str, Any]", "mode": "int", "name": "str",
    "optional": "bool", "oss": "dict[str, Any]", "path": "str", "plugin": "dict[str, Any]",
    "raw": "dict[str, Any]", "recurseMode": "bool", "s3": "dict[str, Any]", "subPath": "str",
}, total=False)

SuspendTemplate = TypedDict("SuspendTemplate", {
    "duration": "str",
}, total=False)

RetryStrategy = TypedDict("RetryStrategy", {
    "affinity": "dict[str, Any]", "backoff": "Backoff", "expression": "str", "limit": "int | str",
    "retryPolicy": "str",
}, total=False)

Backoff = TypedDict("Backoff", {
    "cap": "str", "duration": "str", "factor": "int | str", "maxDuration": "str",
}, total=False)

Container = TypedDict("Container", {
    "args": "list[str]", "command": "list[str]", "env": "list[EnvVar]",
    "envFrom": "list[dict[str, Any]]", "image": "str", "imagePullPolicy": "str",
    "lifecycle": "dict[str, Any]", "livenessProbe": "dict[str, Any]", "name": "str",
    "ports": "list[dict[str, Any]]", "readinessProbe": "dict[str, Any]",
    "resizePolicy": "list[dict[str, Any]]", "resources": "ResourceRequirements",
    "restartPolicy": "str", "restartPolicyRules": "list[dict[str, Any]]",
    "securityContext": "dict[str, Any]", "startupProbe": "dict[str, Any]", "stdin": "bool",
    "stdinOnce": "bool", "terminationMessagePath": "str", "terminationMessagePolicy": "str",
    "tty": "bool", "volumeDevices": "list[dict[str, Any]]", "volumeMounts": "list[VolumeMount]",
    "workingDir": "str",
}, total=False)

ScriptTemplate = TypedDict("ScriptTemplate", {
    "args": "list[str]", "command": "list[str]", "env": "list[EnvVar]",
    "envFrom": "list[dict[str, Any]]", "image": "str", "imagePullPolicy": "str",
    "lifecycle": "dict[str, Any]", "livenessProbe": "dict[str, Any]", "name": "str",
    "ports": "list[dict[str, Any]]", "readinessProbe": "dict[str, Any]",
    "resizePolicy": "list[dict[str, Any]]", "resources": "ResourceRequirements",
    "restartPolicy": "str", "restartPolicyRules": "list[dict[str, Any]]",
    "securityContext": "dict[str, Any]", "source": "str", "startupProbe": "dict[str, Any]",
    "stdin": "bool", "stdinOnce": "bool", "terminationMessagePath": "str",
    "terminationMessagePolicy": "str", "tty": "bool", "volumeDevices": "list[dict[str, Any]]",
    "volumeMounts": "list[VolumeMount]", "workingDir": "str",
}, total=False)

UserContainer = TypedDict("UserContainer", {
    "args": "list[str]", "command": "list[str]", "env": "list[EnvVar]",
    "envFrom": "list[dict[str, Any]]", "image": "str", "imagePullPolicy": "str",
    "lifecycle": "dict[str, Any]", "livenessProbe": "dict[str, Any]", "mirrorVolumeMounts": "bool",
    "name": "str", "ports": "list[dict[str, Any]]", "readinessProbe": "dict[str, Any]",
    "resizePolicy": "list[dict[str, Any]]", "resources": "ResourceRequirements",
    "restartPolicy": "str", "restartPolicyRules": "list[dict[str, Any]]",
    "securityContext": "dict[str, Any]", "startupProbe": "dict[str, Any]", "stdin": "bool",
    "stdinOnce": "bool", "terminationMessagePath": "str", "terminationMessagePolicy": "str",
    "tty": "bool", "volumeDevices": "list[dict[str, Any]]", "volumeMounts": "list[VolumeMount]",
    "workingDir": "str",
}, total=False)

ContainerSetTemplate = TypedDict("ContainerSetTemplate", {
    "containers": "list[ContainerNode]", "retryStrategy": "dict[str, Any]",
    "volumeMounts": "list[VolumeMount]",
}, total=False)

ContainerNode = TypedDict("ContainerNode", {
    "args": "list[str]", "command": "list[str]", "dependencies": "list[str]",
    "env": "list[EnvVar]", "envFrom": "list[dict[str, Any]]", "image": "str",
    "imagePullPolicy": "str", "lifecycle": "dict[str, Any]", "livenessProbe": "dict[str, Any]",
    "name": "str", "ports": "list[dict[str, Any]]", "readinessProbe": "dict[str, Any]",
    "resizePolicy": "list[dict[str, Any]]", "resources": "ResourceRequirements",
    "restartPolicy": "str", "restartPolicyRules": "list[dict[str, Any]]",
    "securityContext": "dict[str, Any]", "startupProbe": "dict[str, Any]", "stdin": "bool",
    "stdinOnce": "bool", "terminationMessagePath": "str", "terminationMessagePolicy": "str",
    "tty": "bool", "volumeDevices": "list[dict[str, Any]]", "volumeMounts": "list[VolumeMount]",
    "workingDir": "str",
}, total=False)

EnvVar = TypedDict("EnvVar", {
    "name": "str", "value": "str", "valueFrom": "dict[str, Any]",
}, total=False)

ResourceRequirements = TypedDict("ResourceRequirements", {
    "claims": "list[dict[str, Any]]", "limits": "dict[str, float | str]",
    "requests": "dict[str, float | str]",
}, total=False)

VolumeMount = TypedDict("VolumeMount", {
    "mountPath": "str", "mountPropagation": "str", "name": "str", "readOnly": "bool",
    "recursiveReadOnly": "str", "subPath": "str", "subPathExpr": "str",
}, total=False)
