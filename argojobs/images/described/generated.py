"""An `Image` of a pipeline as a build: its Dockerfile, the files beside it, and what it is called.

The same words and the same requirements give the same text, so the tag says what is in the image:
`lab:5000/PROJECT-env:0123456789abcdef`. What pip and the builder know of this machine (indexes,
proxies, certificates) is not part of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from argojobs.dsl.images import Image
from argojobs.images.described.requirements import Requirements, requirements_of

#: The secrets that a build gets, where there are any: pip's configuration, and its certificates.
PIP_SECRET = "pip"  # noqa: S105 - a name
CERTIFICATES_SECRET = "pip-certificates"  # noqa: S105 - a name
#: Where the image has what it was made of, for whoever looks into it.
FOLDER = "/opt/argojobs-image"
_TAG_LENGTH = 16

_SECRET_MOUNTS = " ".join(
    f"--mount=type=secret,id={name},mode=0444" for name in (PIP_SECRET, CERTIFICATES_SECRET)
)
#: pip's own words: no questions, no warnings that mean nothing in an image, and no refusal to
#: install where Debian's own Python is (PEP 668 is about machines that people keep).
_PIP = (
    f"PIP_CONFIG_FILE=/run/secrets/{PIP_SECRET} PIP_BREAK_SYSTEM_PACKAGES=1 "
    "PIP_ROOT_USER_ACTION=ignore python3 -m pip install --no-cache-dir --no-input "
    "--disable-pip-version-check"
)
_APT = "apt-get install --yes --no-install-recommends"


@dataclass(frozen=True, slots=True)
class Generated:
    """A build that nobody wrote.

    name: of the image, without registry and tag. files: beside the Dockerfile, by their names.
    content: the hash of all this. words: what is in it, for one line.
    """

    name: str
    dockerfile: str
    files: Mapping[str, str]
    content: str
    words: str

    @property
    def tag(self) -> str:
        """What the image is called by its content."""
        return self.content[:_TAG_LENGTH]

    def reference(self, registry: str = "") -> str:
        """Return its name: in a registry, or without one."""
        return f"{registry}/{self.name}:{self.tag}" if registry else f"{self.name}:{self.tag}"


def generated(
    image: Image, root: Path, *, base_of: Callable[[str], str] = lambda name: name
) -> Generated:
    """Return the build of an image that puts something on its base.

    Args:
        image: of a pipeline.
        root: the project's folder, where files are searched that are not beside the pipeline's own,
            and whose name the image gets.
        base_of: from the base as it was written to what is pulled.

    Raises:
        UsageError: requirements cannot be read or installed.
    """
    folders = [Path(image.folder)] if image.folder else []
    wanted = requirements_of(image.pip, [*folders, root]) if image.pip else Requirements(())
    files = _files(wanted)
    dockerfile = _dockerfile_of(image, base_of(image.base), wanted)
    return Generated(
        name=f"{project_name(root)}-env",
        dockerfile=dockerfile,
        files=files,
        content=_content(dockerfile, files),
        words=_words(image, wanted),
    )


def project_name(root: Path) -> str:
    """Return a project's name as a part of an image's: a-z, 0-9, single signs between them.

    Source: OCI distribution specification, names of repositories.
    """
    words = re.findall(r"[a-z0-9]+", root.resolve().name.lower())
    return "-".join(words) or "project"


def _dockerfile_of(image: Image, base: str, wanted: Requirements) -> str:
    """Return the Dockerfile: what changes least comes first, so that a builder's cache serves."""
    lines = ["# Made by argojobs of the Image in a pipeline.", f"FROM {base}"]
    lines += [f"ENV {name}={_quoted(text)}" for name, text in image.env]
    if image.apt:
        lines.append(
            f"RUN apt-get update && DEBIAN_FRONTEND=noninteractive {_APT} "
            f"{' '.join(image.apt)} && rm -rf /var/lib/apt/lists/*"
        )
    if wanted.lines:
        files = " ".join(_files(wanted))
        lines.append(f"COPY {files} {FOLDER}/")
        lines.append(f"RUN {_SECRET_MOUNTS} {_PIP} -r {FOLDER}/requirements.txt")
    lines += [f"RUN {json.dumps(['/bin/sh', '-c', text])}" for text in image.run]
    return "".join(f"{line}\n" for line in lines)


def _files(wanted: Requirements) -> dict[str, str]:
    files: dict[str, str] = {}
    lines = list(wanted.lines)
    if lines and wanted.constraints:
        files["constraints.txt"] = "".join(f"{line}\n" for line in wanted.constraints)
        lines.insert(0, "-c constraints.txt")
    if lines:
        files["requirements.txt"] = "".join(f"{line}\n" for line in lines)
    return files


def _quoted(text: str) -> str:
    """Return a value of ENV as it is: in quotes, nothing in it replaced.

    Source: Dockerfile reference, Environment replacement (a backslash before a dollar sign).
    """
    escaped = re.sub(r'([\\"$])', r"\\\1", text)
    return f'"{escaped}"'


def _content(dockerfile: str, files: Mapping[str, str]) -> str:
    parts = {"Dockerfile": dockerfile, **files}
    return sha256(json.dumps(parts, sort_keys=True).encode("utf-8")).hexdigest()


def _words(image: Image, wanted: Requirements) -> str:
    counts = (
        (len(wanted.lines), "requirement"),
        (len(image.apt), "package"),
        (len(image.env), "variable"),
        (len(image.run), "command"),
    )
    more = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return ", ".join([image.base, *more])
