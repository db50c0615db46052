"""What every builder does alike, on the real programs and real registries of this machine."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from support import registries
from support.layers import config_of, files_of, tars_of

from argojobs.errors import HostError
from argojobs.images.builders.building import build_image, has_image, push_image
from argojobs.images.builders.explaining import BuildFailedError, PushFailedError
from argojobs.images.builders.shape import Builder, Task
from argojobs.images.logins.login import credentials_for, private_login
from argojobs.images.registry.client import Registry, open_registry
from argojobs.images.registry.trial import try_push

BUSYBOX = """\
FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
"""
_NAMES = count()


@pytest.fixture
def registry(open_registry_server: registries.Served) -> Registry:
    """The open registry, as one writes it: without a scheme."""
    return open_registry(open_registry_server.host)


@pytest.fixture
def name(kind: str) -> str:
    """A repository that no other test uses."""
    return f"{kind}-{next(_NAMES)}"


@pytest.fixture
def said() -> list[str]:
    """The lines that were said."""
    return []


def task(context: Path, dockerfile: str, *tags: str, **more: object) -> Task:
    """Write a Dockerfile outside of the context and return the task to build it."""
    file = context.parent / f"{len(list(context.parent.iterdir()))}.Dockerfile"
    file.write_text(dockerfile)
    return Task(tags, context, file, **more)  # type: ignore[arg-type]


def pushed(builder: Builder, built: Task, registry: Registry, say=lambda _line: None) -> list[str]:
    """Build and push all tags, and return the digests that the registry tells."""
    build_image(builder, built, say)
    digests = []
    for reference in built.tags:
        one = replace(built, tags=(reference,), plain_http=registry.plain_http)
        push_image(builder, one, say)
        repository, _, tag = reference.removeprefix(f"{registry.host}/").rpartition(":")
        digest = registry.digest(repository, tag)
        assert digest is not None
        digests.append(digest)
    return digests


def test_an_image_is_built_and_pushed(builder, registry, name, busybox_context, said):
    tag = f"{registry.host}/{name}:1"
    text = f'{BUSYBOX}RUN echo hello > /greeting\nENV A=b\nCMD ["cat", "/greeting"]\n'
    assert not has_image(builder, tag)
    (digest,) = pushed(builder, task(busybox_context, text, tag), registry, said.append)
    assert has_image(builder, tag)
    assert digest.startswith("sha256:")
    assert files_of(registry, name, digest)["greeting"] == b"hello\n"
    config = config_of(registry, name, "1")["config"]
    assert config["Cmd"] == ["cat", "/greeting"]
    assert "A=b" in config["Env"]
    assert any("echo hello" in line for line in said), "its lines are told as they come"


def test_all_tags_of_an_image_have_one_digest(builder, registry, name, busybox_context):
    tags = [f"{registry.host}/{name}:{tag}" for tag in ("first", "second")]
    first, second = pushed(builder, task(busybox_context, BUSYBOX, *tags), registry)
    assert first == second
    assert all(has_image(builder, tag) for tag in tags)
    assert not has_image(builder, f"{tags[0]}0")


def test_an_image_starts_from_one_that_was_built_here_and_never_pushed(
    builder, registry, name, busybox_context
):
    parent, child = (f"{registry.host}/{name}-{which}:1" for which in ("parent", "child"))
    build_image(builder, task(busybox_context, BUSYBOX, parent), lambda _line: None)
    text = "ARG IMAGE\nFROM ${IMAGE}\nARG WORD\nRUN echo ${WORD} > /word\n"
    given = {"IMAGE": parent, "WORD": "a word"}
    built = task(busybox_context, text, child, arguments=given, parent=parent)
    pushed(builder, built, registry)
    assert files_of(registry, f"{name}-child", "1")["word"] == b"a word\n"
    assert registry.digest(f"{name}-parent", "1") is None


def test_what_did_not_change_is_not_built_again(builder, registry, name, busybox_context):
    text = f"{BUSYBOX}RUN cat /proc/sys/kernel/random/uuid > /once\n"
    tags = [f"{registry.host}/{name}:{number}" for number in range(3)]
    first, again = (
        pushed(builder, task(busybox_context, text, tag), registry)[0] for tag in tags[:2]
    )
    (anew,) = pushed(builder, task(busybox_context, text, tags[2], no_cache=True), registry)
    assert first == again
    assert anew != first


def test_a_secret_is_there_while_it_builds_and_in_no_layer(
    builder, registry, name, busybox_context, tmp_path, said
):
    secret = tmp_path / "creds.yaml"
    secret.write_text("the-secret-of-this-test")
    text = (
        f"{BUSYBOX}RUN --mount=type=secret,id=creds "
        "wc -c < /run/secrets/creds > /length && md5sum < /run/secrets/creds > /sum\n"
    )
    tag = f"{registry.host}/{name}:1"
    built = task(busybox_context, text, tag, secrets={"creds": secret})
    if not builder.mounts:  # then it says so before it starts
        with pytest.raises(HostError, match="which secrets need") as caught:
            builder.build(built)
        assert "buildah" in caught.value.hint
        return
    pushed(builder, built, registry, said.append)
    assert files_of(registry, name, "1")["length"].strip() == b"23"
    assert all(b"the-secret-of" not in layer for layer in tars_of(registry, name, "1"))
    assert "the-secret-of" not in str(config_of(registry, name, "1"))
    assert "the-secret-of" not in "\n".join(said)


def test_a_failed_instruction_is_named_with_its_line_and_its_output(
    builder, registry, name, busybox_context
):
    text = f"{BUSYBOX}RUN true \\\n  && echo all is well\n\nRUN echo why it is so && \\\n  exit 7\n"
    built = task(busybox_context, text, f"{registry.host}/{name}:1")
    with pytest.raises(BuildFailedError, match="RUN echo why it is so") as caught:
        build_image(builder, built, lambda _line: None)
    assert caught.value.where == f"{built.dockerfile}:7"
    assert caught.value.exit_code == 1
    assert any(line.endswith("why it is so") for line in caught.value.hint.splitlines())
    assert not has_image(builder, built.tags[0])


def test_an_image_for_another_processor_says_so(builder, registry, name, busybox_context):
    text = "FROM scratch\nCOPY busybox /bin/busybox\n"
    tag = f"{registry.host}/{name}:1"
    pushed(builder, task(busybox_context, text, tag, platform="linux/arm64"), registry)
    found = config_of(registry, name, "1")
    assert (found["os"], found["architecture"]) == ("linux", "arm64")


@pytest.mark.parametrize("server", ["locked_registry_server", "token_registry_server"])
def test_a_push_as_a_user_shows_no_password(
    builder, name, server, busybox_context, request, monkeypatch, said
):
    served = request.getfixturevalue(server)
    monkeypatch.setenv("SECRET", registries.PASSWORD)
    who = credentials_for(served.host, registries.USER, "env:SECRET")
    registry = open_registry(served.url, who)
    built = task(busybox_context, BUSYBOX, f"{served.host}/{name}:1")
    build_image(builder, built, said.append)
    monkeypatch.delenv("SECRET")
    with private_login(served.host, who) as folder:
        private = replace(built, plain_http=True, auth_folder=folder)
        assert registries.PASSWORD not in str(builder.push(private))
        push_image(builder, private, said.append)
        assert folder is not None
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()
    assert registry.digest(name, "1") is not None
    assert registries.PASSWORD not in "\n".join(said)


def test_a_push_that_is_refused_says_so(builder, name, locked_registry_server, busybox_context):
    built = task(busybox_context, BUSYBOX, f"{locked_registry_server.host}/{name}:1")
    build_image(builder, built, lambda _line: None)
    with pytest.raises(PushFailedError, match="refuses who we are") as caught:
        push_image(builder, replace(built, plain_http=True), lambda _line: None)
    assert caught.value.exit_code == 1
    assert "docker login" in caught.value.hint


def test_a_private_image_is_pulled_to_start_from(
    builder, name, locked_registry_server, busybox_context, registry, monkeypatch
):
    monkeypatch.setenv("SECRET", registries.PASSWORD)
    who = credentials_for(locked_registry_server.host, registries.USER, "env:SECRET")
    base = f"{locked_registry_server.host}/{name}-base:1"
    _pushed_by_us(open_registry(locked_registry_server.url, who), f"{name}-base")
    text = f"FROM {base}\nCOPY busybox /bin/busybox\n"
    with private_login(locked_registry_server.host, who) as folder:
        build_image(
            builder,
            task(
                busybox_context,
                text,
                f"{registry.host}/{name}:1",
                plain_http=True,
                auth_folder=folder,
            ),
            lambda _line: None,
        )


def _pushed_by_us(registry: Registry, repository: str) -> None:
    """Put an image into a registry by our own hands, under the tag `1`."""
    digest = try_push(registry, repository)
    content = registry.manifest(repository, digest)
    registry.connection.send(
        "PUT",
        f"{registry.path(repository)}/manifests/1",
        registry.push(repository),
        headers={"Content-Type": "application/vnd.oci.image.manifest.v1+json"},
        data=content,
    )
