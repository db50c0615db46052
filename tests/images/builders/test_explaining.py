"""What a builder's last lines mean; the outputs are real ones, shortened."""

from __future__ import annotations

import pytest

from argojobs.images.builders.buildah import buildah
from argojobs.images.builders.explaining import (
    build_failure,
    failed_instruction,
    meaning_of,
    push_failure,
)
from argojobs.images.builders.process import Done
from argojobs.images.builders.shape import Task

DOCKERFILE = """\
# syntax=docker/dockerfile:1
FROM python:3.11 AS base

RUN pip install \\
    # a comment in between
    --no-cache-dir \\
    numpy
run   false
FROM base
RUN true
"""

BUILDAH = [
    "STEP 1/2: FROM python:3.11 AS base",
    "STEP 2/2: RUN pip install     --no-cache-dir     numpy",
]
DOCKER = [
    "Step 3/4 : run   false",
    " ---> Running in 1f",
    "The command '/bin/sh -c false' returned 1",
]
BUILDKIT = [
    "#5 ERROR: process did not complete successfully: exit code: 1",
    "------",
    " > [base 3/3] run   false:",
    "------",
]
MARKED = [
    *BUILDKIT,
    "train.Dockerfile:4",
    "--------------------",
    "   3 |     ",
    "   4 | >>> RUN pip install \\",
    "   5 | >>>     # a comment in between",
    "   6 | >>>     --no-cache-dir \\",
    "--------------------",
    "error: failed to solve",
]


@pytest.fixture
def dockerfile(tmp_path):
    path = tmp_path / "train.Dockerfile"
    path.write_text(DOCKERFILE)
    return path


@pytest.mark.parametrize(
    ("output", "line", "start"),
    [
        (BUILDAH, 4, "RUN pip install"),
        (DOCKER, 8, "run   false"),
        (BUILDKIT, 8, "run   false"),
        (MARKED, 4, "RUN pip install"),
        (["[2/2] STEP 1/2: FROM base", "Error: x"], 9, "FROM base"),
        (["Error: dockerfile parse error on line 3: unknown instruction: FOO"], 3, ""),
        (["Error: something else"], 0, ""),
        ([], 0, ""),
    ],
)
def test_the_instruction_that_failed_is_found(dockerfile, output, line, start):
    found, instruction = failed_instruction(output, dockerfile)
    assert found == line
    assert instruction.startswith(start)


def test_of_two_equal_instructions_the_place_is_not_guessed(dockerfile):
    dockerfile.write_text("FROM a\nRUN false\nFROM b\nRUN false\n")
    assert failed_instruction(["STEP 2/2: RUN false"], dockerfile) == (0, "RUN false")


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("write /x: no space left on device", "no space left"),
        ("write /x: disk quota exceeded", "no space left"),
        ('short-name "foo" did not resolve to an alias', "without its registry"),
        ("no basic auth credentials", "refuses who we are"),
        ("denied: requested access to the resource is denied", "refuses who we are"),
        ("pull access denied for foo, repository does not exist", "not to be had"),
        ("http: server gave HTTP response to HTTPS client", "speaks http"),
        ("dial tcp 127.0.0.1:9: connect: connection refused", "out of reach"),
        ("all is well", ""),
    ],
)
def test_what_is_known_is_said_in_words(line, meaning):
    found, remedy = meaning_of(["before", line, "after"])
    assert meaning in found
    assert bool(remedy) is bool(meaning)


def test_a_failed_build_is_a_place_a_reason_and_the_last_lines(dockerfile, tmp_path):
    output = (*BUILDAH, "", "tar: write: No space left on device", "Error: exit status 1")
    error = build_failure(
        buildah("buildah", "1"), Task(("lab/a:1",), tmp_path, dockerfile), Done(1, output)
    )
    assert error.where == f"{dockerfile}:4"
    assert error.what.startswith("buildah did not build lab/a:1: RUN pip install --no-cache-dir")
    assert "there is no space left" in error.what
    assert error.hint.splitlines()[0].startswith("make room")
    assert error.hint.endswith("Error: exit status 1")
    assert (error.exit_code, error.output) == (1, output)


def test_a_signal_is_told(dockerfile, tmp_path):
    table = buildah("buildah", "1")
    task = Task(("a:1",), tmp_path, dockerfile)
    error = build_failure(table, task, Done(-9, ()))
    assert "ended by signal 9" in error.what
    refused = push_failure(table, task, Done(125, ("unauthorized: no",)))
    assert "did not push a:1: the registry refuses who we are (exit code 125)" in refused.what
