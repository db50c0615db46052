"""What a builder's last lines mean: the instruction that failed, and what to do about it.

The forms of output were read from buildah 1.28, podman 4.3, docker 20.10 and buildkit 0.17.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from argojobs.errors import ArgojobsError, UsageError
from argojobs.images.builders.process import Done
from argojobs.images.builders.shape import Builder, Task
from argojobs.images.dockerfiles.dockerfile import logical_lines

#: Lines of output that an error shows.
SHOWN = 20

#: `STEP 3/5: RUN make` of buildah and podman, `Step 3/5 : RUN make` of docker's older builder.
_STEP = re.compile(r"^(?:\[\d+/\d+\] )?S(?:TEP|tep) \d+/\d+ ?: (.+)$")
#: ` > [2/3] RUN make:` of BuildKit, above the end of what it printed.
_VERTEX = re.compile(r"^ ?> \[(?:\S+ )?\d+/\d+\] (.+?):?$")
#: Newer ones show the lines around it, too, and mark those of the instruction.
_MARKED = re.compile(r"^\s*(\d+) \| >>> (.*)$")
_PARSE = re.compile(r"(?:parse error (?:on )?line |line )(\d+):")

#: What a line of output has in it, what that means, and what to do.
_KNOWN = (
    (
        r"no space left on device|disk quota exceeded",
        "there is no space left for images",
        "make room: docker system prune, podman system prune or buildah prune; df -h",
    ),
    (
        r"short-name .* did not resolve|short-name resolution",
        "an image is named without its registry",
        "write it whole: docker.io/library/NAME:TAG",
    ),
    (
        r"pull access denied|manifest unknown|name unknown|not found: manifest",
        "the image that it starts from is not to be had",
        "is its name right, and are you logged in at its registry?",
    ),
    (
        r"server gave HTTP response to HTTPS client",
        "the registry speaks http, and the builder wants https",
        "name it in the builder's own settings (\"insecure-registries\" of docker's daemon.json)",
    ),
    (
        r"unauthorized|authentication required|no basic auth credentials|access denied|denied: |403 Forbidden|401 Unauthorized",
        "the registry refuses who we are",
        "argojobs doctor CONTEXT says what is missing; or docker login HOST",
    ),
    (
        r"connection refused|no such host|i/o timeout|network is unreachable",
        "something that it needs is out of reach",
        "is the network up, and the registry's address right? then try again",
    ),
)


class BuildFailedError(ArgojobsError):
    """A build failed; `output` has the last lines that the builder printed."""

    code = "build-failed"
    exit_code = 1

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", output: tuple[str, ...] = ()
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.output = output


class PushFailedError(BuildFailedError):
    """An image was built and could not be pushed."""

    code = "push-failed"


def build_failure(builder: Builder, task: Task, done: Done) -> BuildFailedError:
    """Return the error of a build: the place in the Dockerfile, the instruction, the last lines.

    Args:
        builder: named in it.
        task: with the Dockerfile that was built.
        done: how the builder ended, with its last lines.
    """
    line, instruction = failed_instruction(done.output, task.dockerfile)
    meaning, remedy = meaning_of(done.output)
    what = f"{builder.name} did not build {task.tags[0]}"
    file = task.origin or task.dockerfile
    if instruction:
        what = f"{what}: {_short(instruction)} failed"
    return BuildFailedError(
        f"{what}{_after(meaning)}{_ending(done)}",
        where=f"{file}:{line}" if line else str(file),
        hint=_hint(done, remedy),
        output=done.output,
    )


def push_failure(builder: Builder, task: Task, done: Done) -> PushFailedError:
    """Return the error of a push.

    Args:
        builder: named in it.
        task: with the tag that was pushed.
        done: how the builder ended, with its last lines.
    """
    meaning, remedy = meaning_of(done.output)
    return PushFailedError(
        f"{builder.name} did not push {task.tags[0]}{_after(meaning)}{_ending(done)}",
        hint=_hint(done, remedy),
        output=done.output,
    )


def meaning_of(output: Sequence[str]) -> tuple[str, str]:
    """Return what the last lines mean and what to do, "" and "" where we do not know."""
    for line in reversed(output[-SHOWN:]):
        for pattern, meaning, remedy in _KNOWN:
            if re.search(pattern, line, re.IGNORECASE):
                return meaning, remedy
    return "", ""


def failed_instruction(output: Sequence[str], dockerfile: Path) -> tuple[int, str]:
    """Return the line and the text of the instruction that failed; 0 and "" where it is not said."""
    for line in reversed(output):
        marked = _MARKED.match(line)
        if marked:
            return _first_marked(output)
        step = _STEP.match(line) or _VERTEX.match(line)
        if step:
            return _line_of(step.group(1), dockerfile), step.group(1)
    for line in reversed(output):
        parsed = _PARSE.search(line)
        if parsed:
            return int(parsed.group(1)), ""
    return 0, ""


def _first_marked(output: Sequence[str]) -> tuple[int, str]:
    """Return the first of the lines that BuildKit marks: an instruction may have several."""
    found = [match for match in map(_MARKED.match, output) if match]
    return int(found[0].group(1)), found[0].group(2).strip()


def _line_of(step: str, dockerfile: Path) -> int:
    """Return the line where an instruction begins, 0 where two lines may be meant.

    A builder may print it with one blank each, or with its variables replaced.
    """
    wanted = _words(step)
    try:
        lines = dockerfile.read_text(encoding="utf-8", errors="replace").split("\n")
        known = [(number, _words(one)) for number, one in logical_lines(lines, "\\", dockerfile)]
    except (OSError, UsageError):
        return 0
    same = [number for number, words in known if words == wanted]
    alike = same or [number for number, words in known if words[:2] == wanted[:2]]
    return alike[0] if len(alike) == 1 else 0


def _words(instruction: str) -> list[str]:
    keyword, _, rest = instruction.strip().partition(" ")
    return [keyword.upper(), *rest.split()]


def _short(instruction: str) -> str:
    line = " ".join(instruction.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def _after(meaning: str) -> str:
    return f": {meaning}" if meaning else ""


def _ending(done: Done) -> str:
    return f" (ended by signal {-done.code})" if done.code < 0 else f" (exit code {done.code})"


def _hint(done: Done, remedy: str) -> str:
    shown = "\n  ".join(line for line in done.output[-SHOWN:] if line.strip())
    return "\n  ".join(part for part in (remedy, shown) if part)
