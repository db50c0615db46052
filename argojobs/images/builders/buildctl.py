"""buildctl: a client of buildkitd. Source: buildkit's README, docs/reference/buildctl.md.

buildkitd has no images that another build could start from. So an image is written as an OCI
layout into the cache of this user, one a repository; a build from it gets that layout in the place of
its name. A push is the same build once more, all of it known to buildkitd, with another output.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from argojobs.images.builders.shape import EPOCH, Argv, Builder, Task, secrets_of

NAME = "buildctl"


def buildctl(program: str, version: str, layouts: Path) -> Builder:
    """Return the table of buildctl.

    Args:
        program: its path.
        version: as it says it.
        layouts: the folder for images on this machine.
    """

    def build(task: Task) -> list[Argv]:
        layout = layout_of(layouts, task.tags[0])
        output = _row("type=oci", "tar=false", f"dest={layout}", f"name={','.join(task.tags)}")
        # a layout keeps what was written to it before
        return [["rm", "-rf", "--", str(layout)], _build(program, task, layouts, output)]

    def push(task: Task) -> list[Argv]:
        plain = ["registry.insecure=true"] if task.plain_http else []
        output = _row("type=image", "push=true", f"name={task.tags[0]}", *plain)
        return [_build(program, task, layouts, output, cached=True)]

    return Builder(
        NAME,
        program,
        version,
        build=build,
        push=push,
        has=lambda reference: _has(layouts, reference),
        login=lambda folder: {"DOCKER_CONFIG": str(folder)},
    )


def layout_of(layouts: Path, reference: str) -> Path:
    """Return the folder of the image of a reference's repository."""
    return layouts / quote(_repository(reference), safe="")


def _digest_in(layouts: Path, reference: str) -> str:
    """Return the digest of an image on this machine, "" where it is not there."""
    try:
        index = json.loads((layout_of(layouts, reference) / "index.json").read_text())
        (found,) = index["manifests"]
        names = found["annotations"]["org.opencontainers.image.ref.name"].split(",")
        return str(found["digest"]) if reference in names else ""
    except (OSError, ValueError, KeyError):  # none, or not one that we wrote
        return ""


def _build(program: str, task: Task, layouts: Path, output: str, *, cached: bool = False) -> Argv:
    arguments = {"SOURCE_DATE_EPOCH": EPOCH, **task.arguments}
    options = {f"build-arg:{name}": value for name, value in arguments.items()}
    options["filename"] = task.dockerfile.name
    if task.platform:
        options["platform"] = task.platform
    parent = _digest_in(layouts, task.parent) if task.parent else ""
    if parent:
        options[f"context:{task.parent}"] = f"oci-layout://parent@{parent}"
    return [
        *(program, "build", "--progress", "plain", "--frontend", "dockerfile.v0"),
        *("--local", f"context={task.context}", "--local", f"dockerfile={task.dockerfile.parent}"),
        *(word for name in sorted(options) for word in ("--opt", f"{name}={options[name]}")),
        *(["--oci-layout", f"parent={layout_of(layouts, task.parent)}"] if parent else []),
        *secrets_of(task),
        *(["--no-cache"] if task.no_cache and not cached else []),
        *("--output", output),
    ]


def _has(layouts: Path, reference: str) -> Argv:
    index = layout_of(layouts, reference) / "index.json"
    # of what a reference may have in it, only the dot means something to grep
    return ["grep", "-q", "-e", f'[",]{reference.replace(".", "[.]")}[",]', str(index)]


def _row(*fields: str) -> str:
    """Return fields as a row of CSV, which is how an output is said."""
    return ",".join(f'"{field}"' if "," in field else field for field in fields)


def _repository(reference: str) -> str:
    path, slash, name = reference.rpartition("/")
    return f"{path}{slash}{name.partition('@')[0].partition(':')[0]}"
