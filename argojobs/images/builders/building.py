"""Builds and pushes by a builder's table; a failure says which line of the Dockerfile it was."""

from __future__ import annotations

from pathlib import Path

from argojobs.images.builders.explaining import build_failure, push_failure
from argojobs.images.builders.process import Say, run
from argojobs.images.builders.shape import Builder, Task


def build_image(builder: Builder, task: Task, say: Say) -> None:
    """Build an image.

    Args:
        builder: which one builds it.
        task: what is built.
        say: gets each line of the builder's output.

    Raises:
        BuildFailedError: with the instruction that failed and the output.
    """
    environment = _environment(builder, task.auth_folder)
    for argv in builder.build(task):
        done = run(argv, say=say, environment=environment)
        if done.code:
            raise build_failure(builder, task, done)


def push_image(builder: Builder, task: Task, say: Say) -> None:
    """Push the first tag of an image that was built from the task.

    Args:
        builder: the one that built it.
        task: what was built.
        say: gets each line of the builder's output.

    Raises:
        PushFailedError: with the output.
    """
    environment = _environment(builder, task.auth_folder)
    for argv in builder.push(task):
        done = run(argv, say=say, environment=environment)
        if done.code:
            raise push_failure(builder, task, done)


def has_image(builder: Builder, reference: str) -> bool:
    """Tell whether an image is on this machine."""
    done = run(builder.has(reference), say=lambda _line: None, environment=builder.environment)
    return done.code == 0


def _environment(builder: Builder, login: Path | None) -> dict[str, str]:
    return {**builder.environment, **(builder.login(login) if login is not None else {})}
