"""Which builder this machine has: the first that works, or the one that is named.

docker counts only with a daemon that answers, buildctl only with a buildkitd: the clients alone
build nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from argojobs.errors import HostError, UsageError
from argojobs.images.builders import buildah, buildctl, docker
from argojobs.images.builders.shape import Argv, Builder

#: In the order in which they are looked for.
NAMES = (docker.NAME, buildah.PODMAN, buildah.BUILDAH, buildctl.NAME)

#: Seconds that a daemon has to answer.
ANSWER_SECONDS = 20

_VERSION = re.compile(r"\d+\.\d+[\w.+~-]*")


def choose(name: str = "", *, mounts: bool = False, layouts: Path | None = None) -> Builder:
    """Return the builder of that name, or the first that this machine has.

    Args:
        name: of the builder, "" for any.
        mounts: it must know `RUN --mount` (secrets need it); one that does not is passed over.
        layouts: where buildctl keeps images, None for the user's cache.

    Raises:
        UsageError: there is no builder of that name.
        HostError: none works; says how to get one on this system.
    """
    if name and name not in NAMES:
        raise UsageError(f"no builder is called {name}", hint=f"known: {', '.join(NAMES)}")
    problems = []
    for each in [name] if name else NAMES:
        found = _found(each, layouts or _layouts())
        if isinstance(found, Builder) and (found.mounts or not mounts):
            return found
        problems.append(found if isinstance(found, str) else docker.NO_MOUNTS)
    if name:
        remedy = docker.GET_BUILDX if problems[0] == docker.NO_MOUNTS else how_to_get(name)
        raise HostError(f"{name} cannot build here: {problems[0]}", hint=remedy)
    told = "; ".join(dict.fromkeys(problems))
    raise HostError(f"nothing here builds images: {told}", hint=how_to_get("buildah"))


def how_to_get(name: str) -> str:
    """Return how to get a builder on this system, by the package manager that it has."""
    if sys.platform == "darwin":
        return "brew install podman && podman machine init && podman machine start"
    package = {docker.NAME: "docker.io", buildah.PODMAN: "podman"}.get(name, "buildah")
    for manager, command in (("apt-get", "apt"), ("dnf", "dnf"), ("zypper", "zypper")):
        if shutil.which(manager):
            wanted = "moby-engine" if package == "docker.io" and command == "dnf" else package
            return f"{command} install {wanted}"
    return f"install {package} (buildah needs no daemon and no root)"


def _found(name: str, layouts: Path) -> Builder | str:
    """Return a builder of this machine, or why it does not work."""
    if name == docker.NAME:
        return _docker()
    return _buildctl(layouts) if name == buildctl.NAME else _without_daemon(name)


def _docker() -> Builder | str:
    program = shutil.which(docker.NAME)
    if program is None:
        return "docker is not there"
    version = _printed([program, "version", "--format", "{{.Server.Version}}"])
    if version is None:
        return "docker is there, but no daemon answers"
    buildx = _printed([program, "buildx", "version"]) is not None
    # the daemon of a context is buildx' builder of that name, whichever another is in use
    context = _printed([program, "context", "show"]) or docker.DEFAULT_CONTEXT
    return docker.docker(program, version, context=context if buildx else "")


def _without_daemon(name: str) -> Builder | str:
    program = shutil.which(name)
    if program is None:
        return f"{name} is not there"
    version = _printed([program, "--version"])
    if version is None:
        return f"{name} does not start"
    return buildah.buildah(program, _version(version), name)


def _buildctl(layouts: Path) -> Builder | str:
    program = shutil.which(buildctl.NAME)
    if program is None:
        return "buildctl is not there"
    if _printed([program, "debug", "workers"]) is None:
        return "buildctl is there, but no buildkitd answers (BUILDKIT_HOST)"
    version = _version(_printed([program, "--version"]) or "")
    return buildctl.buildctl(program, version, layouts)


def _printed(argv: Argv) -> str | None:
    """Return what a command prints; None where it fails."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ANSWER_SECONDS,
            check=False,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.strip()


def _version(text: str) -> str:
    """Return the version in `buildah version 1.28.2 (image-spec ...)`."""
    found = _VERSION.search(text)
    return found.group() if found else text


def _layouts() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("argojobs")) / "layouts"
