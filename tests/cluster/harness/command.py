"""Run a program to its end and say what it said when it failed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.errors import HarnessError


def run(
    command: Sequence[str | Path],
    *,
    text: str | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> str:
    """Run `command` with `text` as its input; its standard output.

    Raises HarnessError with the end of what it wrote when it fails or takes too long.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            input=text,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise HarnessError(f"{words[0]} is not here") from error
    except subprocess.TimeoutExpired as error:
        raise HarnessError(f"`{' '.join(words)}` took longer than {timeout:.0f} s") from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise HarnessError(f"`{' '.join(words)}` ended with {done.returncode}: {said}")
    return done.stdout
