"""What an answer of a server may take: the table of bounds, and the response that keeps them.

All answers are read through `BoundedResponse` (`pools.py` puts it into urllib3, and so into
requests): head and body, whole or in chunks. Time is counted only while an answer is waited for, never while
what came is worked on. How long a server may be silent is the timeout of the connection.
"""

from __future__ import annotations

import io
import math
import socket
import time
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be taken at most: seconds of waiting and bytes, in all.

    slowest: bytes a second that each buy a further second; 0 buys none.
    """

    seconds: float = math.inf
    size: float = math.inf
    slowest: int = 0


#: The head of an answer, with all 1xx answers before it.
HEAD = Bounds(seconds=60, size=1 << 18)
#: An answer that is read whole and understood: JSON, XML, a manifest of an image, an error.
ANSWER = Bounds(seconds=300, size=1 << 27)
#: A file, as large as it is; but it has to come.
FILE = Bounds(seconds=60, slowest=1 << 10)
#: A stream that lasts as long as the run; each message of it is an answer.
STREAM = Bounds()

#: Seconds that a server is waited for when it asks for patience (Retry-After).
LONGEST_WAIT = 30.0
#: Entries of one list, over all of its pages.
LONGEST_LIST = 5_000_000


class BoundsError(Exception):
    """An answer that takes more than it may. The text says so.

    It is not an OSError, so no library takes it for a break of the line that is worth another try.
    """


class TooSlowError(BoundsError):
    """An answer comes, but not in the time that it has."""

    def __str__(self) -> str:
        return "its answer comes too slowly"


class TooMuchError(BoundsError):
    """An answer is larger than it may be."""

    def __str__(self) -> str:
        return "its answer is larger than any that is right"


class BoundedResponse(HTTPResponse):
    """An answer that raises TooSlowError and TooMuchError; `allow` says what its body may take."""

    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        super().__init__(sock, *arguments, **named)
        self._incoming = Incoming(sock, self.fp.detach())
        self.fp = _Reader(self._incoming)

    def begin(self) -> None:
        """Read the head."""
        super().begin()
        # Nobody asks for a content coding: what comes in one is left as it is, never inflated.
        del self.headers["Content-Encoding"]
        if self.fp is not None:
            self.allow(ANSWER)

    def allow(self, bounds: Bounds) -> None:
        """Set what the rest of the answer may take. Raises TooMuchError for what it announces."""
        self._incoming.allow(bounds)
        if (self.length or 0) > bounds.size:
            raise TooMuchError


class Incoming(io.RawIOBase):
    """The bytes of a connection, counted and timed."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        self._sock, self._raw = sock, raw
        self._patience = self._silence = sock.gettimeout() or math.inf
        self.allow(HEAD)

    def allow(self, bounds: Bounds) -> None:
        """Count anew, against these bounds."""
        self.bounds, self._waited, self._size = bounds, 0.0, 0

    def readable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """See io.RawIOBase. Raises TooSlowError, TooMuchError, and what the socket raises."""
        bounds = self.bounds
        bought = self._size / bounds.slowest if bounds.slowest else 0.0
        left = bounds.seconds + bought - self._waited
        if left <= 0:
            raise TooSlowError
        patience = min(left, self._silence)
        if patience != self._patience:  # to set it is a system call of its own
            self._sock.settimeout(None if patience == math.inf else patience)
            self._patience = patience
        begun = time.monotonic()
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError:
            if left < self._silence:
                raise TooSlowError from None
            raise
        finally:
            self._waited += time.monotonic() - begun
        self._size += count or 0
        if self._size > bounds.size:
            raise TooMuchError
        return count

    def close(self) -> None:
        """Let go of the socket's file."""
        super().close()
        self._raw.close()


class _Reader(io.BufferedReader):
    """What makes no room for a chunk that announces more than may come."""

    raw: Incoming

    def read(self, size: int | None = -1, /) -> bytes:
        """See io.BufferedReader. Raises TooMuchError."""
        if (size or 0) > self.raw.bounds.size:
            raise TooMuchError
        return super().read(size)
