"""Images of pipelines in a real registry: built where it lacks them, named by their digests."""

from __future__ import annotations

import base64
import ensurepip
import io
import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest
from support import engines, registries
from support.layers import config_of, files_of, tars_of

from argojobs import Image
from argojobs.errors import UsageError
from argojobs.images.builders.building import build_image
from argojobs.images.builders.choosing import choose
from argojobs.images.builders.explaining import BuildFailedError, PushFailedError
from argojobs.images.builders.shape import Builder, Task
from argojobs.images.described.generated import generated
from argojobs.images.described.pip_settings import PipSettings, pip_settings
from argojobs.images.described.providing import Wanted, present, provide, write_context
from argojobs.images.logins.login import credentials_for
from argojobs.images.registry.client import Registry, open_registry

#: Stands for Python in a small image: notes what pip was called with, and what it was told.
PYTHON = """\
#!/bin/sh
set -e
echo "$@" > /pip-arguments
test ! -e "$PIP_CONFIG_FILE" || wc -c < "$PIP_CONFIG_FILE" > /told
if grep -q -e '^fail$' /opt/argojobs-image/requirements.txt; then
    echo "no matching distribution for fail"
    exit 1
fi
"""
BASE = "localhost/base-of-pipelines:1"
#: Debian with a Python, which the cluster of the tests has; found before a test changes HOME.
DEBIAN = Path("~/.cache/argojobs-cluster/images/debian-python.tar").expanduser()
_NUMBERS = count()


@pytest.fixture
def builder(own_storage: Path, no_logins: Path, busybox_context: Path) -> Builder:
    """buildah, with a small image that has a shell and what stands for Python."""
    engines.program("buildah")
    found = choose("buildah")
    (busybox_context / "python3").write_text(PYTHON)
    (busybox_context / "python3").chmod(0o755)
    (busybox_context / "Dockerfile").write_text(
        "FROM scratch\nCOPY busybox python3 /bin/\n"
        'RUN ["/bin/busybox", "--install", "-s", "/bin"]\nENV PATH=/bin\n'
    )
    task = Task((BASE,), busybox_context, busybox_context / "Dockerfile")
    build_image(found, task, lambda _line: None)
    return found


@pytest.fixture
def registry(open_registry_server: registries.Served) -> Registry:
    return open_registry(open_registry_server.host)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose images no other test has."""
    folder = tmp_path / f"project-{next(_NUMBERS)}"
    folder.mkdir()
    return folder


def wanted(project: Path, registry: Registry, **options: object) -> Wanted:
    return Wanted(generated(Image(BASE, **options), project), registry.host)  # type: ignore[arg-type]


NOTHING = PipSettings()


def made(one, builder, registry, *, settings=NOTHING, say=lambda _line: None):
    return provide(one, builder, registry, settings=settings, say=say)


def test_what_the_registry_lacks_is_built_and_pushed_once(builder, registry, project):
    one = wanted(
        project, registry, pip=["numpy"], env={"A": 'b "$c"'}, run=["echo $((1+1)) > /two"]
    )
    said: list[str] = []
    assert present([one], registry) == {}
    pinned = made(one, builder, registry, say=said.append)
    repository, _, digest = pinned.partition("@")
    assert repository == f"{registry.host}/{project.name}-env"
    assert present([one], registry) == {one.tagged: pinned}
    files = files_of(registry, one.build.name, digest)
    assert files["two"] == b"2\n"
    assert files["opt/argojobs-image/requirements.txt"] == b"numpy\n"
    assert b"-m pip install" in files["pip-arguments"]
    assert 'A=b "$c"' in config_of(registry, one.build.name, digest)["config"]["Env"]
    assert any("pip install" in line for line in said)


def test_the_same_words_make_the_same_image_in_another_build(builder, registry, project):
    one = wanted(project, registry, pip=["numpy"])
    assert made(one, builder, registry) == made(one, builder, registry)


def test_what_pip_is_told_is_in_the_build_and_in_no_layer(builder, registry, project):
    one = wanted(project, registry, pip=["told"], run=["ls -R / > /all || true"])
    text = "[global]\nindex-url = https://me:right-horse@example.org/simple\n"
    digest = made(one, builder, registry, settings=PipSettings(text)).partition("@")[2]
    files = files_of(registry, one.build.name, digest)
    assert files["told"].strip() == str(len(text)).encode()
    for tar in tars_of(registry, one.build.name, digest):
        assert b"right-horse" not in tar
    assert "right-horse" not in str(config_of(registry, one.build.name, digest))


def test_a_failed_build_names_the_line_and_leaves_the_registry_as_it_is(builder, registry, project):
    one = wanted(project, registry, pip=["fail"])
    with pytest.raises(BuildFailedError, match="pip install") as caught:
        made(one, builder, registry)
    assert any("no matching distribution" in line for line in caught.value.output)
    assert (caught.value.exit_code, caught.value.where) == (1, "")
    assert present([one], registry) == {}


def test_a_registry_that_wants_a_login_gets_it(
    builder, project, locked_registry_server, monkeypatch
):
    monkeypatch.setenv("SECRET_OF_TESTS", registries.PASSWORD)
    login = credentials_for(locked_registry_server.host, registries.USER, "env:SECRET_OF_TESTS")
    registry = open_registry(locked_registry_server.url, login)
    one = wanted(project, registry, env={"A": "1"})
    assert made(one, builder, registry).startswith(f"{registry.host}/{one.build.name}@sha256:")


def test_a_push_that_is_refused_is_told(builder, project, locked_registry_server):
    registry = open_registry(locked_registry_server.url)
    one = wanted(project, registry, env={"A": "1"})
    with pytest.raises(PushFailedError):
        made(one, builder, registry)


def test_a_registry_that_refuses_us_says_so_before_anything_is_built(
    project, locked_registry_server, no_logins
):
    registry = open_registry(locked_registry_server.url, context="lab")
    with pytest.raises(UsageError) as caught:
        present([wanted(project, registry, env={"A": "1"})], registry)
    assert "contexts.lab.registry" in caught.value.hint


def test_a_build_gets_its_own_files_only_with_fixed_times(project):
    build = generated(Image(pip=["numpy"]), project)
    assert write_context(build, project / "context") == project / "context" / "Dockerfile"
    files = {path.name: path.stat() for path in (project / "context").iterdir()}
    assert set(files) == {"Dockerfile", "requirements.txt"}
    assert {one.st_mtime for one in files.values()} == {0}


@pytest.fixture
def python_base(builder: Builder, tmp_path: Path) -> str:
    """An image with a real Python and pip: Debian's, as the cluster of tests has it."""
    if not DEBIAN.exists():
        pytest.skip("there is no image with Python: tests/cluster makes one")
    wheels = sorted((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    if not wheels:
        pytest.skip("this Python brings no pip")
    context = tmp_path / "python"
    context.mkdir()
    shutil.copy(DEBIAN, context / "system.tar")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        wheel.extractall(context / "pip")
    (context / "Dockerfile").write_text(
        "FROM scratch\nADD system.tar /\nCOPY pip /usr/lib/python3/dist-packages\n"
    )
    name = "localhost/python-of-pipelines:1"
    build_image(builder, Task((name,), context, context / "Dockerfile"), lambda _line: None)
    return name


@pytest.fixture
def index() -> Iterator[str]:
    """A private index with one small package; its address holds the password that it wants."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Index)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://me:right-horse@127.0.0.1:{server.server_port}/simple/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Index(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        given = self.headers.get("Authorization", "")
        if given != f"Basic {base64.b64encode(b'me:right-horse').decode()}":
            self.send_response(401)
            self.end_headers()
            return
        name = "tiny-1.0-py3-none-any.whl"
        body = _wheel() if self.path.endswith(name) else f'<a href="/{name}">{name}</a>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


def _wheel() -> bytes:
    """Return a package with one module (PyPA: binary distribution format)."""
    files = {
        "tiny.py": "VALUE = 1\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tiny-1.0.dist-info/RECORD": "",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return out.getvalue()


def test_pip_installs_from_a_private_index_and_no_layer_knows_its_password(
    python_base, builder, registry, project, index
):
    one = Wanted(generated(Image(python_base, pip=["tiny"]), project), registry.host)
    settings = pip_settings({"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull}, project)
    digest = made(one, builder, registry, settings=settings).partition("@")[2]
    files = files_of(registry, one.build.name, digest)
    assert any(name.endswith("-packages/tiny.py") for name in files)
    for tar in tars_of(registry, one.build.name, digest):
        assert b"right-horse" not in tar
    assert "right-horse" not in str(config_of(registry, one.build.name, digest))
