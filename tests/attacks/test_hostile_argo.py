"""A server that wants Argo's client to hang, to swell, to believe it or to crash.

Right: within seconds, an error of ours that names the server and is not a bug; nothing that was
stored is said not to be.
"""

import time

import pytest
from support.hostile_server import CHUNKED, ENDLESS, ODD, drip, forever, head, hostile, once, whole

from argojobs.client import http
from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService
from argojobs.errors import ArgojobsError, ServerError

WITHIN = 20.0
TOKEN = "a-token-that-nobody-may-see"

OPERATIONS = {
    "get": lambda service: service.get("one"),
    "list": lambda service: service.list(),
    "names": lambda service: service.names(),
    "names and labels": lambda service: service.names_and_labels("on"),
    "version": lambda service: service.version(),
    "create": lambda service: service.create({"metadata": {"name": "one"}, "spec": {}}),
    "stop": lambda service: service.stop("one"),
    "resubmit": lambda service: service.resubmit("one"),
    "delete": lambda service: service.delete("one"),
    "watch": lambda service: list(service.watch("one")),
    "logs": lambda service: list(service.logs("one")),
}
pytestmark = pytest.mark.usefixtures("small", "figure")


@pytest.fixture
def open_service(monkeypatch):
    """Open the service on a server; no pauses, and patience for a second."""
    monkeypatch.setattr(http, "ANSWER_TIMEOUT", 2.0)
    monkeypatch.setattr(http, "CONNECT_TIMEOUT", 2.0)
    monkeypatch.setattr(http, "SILENCE_TIMEOUT", 2.0)
    clock = iter(range(0, 10**9, 1000))
    made = []

    def sleep(_seconds):  # a run that goes on for ever is watched as long as somebody wants to
        slept.append(1)
        if len(slept) > 100:
            raise ServerError("enough")

    slept = []

    def open_(server):
        address = ServerAddress(server.url, "argo", token=lambda: TOKEN, label="lab")
        made.append(ArgoService(address, sleep=sleep, clock=lambda: next(clock), jitter=lambda: 0))
        return made[-1]

    yield open_
    for each in made:
        each.close()


def tried(open_service, server, operation):
    """Try an operation and return what it raised, None for nothing."""
    begun, error = time.monotonic(), None
    try:
        OPERATIONS[operation](open_service(server))
    except ArgojobsError as raised:
        error = raised
    assert TOKEN not in str(error)
    assert time.monotonic() - begun < WITHIN
    return error


@pytest.mark.parametrize("how", ENDLESS)
@pytest.mark.parametrize("operation", ["get", "list", "create"])
def test_an_answer_without_end_is_an_error(open_service, operation, how):
    with hostile(ENDLESS[how]) as server:
        error = tried(open_service, server, operation)
    assert isinstance(error, ServerError)
    assert server.sent < 1 << 25


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_answer_of_another_shape_is_an_error_or_means_nothing(open_service, operation, odd):
    with hostile(once(whole(ODD[odd]))) as server:
        tried(open_service, server, operation)


EVENTS = "text/event-stream"
ONE = whole(b'{"metadata":{"name":"one","uid":"u"},"spec":{},"status":{"phase":"Running"}}')
STREAMS = {
    "a line without end": forever(head(EVENTS), b"x" * 65536),
    "a message without end": forever(head(EVENTS) + b'data: {"result":', b'{"a":' * 16384),
    "a chunk of 10^15": forever(head(EVENTS, CHUNKED) + b"%x\r\n" % 10**15, b"x" * 65536),
    "null": once(whole(b"data: null\n", EVENTS)),
    "a result that is a list": once(whole(b'data: {"result":[1]}\n', EVENTS)),
    "an error that is a text": once(whole(b'data: {"error":"x"}\n', EVENTS)),
    "a code that is a list": once(whole(b'data: {"error":{"grpc_code":[1]}}\n', EVENTS)),
    "an object that is a list": once(whole(b'data: {"result":{"object":[]}}\n', EVENTS)),
    "an object with odd metadata": once(
        whole(b'data: {"result":{"object":{"metadata":[]}}}\n', EVENTS)
    ),
    "content that is a number": once(
        whole(b'data: {"result":{"podName":{"a":1},"content":5}}\n', EVENTS)
    ),
    "nested too deeply": once(whole(b'data: {"result":' + b"[" * 200_000 + b"\n", EVENTS)),
    "a date that is none": once(
        whole(b'data: {"result":{"podName":"p","content":"9999-99-99T99:99:99Z x"}}\n', EVENTS)
    ),
}


@pytest.mark.parametrize("how", STREAMS)
@pytest.mark.parametrize("operation", ["watch", "logs"])
def test_a_stream_that_is_none_ends_in_an_error(open_service, operation, how):
    def answer(request):
        stream = b"/log?" in request or b"/workflow-events/" in request
        return STREAMS[how](request) if stream else iter([ONE])

    with hostile(answer) as server:
        if operation == "logs":  # read to its end, which comes, or not at all
            tried(open_service, server, operation)
        else:
            assert isinstance(tried(open_service, server, operation), ArgojobsError)


def test_pages_without_end_are_not_asked_for_for_ever(open_service, monkeypatch):
    monkeypatch.setattr("argojobs.client.listing.LONGEST_LIST", 100_000)
    numbers = iter(range(10**9))

    def answer(_request):
        number = next(numbers)
        yield whole(
            b'{"metadata":{"continue":"%d"},"items":[{"metadata":{"name":"n%d"}}]}'
            % (number, number)
        )

    with hostile(answer) as server:
        assert "it has no end" in str(tried(open_service, server, "list"))
    assert len(server.requests) == 50


def test_the_same_page_again_and_again_is_the_end(open_service):
    page = whole(b'{"metadata":{"continue":"x"},"items":[{"metadata":{"name":"one"}}]}')
    with hostile(once(page)) as server:
        assert tried(open_service, server, "list") is None
    assert len(server.requests) == 2


def test_a_page_that_echoes_the_header_does_not_show_the_token(open_service):
    def answer(request):
        yield whole(b"<title>" + request + b"</title>", "text/html")

    for operation in OPERATIONS:
        with hostile(answer) as server:
            assert "a web page" in str(tried(open_service, server, operation))


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "404 No", "500 Bad", "418 Tea"])
def test_an_error_that_echoes_the_header_does_not_show_the_token(open_service, status):
    def answer(request):
        yield whole(request, "text/plain", status)

    for operation in OPERATIONS:
        with hostile(answer) as server:
            assert tried(open_service, server, operation) is not None


def test_a_redirect_elsewhere_gets_no_token(open_service):
    with hostile(once(whole(b"{}"))) as elsewhere:
        sent_on = whole(b"", status="307 Moved", Location=f"{elsewhere.url}/x?{TOKEN}")
        for operation in OPERATIONS:
            with hostile(once(sent_on)) as server:
                assert tried(open_service, server, operation) is not None
    assert elsewhere.requests == []


@pytest.mark.parametrize("asked", ["99999999999", "inf", "nan", "-1", "1e400", "x", "31"])
def test_a_year_of_patience_is_not_given(open_service, monkeypatch, asked):
    slept = []
    busy = whole(b"busy", "text/plain", "503 Busy", Retry_After=asked)
    for operation in ("get", "create", "watch", "stop"):
        with hostile(once(busy)) as server:
            service = open_service(server)
            service.transport.sleep = slept.append
            with pytest.raises(ArgojobsError):
                OPERATIONS[operation](service)
    assert all(0 <= seconds <= 30 for seconds in slept)


def test_a_file_that_drips_is_given_up(open_service, tmp_path):
    run = whole(
        b'{"metadata":{"name":"one","namespace":"argo"},"spec":{},"status":{"nodes":{"n":{"id":"n",'
        b'"outputs":{"artifacts":[{"name":"a","s3":{"key":"k"}}]}}}}}'
    )

    def answer(request):
        return drip(head("x/y"))(request) if b"/artifacts/" in request else iter([run])

    begun = time.monotonic()
    with hostile(answer) as server, pytest.raises(ServerError, match="comes too slowly"):
        open_service(server).artifact("one", "n", "a", tmp_path / "a")
    assert time.monotonic() - begun < WITHIN
    assert list(tmp_path.iterdir()) == []
