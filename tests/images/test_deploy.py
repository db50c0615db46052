"""`argojobs deploy` with a real builder and a real registry."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
from support import engines, registries
from support.layers import config_of, files_of, tars_of

from argojobs.cli.main import main
from argojobs.images.builders.building import build_image
from argojobs.images.builders.choosing import choose
from argojobs.images.builders.shape import Task
from argojobs.images.registry.client import Registry, open_registry

BASE = "localhost/base-of-deploy:1"
SECRET = "AKIDthisIsNobodysPassword"
TRAIN = f"""\
FROM {BASE}
ENV PYTHONUNBUFFERED=1
COPY networks networks
RUN --mount=type=secret,id=creds,target=/run/creds.yaml grep -c {SECRET[:4]} /run/creds.yaml > /seen
CMD ["sh", "networks/train.sh"]
"""
DEV = "ARG IMAGE\nFROM ${IMAGE}\nCOPY notes notes\nRUN echo dev > /dev-was-here\n"
OTHER = f"FROM {BASE}\nCOPY other other\n"
_NUMBERS = count()


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def base(container_storage: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small image with a shell, in the storage of the tests."""
    folder = tmp_path_factory.mktemp("base")
    (folder / "busybox").write_bytes(Path(engines.program("busybox")).read_bytes())
    (folder / "busybox").chmod(0o755)
    (folder / "Dockerfile").write_text(
        'FROM scratch\nCOPY busybox /bin/\nRUN ["/bin/busybox", "--install", "-s", "/bin"]\n'
        "ENV PATH=/bin\n"
    )
    engines.program("buildah")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONTAINERS_STORAGE_CONF", str(container_storage))
        task = Task((BASE,), folder, folder / "Dockerfile")
        build_image(choose("buildah"), task, lambda _line: None)
    return BASE


@pytest.fixture
def registry(open_registry_server: registries.Served) -> Registry:
    return open_registry(open_registry_server.host)


@pytest.fixture
def project(
    base: str,
    own_storage: Path,
    no_logins: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_registry_server: registries.Served,
) -> Path:
    """A project in git with train, dev (built on train) and other; no test has its content before."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "tester@lab.example")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    root = tmp_path / "project"
    files = {
        "dockerfiles/train.Dockerfile": TRAIN,
        "dockerfiles/dev.Dockerfile": DEV,
        "dockerfiles/other.Dockerfile": OTHER,
        "networks/train.sh": f"echo training {next(_NUMBERS)} {os.getpid()}\n",
        "notes/notes.txt": f"{next(_NUMBERS)} {os.getpid()}\n",
        "other/file.txt": f"{next(_NUMBERS)} {os.getpid()}\n",
        "creds.yaml": "registry:\n- name: none\n  url: null\n- name: local\n"
        f"  url: {open_registry_server.host}\ns3: [{{name: lab, address: lab:1, secret key: {SECRET}}}]\n",
        ".gitignore": "creds.yaml\n",
        "argojobs.toml": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "first"]):
        git(root, *words)
    # IMAGE has no value, and two images are built on none: dev says which
    (root / "dockerfiles/dev.Dockerfile").write_text(DEV.replace("ARG IMAGE", "ARG IMAGE=train"))
    git(root, "commit", "--quiet", "-a", "-m", "second")
    monkeypatch.chdir(root)
    return root


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def deploy(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def run(*options: str) -> Answer:
        code = main(["deploy", "--builder", "buildah", *options])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


def done(answer: Answer) -> dict[str, str]:
    """What was done with each image, from `-o json`."""
    assert answer.code == 0, answer.err
    return {one["name"]: one["does"] for one in json.loads(answer.out)}


def test_all_images_are_built_pushed_and_locked_in_order(
    deploy: Callable[..., Answer], project: Path, registry: Registry
) -> None:
    answer = deploy("-r", "local", "-o", "json")

    assert done(answer) == {"train": "build", "dev": "build", "other": "build"}
    lock = (project / "images.lock").read_text().splitlines()
    commit = git(project, "rev-parse", "HEAD")[:12]
    for one in json.loads(answer.out):
        assert registry.digest(one["name"], one["content"][:16]) == one["digest"]
        assert registry.digest(one["name"], f"git-{commit}") == one["digest"]
        assert one["reference"] == f"{registry.host}/{one['name']}@{one['digest']}"
        assert (
            f"{one['reference']} content={one['content']} commit={commit} "
            f"platform={one['platform']}" in lock
        )
    dev = files_of(registry, "dev", f"git-{commit}")
    assert dev["networks/train.sh"] == (project / "networks/train.sh").read_bytes()
    assert "dev-was-here" in dev
    assert config_of(registry, "train", f"git-{commit}")["config"]["Cmd"] == [
        "sh",
        "networks/train.sh",
    ]


def test_the_build_sees_the_secret_and_no_layer_has_it(
    deploy: Callable[..., Answer], project: Path, registry: Registry
) -> None:
    assert deploy("-r", "local").code == 0

    commit = git(project, "rev-parse", "HEAD")[:12]
    assert files_of(registry, "train", f"git-{commit}")["seen"] == b"1\n"
    for name in ("train", "dev", "other"):
        for layer in tars_of(registry, name, f"git-{commit}"):
            assert SECRET.encode() not in layer
        assert SECRET not in json.dumps(config_of(registry, name, f"git-{commit}"))


def test_a_second_deploy_builds_and_pushes_nothing(
    deploy: Callable[..., Answer], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deploy("-r", "local").code == 0
    before = (project / "images.lock").read_text()
    git(project, "add", "images.lock")
    git(project, "commit", "--quiet", "-m", "lock")
    monkeypatch.setenv("PATH", str(Path(git_program()).parent))  # no builder would be found

    answer = deploy("-r", "local", "-o", "json")

    assert set(done(answer).values()) == {"keep"}
    assert all(one["tags"] == [one["content"][:16]] for one in json.loads(answer.out))
    assert (project / "images.lock").read_text() == before
    assert "STEP" not in answer.err


def git_program() -> str:
    """A folder with git and nothing that builds."""
    import shutil

    folder = Path(tempfile.mkdtemp())
    (folder / "git").symlink_to(shutil.which("git") or "git")
    return str(folder / "git")


def test_a_changed_file_rebuilds_only_what_depends_on_it(
    deploy: Callable[..., Answer], project: Path
) -> None:
    assert deploy("-r", "local").code == 0

    (project / "networks/train.sh").write_text(f"echo changed {os.getpid()} {next(_NUMBERS)}\n")
    changed = deploy("-r", "local", "-o", "json")
    assert done(changed) == {"train": "build", "dev": "build", "other": "keep"}
    assert "-dirty" in (project / "images.lock").read_text()

    (project / "notes/notes.txt").write_text(f"{os.getpid()} {next(_NUMBERS)}\n")
    assert done(deploy("-r", "local", "-o", "json")) == {
        "train": "keep",
        "dev": "build",
        "other": "keep",
    }
    (project / "README.md").write_text("no image takes it\n")
    assert set(done(deploy("-r", "local", "-o", "json")).values()) == {"keep"}


def test_what_the_registry_has_of_somebody_else_is_only_written_down(
    deploy: Callable[..., Answer], project: Path
) -> None:
    assert deploy("-r", "local").code == 0
    before = (project / "images.lock").read_text()
    (project / "images.lock").unlink()

    assert set(done(deploy("-r", "local", "-o", "json")).values()) == {"record"}
    assert (project / "images.lock").read_text() == before


def test_what_the_registry_lost_is_pushed_again(
    deploy: Callable[..., Answer], project: Path, registry: Registry
) -> None:
    found = json.loads(deploy("-r", "local", "-o", "json").out)
    train = next(one for one in found if one["name"] == "train")
    assert registry.delete("train", train["digest"])

    assert done(deploy("-r", "local", "-o", "json")) == {
        "train": "push",
        "dev": "keep",
        "other": "keep",
    }
    assert registry.digest("train", train["content"][:16]) == train["digest"]


def test_none_builds_and_pushes_nothing(deploy: Callable[..., Answer], project: Path) -> None:
    answer = deploy("-r", "none", "--only", "dev", "-o", "json")

    assert done(answer) == {"train": "build", "dev": "build"}
    assert not (project / "images.lock").exists()
    assert set(done(deploy("-r", "none", "--only", "dev", "-o", "json")).values()) == {"keep"}


def test_only_one_image_leaves_the_lines_of_the_others(
    deploy: Callable[..., Answer], project: Path
) -> None:
    assert deploy("-r", "local").code == 0
    (project / "other/file.txt").write_text(f"{next(_NUMBERS)} {os.getpid()} again\n")

    assert done(deploy("-r", "local", "--only", "other", "-o", "json")) == {"other": "build"}
    assert len((project / "images.lock").read_text().splitlines()) == 4


def test_a_dry_run_prints_the_commands_and_changes_nothing(
    deploy: Callable[..., Answer], project: Path, registry: Registry
) -> None:
    answer = deploy("-r", "local", "--dry-run")

    assert answer.code == 0
    commands = [line for line in answer.out.splitlines() if not line.startswith("#")]
    assert [line.split()[1] for line in commands] == ["build", "push"] * 3
    assert "--secret id=creds,src=SECRET-creds" in commands[0]
    assert f"--build-arg IMAGE={registry.host}/train:" in commands[2]
    assert not (project / "images.lock").exists()
    assert git(project, "status", "--porcelain") == ""


def test_a_dry_run_needs_no_registry_and_says_what_is_not_known(
    deploy: Callable[..., Answer], project: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert deploy("-r", nobody).code == 3

    answer = deploy("-r", nobody, "--dry-run")
    assert answer.code == 0
    commands = [line for line in answer.out.splitlines() if not line.startswith("#")]
    assert [line.split()[1] for line in commands] == ["build", "push"] * 3
    host = nobody.removeprefix("http://")
    assert f"not known: what it has already (the registry {host} is out of reach)" in answer.err

    data = json.loads(deploy("-r", nobody, "--dry-run", "-o", "json").out)
    assert {one["registry"] for one in data} == {host}


def test_no_cache_builds_what_is_there(deploy: Callable[..., Answer]) -> None:
    assert deploy("-r", "local").code == 0

    answer = deploy("-r", "local", "--only", "other", "--no-cache", "-o", "json")
    assert done(answer) == {"other": "build"}


def test_a_version_tags_commit_and_images_once(
    deploy: Callable[..., Answer], project: Path, registry: Registry
) -> None:
    repository = f"versioned-{os.getpid()}-{next(_NUMBERS)}"
    git(project, "mv", "dockerfiles/other.Dockerfile", f"dockerfiles/{repository}.Dockerfile")
    git(project, "commit", "--quiet", "-a", "-m", "third")
    options = ("-r", "local", "--only", repository, "--version", "minor")

    answer = deploy(*options, "-o", "json")
    assert done(answer) == {repository: "build"}
    assert git(project, "tag", "--points-at", "HEAD") == "v0.1.0"
    (image,) = json.loads(answer.out)
    assert registry.digest(repository, "0.1.0") == image["digest"]

    # the same content again: not built, and the registry gets the tag
    again = deploy(*options, "-o", "json")
    assert done(again) == {repository: "keep"}
    assert registry.digest(repository, "0.2.0") == image["digest"]

    # somebody else was faster: they tagged another image, and no tag of git says so
    git(project, "tag", "-d", "v0.2.0")
    lost = deploy(*options)
    assert lost.code == 2
    assert f"{repository}:0.2.0 already" in lost.err
    assert git(project, "tag") == "v0.1.0"


def test_a_dirty_tree_has_no_version(deploy: Callable[..., Answer], project: Path) -> None:
    (project / "networks/train.sh").write_text("echo changed\n")

    answer = deploy("-r", "local", "--version", "patch")
    assert answer.code == 2
    assert "networks/train.sh" in answer.err
    assert git(project, "tag") == ""
    assert deploy("-r", "local", "--version", "tiny").code == 2


def test_a_build_argument_makes_another_image_and_is_no_secret(
    deploy: Callable[..., Answer], project: Path
) -> None:
    (project / "dockerfiles/other.Dockerfile").write_text(f"{OTHER}ARG LEVEL=0\n")
    options = ("-r", "local", "--only", "other", "-o", "json")
    contents = set()
    for words in ((), ("--build-arg", "LEVEL=1")):
        (image,) = json.loads(deploy(*options, "--dry-run", *words).out)
        contents.add(image["content"])
        assert ("LEVEL=1" in image["commands"][0]) == bool(words)
    assert len(contents) == 2

    assert deploy(*options, "--build-arg", "LEVEL").code == 2
    key = "-----BEGIN RSA PRIVATE KEY-----"
    refused = deploy(*options, "--build-arg", f"LEVEL={key}")
    assert refused.code == 2
    assert "--mount=type=secret" in refused.err
    assert key not in refused.err


def test_an_unknown_registry_lists_the_known(deploy: Callable[..., Answer]) -> None:
    answer = deploy("-r", "locla")

    assert answer.code == 2
    assert "did you mean 'local'? known: none, local" in answer.err


def test_a_failed_build_shows_the_line_and_leaves_the_lock(
    deploy: Callable[..., Answer], project: Path
) -> None:
    assert deploy("-r", "local").code == 0
    before = (project / "images.lock").read_text()
    train = project / "dockerfiles/train.Dockerfile"
    train.write_text(f"{TRAIN}RUN echo goodbye && false\n")

    answer = deploy("-r", "local")
    assert answer.code == 1
    assert f"{train}:6" in answer.err
    assert "goodbye" in answer.err
    assert (project / "images.lock").read_text() == before


def test_a_registry_that_refuses_the_push_leaves_the_lock(
    deploy: Callable[..., Answer], project: Path, locked_registry_server: registries.Served
) -> None:
    answer = deploy("-r", locked_registry_server.host)

    assert answer.code == 2
    assert locked_registry_server.host in answer.err
    assert not (project / "images.lock").exists()


def test_a_registry_out_of_reach_is_worth_a_retry(
    deploy: Callable[..., Answer], project: Path
) -> None:
    answer = deploy("-r", "127.0.0.1:9")

    assert answer.code == 3
    assert "out of reach" in answer.err
    assert not (project / "images.lock").exists()


def test_a_copy_that_would_take_the_secret_is_refused(
    deploy: Callable[..., Answer], project: Path
) -> None:
    other = project / "dockerfiles/other.Dockerfile"
    other.write_text(f"FROM {BASE}\nCOPY creds.yaml creds.yaml\n")

    answer = deploy("-r", "local")
    assert answer.code == 2
    assert f"{other}:2" in answer.err
    assert "--mount=type=secret" in answer.err
    assert SECRET not in answer.err


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("RUN true\n", "FROM"), ("ARG IMAGE=dev\nFROM ${IMAGE}\n", "circle")],
)
def test_dockerfiles_that_cannot_be_are_refused_with_their_place(
    deploy: Callable[..., Answer], project: Path, text: str, wrong: str
) -> None:
    (project / "dockerfiles/train.Dockerfile").write_text(text)

    answer = deploy("-r", "local")
    assert answer.code == 2
    assert wrong in answer.err
    assert "dockerfiles/" in answer.err


def test_an_unfinished_merge_of_the_lock_is_said(
    deploy: Callable[..., Answer], project: Path
) -> None:
    (project / "images.lock").write_text("<<<<<<< HEAD\n")

    answer = deploy("-r", "local")
    assert answer.code == 2
    assert "images.lock:1" in answer.err


def test_a_folder_without_dockerfiles_says_where_to_write_one(
    deploy: Callable[..., Answer], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    answer = deploy("-r", "local", "-d", str(tmp_path / "empty"))

    assert answer.code == 2
    assert "dockerfiles/train.Dockerfile" in answer.err


def test_no_builder_says_how_to_get_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(Path(git_program()).parent))

    assert main(["deploy", "-r", "local"]) == 2
    assert "nothing here builds images" in capsys.readouterr().err
    assert not (project / "images.lock").exists()


def test_a_secret_that_nothing_says_is_a_warning(
    deploy: Callable[..., Answer], project: Path
) -> None:
    other = project / "dockerfiles/other.Dockerfile"
    other.write_text(f"{OTHER}RUN --mount=type=secret,id=hub test ! -s /run/secrets/hub\n")
    answer = deploy("-r", "local", "--only", "other")
    assert "mounts the secret hub" in answer.err

    (project / "argojobs.toml").write_text('[images.secrets]\nhub = "env:HUB_TOKEN"\n')
    other.write_text(f"{OTHER}RUN --mount=type=secret,id=hub grep -q hidden /run/secrets/hub\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUB_TOKEN", "hidden-from-all")
        answer = deploy("-r", "local", "--only", "other")
    assert answer.code == 0, answer.err
    assert "mounts the secret" not in answer.err
    assert "hidden-from-all" not in answer.err + answer.out


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    made = subprocess.run(mounted, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"nothing can be mounted here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_of_the_builder_is_said_and_leaves_the_lock(
    deploy: Callable[..., Answer],
    project: Path,
    small_disk: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(engines.storage(small_disk)))
    (project / "large").write_bytes(os.urandom(8 << 20))
    (project / "dockerfiles/other.Dockerfile").write_text("FROM scratch\nCOPY large large\n")

    answer = deploy("-r", "local", "--only", "other")
    assert answer.code == 1
    assert "no space left" in answer.err
    assert "make room" in answer.err
    assert not (project / "images.lock").exists()


def test_a_full_disk_for_temporary_files_is_said(
    deploy: Callable[..., Answer],
    project: Path,
    small_disk: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (project / "large").write_bytes(os.urandom(8 << 20))
    (project / "dockerfiles/other.Dockerfile").write_text("FROM scratch\nCOPY large large\n")
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))

    answer = deploy("-r", "local", "--only", "other")
    assert answer.code == 2
    assert "No space left on device" in answer.err or "no space" in answer.err
    assert "Traceback" not in answer.err
    assert not (project / "images.lock").exists()


@pytest.mark.parametrize("wrong", ["nonsense", "linux/", "linux/amd64,linux/arm64", "Linux/AMD64"])
def test_what_is_not_one_platform_is_refused_before_anything_is_built(
    deploy: Callable[..., Answer], wrong: str
) -> None:
    answer = deploy("-r", "none", "--platform", wrong)
    assert answer.code == 2
    assert f"{wrong!r} is not a platform, or more than one" in answer.err
    assert "linux/arm64" in answer.err
    assert "STEP" not in answer.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_deploy_that_is_asked_to_end_leaves_no_secret_and_no_builder(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    slow = f"echo is-slow-{os.getpid()}-{number}; sleep 600"
    (project / "dockerfiles/other.Dockerfile").write_text(
        f"FROM {BASE}\nRUN --mount=type=secret,id=pip {slow}\n"
    )
    words = ["deploy", "-r", "none", "--only", "other", "--builder", "buildah"]
    with subprocess.Popen(
        [sys.executable, "-m", "argojobs", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary), "PIP_INDEX_URL": f"https://me:{SECRET}@lab/"},
        preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (1, 15)],
    ) as started:
        assert started.stderr is not None
        for line in started.stderr:
            if line.startswith(f"is-slow-{os.getpid()}"):
                break
        assert list(temporary.glob("argojobs-image-*/secrets/pip.conf"))
        started.send_signal(number)
        started.stderr.read()
        assert started.wait() == 128 + number
    assert not list(temporary.glob("argojobs-*"))
    listed = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True, text=True)
    assert slow not in listed.stdout
