"""Real registries, and real builders with storage of their own, for the tests of images.

What is not on this machine is skipped with a reason; `support/engines.py` says how to get it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import engines, registries


@pytest.fixture
def no_logins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a home without logins: no test reads, or shows, those of whoever runs it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    for name in ("DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "DOCKER_HOST", "BUILDKIT_HOST"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def registry_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for registries, or skip where there is no program for them."""
    absent = registries.missing(registries.PROGRAM, "openssl")
    if absent:
        pytest.skip(absent)
    return tmp_path_factory.mktemp("registries")


@pytest.fixture(scope="session")
def open_registry_server(registry_folder: Path) -> Iterator[registries.Served]:
    """Run a registry for all; it deletes what it is asked to."""
    with registries.serve(_new(registry_folder / "open")) as served:
        yield served


@pytest.fixture(scope="session")
def locked_registry_server(registry_folder: Path) -> Iterator[registries.Served]:
    """Run a registry that wants a user and a password, and deletes nothing."""
    folder = _new(registry_folder / "locked")
    with registries.serve(folder, more=registries.basic(folder), delete=False) as served:
        yield served


@pytest.fixture(scope="session")
def token_registry_server(registry_folder: Path) -> Iterator[registries.Served]:
    """Run a registry that wants tokens of another server."""
    folder = _new(registry_folder / "tokens")
    with (
        registries.tokens(folder) as settings,
        registries.serve(folder, more=settings) as served,
    ):
        yield served


@pytest.fixture(scope="session")
def tls_registry_server(registry_folder: Path) -> Iterator[registries.Served]:
    """Run a registry with TLS, whose certificate nobody knows."""
    folder = _new(registry_folder / "tls")
    with registries.serve(folder, tls=registries.certificate(folder)) as served:
        yield served


@pytest.fixture(scope="session")
def container_storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the settings of a storage for podman and buildah that is only for these tests."""
    return engines.storage(tmp_path_factory.mktemp("storage"))


@pytest.fixture
def own_storage(container_storage: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have podman and buildah use a storage that is only for these tests."""
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(container_storage))
    return container_storage


@pytest.fixture(scope="session")
def docker_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a dockerd of our own, or skip with the reason why it does not run."""
    with engines.dockerd(tmp_path_factory.mktemp("dockerd")) as address:
        yield address


@pytest.fixture(scope="session")
def open_lines(
    open_registry_server: registries.Served,
    locked_registry_server: registries.Served,
    token_registry_server: registries.Served,
) -> list[str]:
    """The registries without TLS, which some engines must be told of."""
    served = (open_registry_server, locked_registry_server, token_registry_server)
    return [one.host for one in served]


@pytest.fixture(scope="session")
def buildkit_daemon(
    tmp_path_factory: pytest.TempPathFactory, open_lines: list[str]
) -> Iterator[str]:
    """Run a buildkitd of our own, or skip with the reason why it does not run."""
    with engines.buildkitd(tmp_path_factory.mktemp("buildkitd"), open_lines) as address:
        yield address


@pytest.fixture(scope="session")
def podman_service(
    tmp_path_factory: pytest.TempPathFactory, container_storage: Path, open_lines: list[str]
) -> Iterator[str]:
    """Run podman's service, which speaks as docker's daemon does."""
    folder = tmp_path_factory.mktemp("podman")
    with engines.podman_service(folder, container_storage, open_lines) as address:
        yield address


@pytest.fixture
def busybox_context(tmp_path: Path) -> Path:
    """Return a folder with a busybox: enough for an image `FROM scratch` that runs commands."""
    found = shutil.which("busybox")
    if found is None:
        pytest.skip("not installed: busybox (busybox-static)")
    folder = tmp_path / "context"
    folder.mkdir()
    shutil.copy(found, folder / "busybox")
    return folder


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder
