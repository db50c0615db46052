"""Sources and secrets of a Dockerfile, variables replaced as far as they are known."""

from pathlib import Path

import pytest

from argojobs.images.dockerfiles.dockerfile import parse_dockerfile
from argojobs.images.dockerfiles.sources import cleaned, secret_ids, sources


def patterns(text: str, arguments=None, platform: str = "", **more):
    dockerfile = parse_dockerfile(text, Path("D"))
    return [one.pattern for one in sources(dockerfile, arguments or {}, platform, **more)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("ARG A=x\nCOPY $A-${A}.py /", ["x-x.py"]),
        ("ARG A\nCOPY $A /", ["."]),  # nobody gave it: too much is right
        ("ARG TOP\nCOPY $TOP /", ["top"]),  # the ARG before FROM
        ("COPY $TOP /", ["."]),  # which is not seen without that line
        ("ARG A=1\nENV A=2\nARG A=3\nCOPY $A /", ["2"]),  # ENV wins
        ("ENV A=1 B='b c'\nCOPY $A$B /", ["1b c"]),
        ("ENV A one two\nCOPY ${A} /", ["one two"]),
        ("ARG A=x\nENV A=${PATH}/a\nCOPY $A /", ["."]),
        ("ARG A=\nCOPY ${A:-b} ${A:+c}d /", ["b", "d"]),
        ("COPY ${A%.py} /", ["."]),
        ("COPY \\$A '$A' /", ["$A", "$A"]),
        ("COPY --from=0 a /", []),
        ("ARG TARGETARCH\nCOPY bin-$TARGETARCH /", ["bin-arm64"]),
        ("ARG BUILDARCH\nCOPY bin-$BUILDARCH /", ["."]),
        ("ADD ${URL:-x}/a /", ["."]),
        ("ARG URL=https://x\nADD $URL/a b /", ["b"]),
        ("COPY --parents ./x/./y/*.txt /", ["x/y/*.txt"]),
        ("RUN --mount=type=bind,src=a,from=x --mount=type=tmpfs,target=/t true", []),
        ('RUN --mount="source=a b,target=/b" true', ["a b"]),
    ],
)
def test_sources(lines, expected):
    assert patterns(f"ARG TOP=top\nFROM x\n{lines}\n", platform="linux/arm64") == expected


def test_given_arguments_win_over_defaults():
    assert patterns("FROM x\nARG A=1\nCOPY $A /\n", {"A": "2"}) == ["2"]


def test_a_stage_has_the_variables_of_the_stage_it_is_built_on():
    text = "FROM x AS one\nARG A=1\nENV B=2\nFROM one\nCOPY $A$B /\nFROM x\nCOPY $B /\n"
    assert patterns(text) == ["12", "."]


def test_onbuild_is_for_builds_from_it():
    text = "FROM x\nCOPY a /\nONBUILD COPY b /\n"
    assert patterns(text) == ["a"]
    assert patterns(text, onbuild=True) == ["b"]


def test_ids_of_secrets():
    text = (
        "FROM x\nRUN --mount=type=secret,id=creds,required=true a\n"
        "RUN --mount=type=secret,target=/run/secrets/pip b\nRUN --mount=type=ssh c\n"
    )
    assert secret_ids(parse_dockerfile(text, Path("D"))) == ("creds", "pip")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".", "."),
        ("", "."),
        ("./", "."),
        ("/", "."),
        ("/a/", "a"),
        ("../../a", "a"),
        ("a/../b", "b"),
    ],
)
def test_what_leads_above_the_context_is_cut(path, expected):
    assert cleaned(path) == expected
