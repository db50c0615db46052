"""The images of the tests, made on the spot: nothing can be pulled.

Each recipe makes root folders and says how they become images. An archive is kept in the cache,
named by a hash of what it is made from, so that a change here makes it anew.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness import image_files
from harness.command import run
from harness.image_files import Image
from harness.places import cache

PAUSE = "localhost/pause:1"
BUSYBOX = ("busybox:latest", "busybox:1.36", "alpine:latest", "alpine:3.23")
ARGOSAY = "docker.io/argoproj/argosay:v2"
PYTHON = (
    "python:latest",
    "python:3.11-slim",
    "python:3.12-slim",
    "python:alpine3.23",
    "debian:latest",
)
DEMO = "docker.io/argojobs/demo:1"
BASE = "docker.io/library/python:3.11-slim"
ARGOEXEC = "quay.io/argoproj/argoexec:v4.0.5"
ARGOCLI = "quay.io/argoproj/argocli:v4.0.5"

#: What the demo imports, from the ordinary package index, for the Python of Debian 12.
DEMO_PACKAGES = ("jax", "optax", "scikit-learn", "tensorboard")
PLATFORMS = [f"manylinux{name}" for name in ("_2_28", "_2_27", "_2_17", "2014", "_2_12", "1")]

#: The parts of a minimal Debian that no test reads.
NEEDLESS = (
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "var/cache/apt",
    "var/lib/apt/lists",
)

#: Two recipes want the same Debian.
ONE_AT_A_TIME = threading.Lock()

ARGOSAY_PROGRAM = """#!/bin/sh
# Stands in for Argo's test image: says, copies, sleeps and ends as it is told.
set -e
case "$1" in
  "") echo "hello argo" ;;
  echo) if [ -n "$3" ]; then mkdir -p "$(dirname "$3")"; echo "$2" > "$3"; else echo "$2"; fi ;;
  cat) shift; cat "$@" ;;
  sleep) sleep "$2" ;;
  exit) exit "${2:-0}" ;;
  sh) shift; exec sh "$@" ;;
  *) echo "argosay: $1?" >&2; exit 64 ;;
esac
"""


@dataclass(frozen=True)
class Recipe:
    """How one archive is made: `make(scratch folder, programs of Argo)` gives its images.

    `also` names what else it is made from, for the cache's key.
    """

    name: str
    make: Callable[[Path, Path], list[Image]]
    also: tuple[str, ...] = ()
    needs_argo: bool = False


def busybox(scratch: Path, _programs: Path) -> list[Image]:
    """busybox with its applets: also alpine to the tests, the sandbox of pods, and argosay."""
    root = scratch / "busybox"
    _folders(root)
    shutil.copy("/bin/busybox", root / "bin" / "busybox")
    for applet in run(["/bin/busybox", "--list"]).split():
        if applet != "busybox":
            (root / "bin" / applet).symlink_to("busybox")
    said = scratch / "argosay"
    (said / "bin").mkdir(parents=True)
    (said / "bin" / "argosay").write_text(ARGOSAY_PROGRAM)
    (said / "bin" / "argosay").chmod(0o755)
    return [
        Image(tuple(f"docker.io/library/{name}" for name in BUSYBOX), (root,), command=("sh",)),
        Image((PAUSE,), (root,), entrypoint=("sleep", "2147483647")),
        Image((ARGOSAY,), (root, said), entrypoint=("argosay",)),
    ]


def python(scratch: Path, _programs: Path) -> list[Image]:
    """A plain Python without pip or packages: Debian's own, whatever version the name says."""
    names = tuple(f"docker.io/library/{name}" for name in PYTHON)
    return [Image(names, (debian_python(scratch),), command=("python3",))]


def demo(scratch: Path, _programs: Path) -> list[Image]:
    """The same Python with what the demo imports."""
    packages = scratch / "packages"
    target = packages / "usr/local/lib/python3.11/dist-packages"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    python = ("--python-version", "3.11", "--implementation", "cp", "--only-binary=:all:")
    platforms = (f"--platform={name}_{os.uname().machine}" for name in PLATFORMS)
    run([*pip, *python, *platforms, "--target", target, *DEMO_PACKAGES], timeout=1800)
    return [Image((DEMO,), (debian_python(scratch), packages), command=("python3",))]


def with_pip(scratch: Path, _programs: Path) -> list[Image]:
    """The same Python with pip, as public images have it: what the tests build images on."""
    root = debian_python(scratch)
    for mark in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        mark.unlink()  # Debian's own, which keeps pip away from apt's packages
    target = scratch / "pip" / "usr/local/lib/python3.11/dist-packages"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run([*pip, "--no-compile", "--target", target, "pip"], timeout=1800)
    return [Image((BASE,), (root, scratch / "pip"), command=("python3",))]


def argo(scratch: Path, programs: Path) -> list[Image]:
    """Argo's executor, and its server for those who look for it inside the cluster."""
    return [
        Image(
            (ARGOEXEC,), (_one_program(scratch, programs / "argoexec"),), entrypoint=("argoexec",)
        ),
        Image((ARGOCLI,), (_one_program(scratch, programs / "argo"),), entrypoint=("argo",)),
    ]


def _one_program(scratch: Path, program: Path) -> Path:
    """A root folder with one program, the certificates of public authorities, a /tmp for all."""
    root = scratch / program.name
    _folders(root)
    shutil.copy(program, root / "bin" / program.name)
    certificates = root / "etc" / "ssl" / "certs"
    certificates.mkdir(parents=True)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", certificates / "ca-certificates.crt")
    return root


def debian_python(scratch: Path) -> Path:
    """A minimal Debian 12 with python3, in a folder; the made tree is kept in the cache as a tar."""
    kept = cache() / "images" / "debian-python.tar"
    root = scratch / "python"
    with ONE_AT_A_TIME:
        _make_debian_python(kept, scratch)
    root.mkdir()
    run(["tar", "-xpf", kept, "-C", root], timeout=300)
    return root


def _make_debian_python(kept: Path, scratch: Path) -> None:
    if not kept.exists():
        made = scratch / "debootstrap"
        run(
            [
                "debootstrap",
                "--variant=minbase",
                "--include=python3,ca-certificates",
                "bookworm",
                made,
            ],
            timeout=1800,
        )
        for name in NEEDLESS:
            shutil.rmtree(made / name, ignore_errors=True)
            (made / name).mkdir(parents=True)
        (made / "usr" / "local" / "bin" / "python").symlink_to("/usr/bin/python3")
        shutil.rmtree(made / "dev")
        (made / "dev").mkdir()
        kept.parent.mkdir(parents=True, exist_ok=True)
        image_files.pack(made, kept.with_suffix(".new"))
        kept.with_suffix(".new").rename(kept)
        shutil.rmtree(made)


RECIPES = (
    Recipe("busybox", busybox, (ARGOSAY_PROGRAM, PAUSE, ARGOSAY, *BUSYBOX)),
    Recipe("python", python, PYTHON),
    Recipe("argo", argo, (ARGOEXEC, ARGOCLI), needs_argo=True),
    Recipe("demo", demo, (*DEMO_PACKAGES, DEMO)),
)

#: For builders on this machine; containerd does not get it.
FOR_BUILDS = Recipe("for-builds", with_pip, (BASE,))


def archive(recipe: Recipe, programs: Path) -> Path:
    """Where the archive of `recipe` is kept; its name changes with what it is made from."""
    made_from = [
        inspect.getsource(recipe.make),
        inspect.getsource(_make_debian_python),
        *recipe.also,
    ]
    if recipe.needs_argo:
        made_from.append(programs.name)
    key = hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:16]
    return cache() / "images" / f"{recipe.name}-{key}.tar"


def make(recipe: Recipe, programs: Path, say: Callable[[str], None]) -> Path:
    """The archive of `recipe`, made first if the cache has none."""
    target = archive(recipe, programs)
    if target.exists():
        return target
    say(f"making the image {recipe.name}")
    scratch = cache() / "scratch" / recipe.name
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    image_files.write(target, recipe.make(scratch, programs), scratch / "layers")
    shutil.rmtree(scratch)
    return target


def _folders(root: Path) -> None:
    """The folders that a program may expect in any image."""
    for name in ("bin", "etc", "root", "tmp", "var", "usr/bin"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    (root / "etc" / "passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"
    )
    (root / "etc" / "group").write_text("root:x:0:\nnogroup:x:65534:\n")
