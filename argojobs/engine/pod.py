"""From a pod to start to the request that an executor carries out: all a pod needs, as JSON.

Here is what an image means on a machine without images: the working directory is "/", `python` is
the submitter's interpreter, and `[local.images]` says what an image stands for. Pure: nothing of this host is looked at.
"""

from __future__ import annotations

import json
import posixpath
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from argojobs.engine.artifacts import archive_name
from argojobs.engine.executors.process.request_format import FORMAT
from argojobs.engine.expansion import container_variables, expand
from argojobs.engine.pod_context import Image, PodContext
from argojobs.engine.quantities import quantity
from argojobs.engine.volumes import absolute_path, joined, mounts_of
from argojobs.errors import HostError, ParameterError, UnsupportedError
from argojobs.manifest.own_program import is_own_program
from argojobs.runtime.debugger import python_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from argojobs.engine.model import StartPod, Template

GRACE_AT_ONCE = 2.0  # of a run that is terminated: somebody waits for it at the keyboard
LONGEST = 131_071  # bytes of one environment variable or argument (Linux: MAX_ARG_STRLEN - 1)
SCRIPT = "/argo/staging/script"  # where Argo puts `script.source`
PROGRESS = "/argo/progress"
PYTHON = re.compile(r"python(3(\.\d+)?)?")
SHARED = ("code/", "debugger/")  # the beginnings of keys of what is run by other steps
POD_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._]*")
ARTIFACT_NAME = re.compile(r"[-A-Za-z0-9_]+")  # Argo: workflow/validate, paramOrArtifactNameFmt


def pod_request(start: StartPod, context: PodContext) -> dict[str, Any]:
    """The request that starts a pod.

    Raises HostError for a command or claim this machine has no answer for, UnsupportedError for
    a field that cannot be honoured here, ParameterError for a value that is too large or that no
    program can be given.
    """
    template = start.template
    if not POD_NAME.fullmatch(start.name):
        raise UnsupportedError(
            f"the pod would be called {start.name!r}, which is no name",
            hint="names of templates are letters, digits and '-' (Argo).",
        )
    script = template.get("script")
    container: Mapping[str, Any] = script if script is not None else template["container"]
    image = context.images.get(container.get("image", ""), Image())
    directory = context.directory(start.name)
    way = _way(context, container)
    script_path = f"{directory}/scratch/script" if way == "shared" else SCRIPT
    source = script.get("source", "") if script is not None else ""
    declared = container_variables(
        container.get("env") or (), _fields(start, context), context.secrets
    )
    injected = _injected(start, context)
    command = _command(container, image, context, {**declared, **injected})
    if source:
        command.append(script_path)
    _check_text({**declared, **injected}, [*command, source])
    # Else "/": the pod's own, or a folder of its own where there are no namespaces. An image that
    # holds our own program (--code image), or a file that Python is told to run, holds the project.
    root = f"{directory}/scratch/root" if way == "shared" else "/"
    holds_project = not image.root and (is_own_program(container) or _runs_own_file(command))
    working_directory = (
        absolute_path(container.get("workingDir"), "workingDir")
        or image.workdir
        or (context.submitter.directory if holds_project else root)
    )
    request: dict[str, Any] = {
        "format": FORMAT,
        "pod": start.name,
        "workflow": context.workflow,
        "namespace": context.namespace,
        "node_id": start.node_id,
        "directory": directory,
        "containers": [
            {
                "name": "main",
                "image": container.get("image", ""),
                "command": command,
                "env": {**_base(context, image), **declared, **injected, **_on_a_laptop(declared)},
                "working_directory": working_directory,
            }
        ],
        "script": source or None,
        "script_path": script_path,
        "inputs": _inputs(template, working_directory),
        "outputs": _outputs(template, context, start.name, working_directory),
        "mounts": mounts_of(template, container, context),
        "memory": {
            "limit": _memory_limit(container),
            "enforce": context.enforce_memory,
        },
        "deadline": start.deadline,
        "grace": context.grace,
        "capture_result": start.capture_result,
        "repository": dict(context.repository),
        "host": {
            "isolation": context.isolation if way == "private" else way,
            "root": image.root,
            "cache": context.cache,
            "keep": _kept(context),
        },
    }
    if way == "rerooted":
        _reroot(request)
    if way == "rerooted" or (way == "shared" and not context.share_host_paths):
        _check_paths(request, rerooted=way == "rerooted")
    return request


def _runs_own_file(command: Sequence[str]) -> bool:
    """Whether a command has Python run a file by a relative path: `python3 -u train.py`."""
    _, target = python_words(command)
    if target and target[0].startswith("/argojobs/"):  # the debugger, before what it waits for
        target = target[1:]
    return bool(target) and target[0].endswith(".py") and not target[0].startswith("/")


def _memory_limit(container: Mapping[str, Any]) -> int:
    """How many bytes a container may take, 0 when nothing says so."""
    limits = (container.get("resources") or {}).get("limits") or {}
    return int(quantity(limits.get("memory")) or 0)


def _way(context: PodContext, container: Mapping[str, Any]) -> str:
    """private, rerooted or shared: see `executors/process/layout.py`."""
    if context.isolation != "none":
        return "private"
    if is_own_program(container):
        return "rerooted"
    return "shared"


def _fields(start: StartPod, context: PodContext) -> dict[str, str]:
    """What the downward API knows of a pod on this machine."""
    fields = {
        "metadata.name": start.name,
        "metadata.namespace": context.namespace,
        "metadata.uid": f"{context.uid}-{start.node_id}",
        "spec.nodeName": context.host,
        "spec.serviceAccountName": context.service_account,
        "status.podIP": "127.0.0.1",
        "status.hostIP": "127.0.0.1",
    }
    metadata = start.template.get("metadata") or {}
    labels = {"workflows.argoproj.io/workflow": context.workflow, **context.labels}
    for name, value in {**labels, **(metadata.get("labels") or {})}.items():
        fields[f"metadata.labels['{name}']"] = str(value)
    annotations = {
        "workflows.argoproj.io/node-id": start.node_id,
        **context.annotations,
        **(metadata.get("annotations") or {}),
    }
    for name, value in annotations.items():
        fields[f"metadata.annotations['{name}']"] = str(value)
    return fields


def _injected(start: StartPod, context: PodContext) -> dict[str, str]:
    """The variables that Argo adds to each container (fields.md 9)."""
    deadline = "0001-01-01T00:00:00Z"
    if start.deadline is not None:
        deadline = datetime.fromtimestamp(start.deadline, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "ARGO_CONTAINER_NAME": "main",
        "ARGO_WORKFLOW_NAME": context.workflow,
        "ARGO_WORKFLOW_UID": context.uid,
        "ARGO_NODE_ID": start.node_id,
        "ARGO_INCLUDE_SCRIPT_OUTPUT": "true" if start.capture_result else "false",
        "ARGO_DEADLINE": deadline,
        "ARGO_PROGRESS_FILE": PROGRESS,
    }


def _on_a_laptop(declared: Mapping[str, str]) -> dict[str, str]:
    """What our own steps are told here instead of what suits a pod with an address of its own.

    Ports of steps are ports of this machine: nothing listens unless asked for, and then only for
    this machine.
    """
    told = {}
    if "ARGOJOBS_TENSORBOARD" in declared:
        told["ARGOJOBS_TENSORBOARD"] = "0"
    if "ARGOJOBS_DEBUG" in declared:
        told["ARGOJOBS_DEBUG_ADDRESS"] = "127.0.0.1:3000"
    return told


def _base(context: PodContext, image: Image) -> dict[str, str]:
    """The environment below the container's own: the submitter's, its interpreter first."""
    base = {**context.submitter.environment, **context.environment}
    standard = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    if image.root:
        base["PATH"] = standard
    else:
        interpreters = posixpath.dirname(context.submitter.interpreter)
        base["PATH"] = f"{interpreters}:{base.get('PATH') or standard}"
    return base


def _command(
    container: Mapping[str, Any],
    image: Image,
    context: PodContext,
    variables: Mapping[str, str],
) -> list[str]:
    """What is run: Kubernetes' rules for command, args, ENTRYPOINT and CMD (gotcha 25)."""
    given = [str(word) for word in container.get("command") or ()]
    arguments = container.get("args")
    words = given or list(image.entrypoint)
    if arguments is not None:
        words += [str(word) for word in arguments]
    elif not given:
        words += image.command
    words = [expand(word, variables) for word in words]
    if not words:
        raise _no_command(str(container.get("image", "")))
    if PYTHON.fullmatch(words[0]) and not image.root:
        words[0] = context.submitter.interpreter
    for word in (*words, *variables.values()):
        if len(word) > LONGEST // 4 and len(word.encode("utf-8", "surrogateescape")) > LONGEST:
            raise ParameterError(
                f"a value of {len(word)} characters is too large for a command line or an"
                " environment variable (128 KiB)",
                hint="pass it as an artifact.",
            )
    return words


def _check_text(variables: Mapping[str, str], words: list[str]) -> None:
    """Refuse what the kernel cannot hand to a program; raises ParameterError naming it."""
    for name in variables:
        if not name or "=" in name or "\0" in name:
            raise ParameterError(
                f"{name!r} is no name of an environment variable",
                hint="it may hold any character but '=', and is not empty (Kubernetes).",
            )
    given = [(f"the environment variable {name}", text) for name, text in variables.items()]
    given += [("a word of the command", text) for text in words[:-1]]
    for what, text in given:
        if "\0" in text:
            raise ParameterError(
                f"{what} holds the character NUL, which ends texts for a program",
                hint="pass such data as an artifact.",
            )
    for what, text in (*given, ("the script", words[-1])):
        check_encodable(what, text)


def check_encodable(what: str, text: str) -> None:
    """Raise ParameterError for a text with half a character (a surrogate without its other)."""
    if text.isascii():
        return
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"{what} holds half a character ({text[error.start]!a}), which is no text",
            hint="in JSON such a character is two escapes, \\ud83d\\ude00: give both.",
        ) from error


def _place(item: Mapping[str, Any], path: str, kind: str, working_directory: str) -> str:
    """Where an artifact or parameter lies in the container.

    Raises UnsupportedError for a name that is none, and for "/" itself.
    """
    if not ARTIFACT_NAME.fullmatch(str(item["name"])):
        raise UnsupportedError(
            f"{item['name']!r} is no name of an {kind}",
            hint="names are letters, digits, '-' and '_' (Argo).",
        )
    place = joined(working_directory, path)
    if place == "/":
        raise UnsupportedError(
            f"the {kind} {item['name']!r} has the path {path!r}: the whole file tree",
            hint="name a file or a folder in it.",
        )
    return place


def _no_command(image: str) -> HostError:
    return HostError(
        f"the image {image!r} is not known on this machine, and the template gives no command",
        hint=f"say what stands for it:  [local.images.{json.dumps(image)}]  command = [...]",
    )


def missing_command(command: str, image: str) -> HostError:
    """The error for a command that this machine does not have."""
    return HostError(
        f'"{command}" is not found on this machine',
        hint=f"install it, or say what stands for the image: [local.images.{json.dumps(image)}]",
    )


def _inputs(template: Template, working_directory: str) -> list[dict[str, Any]]:
    """Input artifacts with a location; optional ones without are left out."""
    inputs = []
    for artifact in (template.get("inputs") or {}).get("artifacts") or ():
        item: dict[str, Any] = {
            "name": artifact["name"],
            "path": _place(artifact, artifact["path"], "input artifact", working_directory),
            "archive": next(iter(artifact.get("archive") or {"auto": {}})),
            "mode": artifact.get("mode"),
            "recurse": bool(artifact.get("recurseMode")),
            "optional": bool(artifact.get("optional")),
        }
        if "raw" in artifact:
            item["data"] = str(artifact["raw"].get("data", ""))
            check_encodable(f"the input artifact {artifact['name']!r}", item["data"])
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


def _outputs(
    template: Template, context: PodContext, pod: str, working_directory: str
) -> dict[str, Any]:
    """Output parameters, those to be read from files, and artifacts with the key each will have."""
    outputs = template.get("outputs") or {}
    declared = [dict(parameter) for parameter in outputs.get("parameters") or ()]
    parameters: list[dict[str, Any]] = []
    for parameter in declared:
        source = parameter.get("valueFrom") or {}
        if "path" not in source:
            continue
        default = source.get("default", parameter.get("default"))
        path = _place(parameter, source["path"], "output parameter", working_directory)
        parameters.append({"name": parameter["name"], "path": path, "default": default})
    prefix = context.artifact_prefix or f"{context.workflow}/{pod}"
    artifacts = []
    for artifact in outputs.get("artifacts") or ():
        if not artifact.get("path"):
            continue
        archive = artifact.get("archive") or {"tar": {}}
        kind = next(iter(archive))
        path = _place(artifact, artifact["path"], "output artifact", working_directory)
        name = archive_name(artifact["name"], path, kind)
        key = str((artifact.get("s3") or {}).get("key") or "")
        if (key + "/").startswith(SHARED):
            raise UnsupportedError(
                f"the output artifact {artifact['name']!r} has the key {key!r}, where the code of"
                " steps lies",
                hint=f"give it a key that does not begin with {' or '.join(SHARED)}",
            )
        artifacts.append(
            {
                "path": path,
                "optional": bool(artifact.get("optional")),
                "archive": kind,
                "level": (archive[kind] or {}).get("compressionLevel"),
                "key": key or f"{prefix}/{name}",
                "declared": artifact,
            }
        )
    return {"declared": declared, "parameters": parameters, "artifacts": artifacts}


def _kept(context: PodContext) -> list[str]:
    """Host paths that a pod sees even below a folder that is its own (/tmp)."""
    submitter = context.submitter
    prefix = posixpath.dirname(posixpath.dirname(submitter.interpreter))
    return list(dict.fromkeys((submitter.directory, prefix, *submitter.keep)))


def _reroot(request: dict[str, Any]) -> None:
    """Move the contract's places below a folder of the pod's, for argojobs' own steps."""
    root = f"{request['directory']}/scratch/root"
    main = request["containers"][0]
    main["env"]["ARGOJOBS_ROOT"] = root
    main["env"]["ARGO_PROGRESS_FILE"] = root + PROGRESS
    main["env"]["TMPDIR"] = f"{request['directory']}/scratch/tmp"
    main["command"] = [
        root + word if word.startswith("/argojobs/") else word for word in main["command"]
    ]
    if main["working_directory"].startswith("/argojobs/"):
        main["working_directory"] = root + main["working_directory"]
    request["mounts"] = [
        mount
        for mount in request["mounts"]
        if mount["path"] != "/dev/shm"  # noqa: S108
    ]


def _check_paths(request: Mapping[str, Any], *, rerooted: bool) -> None:
    """Refuse what cannot be had without a private root; raises UnsupportedError naming it."""
    outputs = request["outputs"]
    paths = [
        item["path"]
        for item in (
            *request["inputs"],
            *outputs["parameters"],
            *outputs["artifacts"],
            *request["mounts"],
        )
        if not (rerooted and item["path"].startswith("/argojobs/"))
    ]
    refuse_paths(paths)


def refuse_paths(paths: Sequence[str], where: str = "") -> None:
    """Raise UnsupportedError when there are paths that need a private root on a host without."""
    if paths:
        raise UnsupportedError(
            f"this machine has no mount namespaces, so a pod cannot have {', '.join(paths)}",
            where=where,
            hint="let it use the host's own paths with --share-host-paths, or run it on Linux "
            "with user namespaces",
        )
