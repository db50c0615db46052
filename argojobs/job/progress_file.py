# travels with: job
"""Argo's progress file: its last line is `N/M`, whole numbers, 0 <= N <= M."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def fraction(done: float, of: float) -> str:
    """Return `N/M`; where either is no whole number, of a hundred."""
    done = min(max(done, 0), of)
    if done != int(done) or of != int(of):
        done, of = 100 * done // of, 100
    return f"{int(done)}/{int(of)}"


class ProgressFile:
    """Adds a line for each progress.

    Args:
        path: as `ARGO_PROGRESS_FILE` says it.
        say: called once with a text for the user if it cannot be written.
    """

    def __init__(self, path: str, say: Callable[[str], None]) -> None:
        self._path = path
        self._say = say
        self._said = False

    def write(self, done: float, of: float) -> None:
        """Tell Argo that so much is done; where there is no such folder, nobody reads it."""
        try:
            with open(self._path, "a", encoding="ascii") as file:
                file.write(fraction(done, of) + "\n")
        except FileNotFoundError:
            return
        except OSError as error:
            if not self._said:
                self._said = True
                self._say(f"{self._path} cannot be written ({error.strerror}): no progress there")
