"""Real engines that build: started by hand, each with a socket and a storage of its own.

podman and buildah are Debian's packages. dockerd, buildkitd, buildctl and buildx are taken from PATH or
from `~/.cache/argojobs-engines/bin`; `python tests/support/engines.py` puts them there (Debian's
docker.io unpacked, not installed; BuildKit and buildx by `go install`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("ARGOJOBS_TEST_ENGINES") or "~/.cache/argojobs-engines").expanduser()
BIN = FOLDER / "bin"
#: Seconds until an engine must answer.
PATIENCE = 60

_GO = (
    "github.com/moby/buildkit/cmd/buildctl@v0.17.3",
    "github.com/moby/buildkit/cmd/buildkitd@v0.17.3",
    "github.com/docker/buildx/cmd/buildx@v0.19.3",
)


def program(name: str) -> str:
    """Return a program's path, or skip."""
    found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"not installed: {name} (python tests/support/engines.py)")
    return found


def storage(folder: Path) -> Path:
    """Write settings of containers-storage.conf(5) for a storage below a folder."""
    settings = folder / "storage.conf"
    settings.write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{folder / "graph"}"\nrunroot = "{folder / "run"}"\n'
    )
    return settings


@contextmanager
def dockerd(folder: Path) -> Iterator[str]:
    """Run docker's daemon: on a bridge of its own, no rules for it, files copied, not mounted."""
    client = program("docker")
    address = f"unix://{folder / 's'}"
    with _bridge() as bridge:
        argv = [
            *(program("dockerd"), f"--bridge={bridge}", "--iptables=false", "--ip6tables=false"),
            *("--ip-forward=false", "--ip-masq=false", "--userland-proxy=false"),
            *("--storage-driver=vfs", "--data-root", str(folder / "root")),
            *("--exec-root", str(folder / "exec"), "--pidfile", str(folder / "pid"), "-H", address),
        ]
        with _running(argv, folder, [client, "-H", address, "version"]):
            yield address


@contextmanager
def _bridge() -> Iterator[str]:
    """Make a bridge that nothing else is on: BuildKit in docker's daemon runs commands on one."""
    name = f"ajt{os.getpid()}"
    link = program("ip")
    made = subprocess.run(
        [link, "link", "add", "name", name, "type", "bridge"], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"dockerd has no bridge here: {made.stderr.strip()}")
    try:
        subprocess.run([link, "address", "add", "10.213.77.1/28", "dev", name], check=True)
        subprocess.run([link, "link", "set", name, "up"], check=True)
        yield name
    finally:
        subprocess.run([link, "link", "delete", name], check=True)


@contextmanager
def buildkitd(folder: Path, insecure: Iterable[str]) -> Iterator[str]:
    """Run BuildKit's daemon: as for a user without rights, since there are few here.

    insecure: registries without TLS; it must be told of those that it pulls from.
    """
    client = program("buildctl")
    address = f"unix://{folder / 's'}"
    settings = folder / "buildkitd.toml"
    settings.write_text("".join(f'[registry."{host}"]\nhttp = true\n' for host in insecure))
    argv = [
        *(program("buildkitd"), "--config", str(settings), "--rootless"),
        *("--root", str(folder / "root"), "--addr", address),
        *("--oci-worker=true", "--containerd-worker=false", "--oci-worker-no-process-sandbox"),
        *("--oci-worker-snapshotter=native", "--oci-worker-net=host"),
    ]
    with _running(argv, folder, [client, "--addr", address, "debug", "workers"]):
        yield address


@contextmanager
def podman_service(folder: Path, settings: Path, insecure: Iterable[str]) -> Iterator[str]:
    """Run podman as a daemon that speaks docker's protocol. insecure: registries without TLS."""
    client = program("docker")
    address = f"unix://{folder / 's'}"
    known = folder / "registries.conf"
    known.write_text(
        "".join(f'[[registry]]\nlocation = "{host}"\ninsecure = true\n' for host in insecure)
    )
    own = {
        "CONTAINERS_STORAGE_CONF": str(settings),
        "CONTAINERS_REGISTRIES_CONF": str(known),
        "BUILDAH_ISOLATION": "chroot",
    }
    argv = [program("podman"), "system", "service", "--time", "0", address]
    with _running(argv, folder, [client, "-H", address, "version"], own):
        yield address


@contextmanager
def _running(
    argv: list[str], folder: Path, question: list[str], own: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run a daemon while it is needed; skip where it does not come up, with its last words."""
    log = folder / "log"
    with log.open("wb") as output:
        daemon = subprocess.Popen(
            argv,
            stdout=output,
            stderr=output,
            env={**os.environ, **_own_places(folder), **(own or {})},
            start_new_session=True,
        )
    try:
        until = time.monotonic() + PATIENCE
        while subprocess.run(question, capture_output=True, check=False).returncode:
            if daemon.poll() is not None or time.monotonic() > until:
                last = log.read_text(errors="replace").strip().splitlines()[-1:]
                pytest.skip(f"{argv[0]} does not run here: {''.join(last)[-300:]}")
            time.sleep(0.1)
        yield
    finally:
        daemon.terminate()
        daemon.wait()


def _own_places(folder: Path) -> dict[str, str]:
    """Return the variables that keep a daemon away from places of the test that starts it."""
    names = ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, **dict.fromkeys(names, str(folder))}


def _fetch() -> None:
    """Put the engines that Debian's packages do not install here into the folder."""
    BIN.mkdir(parents=True, exist_ok=True)
    for module in _GO:
        environment = {**os.environ, "GOBIN": str(BIN)}
        subprocess.run(["go", "install", module], check=True, env=environment)
    packages = FOLDER / "packages"
    packages.mkdir(exist_ok=True)
    subprocess.run(["apt-get", "download", "docker.io"], check=True, cwd=packages)
    (package,) = packages.glob("docker.io_*.deb")
    subprocess.run(["dpkg", "-x", str(package), str(FOLDER / "docker")], check=True)
    for name in ("sbin/dockerd", "bin/docker-init", "sbin/docker-proxy"):
        link = BIN / Path(name).name
        link.unlink(missing_ok=True)
        link.symlink_to(FOLDER / "docker/usr" / name)


if __name__ == "__main__":
    sys.exit(_fetch())
