"""The Go programs, built from two committed modules and kept in the cache by what they are made from.

`go/kubernetes` and `go/argo` pin everything by their go.mod and go.sum. Argo's served module lacks
two things, so it is built from a vendored copy of its sources that is repaired first.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.command import run
from harness.errors import HarnessError
from harness.places import cache

SOURCES = Path(__file__).parent.parent / "go"

ENVIRONMENT = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"}

ARGO = "github.com/argoproj/argo-workflows/v4"

#: A build on a machine that has nothing yet and is busy takes minutes.
PATIENCE = 3600


@dataclass(frozen=True)
class Module:
    """A committed Go module: its folder below go/, its programs with their packages, link flags.

    The flags set the version that a program says it is, as its own makers' builds do.
    """

    name: str
    programs: dict[str, str]
    flags: tuple[str, ...]


KUBERNETES = Module(
    "kubernetes",
    {
        "etcd": "go.etcd.io/etcd/server/v3",
        **{
            name: f"k8s.io/kubernetes/cmd/{name}"
            for name in (
                "kube-apiserver",
                "kube-controller-manager",
                "kube-scheduler",
                "kubelet",
                "kubectl",
            )
        },
    },
    (
        "-X=k8s.io/component-base/version.gitVersion=v1.35.4",
        "-X=k8s.io/component-base/version.gitMajor=1",
        "-X=k8s.io/component-base/version.gitMinor=35",
    ),
)

ARGO_WORKFLOWS = Module(
    "argo",
    {name: f"{ARGO}/cmd/{name}" for name in ("workflow-controller", "argoexec", "argo")},
    (
        f"-X={ARGO}.version=v4.0.5",
        f"-X={ARGO}.gitTag=v4.0.5",
        f"-X={ARGO}.gitCommit=from-the-module-proxy",
        f"-X={ARGO}.gitTreeState=clean",
    ),
)


@dataclass(frozen=True)
class Change:
    """A text of a vendored file that is replaced by another: it must be there exactly once."""

    file: str
    old: str
    new: str


#: The server and the controller listen at every address of the machine, and can't be told not to.
CHANGES = (
    Change(
        "server/apiserver/argoserver.go",
        'address := fmt.Sprintf(":%d", port)',
        'address := fmt.Sprintf("127.0.0.1:%d", port)',
    ),
    Change(
        "cmd/workflow-controller/main.go",
        'http.ListenAndServe(":6060", nil)',
        'http.ListenAndServe("127.0.0.1:6060", nil)',
    ),
    Change(
        "util/telemetry/exporter_prometheus.go",
        'fmt.Sprintf(":%v", m.config.port())',
        'fmt.Sprintf("127.0.0.1:%v", m.config.port())',
    ),
)


def key(module: Module) -> str:
    """What the programs of `module` are made from, as a short hash."""
    folder = SOURCES / module.name
    made_from = [(folder / name).read_bytes() for name in ("go.mod", "go.sum")]
    made_from.append(repr(module.flags).encode())
    if module is ARGO_WORKFLOWS:
        made_from.append(repr(CHANGES).encode())
    return hashlib.sha256(b"\0".join(made_from)).hexdigest()[:16]


def folder_of(module: Module) -> Path:
    """Where the built programs of `module` are kept."""
    return cache() / f"{module.name}-{key(module)}"


def built(module: Module) -> bool:
    """Whether all programs of `module` are there; they are put there whole."""
    return all((folder_of(module) / name).is_file() for name in module.programs)


def build(module: Module, say: Callable[[str], None]) -> Path:
    """The folder with the programs of `module`, built first if the cache has none."""
    if built(module):
        return folder_of(module)
    sources = cache() / "sources" / module.name
    sources.mkdir(parents=True, exist_ok=True)
    for name in ("go.mod", "go.sum"):
        shutil.copy(SOURCES / module.name / name, sources / name)
    if module is ARGO_WORKFLOWS:
        vendor(sources)
    for name, package in module.programs.items():
        say(f"building {name} (minutes the first time, then cached in {folder_of(module)})")
        _build(sources, module, name, package)
    shutil.rmtree(sources)
    return folder_of(module)


def _build(sources: Path, module: Module, name: str, package: str) -> None:
    target = folder_of(module) / name
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{name}.{os.getpid()}")
    mode = "vendor" if module is ARGO_WORKFLOWS else "readonly"
    # -trimpath: the build cache then serves every folder; -s -w: half the size, no use for debuggers
    link = " ".join(["-s", "-w", *module.flags])
    run(
        ["go", "build", f"-mod={mode}", "-trimpath", f"-ldflags={link}", "-o", new, package],
        folder=sources,
        environment=ENVIRONMENT,
        timeout=PATIENCE,
    )
    new.rename(target)


def vendor(sources: Path) -> None:
    """Copy Argo and all it needs below `sources`/vendor and repair what the served module lacks."""
    shutil.rmtree(sources / "vendor", ignore_errors=True)
    # -e: the missing web UI is an error otherwise
    run(["go", "mod", "vendor", "-e"], folder=sources, environment=ENVIRONMENT, timeout=PATIENCE)
    root = sources / "vendor" / ARGO
    page = root / "ui" / "dist" / "app" / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("<!doctype html><title>Argo without its web page</title>\n")
    signals = root / "workflow" / "executor" / "osspecific"
    if not (signals / "signal_linux.go").exists():
        shutil.copy(signals / "signal_darwin.go", signals / "signal_linux.go")
    for change in CHANGES:
        apply(root, change)


def apply(root: Path, change: Change) -> None:
    """Make one change; raises HarnessError where the file is not as expected."""
    file = root / change.file
    text = file.read_text()
    if text.count(change.old) != 1:
        raise HarnessError(
            f"{change.file} of Argo is not as expected: no single `{change.old}` in it"
        )
    file.write_text(text.replace(change.old, change.new))


def module_folder() -> Path:
    """Argo's own sources in Go's module cache: its CRDs are there."""
    text = run(
        ["go", "list", "-m", "-f", "{{.Dir}}", ARGO],
        folder=SOURCES / "argo",
        environment={**ENVIRONMENT, "GOFLAGS": "-mod=mod -buildvcs=false"},
    )
    return Path(text.strip())
