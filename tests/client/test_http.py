"""Requests: what is tried again, what is not, and how tokens and redirects are handled."""

import threading

import pytest
from support.fake_argo import EVENTS, WORKFLOWS, Reply, error, event

from argojobs.client import http
from argojobs.client.failures import AmbiguousResponseError
from argojobs.errors import ServerError, UsageError

ONE = f"{WORKFLOWS}/one"
BUSY = Reply({"code": 14, "message": "unavailable"}, 503)


def test_a_read_is_tried_again_with_growing_pauses(argo, service, time):
    argo.add("one")
    argo.script(f"GET {ONE}", BUSY, Reply(cut=-1), BUSY, None)
    assert service.get("one")["metadata"]["name"] == "one"
    assert time.slept == [0.25, 0.5, 1.0]


def test_a_read_is_not_tried_for_ever(argo, service, time):
    argo.script(f"GET {ONE}", *[BUSY] * 5, None)
    with pytest.raises(ServerError, match="lab: the server failed: unavailable"):
        service.get("one")
    assert len(argo.requests) == 5


def test_retry_after_is_kept_to(argo, service, time):
    argo.add("one")
    argo.script(
        f"GET {ONE}",
        Reply({"code": 8, "message": "slow down"}, 429, headers={"Retry-After": "7"}),
        Reply("busy", 503, type="text/plain", headers={"Retry-After": "3"}),
        None,
    )
    service.get("one")
    assert time.slept == [7.0, 3.0]


def test_too_long_a_wait_is_left_to_the_reader(argo, service, time):
    argo.script(f"GET {ONE}", Reply("", 503, headers={"Retry-After": "3600"}))
    with pytest.raises(ServerError):
        service.get("one")
    assert time.slept == []


def test_an_error_of_the_server_itself_is_not_tried_again(argo, service):
    argo.script(f"GET {ONE}", error(500, 13, "a bug"))
    with pytest.raises(AmbiguousResponseError, match="lab: the server failed: a bug"):
        service.get("one")
    assert len(argo.requests) == 1


def test_what_changes_something_is_sent_once(argo, service):
    argo.script(f"PUT {ONE}/resubmit", BUSY)
    with pytest.raises(ServerError):
        service.resubmit("one")
    assert len(argo.asked(f"PUT {ONE}/resubmit")) == 1


def test_a_bare_token_is_sent_as_bearer(argo, connect):
    argo.add("one")
    connect(token=lambda: "abc").get("one")
    assert argo.requests[-1].headers["Authorization"] == "Bearer abc"


def test_after_a_401_the_token_is_asked_for_again_once(argo, connect):
    argo.add("one")
    argo.tokens = {"Bearer new"}
    given = iter(["old", "new"])
    service = connect(token=lambda: next(given))
    service.get("one")
    service.get("one")
    sent = [request.headers["Authorization"] for request in argo.requests]
    assert sent == ["Bearer old", "Bearer new", "Bearer new"]


def test_a_token_refused_twice_is_an_error_that_does_not_show_it(argo, connect):
    argo.tokens = {"Bearer other"}
    argo.script(f"GET {ONE}", None, error(401, 16, "the token s3cr3t is old"))
    with pytest.raises(UsageError) as caught:
        connect(token=lambda: "s3cr3t").get("one")
    assert caught.value.what == "the token is not accepted: the token *** is old"
    assert caught.value.where == "lab"
    assert "ARGO_TOKEN" in caught.value.hint
    assert len(argo.requests) == 2


def test_without_a_token_one_is_asked_for(argo, service):
    argo.tokens = {"Bearer x"}
    with pytest.raises(UsageError, match="lab: a token is wanted, and none is given"):
        service.get("one")


def test_a_netrc_file_does_not_replace_the_token(argo, connect, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password x\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    argo.add("one")
    connect(token=lambda: "abc").get("one")
    assert argo.requests[-1].headers["Authorization"] == "Bearer abc"


def test_a_token_is_not_carried_elsewhere(argo, connect):
    argo.script(
        f"GET {ONE}", Reply("", 302, headers={"Location": "https://login.example.org/in?back=x"})
    )
    with pytest.raises(UsageError) as caught:
        connect(token=lambda: "abc").get("one")
    assert caught.value.what == "it sends to another address: https://login.example.org"
    assert len(argo.requests) == 1


def test_a_base_href_lies_before_every_path(argo, connect):
    argo.script("GET /argo/api/v1/version", Reply({"version": "v4"}))
    assert connect(f"{argo.url}/argo").version() == "v4"


def test_names_are_quoted_in_paths(argo, service):
    with pytest.raises(UsageError):
        service.get("a/b?c")
    assert argo.requests[-1].path == f"{WORKFLOWS}/a/b?c"
    assert argo.requests[-1].query == {}


@pytest.mark.parametrize("way", ["answer", "stream"])
def test_a_server_that_accepts_and_does_not_answer_is_told_of(argo, connect, monkeypatch, way):
    monkeypatch.setattr(http, "TOLD_AFTER", dict.fromkeys(http.TOLD_AFTER, 0.01))
    told, said = [], threading.Event()

    def note(text):
        told.append(text)
        said.set()

    service = connect(note=note)
    argo.add("one")
    silent = {"act": lambda: said.wait(30)}
    if way == "answer":
        argo.script(f"GET {ONE}", Reply(argo.workflows["one"], **silent))
        service.get("one")
    else:
        argo.add("one", "Running")
        done = event("MODIFIED", argo.change("one", "Succeeded"))
        argo.workflows["one"] = argo.workflows["one"] | {"status": {"phase": "Running"}}
        argo.script(f"GET {EVENTS}", Reply([done], **silent))
        argo.workflows["one"]["metadata"] = {**argo.workflows["one"]["metadata"], "resourceVersion": "1"}  # fmt: skip
        assert [one.type for one in service.watch("one")] == ["ADDED", "MODIFIED"]
    assert len(told) == 1
    assert "has not answered for 0.01 seconds; it is waited for up to" in told[0]


def test_a_server_that_answers_is_not_told_of(argo, connect):
    told = []
    argo.add("one")
    connect(note=told.append).get("one")
    assert told == []
