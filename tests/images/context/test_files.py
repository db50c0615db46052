"""Which files a build takes, and which it refuses to."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import HostError, UsageError
from argojobs.images.context.files import context_files
from argojobs.images.dockerfiles.dockerfile import parse_dockerfile
from argojobs.images.dockerfiles.ignore import Ignore, parse_ignore
from argojobs.images.dockerfiles.sources import sources


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in ("networks/cell2d.py", "networks/sub/a.py", "a.txt", "b.md", "data/x.bin"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (folder / "networks" / "empty").mkdir()
    return folder


def taken(root: Path, lines: str, ignore: str = "", allow=(), platform: str = ""):
    text = f"FROM x\n{lines}\n"
    dockerfile = parse_dockerfile(text, root / "train.Dockerfile")
    rules = Ignore(root / ".dockerignore", parse_ignore(ignore))
    return context_files(dockerfile, root, sources(dockerfile, {}, platform), rules, allow)


def names(root: Path, lines: str, ignore: str = "", **more):
    return [
        file.path + ("/" if file.kind == "folder" else "")
        for file in taken(root, lines, ignore, **more).files
    ]


NETWORKS = ["networks/", "networks/cell2d.py", "networks/empty/", "networks/sub/"]


def test_what_a_run_or_a_deploy_leaves_behind_is_not_taken(root: Path) -> None:
    before = names(root, "COPY . .")
    (root / "networks/__pycache__").mkdir()
    (root / "networks/__pycache__/cell2d.cpython-311.pyc").write_text("of this machine")
    (root / "images.lock").write_text("what the deploy before this one wrote")
    assert names(root, "COPY . .") == before
    assert names(root, "COPY networks networks") == [*NETWORKS, "networks/sub/a.py"]
    assert names(root, "COPY images.lock /x") == ["images.lock"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("COPY a.txt /x", ["a.txt"]),
        ("copy --chown=1:1 --chmod=755 ./a.txt b.md /x/", ["a.txt", "b.md"]),
        ('COPY ["a.txt", "/x/"]', ["a.txt"]),
        ("COPY networks networks", [*NETWORKS, "networks/sub/a.py"]),
        ("COPY /networks/ networks", [*NETWORKS, "networks/sub/a.py"]),
        ("COPY networks/sub/a.py /x", ["networks/", "networks/sub/", "networks/sub/a.py"]),
        ("COPY ../a.txt /x", ["a.txt"]),
        ("COPY *.txt *.nothing nowhere/*.txt /x", ["a.txt"]),
        ("COPY [ab].?d /x", ["b.md"]),
        ("COPY */cell2d.py /x", ["networks/", "networks/cell2d.py"]),
        ("COPY networks/**/*.py /x", [*NETWORKS[:2], "networks/sub/", "networks/sub/a.py"]),
        ("COPY net* /x", [*NETWORKS, "networks/sub/a.py"]),
        ("COPY --from=build /a.txt /x", []),
        ("COPY <<EOF /x\nhello\nEOF", []),
        ("ADD https://example.org/a.txt /x", []),
        ("ADD git@example.org:a/b.git a.txt /x", ["a.txt"]),
        ("RUN --mount=type=bind,source=a.txt,target=/a.txt cat /a.txt", ["a.txt"]),
        ("RUN --mount=type=secret,id=creds --mount=type=cache,target=/c true", []),
        ("ARG WHAT=a\nCOPY ${WHAT}.txt /x", ["a.txt"]),
        ("ENV WHAT=b\nCOPY $WHAT.md /x", ["b.md"]),
        ("ONBUILD COPY . .", []),
    ],
)
def test_only_what_is_named(root, line, expected):
    assert names(root, line) == expected


@pytest.mark.parametrize(
    "line", ["COPY . .", "ADD ./ /x", "COPY $BASE /x", "RUN --mount=target=/all ls /all"]
)
def test_all_of_it(root, line):
    every = ["a.txt", "b.md", "data/", "data/x.bin", *NETWORKS, "networks/sub/a.py"]
    assert names(root, line) == every


def test_what_the_ignore_file_leaves_out(root):
    assert names(root, "COPY . .", "data\n**/*.py\n*.md") == [
        *("a.txt", "networks/", "networks/empty/", "networks/sub/")
    ]


def test_an_exception_brings_back_a_file_and_the_folders_above_it(root):
    found = names(root, "COPY . .", "*\n!networks/sub/a.py")
    assert found == ["networks/", "networks/sub/", "networks/sub/a.py"]
    assert names(root, "COPY networks x", "*\n!networks/sub/a.py") == found


@pytest.mark.parametrize(
    ("line", "ignore", "words"),
    [
        ("COPY missing.py /x", "", "is not there"),
        ("COPY a.txt/x /x", "", "is not there"),
        ("COPY a.txt /x", "*.txt", "is left out by '*.txt'"),
        ("COPY data /x", "data", ".dockerignore:1"),
        ("COPY a[ /x", "", "is not a pattern"),
    ],
)
def test_a_source_that_cannot_be_taken_is_told_at_its_line(root, line, ignore, words):
    with pytest.raises(UsageError) as caught:
        taken(root, f"RUN true\n{line}", ignore)
    assert words in caught.value.what
    assert caught.value.where == f"{root}/train.Dockerfile:3"


def test_bits_and_content(root):
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o700)
    run, text = taken(root, "COPY run a.txt /x").files[::-1]
    assert (run.executable, text.executable, run.size) == (True, False, 10)
    assert len(run.digest) == 64


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("creds.yaml", "password: x", "its name"),
        ("networks/.env", "TOKEN=1", "its name"),
        ("id_ed25519", "x", "its name"),
        (".docker/config.json", "{}", "its place"),
        (".ssh/deploy", "x", "its place"),
        ("notes.txt", "-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("big.txt", "x" * (1 << 20) + " ghp_" + "a1" * 18, "a GitHub token"),
        ("edge.txt", "x" * ((1 << 20) - 9) + " ghp_" + "a1" * 18, "a GitHub token"),
    ],
)
def test_secrets_are_refused(root, name, content, why):
    file = root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    with pytest.raises(UsageError) as caught:
        taken(root, "RUN true\nCOPY . .")
    assert f"{name}  ({why})" in caught.value.what
    assert caught.value.where == f"{root}/train.Dockerfile:3"
    assert "--mount=type=secret,id=creds" in caught.value.hint
    assert ".dockerignore" in caught.value.hint
    assert content[:20] not in str(caught.value) or len(content) < 20
    assert name not in names(root, "COPY . .", f"**/{Path(name).name}")
    assert name in names(root, "COPY . .", allow=[name])


def test_a_large_binary_file_is_looked_at_where_it_begins(root):
    token = b" ghp_" + b"a1" * 18
    (root / "model.bin").write_bytes(b"\0" * (1 << 20) + token)
    assert "model.bin" in names(root, "COPY *.bin /x")
    (root / "model.bin").write_bytes(b"\0" + token)
    with pytest.raises(UsageError, match="a GitHub token"):
        taken(root, "COPY *.bin /x")


def test_a_public_key_is_no_secret(root):
    (root / ".ssh").mkdir()
    (root / ".ssh" / "known_hosts").write_text("host key")
    assert ".ssh/known_hosts" in names(root, "COPY . .")


def test_links_stay_links(root):
    (root / "networks" / "other.py").symlink_to("cell2d.py")
    (root / "networks" / "nowhere").symlink_to("missing")
    links = {f.path: f.target for f in taken(root, "COPY networks n").files if f.kind == "link"}
    assert links == {"networks/other.py": "cell2d.py", "networks/nowhere": "missing"}


def test_a_source_that_is_a_link_brings_what_it_leads_to(root):
    (root / "first").symlink_to("second")
    (root / "second").symlink_to("networks")
    expected = ["first", *NETWORKS[:2], "networks/empty/", "networks/sub/", "networks/sub/a.py"]
    assert names(root, "COPY first /x") == [*expected, "second"]
    assert names(root, "COPY first/cell2d.py /x") == ["first", *NETWORKS[:2], "second"]
    assert names(root, "COPY fir* /x") == [*expected, "second"]


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside", "networks/../../outside"])
def test_a_link_that_leads_outside_is_refused(root, target):
    (root / "out").symlink_to(target)
    for line in ("COPY . .", "COPY out /x", "COPY o* /x"):
        with pytest.raises(UsageError, match="leads outside of the context") as caught:
            taken(root, line)
        assert caught.value.where.endswith("train.Dockerfile:2")
    assert "out" in names(root, "COPY . .", allow=["out"])
    with pytest.raises(UsageError, match="leads outside of the context"):
        taken(root, "COPY out /x", allow=["out"])


def test_links_in_a_circle(root):
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    assert "one" in names(root, "COPY . .")
    with pytest.raises(UsageError, match="circle"):
        taken(root, "COPY one /x")


def test_sockets_and_pipes_are_left_out_and_told(root):
    os.mkfifo(root / "pipe")
    folder = os.open(root, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"/proc/self/fd/{folder}/sock")
    os.close(folder)
    found = taken(root, "COPY . .")
    assert sorted(found.notes) == [
        *("pipe is a named pipe: it is left out", "sock is a socket: it is left out")
    ]
    assert not {"pipe", "sock"} & {file.path for file in found.files}
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        taken(root, "COPY pipe /x")


def test_what_cannot_be_read_is_told(root, monkeypatch):
    def refuse(self, *_args, **_more):
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(HostError, match="cannot be read") as caught:
            taken(root, "COPY a.txt /x")
        assert caught.value.where == f"{root}/a.txt"
        assert names(root, "COPY . .", "**/*.*") == ["data/", "networks/", *NETWORKS[2:]]
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(HostError, match="Permission denied") as caught:
        taken(root, "COPY networks /x")
    assert caught.value.where == f"{root}/networks"


def test_names_that_are_no_utf8(root):
    raw = os.fsencode(root) + b"/caf\xe9.txt"
    with open(raw, "wb") as file:
        file.write(b"1")
    assert "caf\udce9.txt" in names(root, "COPY *.txt /x")
    assert "caf\udce9.txt" not in names(root, "COPY . /x", "caf*")


def test_git_in_a_context_is_told(root):
    (root / ".git").mkdir()
    assert "list .git in .dockerignore" in taken(root, "COPY . .").notes[0]
    assert taken(root, "COPY . .", ".git").notes == ()


def test_a_foreign_frontend_may_take_anything(root):
    dockerfile = parse_dockerfile("# syntax=lab/own:1\nFROM x\nINCLUDE y\n", root / "D")
    found = context_files(dockerfile, root, sources(dockerfile, {}), Ignore())
    assert "data/x.bin" in {file.path for file in found.files}


rules = st.lists(
    st.sampled_from(["*", "!*.md", "**/*.py", "!networks", "data", "!data/x.bin", "networks/sub"]),
    max_size=4,
).map("\n".join)
lines = st.sampled_from(["COPY . .", "COPY net* /x", "COPY **/*.py /x"])


@given(rules, lines)
def test_a_smaller_source_never_brings_more(tmp_path_factory, ignore, line):
    root = tmp_path_factory.getbasetemp() / "same"
    for name in ("networks/sub/a.py", "networks/b.py", "x.md", "data/x.bin", "data/deep/y"):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    every = set(names(root, "COPY . .", ignore))
    found = set(names(root, line, ignore))
    assert found <= every
    folders = {name for name in found if name.endswith("/")}
    for name in found:
        above = name.rstrip("/").rpartition("/")[0]
        assert not above or f"{above}/" in folders
