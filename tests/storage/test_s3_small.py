"""Small objects by the fast way; whatever is odd about an answer is left to the general one."""

from __future__ import annotations

import socket
import threading

import pytest
from support import seaweed

from argojobs.storage.s3_place import Patience, S3Credentials
from argojobs.storage.s3_small import SmallReads

PATIENCE = Patience(connect=2, read=2)


@pytest.fixture
def reads(service, bucket):
    """The fast way to the test's bucket."""
    address = ("127.0.0.1", service.port)
    made = SmallReads(
        address,
        f"127.0.0.1:{service.port}",
        f"/{bucket}/",
        "us-east-1",
        S3Credentials(*seaweed.ADMIN),
        PATIENCE,
        None,
    )
    yield made
    made.close()


def test_objects_come_as_they_are_on_one_connection(reads, open_s3, client, bucket, tmp_path):
    repository = open_s3(prefix="")
    for key in ("a", "deep/b c+ä%?"):
        (tmp_path / "f").write_text(key)
        repository.put(str(tmp_path / "f"), key)
        found = client.stat_object(bucket, key)
        assert reads.read(key, found.etag, found.size) == key.encode()
    assert reads._idle.qsize() == 1


def test_another_version_or_no_object_is_left_to_the_general_way(reads, open_s3, source):
    open_s3(prefix="").put(str(source / "a"), "a")
    assert reads.read("a", "0" * 32, 3) is None
    assert reads.read("a", "0" * 32, 4) is None
    assert reads.read("none", "0" * 32, 3) is None


@pytest.fixture
def answers():
    """Start a server that gives one answer and closes; return the way to it."""
    made = []

    def start(answer: bytes) -> SmallReads:
        listener = socket.create_server(("127.0.0.1", 0))

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        reads = SmallReads(("127.0.0.1", port), "h", "/b/", "r", None, PATIENCE, None)
        made.append((listener, thread, reads))
        return reads

    yield start
    for listener, thread, reads in made:
        reads.close()
        listener.close()
        thread.join(5)


def test_a_plain_whole_answer_is_taken(answers):
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\none"
    reads = answers(whole)
    assert reads.read("k", "e", 3) == b"one"
    assert reads._idle.empty()


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
    assert answers(answer).read("k", "e", 3) is None


def test_nobody_there_is_not_an_error_here():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    reads = SmallReads(("127.0.0.1", port), "h", "/b/", "r", None, PATIENCE, None)
    assert reads.read("k", "e", 3) is None
