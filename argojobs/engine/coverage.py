"""What this engine does not do yet is refused before anything starts, field by field.

Three kinds of fields: honoured ones are in no table here; those that cannot be honoured (yet) are
in the `_NOT_YET` tables and make one error that lists them all; those without meaning on one
machine are in the `_MEANINGLESS` tables and become notes, shown once. Only templates that the
entrypoint or an exit handler can reach are looked at. Unknown fields are the manifest check's.
Source of the fields: Argo's fields reference, WorkflowSpec and Template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.errors import UnsupportedError

_SPEC_NOT_YET = frozenset(
    {
        "artifactRepositoryRef",
        "executorPlugins",
        "podSpecPatch",
        "synchronization",
        "volumeClaimTemplates",
        "workflowTemplateRef",
    }
)

_SPEC_MEANINGLESS = frozenset(
    {
        "affinity",
        "archiveLogs",
        "artifactGC",
        "automountServiceAccountToken",
        "dnsConfig",
        "dnsPolicy",
        "executor",
        "hostAliases",
        "hostNetwork",
        "imagePullSecrets",
        "metrics",
        "nodeSelector",
        "podDisruptionBudget",
        "podGC",
        "podMetadata",
        "podResources",
        "podPriorityClassName",
        "resourceClaims",
        "schedulerName",
        "securityContext",
        "serviceAccountName",
        "tolerations",
        "ttlStrategy",
        "volumeClaimGC",
    }
)

_TEMPLATE_NOT_YET = frozenset(
    {
        "containerSet",
        "daemon",
        "data",
        "executorPlugins",
        "http",
        "initContainers",
        "memoize",
        "plugin",
        "podSpecPatch",
        "resource",
        "sidecars",
        "synchronization",
    }
)

_TEMPLATE_MEANINGLESS = frozenset(
    {
        "affinity",
        "archiveLocation",
        "automountServiceAccountToken",
        "executor",
        "hostAliases",
        "metadata",
        "metrics",
        "nodeSelector",
        "pendingTimeout",
        "podResources",
        "priorityClassName",
        "resourceClaims",
        "schedulerName",
        "securityContext",
        "serviceAccountName",
        "tolerations",
    }
)

_STEP_NOT_YET = frozenset({"templateRef"})

_CONTAINER_NOT_YET = frozenset({"envFrom", "lifecycle"})

_CONTAINER_MEANINGLESS = frozenset(
    {
        "imagePullPolicy",
        "livenessProbe",
        "readinessProbe",
        "restartPolicyRules",
        "securityContext",
        "startupProbe",
        "stdin",
        "stdinOnce",
        "terminationMessagePath",
        "terminationMessagePolicy",
        "tty",
    }
)

#: Where a parameter may take its value from here.
_VALUE_FROM = frozenset({"default", "expression", "parameter", "path", "supplied"})

#: What a volume may be here.
_VOLUMES = frozenset({"emptyDir", "hostPath", "persistentVolumeClaim"})

#: Where an artifact may lie that the engine can neither read nor write yet.
_ARTIFACT_NOT_YET = frozenset(
    {"artifactory", "azure", "gcs", "git", "hdfs", "http", "oss", "plugin"}
)

_ARTIFACT_MEANINGLESS = frozenset({"artifactGC", "deleted"})


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
    yield from _fields(spec, "spec", _SPEC_NOT_YET, _SPEC_MEANINGLESS)
    yield from _parameters(spec.get("arguments"), "spec.arguments")
    yield from _artifacts(spec.get("arguments"), "spec.arguments")
    yield from _volumes(spec.get("volumes"), "spec.volumes")
    yield from _template(spec.get("templateDefaults") or {}, "spec.templateDefaults")
    for index, template in reachable(spec):
        yield from _template(template, f"spec.templates[{index}]")


def _fields(
    holder: Mapping[str, Any], path: str, not_yet: frozenset[str], meaningless: frozenset[str]
) -> Iterator[Finding]:
    for name, value in holder.items():
        if name in not_yet and value not in (None, [], False):
            yield f"{path}.{name}", False
        elif name in meaningless and value not in (None, [], {}, ""):
            yield f"{path}.{name}", True


def _template(template: Mapping[str, Any], path: str) -> Iterator[Finding]:
    yield from _fields(template, path, _TEMPLATE_NOT_YET, _TEMPLATE_MEANINGLESS)
    for side in ("inputs", "outputs"):
        yield from _parameters(template.get(side), f"{path}.{side}")
        yield from _artifacts(template.get(side), f"{path}.{side}")
    yield from _volumes(template.get("volumes"), f"{path}.volumes")
    for kind in ("container", "script"):
        if template.get(kind) is not None:
            yield from _container(template[kind], f"{path}.{kind}")
    for step, where in calls(template, path):
        yield from _fields(step, where, _STEP_NOT_YET, frozenset())
        yield from _parameters(step.get("arguments"), f"{where}.arguments")
        yield from _artifacts(step.get("arguments"), f"{where}.arguments")
        if step.get("inline"):
            yield from _template(step["inline"], f"{where}.inline")


def _container(container: Mapping[str, Any], path: str) -> Iterator[Finding]:
    yield from _fields(container, path, _CONTAINER_NOT_YET, _CONTAINER_MEANINGLESS)
    for index, variable in enumerate(container.get("env") or ()):
        for source in variable.get("valueFrom") or ():
            if source not in {"fieldRef", "secretKeyRef"}:
                yield f"{path}.env[{index}].valueFrom.{source}", False


def _parameters(holder: Mapping[str, Any] | None, path: str) -> Iterator[Finding]:
    for index, parameter in enumerate((holder or {}).get("parameters") or ()):
        for source in parameter.get("valueFrom") or ():
            if source not in _VALUE_FROM:
                yield f"{path}.parameters[{index}].valueFrom.{source}", False


def _artifacts(holder: Mapping[str, Any] | None, path: str) -> Iterator[Finding]:
    for index, artifact in enumerate((holder or {}).get("artifacts") or ()):
        where = f"{path}.artifacts[{index}]"
        yield from _fields(artifact, where, _ARTIFACT_NOT_YET, _ARTIFACT_MEANINGLESS)
        s3 = artifact.get("s3") or {}
        if s3.get("endpoint") or s3.get("bucket"):
            yield f"{where}.s3.{'endpoint' if s3.get('endpoint') else 'bucket'}", False


def _volumes(volumes: Any, path: str) -> Iterator[Finding]:
    for index, volume in enumerate(volumes or ()):
        for kind in volume:
            if kind != "name" and kind not in _VOLUMES:
                yield f"{path}[{index}].{kind}", False


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
        todo += _called(template)
    return sorted(seen.items())


def _called(template: Mapping[str, Any]) -> list[Any]:
    """Return the names of the templates that a template calls, inline ones looked through."""
    names: list[Any] = []
    for step, _ in calls(template, ""):
        names += [step.get("template"), step.get("onExit")]
        names += [hook.get("template") for hook in (step.get("hooks") or {}).values()]
        if step.get("inline"):
            names += _called(step["inline"])
    return names


def calls(template: Mapping[str, Any], path: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the steps and tasks of a template, each with its path."""
    for index, group in enumerate(template.get("steps") or ()):
        members = group if isinstance(group, list) else [group]
        for position, step in enumerate(members):
            yield step, f"{path}.steps[{index}][{position}]"
    for index, task in enumerate((template.get("dag") or {}).get("tasks") or ()):
        yield task, f"{path}.dag.tasks[{index}]"
