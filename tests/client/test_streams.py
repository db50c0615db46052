"""Streams: one message a line, in either of Argo's forms."""

import pytest
from support.fake_argo import EVENTS, Reply

from argojobs.client.streams import lines, messages
from argojobs.errors import ServerError, UnsupportedError, UsageError


def test_lines_are_put_together_and_the_unfinished_last_one_is_left_out():
    assert list(lines([b"a\nb", b"c", b"d\n\n", b"e"])) == [b"a", b"bcd", b""]


def read(argo, service, body, kind="text/event-stream"):
    argo.script(f"GET {EVENTS}", Reply(body, type=kind))
    return list(messages(service.transport, EVENTS, {}))


def test_server_sent_events_comments_and_plain_lines(argo, service):
    body = ':\n\ndata: {"result":{"a":1}} \n\n\n:\ndata:{"result":{"a":2}}\nid: 1\n'
    assert read(argo, service, body) == [{"a": 1}, {"a": 2}]
    assert argo.requests[0].headers["Accept"] == "text/event-stream"
    assert read(argo, service, '{"result":{"a":1}}\n', "application/json") == [{"a": 1}]


def test_a_line_that_is_no_message_is_an_error_after_those_before_it(argo, service):
    body = 'data: {"result":{"a":1}}\ndata: {"result":\ndata: {"a":2}}\n'
    argo.script(f"GET {EVENTS}", Reply(body, type="text/event-stream"))
    got = messages(service.transport, EVENTS, {})
    assert next(got) == {"a": 1}
    with pytest.raises(ServerError, match="a line of the stream is not JSON"):
        next(got)


def test_lines_that_only_together_are_json_are_no_messages(argo, service):
    body = 'data: {"result":{"a":1}\ndata: {"b":2}}\n'
    with pytest.raises(ServerError, match="a line of the stream is not JSON"):
        read(argo, service, body)


def test_an_error_in_a_stream_is_raised(argo, service):
    body = '{"error":{"grpc_code":12,"message":"unknown method"}}\n'
    with pytest.raises(UnsupportedError, match=f"has no GET {EVENTS}"):
        read(argo, service, body)


def test_a_login_page_instead_of_a_stream(argo, service):
    with pytest.raises(UsageError, match='a web page "Sign in" answers'):
        read(argo, service, "<html><title>Sign in</title></html>", "text/html")
