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
#: Bytes of the line that begins a chunk.
_LONGEST_LINE = 1 << 16


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
    """Yield the contents of chunks, all that has arrived together, until the last one.

    read: returns what has arrived, waiting for at least one byte; b"" at the end. Raises
    IncompleteRead when that comes before the last chunk, or where no chunk begins.
    """
    held = bytearray()
    size = ended = 0  # bytes of the present chunk that are to come; of what ends the one before
    while piece := read():
        held += piece
        contents: list[bytearray] = []
        at, last = 0, False
        while not last:
            if size:
                content = held[at : at + size]
                contents.append(content)
                at, size, ended = at + len(content), size - len(content), 2
                if size:
                    break
            line_end = held.find(b"\n", at + ended)
            if line_end < 0:
                break
            size = _size(held[at + ended : line_end])
            at, ended, last = line_end + 1, 0, size == 0
        del held[:at]
        if together := b"".join(contents):
            yield together
        if last:
            return
        if len(held) > _LONGEST_LINE:
            break
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
