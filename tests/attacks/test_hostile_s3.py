"""An S3 service that wants keys for somebody else, or our memory, disk or time.

Right: within seconds an error of ours; nothing goes to another address; nothing half is left.
"""

import time

import pytest
from support.hostile_server import ENDLESS, ODD, drip, forever, head, hostile, once, whole

from argojobs.errors import ArgojobsError, ServerError
from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, s3_place

WITHIN = 30.0
KEYS = S3Credentials("the-access-key", "the-secret-key", "the-session-token")
PATIENCE = RetryPolicy(connect=2, read=2, retries=1, pause=0.01)
pytestmark = pytest.mark.usefixtures("small", "figure")


def opened(server, kind="minio"):
    place = s3_place(server.url, "bucket", kind=kind, region="us-east-1", style="path")
    return S3Repository(place, KEYS, workers=2, retry_policy=PATIENCE)


OPERATIONS = {
    "get": lambda store, folder: store.get("k", str(folder / "got")),
    "put": lambda store, folder: store.put(str(folder / "given"), "k"),
    "list": lambda store, _: list(store.list("k")),
    "level": lambda store, _: list(store.level("k")),
    "delete": lambda store, _: store.delete("k"),
    "kind": lambda store, _: store.kind("k"),
}


def tried(server, operation, folder, kind="minio"):
    """Try an operation and return what it raised, None for nothing; nothing half may be left."""
    (folder / "given").write_bytes(b"x" * 1000)
    begun, error = time.monotonic(), None
    try:
        OPERATIONS[operation](opened(server, kind), folder)
    except ArgojobsError as raised:
        error = raised
    assert not {"the-secret-key", "the-session-token"} & set(str(error).split())
    assert time.monotonic() - begun < WITHIN
    assert {path.name for path in folder.iterdir()} <= {"given", "got"}
    return error


@pytest.mark.parametrize("how", ENDLESS)
@pytest.mark.parametrize("operation", ["list", "put"])
def test_an_answer_without_end_is_an_error(tmp_path, operation, how):
    with hostile(ENDLESS[how]) as server:
        assert tried(server, operation, tmp_path) is not None
    assert server.sent < 1 << 25


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", ["application/xml", "application/json", "text/html"])
def test_what_is_no_s3_is_an_error(tmp_path, odd, kind):
    for operation in ("list", "level"):
        with hostile(once(whole(ODD[odd], kind))) as server:
            tried(server, operation, tmp_path)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("kind", ["minio", "aistore", "aws"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_redirect_to_another_host_gets_nothing(tmp_path, operation, kind, status):
    with hostile(once(whole(b"", "application/xml"))) as elsewhere:
        there = f"http://localhost:{elsewhere.port}/x"
        with hostile(once(whole(b"", "text/html", f"{status} Moved", Location=there))) as server:
            error = tried(server, operation, tmp_path, kind)
    assert elsewhere.requests == []
    assert "sends to another address, which is not followed" in str(error)


def test_a_redirect_on_the_same_host_is_followed_for_aistore_only(tmp_path):
    for kind, followed in (("aistore", True), ("minio", False)):
        with hostile(once(whole(b"", ETag='"x"'))) as target:
            sent_on = whole(b"", status="307 Moved", Location=f"{target.url}/x")
            with hostile(once(sent_on)) as server:
                tried(server, "put", tmp_path, kind)
        assert bool(target.requests) is followed


def stored(size, answer):
    """A service that has an object of a size, and gives `answer` for it."""

    def answers(request):
        if request.startswith(b"HEAD"):
            lines = ["HTTP/1.1 200 OK", f"Content-Length: {size}", 'ETag: "%s"' % ("0" * 32)]
            yield ("\r\n".join(lines) + "\r\n\r\n").encode()
        else:
            yield from answer(request)

    return answers


@pytest.mark.parametrize("size", [10**15, 10**18, 2**63])
def test_an_object_larger_than_any_disk_is_refused_before_it_is_fetched(tmp_path, size):
    with hostile(stored(size, once(whole(b"x")))) as server:
        assert "more than this disk" in str(tried(server, "get", tmp_path))
    assert not any(request.startswith(b"GET") for request in server.requests)


PARTIAL = "206 Partial Content"
WRONG = {
    "less each time": once(whole(b"", "x/y", PARTIAL)),
    "a byte each time": once(whole(b"x", "x/y", PARTIAL)),
    "more than was asked for": forever(head("x/y"), b"x" * 65536),
    "what drips": drip(head("x/y", "Content-Length: 100000")),
    "a bomb": once(whole(b"\x1f\x8b" + b"\0" * 100, "x/y", PARTIAL, Content_Encoding="gzip")),
    "1xx without end": forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
}


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("size", [100_000, 9 << 20])
def test_content_that_is_not_what_was_promised_is_an_error(tmp_path, how, size):
    with hostile(stored(size, WRONG[how])) as server:
        error = tried(server, "get", tmp_path) if size < 1 << 20 else fetched(server, tmp_path)
    assert isinstance(error, ServerError)
    assert not (tmp_path / "got").exists()
    assert server.sent < 1 << 26


def fetched(server, folder):
    """Fetch what is large; what came of it may stay for the next try."""
    begun = time.monotonic()
    with pytest.raises(ArgojobsError) as caught:
        opened(server).get("k", str(folder / "got"))
    assert time.monotonic() - begun < WITHIN
    return caught.value


def page(keys, more):
    listed = "".join(
        f"<Contents><Key>{key}</Key><Size>1</Size><ETag>x</ETag></Contents>" for key in keys
    )
    return whole(
        f"<ListBucketResult><Name>bucket</Name><IsTruncated>true</IsTruncated>"
        f"<NextContinuationToken>{more}</NextContinuationToken>{listed}</ListBucketResult>".encode(),
        "application/xml",
    )


LISTS = {
    "the same page": lambda number: page(["k/a"], "x"),
    "empty pages": lambda number: page([], f"x{number}"),
    "new pages": lambda number: page([f"k/{number}"], f"x{number}"),
    "no token": lambda number: page([], ""),
}


@pytest.mark.parametrize("how", LISTS)
@pytest.mark.parametrize("operation", ["list", "level"])
def test_a_list_without_end_has_one(tmp_path, monkeypatch, how, operation):
    monkeypatch.setattr("argojobs.storage.s3_client.LONGEST_LIST", 100_000)
    numbers = iter(range(10**9))

    def answer(request):
        if request.startswith(b"HEAD"):
            yield b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        elif b"list-type" in request:
            yield LISTS[how](next(numbers))
        else:
            yield whole(b"<e/>", "application/xml", "404 Not Found")

    with hostile(answer) as server:
        assert "the list has no end" in str(tried(server, operation, tmp_path))
    assert len(server.requests) < 110


@pytest.mark.parametrize("key", ["../../up", "k/../../up", "/etc/x", "k//x", "k/./x", "k/\x01"])
def test_a_key_that_leads_out_is_not_followed(tmp_path, key):
    def answer(request):
        if request.startswith(b"HEAD"):
            yield b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        elif b"list-type" in request:
            yield page([key], "x").replace(b">true<", b">xxxx<")
        else:
            yield whole(b"x")

    (tmp_path / "in").mkdir()
    with hostile(answer) as server:
        tried(server, "get", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_year_of_patience_is_not_given(tmp_path):
    busy = whole(b"", "text/plain", "503 Busy", Retry_After="31536000")
    with hostile(once(busy)) as server:
        assert tried(server, "list", tmp_path) is not None
