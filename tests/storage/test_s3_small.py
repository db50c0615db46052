"""Small objects by the fast way; whatever is odd about an answer is left to the general one."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit

import pytest

from argojobs.storage.s3_place import RetryPolicy
from argojobs.storage.s3_small import SmallReads

PATIENCE = RetryPolicy(connect=2, read=2)


def test_objects_come_as_they_are_on_one_connection(open_s3, tmp_path):
    repository = open_s3(prefix="")
    for key in ("a", "deep/b c+ä%?"):
        (tmp_path / "f").write_text(key)
        repository.put(str(tmp_path / "f"), key)
    reads = SmallReads(PATIENCE, None)
    for key in ("a", "deep/b c+ä%?"):
        signed = repository._client._transport.signed("GET", key)
        assert reads.read(*signed, len(key.encode())) == key.encode()
    assert reads._idle.qsize() == 1
    reads.close()


def test_another_version_or_no_object_is_left_to_the_general_way(open_s3, source):
    repository = open_s3(prefix="")
    repository.put(str(source / "a"), "a")
    reads = SmallReads(PATIENCE, None)
    for key, etag, size in (("a", "0" * 32, 3), ("a", "0" * 32, 4), ("none", "0" * 32, 3)):
        headers = {"If-Match": f'"{etag}"'}
        signed = repository._client._transport.signed("GET", key, headers=headers)
        assert reads.read(*signed, size) is None
    reads.close()


@pytest.fixture
def answers():
    """Have a server give one answer and close; say what came of it as an object of three bytes."""
    made = []

    def read(answer: bytes) -> bytes | None:
        listener = socket.create_server(("127.0.0.1", 0))

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = urlsplit(f"http://127.0.0.1:{listener.getsockname()[1]}/b/k")
        made.append((listener, thread))
        return SmallReads(PATIENCE, None).read(url, {"Host": "h"}, 3)

    yield read
    for listener, thread in made:
        listener.close()
        thread.join(5)


def test_a_plain_whole_answer_is_taken(answers):
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\none"
    assert answers(whole) == b"one"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\non",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none more",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\none",
        b"HTTP/1.1 200 OK\r\n\r\none",
        b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\none",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\none",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Encoding: gzip\r\n\r\none",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nx-amz-server-side-encryption: aws:kms\r\n\r\none",
        b"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 3\r\nLocation: /x\r\n\r\none",
        b"SSH-2.0-x\r\n\r\n",
    ],
)
def test_anything_else_is_not(answers, answer):
    assert answers(answer) is None


def test_nobody_there_is_not_an_error_here():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = urlsplit(f"http://127.0.0.1:{port}/b/k")
    assert SmallReads(PATIENCE, None).read(url, {"Host": "h"}, 3) is None
