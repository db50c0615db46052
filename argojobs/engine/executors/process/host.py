"""What a pod means on a machine without images: the request that its supervisor carries out.

The working directory is "/", `python` is the submitter's interpreter, `[local.images]` says what
an image stands for, and a claim is a folder. Pure: nothing of the host is looked at.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from argojobs.engine.executors.process.request_format import FORMAT
from argojobs.engine.expansion import expand
from argojobs.engine.placement import NVIDIA
from argojobs.engine.volumes import joined
from argojobs.errors import HostError, UnsupportedError
from argojobs.manifest.own_program import is_own_program
from argojobs.runtime.debugger import python_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from argojobs.engine.executors.executor import PodSpec
    from argojobs.engine.executors.process.namespace import Isolation

SCRIPT = "/argo/staging/script"  # where Argo puts `script.source`
PROGRESS = "/argo/progress"
PYTHON = re.compile(r"python(3(\.\d+)?)?")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Host(NamedTuple):
    """What is the same for all pods of a home: its folder, and what its host allows them."""

    home: str
    isolation: Isolation


def process_request(spec: PodSpec, host: Host) -> dict[str, Any]:
    """Return the request by which a supervisor runs a pod, as JSON data; the directory is first.

    Raises HostError for a command or claim that this machine has no answer for, UnsupportedError
    for a path that cannot be had here.
    """
    submitter = spec.submitter
    image = submitter["images"].get(spec.image, {})  # older runs recorded no WORKDIR of it
    image_root = image.get("root", "")
    directory = f"{host.home}/pods/{spec.id.run}/{spec.id.name}"
    ours = _is_own_program(spec)
    way = _way(host, ours=ours)
    script_path = f"{directory}/scratch/script" if way == "shared" else SCRIPT
    command = _command(spec, image)
    if spec.script:
        command.append(script_path)
    # Else "/": the pod's own, or a folder of its own where there are no namespaces. An image that
    # holds our own program (--code image), or a file that Python is told to run, holds the project.
    root = f"{directory}/scratch/root" if way == "shared" else "/"
    holds_project = not image_root and (ours or _runs_own_file(command))
    working_directory = (
        spec.working_directory
        or image.get("workdir")
        or (submitter["project"] if holds_project else root)
    )
    request: dict[str, Any] = {
        "directory": directory,
        "format": FORMAT,
        "pod": spec.id.name,
        "workflow": spec.id.run,
        "namespace": spec.namespace,
        "node_id": spec.node_id,
        "containers": [
            {
                "name": "main",
                "image": spec.image,
                "command": command,
                "env": {**_base(spec, image_root), **spec.environment, **_on_a_laptop(spec)},
                "working_directory": working_directory,
            }
        ],
        "script": spec.script,
        "script_path": script_path,
        "inputs": [
            {
                **item,
                "path": _place(item["name"], item["path"], "input artifact", working_directory),
            }
            for item in spec.inputs
        ],
        "outputs": _outputs(spec, working_directory),
        "mounts": [_mount(mount, submitter["claims"], host, spec.id.run) for mount in spec.mounts],
        "memory": {
            "limit": spec.memory_limit,
            "enforce": submitter.get("strict_resources", False),
        },
        "deadline": spec.deadline,
        "now": spec.now,
        "grace": spec.grace,
        "capture_result": spec.capture_result,
        "repository": {"kind": "directory", "root": f"{host.home}/artifacts"},
        "host": {
            "isolation": host.isolation if way == "private" else way,
            "root": image_root,
            "cache": f"{host.home}/cache",
            "keep": _kept(submitter),
            "ended": f"{host.home}/pods-ended",
        },
    }
    request["results"] = next(
        (mount["source"] for mount in request["mounts"] if mount["kind"] == "results"), ""
    )
    if way == "rerooted":
        _reroot(request)
    elif way == "shared":
        _share(request)
    if way == "rerooted" or (way == "shared" and not submitter["share_host_paths"]):
        _check_paths(request, rerooted=way == "rerooted")
    return request


def _is_own_program(spec: PodSpec) -> bool:
    environment = [{"name": name} for name in spec.environment]
    return is_own_program({"command": spec.command, "args": spec.arguments, "env": environment})


def _runs_own_file(command: Sequence[str]) -> bool:
    """Whether a command has Python run a file by a relative path: `python3 -u train.py`."""
    _, target = python_words(command)
    if target and target[0].startswith("/argojobs/"):  # the debugger, before what it waits for
        target = target[1:]
    return bool(target) and target[0].endswith(".py") and not target[0].startswith("/")


def _way(host: Host, *, ours: bool) -> str:
    """private, rerooted or shared: see `layout`."""
    if host.isolation != "none":
        return "private"
    return "rerooted" if ours else "shared"


def _on_a_laptop(spec: PodSpec) -> dict[str, str]:
    """What our own steps are told here instead of what suits a pod with an address of its own.

    Ports of steps are ports of this machine: nothing listens unless asked for, and then only for
    this machine.
    """
    told = {}
    if "ARGOJOBS_TENSORBOARD" in spec.environment:
        told["ARGOJOBS_TENSORBOARD"] = "0"
    if "ARGOJOBS_DEBUG" in spec.environment:
        told["ARGOJOBS_DEBUG_ADDRESS"] = "127.0.0.1:3000"
    return told


def _base(spec: PodSpec, image_root: str) -> dict[str, str]:
    """The environment below the container's own: the submitter's, its interpreter first."""
    base = dict(spec.submitter["environment"])
    if NVIDIA in spec.devices:
        base["CUDA_VISIBLE_DEVICES"] = ",".join(spec.devices[NVIDIA])
    if image_root:
        base["PATH"] = PATH
    else:
        interpreters = posixpath.dirname(spec.submitter["interpreter"])
        base["PATH"] = f"{interpreters}:{base.get('PATH') or PATH}"
    return base


def _command(spec: PodSpec, image: Mapping[str, Any]) -> list[str]:
    """What is run: Kubernetes' rules for command, args, ENTRYPOINT and CMD (gotcha 25)."""
    words = list(spec.command) or _expanded(image.get("entrypoint", ()), spec)
    if spec.arguments is not None:
        words += spec.arguments
    elif not spec.command:
        words += _expanded(image.get("command", ()), spec)
    if not words:
        raise no_command(spec.image)
    if PYTHON.fullmatch(words[0]) and not image.get("root"):
        words[0] = spec.submitter["interpreter"]
    return words


def _expanded(words: Iterable[str], spec: PodSpec) -> list[str]:
    return [expand(word, spec.environment) for word in words]


def no_command(image: str) -> HostError:
    """The error for an image that nothing is known of, in a template without a command."""
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


def _place(name: str, path: str, kind: str, working_directory: str) -> str:
    """Where an artifact or parameter lies in the container. Raises UnsupportedError for "/"."""
    place = joined(working_directory, path)
    if place == "/":
        raise UnsupportedError(
            f"the {kind} {name!r} has the path {path!r}: the whole file tree",
            hint="name a file or a folder in it.",
        )
    return place


def _outputs(spec: PodSpec, working_directory: str) -> dict[str, Any]:
    """The outputs with their places, and artifacts with the key that each will have."""
    parameters = [
        {**item, "path": _place(item["name"], item["path"], "output parameter", working_directory)}
        for item in spec.outputs["parameters"]
    ]
    artifacts = []
    for item in spec.outputs["artifacts"]:
        name = item["declared"]["name"]
        path = _place(name, item["path"], "output artifact", working_directory)
        key = item["key"] or "/".join((*spec.id, archive_name(name, path, item["archive"])))
        artifacts.append({**item, "path": path, "key": key})
    return {**spec.outputs, "parameters": parameters, "artifacts": artifacts}


def archive_name(name: str, path: str, kind: str) -> str:
    """The file name of a saved artifact (Argo: `<artifact>.tgz`, bare: the path's last part).

    Args:
        name: the artifact's.
        path: in the container.
        kind: of archive: `tar`, `zip` or `none`.
    """
    if kind == "none":
        return posixpath.basename(path.rstrip("/"))
    return f"{name}.{'zip' if kind == 'zip' else 'tgz'}"


def _mount(
    mount: Mapping[str, Any], claims: Mapping[str, str], host: Host, run: str
) -> dict[str, Any]:
    """A mount with its folder on this host.

    Args:
        mount: see `PodSpec`.
        claims: the folders that claims stand for by the settings; others have one in the home.
        host: whose home that is.
        run: of which run the pod is.

    Raises:
        HostError: for what is not a name of a claim.
    """
    if mount["kind"] == "results":
        return {**mount, "source": f"{host.home}/results/{run}/{mount['job']}", "type": "Directory"}
    if mount["kind"] != "claim":
        return dict(mount)
    claim = mount["claim"]
    source = claims.get(claim)
    if not source:
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", claim) or ".." in claim:
            raise HostError(
                f"{claim!r} is not a name of a claim",
                hint="names of claims are lower case letters, digits, '-' and '.' (Kubernetes)",
            )
        source = f"{host.home}/claims/{claim}"
    return {**mount, "source": source, "type": "DirectoryOrCreate"}


def _kept(submitter: Mapping[str, Any]) -> list[str]:
    """Host paths that a pod sees even below a folder that is its own (/tmp)."""
    prefix = posixpath.dirname(posixpath.dirname(submitter["interpreter"]))
    return list(dict.fromkeys((submitter["project"], prefix, *submitter["keep"])))


def _reroot(request: dict[str, Any]) -> None:
    """Move the contract's places below a folder of the pod's, for argojobs' own steps."""
    root = f"{request['directory']}/scratch/root"
    main = request["containers"][0]
    main["env"]["ARGOJOBS_ROOT"] = root
    main["env"]["ARGO_PROGRESS_FILE"] = root + PROGRESS
    if request["results"]:
        main["env"]["ARGOJOBS_RESULTS"] = f"{root}/argojobs/results"
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


def _share(request: dict[str, Any]) -> None:
    """Tell a pod that has the host's paths where there its own files and folders are."""
    environment = request["containers"][0]["env"]
    environment["ARGO_PROGRESS_FILE"] = f"{request['directory']}/scratch/root{PROGRESS}"
    if request["results"]:
        environment["ARGOJOBS_RESULTS"] = request["results"]
        request["mounts"] = [one for one in request["mounts"] if one["kind"] != "results"]


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
