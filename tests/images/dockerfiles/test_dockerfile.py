"""A Dockerfile is read as BuildKit's parser reads it, as far as a build's inputs need it."""

from pathlib import Path

import pytest

from argojobs.errors import HostError, UsageError
from argojobs.images.dockerfiles.dockerfile import (
    base_images,
    global_values,
    parent_stage,
    parse_dockerfile,
    read_dockerfile,
)

HERE = Path("docker/train.Dockerfile")


def read(text: str):
    return parse_dockerfile(text, HERE)


def rows(text: str):
    return [(one.line, one.name, one.text) for one in read(text).instructions]


def test_lines_comments_and_continuations():
    text = """\
# syntax=docker/dockerfile:1

ARG IMAGE=train
  from ${IMAGE} AS Base
RUN a \\
    # a comment inside

    && b \\
    c
RUN trailing \\ \t
    blanks
RUN "two\\\\"
CMD ["python3", "-u"]
"""
    assert rows(text) == [
        (3, "ARG", "IMAGE=train"),
        (4, "FROM", "${IMAGE} AS Base"),
        (5, "RUN", "a     && b     c"),
        (10, "RUN", "trailing     blanks"),
        (12, "RUN", '"two\\\\"'),
        (13, "CMD", '["python3", "-u"]'),
    ]
    assert rows(text.replace("\n", "\r\n")) == rows(text)
    assert rows("\ufeff" + text) == rows(text)
    assert read(text).syntax == "docker/dockerfile:1"
    assert read(text).instructions[-1].words == ("python3", "-u")


def test_the_escape_directive():
    text = "# escape=`\nFROM x\nCOPY a\\ `\n  b c:\\\n"
    assert rows(text)[1] == (3, "COPY", "a\\   b c:\\")
    assert read("#comment\n# escape=`\nFROM x\nRUN a `\n").escape == "\\"


def test_heredocs_are_stepped_over():
    text = """\
FROM x
RUN <<EOF && cat <<-'OTHER' 3<<"C C"
FROM no
EOF
COPY nothing
\t\tOTHER
C C
COPY <<one.txt <<two.txt /x/
one
one.txt
two
two.txt
RUN echo $((1<<2)) <<<here '<<no'
ONBUILD RUN <<E
BAD
E
USER me
"""
    assert [(line, name) for line, name, _ in rows(text)] == [
        *((1, "FROM"), (2, "RUN"), (8, "COPY"), (13, "RUN"), (14, "RUN"), (17, "USER"))
    ]
    assert rows(text.replace("\n", "\r\n")) == rows(text)


def test_a_line_with_an_open_quote_announces_no_heredoc():
    assert [name for _, name, _ in rows("FROM x\nRUN echo it's <<EOF\nUSER me\n")] == [
        *("FROM", "RUN", "USER")
    ]


def test_flags():
    text = 'FROM x\nCOPY --from=Build --chown="a b":1 --link --  ["a b", "c d"]\n'
    copy = read(text).instructions[1]
    assert copy.flags == (("from", "Build"), ("chown", "a b:1"), ("link", ""))
    assert copy.words == ("a b", "c d")


def test_stages_and_what_they_are_built_on():
    text = """\
ARG VERSION=3.11
ARG IMAGE=python:${VERSION}-slim
FROM --platform=$BUILDPLATFORM "${IMAGE}" AS build
FROM scratch
FROM Build
FROM ${UNSET:-debian:12}
ARG VERSION
"""
    dockerfile = read(text)
    assert [(stage.name, stage.line) for stage in dockerfile.stages] == [
        *(("build", 3), ("", 4), ("", 5), ("", 6))
    ]
    bases = base_images(dockerfile, {})
    assert bases == ("python:3.11-slim", "scratch", "Build", "debian:12")
    assert base_images(dockerfile, {"VERSION": "3.12"})[0] == "python:3.12-slim"
    assert global_values(dockerfile, {"IMAGE": "x"})["IMAGE"] == "x"
    assert parent_stage(dockerfile, "Build", 2) == 0
    assert parent_stage(dockerfile, "Build", 0) is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no FROM"),
        ("# only\nARG a=1\n", 1, "no FROM"),
        ("FROM\n", 1, "needs an image"),
        ("FROM a\nRUN <<EOF\nx\n EOF\n", 2, "<<EOF does not end"),
    ],
)
def test_mistakes_are_told_with_their_line(text, line, words):
    with pytest.raises(UsageError) as caught:
        read(text)
    assert caught.value.where == f"{HERE}:{line}"
    assert words in caught.value.what
    assert caught.value.hint


def test_a_mistake_of_another_kind_is_left_to_the_builder():
    assert rows("FROM x\nCOPPY a b\n")[1] == (2, "COPPY", "a b")


def test_another_frontend_may_have_other_instructions():
    dockerfile = read("# syntax=lab/plus:1\nFROM x\nINCLUDE y\n")
    assert dockerfile.foreign
    assert dockerfile.instructions[1].name == "INCLUDE"
    for syntax in ("docker/dockerfile:1.7-labs", "docker.io/docker/dockerfile@sha256:ab"):
        assert not read(f"# syntax={syntax}\nFROM x\n").foreign


def test_bytes_that_are_no_utf8_and_files_that_are_not_there(tmp_path):
    file = tmp_path / "Dockerfile"
    file.write_bytes(b"FROM x\nCOPY caf\xe9 /x\n")
    assert read_dockerfile(file).instructions[1].words[0] == "caf\udce9"
    with pytest.raises(HostError, match="cannot be read"):
        read_dockerfile(tmp_path / "missing")
