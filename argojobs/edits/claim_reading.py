"""A small run that reads a path of a claim: the only way to it where there is nothing but Argo.

One pod mounts the claim, only to read, looks whether the path is there, and gives it as an output
artifact, or lists it in its log. What it finds wrong it says by its exit code. The run removes
itself after an hour if whoever started it does not, and its artifact with it where Argo is to do
that. Source: Argo docs: fields, artifact garbage collection (`forceFinalizerRemoval` from 3.5 on);
Kubernetes' expansion of `$(NAME)` in args; exit codes: sysexits.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from argojobs.errors import UsageError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import Artifact

TEMPLATE, ARTIFACT = "read", "content"

#: Exit codes of the pod: the path is a link, it is not there, it may not be read.
LINK, MISSING, FORBIDDEN = 65, 66, 77

#: Seconds after which Argo removes what its owner has left behind, and ends what goes on.
KEPT, LONGEST = 3600, 6 * 3600

_ROOT = "/claims"
_CLAIM = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")

_CHECK = f"""\
if [ -L "$1" ]; then readlink "$1"; exit {LINK}; fi
[ -e "$1" ] || exit {MISSING}
[ -r "$1" ] || exit {FORBIDDEN}
"""
#: Size, type and path, with what no type holds between them: names may hold anything.
_LIST = """\
if [ -d "$1" ]; then
  exec find "$1" -mindepth 1 -maxdepth 1 -exec stat -c '%s/%F/%n' {} +
fi
exec stat -c '%s/%F/%n' "$1"
"""


def split(text: str) -> tuple[str, str]:
    """Return the claim and the path in it of `claim://NAME/PATH`; "" is all of it.

    Raises UsageError for what names no claim, leads out of it, or what Argo would replace.
    """
    claim, _, path = text.removeprefix("claim://").partition("/")
    if not _CLAIM.fullmatch(claim):
        raise UsageError(f"{text!r} names no claim", hint="write claim://name/path")
    if "{{" in path or not path.isprintable():
        raise UsageError(
            f"{text!r} cannot be asked for: Argo takes {{{{ for a tag of its own, and no line breaks",
            hint="give the folder that it lies in",
        )
    inside = posixpath.normpath(path.strip("/")) if path.strip("/") else ""
    if inside == ".." or inside.startswith("../"):
        raise UsageError(f"{text} leads out of the claim", hint="write a path without ..")
    return claim, "" if inside == "." else inside


def place(claim: str, inside: str) -> str:
    """Return where the pod finds a path of the claim."""
    return posixpath.join(_ROOT, claim, inside) if inside else f"{_ROOT}/{claim}"


def fetching(
    claim: str, inside: str, *, name: str, image: str, store: bool, account: str = ""
) -> Workflow:
    """Return the run that gives a path of a claim as its artifact.

    Args:
        claim: its name.
        inside: the path in it, "" for all of it.
        name: of the run.
        image: that reads; it needs a shell.
        store: the artifact lies in an S3 that we have keys for, where we remove it; else Argo
            stores it where it does, and removes it with the run.
        account: the service account, which needs the right to that; "" for the default one.
    """
    workflow: Workflow = _workflow(claim, inside, name=name, image=image, script=_CHECK)
    (template,) = workflow["spec"]["templates"]
    artifact: Artifact = {
        "name": ARTIFACT,
        "path": place(claim, inside),
        "archive": {"tar": {"compressionLevel": 1}},
        "optional": True,  # the exit code says what is wrong
    }
    template["outputs"] = {"artifacts": [artifact]}
    if store:
        artifact["s3"] = {"key": f"{{{{workflow.name}}}}/{{{{pod.name}}}}/{ARTIFACT}.tgz"}
    else:
        collection = {"strategy": "OnWorkflowDeletion", "forceFinalizerRemoval": True}
        if account:
            collection["serviceAccountName"] = account
        workflow["spec"]["artifactGC"] = collection
    return workflow


def listing(claim: str, inside: str, *, name: str, image: str) -> Workflow:
    """Return the run whose log lists a path of a claim; `listed` reads its lines.

    Args:
        claim: its name.
        inside: the path in it, "" for all of it.
        name: of the run.
        image: that reads; it needs a shell.
    """
    return _workflow(claim, inside, name=name, image=image, script=_CHECK + _LIST)


def listed(line: str) -> tuple[str, int, str] | None:
    """Return name, size and kind (file, folder, link, other) of a line; None for no such line."""
    found = re.fullmatch(r"(\d+)/([a-z ]+)(/.*)", line)
    if found is None:
        return None
    kinds = {"directory": "folder", "symbolic link": "link"}
    kind = "file" if found[2].startswith("regular") else kinds.get(found[2], "other")
    return posixpath.basename(found[3]), int(found[1]), kind


def _workflow(claim: str, inside: str, *, name: str, image: str, script: str) -> Workflow:
    path = place(claim, inside).replace("$", "$$")
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "labels": {"argojobs.dev/purpose": "claim"}},
        "spec": {
            "entrypoint": TEMPLATE,
            "activeDeadlineSeconds": LONGEST,
            "ttlStrategy": {"secondsAfterCompletion": KEPT},
            "volumes": [{"name": "claim", "persistentVolumeClaim": {"claimName": claim}}],
            "templates": [
                {
                    "name": TEMPLATE,
                    "container": {
                        "image": image,
                        "command": ["sh", "-c"],
                        "args": [script.replace("$", "$$"), "sh", path],
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                        "volumeMounts": [
                            {"name": "claim", "mountPath": f"{_ROOT}/{claim}", "readOnly": True}
                        ],
                    },
                }
            ],
        },
    }
