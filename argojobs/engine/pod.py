"""From a pod to start to what an executor is told of it: its template as Argo and Kubernetes read it.

Pure, and the same wherever the pod runs.
"""

from __future__ import annotations

import posixpath
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from argojobs.engine.context import SHARED
from argojobs.engine.executors.executor import PodId, PodSpec
from argojobs.engine.expansion import container_variables, expand
from argojobs.engine.volumes import absolute_path, mounts_of
from argojobs.errors import ParameterError, UnsupportedError
from argojobs.manifest.view import artifacts_of, parameters_of
from argojobs.service import Workflow
from argojobs.units import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from argojobs.engine.model import StartPod, Template
    from argojobs.engine.placement import Resources

GRACE = 30.0  # Kubernetes' terminationGracePeriodSeconds
GRACE_AT_ONCE = 2.0  # of a run that is terminated: somebody waits for it at the keyboard
LONGEST = 131_071  # bytes of one environment variable or argument (Linux: MAX_ARG_STRLEN - 1)
PROGRESS = "/argo/progress"
#: Where a step keeps what it reports, and the variables that tell it so, and how long it has after
#: SIGTERM.
RESULTS = "/argojobs/results"
RESULTS_VARIABLE = "ARGOJOBS_RESULTS"
GRACE_VARIABLE = "ARGOJOBS_GRACE_SECONDS"
POD_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._]*")
ARTIFACT_NAME = re.compile(r"[-A-Za-z0-9_]+")  # Argo: workflow/validate, paramOrArtifactNameFmt


def pod_spec(
    start: StartPod,
    workflow: Workflow,
    submitter: Mapping[str, Any],
    *,
    resources: Resources,
    devices: Mapping[str, Sequence[str]],
    now: float,
) -> PodSpec:
    """Return what an executor is told of a pod.

    Args:
        start: the pod, as the operator asked for it.
        workflow: the run's object: its metadata and spec.
        submitter: as `submitter.capture` recorded it.
        resources: what the pod asks for.
        devices: those lent to it, see `PodSpec`.
        now: the time by the clock of `start.deadline`, in seconds since the epoch.

    Raises:
        HostError: a secret is not known here.
        UnsupportedError: a field cannot be honoured here.
        ParameterError: a value is too large, or no program can be given it.
    """
    template = start.template
    if not POD_NAME.fullmatch(start.name):
        raise UnsupportedError(
            f"the pod would be called {start.name!r}, which is not a name",
            hint="names of templates are letters, digits and '-' (Argo).",
        )
    script = template.get("script")
    container: Mapping[str, Any] = script if script is not None else template["container"]
    run = str(workflow["metadata"]["name"])
    variables = {
        **container_variables(
            container.get("env") or (), _fields(start, workflow), submitter.get("secrets", {})
        ),
        **_injected(start, workflow),
    }
    command = [expand(str(word), variables) for word in container.get("command") or ()]
    given = container.get("args")
    arguments = None if given is None else [expand(str(word), variables) for word in given]
    source = script.get("source", "") if script is not None else ""
    _check_size((*command, *(arguments or ()), *variables.values()))
    _check_text(variables, (*command, *(arguments or ())), source)
    inputs, outputs, mounts = _inputs(template), _outputs(template), mounts_of(template, container)
    told = {GRACE_VARIABLE: f"{GRACE:g}"}
    if RESULTS_VARIABLE not in variables and not _uses(RESULTS, inputs, outputs, mounts):
        told[RESULTS_VARIABLE] = RESULTS
        mounts.append(_results(start))
    return PodSpec(
        id=PodId(run, start.name),
        node_id=start.node_id,
        namespace=workflow["metadata"]["namespace"],
        image=str(container.get("image", "")),
        command=command,
        arguments=arguments,
        environment={**told, **variables},
        working_directory=absolute_path(container.get("workingDir"), "workingDir"),
        script=source or None,
        inputs=inputs,
        outputs=outputs,
        mounts=mounts,
        resources=resources,
        memory_limit=_memory_limit(container),
        devices=devices,
        deadline=start.deadline,
        now=now,
        grace=GRACE,
        capture_result=start.capture_result,
        submitter=submitter,
    )


def _results(start: StartPod) -> dict[str, Any]:
    """The mount of the folder that a pod shares with the other attempts of its step."""
    return {
        "name": "argojobs-results",
        "path": RESULTS,
        "sub_path": "",
        "read_only": False,
        "kind": "results",
        "job": start.retry_id or start.node_id,
    }


def _uses(
    folder: str,
    inputs: Iterable[Mapping[str, Any]],
    outputs: Mapping[str, Any],
    mounts: Iterable[Mapping[str, Any]],
) -> bool:
    """Whether a manifest has something of its own at a folder, above it, or in it."""
    paths = (*inputs, *outputs["parameters"], *outputs["artifacts"], *mounts)
    return any(_meet(folder, posixpath.normpath(one["path"])) for one in paths)


def _meet(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _memory_limit(container: Mapping[str, Any]) -> int:
    """How many bytes a container may take, 0 when nothing says so."""
    limits = (container.get("resources") or {}).get("limits") or {}
    return int(quantity(limits.get("memory")) or 0)


def _fields(start: StartPod, workflow: Workflow) -> dict[str, str]:
    """What the downward API knows of a pod on this machine."""
    of_run = workflow["metadata"]
    fields = {
        "metadata.name": start.name,
        "metadata.namespace": of_run["namespace"],
        "metadata.uid": f"{of_run['uid']}-{start.node_id}",
        "spec.nodeName": "localhost",
        "spec.serviceAccountName": workflow["spec"].get("serviceAccountName") or "default",
        "status.podIP": "127.0.0.1",
        "status.hostIP": "127.0.0.1",
    }
    metadata = start.template.get("metadata") or {}
    labels = {"workflows.argoproj.io/workflow": of_run["name"], **of_run.get("labels", {})}
    for name, value in {**labels, **(metadata.get("labels") or {})}.items():
        fields[f"metadata.labels['{name}']"] = str(value)
    annotations = {
        "workflows.argoproj.io/node-id": start.node_id,
        **of_run.get("annotations", {}),
        **(metadata.get("annotations") or {}),
    }
    for name, value in annotations.items():
        fields[f"metadata.annotations['{name}']"] = str(value)
    return fields


def _injected(start: StartPod, workflow: Workflow) -> dict[str, str]:
    """The variables that Argo adds to each container (fields.md 9)."""
    deadline = "0001-01-01T00:00:00Z"
    if start.deadline is not None:
        deadline = datetime.fromtimestamp(start.deadline, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "ARGO_CONTAINER_NAME": "main",
        "ARGO_WORKFLOW_NAME": workflow["metadata"]["name"],
        "ARGO_WORKFLOW_UID": workflow["metadata"]["uid"],
        "ARGO_NODE_ID": start.node_id,
        "ARGO_INCLUDE_SCRIPT_OUTPUT": "true" if start.capture_result else "false",
        "ARGO_DEADLINE": deadline,
        "ARGO_PROGRESS_FILE": PROGRESS,
    }


def _check_size(texts: Iterable[str]) -> None:
    """Refuse what the kernel has no room for in one piece; raises ParameterError."""
    for text in texts:
        if len(text) > LONGEST // 4 and len(text.encode("utf-8", "surrogateescape")) > LONGEST:
            raise ParameterError(
                f"a value of {len(text)} characters is too large for a command line or an"
                " environment variable (128 KiB)",
                hint="pass it as an artifact.",
            )


def _check_text(variables: Mapping[str, str], words: Iterable[str], script: str) -> None:
    """Refuse what the kernel cannot hand to a program; raises ParameterError naming it."""
    for name in variables:
        if not name or "=" in name or "\0" in name:
            raise ParameterError(
                f"{name!r} is not a name of an environment variable",
                hint="it may hold any character but '=', and is not empty (Kubernetes).",
            )
    given = [(f"the environment variable {name}", text) for name, text in variables.items()]
    given += [("a word of the command", text) for text in words]
    for what, text in given:
        if "\0" in text:
            raise ParameterError(
                f"{what} holds the character NUL, which ends texts for a program",
                hint="pass such data as an artifact.",
            )
    for what, text in (*given, ("the script", script)):
        _check_encodable(what, text)


def _check_encodable(what: str, text: str) -> None:
    """Raise ParameterError for a text with half a character (a surrogate without its other)."""
    if text.isascii():
        return
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"{what} holds half a character ({text[error.start]!a}), which is not text",
            hint="in JSON such a character is two escapes, \\ud83d\\ude00: give both.",
        ) from error


def _check_name(item: Mapping[str, Any], kind: str) -> None:
    """Raise UnsupportedError for a name of an artifact or parameter that Argo would not have."""
    if not ARTIFACT_NAME.fullmatch(str(item["name"])):
        raise UnsupportedError(
            f"{item['name']!r} is not a name of an {kind}",
            hint="names are letters, digits, '-' and '_' (Argo).",
        )


def _inputs(template: Template) -> list[dict[str, Any]]:
    """Input artifacts with a location; optional ones without are left out."""
    inputs = []
    for artifact in artifacts_of(template.get("inputs")):
        _check_name(artifact, "input artifact")
        item: dict[str, Any] = {
            "name": artifact["name"],
            "path": artifact["path"],
            "archive": next(iter(artifact.get("archive") or {"auto": {}})),
            "mode": artifact.get("mode"),
            "recurse": bool(artifact.get("recurseMode")),
            "optional": bool(artifact.get("optional")),
        }
        if "raw" in artifact:
            item["data"] = str(artifact["raw"].get("data", ""))
            _check_encodable(f"the input artifact {artifact['name']!r}", item["data"])
        elif (artifact.get("s3") or {}).get("key"):
            item["key"] = _joined_key(artifact)
        elif artifact.get("optional"):
            continue
        else:
            raise UnsupportedError(
                f"the input artifact {artifact['name']!r} has no location known on this machine",
                hint="it needs `raw`, `from`, or `s3.key`; or make it `optional`.",
            )
        inputs.append(item)
    return inputs


def _joined_key(artifact: Mapping[str, Any]) -> str:
    key = str(artifact["s3"]["key"])
    sub_path = artifact.get("subPath")
    return posixpath.join(key, str(sub_path)) if sub_path else key


def _outputs(template: Template) -> dict[str, Any]:
    """Output parameters, those to be read from files, and artifacts with the keys they are given."""
    outputs = template.get("outputs") or {}
    declared: list[dict[str, Any]] = [dict(one) for one in parameters_of(outputs)]
    parameters: list[dict[str, Any]] = []
    for parameter in declared:
        source = parameter.get("valueFrom") or {}
        if "path" not in source:
            continue
        _check_name(parameter, "output parameter")
        default = source.get("default", parameter.get("default"))
        parameters.append({"name": parameter["name"], "path": source["path"], "default": default})
    artifacts = []
    for artifact in artifacts_of(outputs):
        if not artifact.get("path"):
            continue
        _check_name(artifact, "output artifact")
        archive = artifact.get("archive") or {"tar": {}}
        kind = next(iter(archive))
        key = str((artifact.get("s3") or {}).get("key") or "")
        if key.partition("/")[0] in SHARED:
            raise UnsupportedError(
                f"the output artifact {artifact['name']!r} has the key {key!r}, where the code of"
                " steps lies",
                hint=f"give it a key that does not begin with {' or '.join(f'{one}/' for one in SHARED)}",
            )
        artifacts.append(
            {
                "path": artifact["path"],
                "optional": bool(artifact.get("optional")),
                "archive": kind,
                "level": (archive[kind] or {}).get("compressionLevel"),
                "key": key,
                "declared": artifact,
            }
        )
    return {"declared": declared, "parameters": parameters, "artifacts": artifacts}
