"""The bytes of an answer as soon as they are there, many chunks at a time.

Argo's server sends every message of a stream as a chunk of its own. The standard library hands
them out one by one, which for a long log costs more than all else; so the chunks of what has
arrived are taken apart together.
Source of the format: RFC 9112, chunked transfer coding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.client import HTTPResponse, IncompleteRead

#: At most so many bytes are read at once.
PIECE = 1 << 18


def pieces(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the rest of an answer's body in pieces, each as soon as it is there.

    Raises IncompleteRead when it breaks off, and what its socket raises.
    """
    if response.chunked:
        yield from unchunked(lambda: response.fp.read1(PIECE))
        return
    left = response.length
    while left is None or left > 0:
        piece = response.read1(PIECE if left is None else min(left, PIECE))
        if not piece:
            break
        left = None if left is None else left - len(piece)
        yield piece
    if left:
        raise IncompleteRead(b"", left)
    response.close()  # lets go of the connection, which may go on


def unchunked(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield the contents of chunks, all that are whole together, until the last one.

    read: returns what has arrived, waiting for at least one byte; b"" at the end. Raises
    IncompleteRead when that comes before the last chunk, or where no chunk begins.
    """
    held = bytearray()
    while piece := read():
        held += piece
        whole: list[bytearray] = []
        at, last = 0, False
        while not last and (line_end := held.find(b"\n", at)) >= 0:
            size = _size(held[at:line_end])
            begin, end = line_end + 1, line_end + 1 + size
            last = size == 0
            if not last and len(held) < end + 2:
                break
            whole.append(held[begin:end])
            at = end + 2
        del held[:at]
        if content := b"".join(whole):
            yield content
        if last:
            return
    raise IncompleteRead(b"")


def _size(line: bytearray) -> int:
    """Read the line that begins a chunk: its size, perhaps extensions, which mean nothing here."""
    try:
        size = int(line.partition(b";")[0], 16)
    except ValueError:
        raise IncompleteRead(b"") from None
    if size < 0:
        raise IncompleteRead(b"")
    return size
