"""Bodies in chunks: all that has arrived at once, and an error where they break off."""

from http.client import IncompleteRead

import pytest

from argojobs.client.chunks import unchunked

BODY = b"4\r\nabcd\r\n2;x=y\r\nef\r\nA\r\n0123456789\r\n0\r\n\r\n"


def read(*pieces):
    arriving = iter([*pieces, b""])
    return list(unchunked(lambda: next(arriving)))


def test_chunks_that_arrive_together_are_given_together():
    assert read(BODY) == [b"abcdef0123456789"]


@pytest.mark.parametrize("at", range(1, len(BODY) - 4))
def test_chunks_may_be_cut_anywhere_on_the_way(at):
    assert b"".join(read(BODY[:at], BODY[at:])) == b"abcdef0123456789"


def test_whole_chunks_do_not_wait_for_the_next_one():
    arriving = iter([b"1\r\na\r\n", b"1\r\nb", b"\r\n0\r\n\r\n"])
    contents = unchunked(lambda: next(arriving))
    assert next(contents) == b"a"
    assert list(contents) == [b"b"]


@pytest.mark.parametrize(
    "body", [b"", b"4\r\nab", b"4\r\nabcd\r\n", b"no size\r\nabcd\r\n", b"-1\r\n"]
)
def test_what_breaks_off_or_is_none_is_an_error(body):
    with pytest.raises(IncompleteRead):
        read(body)
