"""How far the log of one pod has been read, so exactly that reading may begin again anywhere.

Each line comes with a stamp in nanoseconds. What is read a second time is told by its stamp and
text: a line older than the last few seconds was read; of these seconds each line is counted. So
lines with equal stamps, and lines that two writers wrote a little out of order, are neither lost
nor doubled. A server that gives no stamps is counted line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

#: So many seconds before the newest stamp a line may still come for the first time.
WINDOW = 5

_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)( |$)")


class Position:
    """What was read of one pod. `count` is the number of its own lines."""

    def __init__(self) -> None:
        self.count = 0
        self.since = (
            ""  # of all lines that were read, the newest whole second, as Kubernetes has it
        )
        self._newest = 0
        self._recent: dict[int, Counter[int]] = {}
        self._again: dict[int, Counter[int]] = {}
        self._reading_again = False
        self._unstamped = 0
        self._unstamped_again = 0
        self._began = ""  # nothing older than this stamp is wanted
        self._second = ("", 0)

    def rewind(self) -> None:
        """The log will be read again, from its beginning or from `since`."""
        self._again = {second: seen.copy() for second, seen in self._recent.items()}
        self._unstamped_again = self._unstamped
        self._reading_again = True

    def begin_here(self, stamped: str) -> None:
        """Whatever is older than this line counts as read."""
        found = _STAMP.match(stamped)
        self._began = found[0].rstrip() if found else ""

    def take(self, stamped: str) -> str | None:
        """Return a line's text if it is new, None if it was read before."""
        found = _STAMP.match(stamped)
        if found is None:
            return self._take_unstamped(stamped)
        stamp, text = found[0].rstrip(), stamped[found.end() :]
        if stamp < self._began:
            return None
        try:
            second = self._seconds(found[1], found[3])
        except (ValueError, OverflowError):  # month 99: what a program wrote, no stamp
            return self._take_unstamped(stamped)
        if second < self._newest - WINDOW:
            return None if self._reading_again else text
        key = hash((stamp, text))
        again = self._again.get(second)
        if again is not None and again[key] > 0:
            again[key] -= 1
            return None
        if second > self._newest:
            self._newest = second
            self.since = f"{found[1]}{found[3]}"
            for old in [one for one in self._recent if one < second - WINDOW]:
                del self._recent[old]
        seen = self._recent.get(second)
        if seen is None:
            seen = self._recent[second] = Counter()
        seen[key] = seen.get(key, 0) + 1
        return text

    def _take_unstamped(self, text: str) -> str | None:
        if self._unstamped_again > 0:
            self._unstamped_again -= 1
            return None
        self._unstamped += 1
        return text

    def _seconds(self, moment: str, zone: str) -> int:
        whole = moment + zone
        if self._second[0] != whole:  # most lines share their second with the one before
            self._second = (whole, int(datetime.fromisoformat(whole).timestamp()))
        return self._second[1]
