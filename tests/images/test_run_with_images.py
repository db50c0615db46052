"""`run` with an Image: what the registry lacks is built before the run is created, and pinned."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support import engines, registries
from support.layers import files_of

from argojobs.cli.main import main
from argojobs.cli.text import tell
from argojobs.client.kube import connection, objects
from argojobs.config.contexts import Context, Registry
from argojobs.errors import HostError, UsageError
from argojobs.images.builders import choosing
from argojobs.images.registry.client import open_registry
from argojobs.runs import images as pipeline_images
from argojobs.runs import target as connecting

PIPELINE = """
from argojobs import Image, pipeline, step

@step(image=Image("{base}", env={{"A": "1"}}, run=["echo made > /made"]))
def first() -> int:
    return 1

@step(image=Image("{base}"))
def second(one: int) -> int:
    return one

@pipeline
def pipe() -> int:
    return second(first())
"""
_NUMBERS = count()


class Server:
    """A server that only takes runs, and remembers them."""

    def __init__(self) -> None:
        self.created: list[dict[str, Any]] = []

    def prepare(self) -> None: ...

    def version(self) -> str:
        return "v4.1.0"

    def check(self, workflow: dict[str, Any]) -> list[str]:
        return []

    def create(self, workflow: dict[str, Any]) -> dict[str, Any]:
        self.created.append(workflow)
        return workflow


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose images no other test has."""
    folder = tmp_path / f"runs-{next(_NUMBERS)}"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def server(
    open_registry_server: registries.Served, monkeypatch: pytest.MonkeyPatch, no_logins: Path
) -> Server:
    fake = Server()
    context = Context(
        "lab", server="https://lab.example", registry=Registry(open_registry_server.host)
    )
    place = connecting.Target(context, lambda: fake, pytest.fail, lambda: fake, tell=tell)  # type: ignore[arg-type]
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    return fake


@pytest.fixture
def based(project: Path, own_storage: Path, busybox_context: Path) -> Path:
    """The project's pipeline, whose image is built on one of this machine."""
    engines.program("buildah")
    (busybox_context / "Dockerfile").write_text(
        "FROM scratch\nCOPY busybox /bin/\n"
        'RUN ["/bin/busybox", "--install", "-s", "/bin"]\nENV PATH=/bin\n'
    )
    from argojobs.images.builders.building import build_image
    from argojobs.images.builders.shape import Task

    base = "localhost/base-of-runs:1"
    task = Task((base,), busybox_context, busybox_context / "Dockerfile")
    build_image(choosing.choose("buildah"), task, lambda _line: None)
    (project / "pipe.py").write_text(PIPELINE.format(base=base))
    return project


def images(workflow: dict[str, Any]) -> list[str]:
    templates = workflow["spec"]["templates"]
    return [one["container"]["image"] for one in templates if "container" in one]


@pytest.fixture
def only_buildah(monkeypatch: pytest.MonkeyPatch) -> None:
    choose: Callable[..., Any] = choosing.choose
    monkeypatch.setattr(choosing, "choose", lambda **more: choose("buildah", **more))


def test_a_run_builds_what_it_needs_once(
    based, server, only_buildah, open_registry_server, capfd, monkeypatch
):
    registry = open_registry(open_registry_server.host)
    assert main(["run", "pipe.py", "--dry-run"]) == 0
    shown = capfd.readouterr()
    assert f"would build and push {registry.host}/{based.name}-env:" in shown.out
    assert server.created == []

    assert main(["run", "pipe.py", "--detach", "-o", "name"]) == 0
    shown = capfd.readouterr()
    (created,) = server.created
    first, second = images(created)
    assert second == "localhost/base-of-runs:1"
    repository, _, digest = first.partition("@")
    assert repository == f"{registry.host}/{based.name}-env"
    assert files_of(registry, f"{based.name}-env", digest)["made"] == b"made\n"
    assert f"building {repository}:" in shown.err
    assert f"pushed {first}" in shown.err
    assert shown.out.strip() == created["metadata"]["name"]

    def never(**_: object) -> None:
        pytest.fail("a builder is chosen, though the registry has the image")

    monkeypatch.setattr(choosing, "choose", never)
    assert main(["run", "pipe.py", "--detach", "-o", "name"]) == 0
    assert images(server.created[1]) == [first, second]
    assert "building" not in capfd.readouterr().err
    assert main(["run", "pipe.py", "--dry-run"]) == 0
    assert "would build" not in capfd.readouterr().out


def test_a_failed_build_starts_nothing(based, server, only_buildah, capfd):
    file = based / "pipe.py"
    file.write_text(file.read_text().replace("echo made > /made", "echo no such thing; exit 3"))
    assert main(["run", "pipe.py", "--detach"]) == 1
    told = capfd.readouterr().err
    assert "exit 3" in told
    assert "no such thing" in told
    assert server.created == []


def test_without_a_builder_nothing_starts(project, server, monkeypatch, capfd):
    def none(**_: object) -> None:
        raise HostError("nothing here builds images", hint="apt install buildah")

    monkeypatch.setattr(choosing, "choose", none)
    (project / "pipe.py").write_text(PIPELINE.format(base="python:3"))
    assert main(["run", "pipe.py", "--detach"]) == 2
    assert "apt install buildah" in capfd.readouterr().err
    assert server.created == []


def test_compile_names_the_image_and_builds_nothing(project, server, capfd, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(project / "config.toml"))
    (project / "config.toml").write_text(
        '[contexts.lab]\nserver = "https://lab.example"\n[contexts.lab.registry]\nurl = "no.example"\n'
    )
    (project / "pipe.py").write_text(PIPELINE.format(base="python:3"))
    assert main(["compile", "pipe.py", "--context", "lab"]) == 0
    shown = capfd.readouterr()
    assert f'image: "no.example/{project.name}-env:' in shown.out
    assert "is built by argojobs run, not by compile" in shown.err
    assert main(["lint", "pipe.py"]) == 0


class TestThePlatform:
    """Images are built for the machines of the cluster, where those are known."""

    @pytest.fixture
    def nodes(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        monkeypatch.setattr(objects, "list_all", lambda *_: found)
        return found

    def test_is_that_of_most_nodes(self, nodes: list[dict[str, Any]], tmp_path: Path) -> None:
        for architecture in ("amd64", "arm64", "arm64"):
            facts = {"operatingSystem": "linux", "architecture": architecture}
            nodes.append({"status": {"nodeInfo": facts}})
        nodes.append({"status": {}})
        context = Context("lab", server="https://x", kubeconfig=str(tmp_path / "kubeconfig"))
        assert pipeline_images.node_platform(context) == "linux/arm64"

    def test_is_the_builders_own_where_nobody_says_one(
        self, nodes: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        context = Context("lab", server="https://x", kubeconfig=str(tmp_path / "kubeconfig"))
        assert pipeline_images.node_platform(context) == ""
        assert pipeline_images.node_platform(Context("lab", server="https://x")) == ""

        def forbidden(*_: object) -> None:
            raise UsageError("you may not list nodes")

        monkeypatch.setattr(objects, "list_all", forbidden)
        assert pipeline_images.node_platform(context) == ""

    def test_is_not_asked_for_without_a_kubeconfig(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection, "USUAL_KUBECONFIG", str(tmp_path / "none"))
        monkeypatch.delenv(connection.KUBECONFIG_VARIABLE, raising=False)
        assert pipeline_images.node_platform(Context("lab")) == ""
