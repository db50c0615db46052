"""What this engine does not do yet is refused before anything starts, field by field.

Three kinds of fields: honoured ones are in no table here; those that cannot be honoured (yet) are
in `_NOT_YET`, or beside what alone is honoured (`_ONLY`), and make one error that lists them all; those without
meaning on one machine are in `_MEANINGLESS` and become notes, shown once. Only templates that the
entrypoint or an exit handler can reach are looked at. Unknown fields are lint's.
Source of the fields: Argo's fields reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.errors import UnsupportedError
from argojobs.manifest.fields import FieldType, table
from argojobs.manifest.progress import ANNOTATION
from argojobs.manifest.view import called


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONTAINER_NOT_YET = _names("envFrom lifecycle")
_CONTAINER_MEANINGLESS = _names(
    "imagePullPolicy livenessProbe readinessProbe restartPolicyRules securityContext startupProbe stdin "
    "stdinOnce terminationMessagePath terminationMessagePolicy tty"
)

#: By the kind of the object that has the field.
_NOT_YET = {
    "WorkflowSpec": _names(
        "artifactRepositoryRef executorPlugins podSpecPatch synchronization volumeClaimTemplates "
        "workflowTemplateRef"
    ),
    "Template": _names(
        "containerSet daemon data executorPlugins http initContainers memoize plugin podSpecPatch resource "
        "sidecars synchronization"
    ),
    "WorkflowStep": _names("templateRef"),
    "DAGTask": _names("templateRef"),
    "LifecycleHook": _names("templateRef"),
    "Container": _CONTAINER_NOT_YET,
    "ScriptTemplate": _CONTAINER_NOT_YET,
    # Where an artifact may lie that the engine can neither read nor write yet.
    "Artifact": _names("artifactory azure gcs git hdfs http oss plugin"),
    "S3Artifact": _names("bucket endpoint"),
}
_MEANINGLESS = {
    "WorkflowSpec": _names(
        "affinity archiveLogs artifactGC automountServiceAccountToken dnsConfig dnsPolicy executor hostAliases "
        "hostNetwork imagePullSecrets metrics nodeSelector podDisruptionBudget podGC podMetadata podResources "
        "podPriorityClassName resourceClaims schedulerName securityContext serviceAccountName tolerations "
        "ttlStrategy volumeClaimGC"
    ),
    "Template": _names(
        "affinity archiveLocation automountServiceAccountToken executor hostAliases metadata metrics "
        "nodeSelector pendingTimeout podResources priorityClassName resourceClaims schedulerName "
        "securityContext serviceAccountName tolerations"
    ),
    "Container": _CONTAINER_MEANINGLESS,
    "ScriptTemplate": _CONTAINER_MEANINGLESS,
    "Artifact": _names("artifactGC deleted"),
}
#: What alone is honoured of some kinds: where values come from, and what volumes are.
_ONLY = {
    "ValueFrom": _names("default expression parameter path supplied"),
    "EnvVarSource": _names("fieldRef secretKeyRef"),
    "Volume": _names("name emptyDir hostPath persistentVolumeClaim"),
}


def refuse_uncovered(workflow: Mapping[str, Any]) -> list[str]:
    """Return notes on fields without meaning here, one line a field, with where they stand.

    Raises one `UnsupportedError` that lists every field which cannot be honoured, by its path.
    """
    refused: list[str] = []
    meaningless: dict[str, list[str]] = {}
    for path, is_note in _findings(workflow):
        if is_note:
            meaningless.setdefault(path.rsplit(".", 1)[-1], []).append(path)
        else:
            refused.append(path)
    if refused:
        listed = "\n".join(f"  {path}" for path in refused)
        count = "a field" if len(refused) == 1 else f"{len(refused)} fields"
        raise UnsupportedError(
            f"the workflow uses {count} that the engine on this machine does not honour yet:\n{listed}",
            where=refused[0],
            hint="leave them out, or run it on a cluster; nothing was started",
        )
    return [_note(name, paths) for name, paths in sorted(meaningless.items())]


def _note(name: str, paths: list[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{name} has no meaning on this machine ({paths[0]}{more})"


Finding = tuple[str, bool]


def _findings(workflow: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield (path, whether it is only a note) for each field in a table."""
    spec = workflow["spec"]
    around = {name: value for name, value in spec.items() if name != "templates"}
    yield from _object(around, "WorkflowSpec", "spec")
    for index, template in reachable(spec):
        yield from _object(template, "Template", f"spec.templates[{index}]")


def _object(value: Mapping[str, Any], kind: str, path: str) -> Iterator[Finding]:
    fields, only = table()[kind], _ONLY.get(kind)
    not_yet, meaningless = _NOT_YET.get(kind, ()), _MEANINGLESS.get(kind, ())
    for name, item in value.items():
        if name in meaningless:
            if item not in (None, [], {}, "") and not _is_progress(item):
                yield f"{path}.{name}", True
        elif name in not_yet or (only is not None and name not in only):
            if item not in (None, [], False, ""):
                yield f"{path}.{name}", False
        elif isinstance(item, (dict, list)) and name in fields:
            yield from _inside(item, fields[name], f"{path}.{name}")


def _is_progress(metadata: Any) -> bool:
    """Whether metadata say nothing but how far the pods of a template are when they begin."""
    if not isinstance(metadata, dict) or metadata.keys() != {"annotations"}:
        return False
    return isinstance(metadata["annotations"], dict) and metadata["annotations"].keys() == {
        ANNOTATION
    }


def _inside(value: Any, kind: FieldType, path: str) -> Iterator[Finding]:
    """What is in the fields of all objects in a value of a kind."""
    if isinstance(kind, str):
        if kind in table() and isinstance(value, dict):
            yield from _object(value, kind, path)
    elif kind[0] == "list":  # a lone step may stand without its list
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            yield from _inside(item, kind[1], f"{path}[{index}]")
    elif kind[0] == "map" and isinstance(value, dict):
        for key, item in value.items():
            yield from _inside(item, kind[1], f"{path}.{key}")


def reachable(spec: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return (index, template) of those that a run can come to; all when a name is a tag."""
    templates = list(enumerate(spec.get("templates") or ()))
    by_name = {template.get("name"): (index, template) for index, template in templates}
    todo: list[Any] = [spec.get("entrypoint"), spec.get("onExit")]
    todo += [hook.get("template") for hook in (spec.get("hooks") or {}).values()]
    seen: dict[int, Mapping[str, Any]] = {}
    while todo:
        name = todo.pop()
        if isinstance(name, str) and "{{" in name:
            return templates
        if name not in by_name or by_name[name][0] in seen:
            continue
        index, template = by_name[name]
        seen[index] = template
        todo += called(template)
    return sorted(seen.items())
