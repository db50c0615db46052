"""What goes wrong with images when all that was asked for was right."""

from __future__ import annotations

from argojobs.errors import ArgojobsError


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
