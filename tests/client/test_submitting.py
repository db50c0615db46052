"""A workflow is created once, whatever becomes of the answer."""

from dataclasses import replace

import pytest
from support.fake_argo import WORKFLOWS, Reply, error

from argojobs.client.submitting import SUBMISSION, TRIES
from argojobs.errors import ConflictError, ServerError, UsageError

CREATE = f"POST {WORKFLOWS}"
UNAVAILABLE = error(503, 14, "unavailable")


def workflow(name="one", **metadata):
    return {"metadata": {"name": name, **metadata}, "spec": {"entrypoint": "main"}}


def test_the_workflow_is_sent_with_a_key_and_returned_whole(argo, service):
    given = workflow(labels={"a": "b"}, generateName="one-")
    created = service.create(given)
    assert created["metadata"]["uid"] == "uid-one"
    assert (created["apiVersion"], created["kind"]) == ("argoproj.io/v1alpha1", "Workflow")
    sent = argo.requests[0].body
    assert sent["namespace"] == "argo"
    assert sent["workflow"]["metadata"]["namespace"] == "argo"
    assert "generateName" not in sent["workflow"]["metadata"]
    assert sent["workflow"]["metadata"]["labels"]["a"] == "b"
    assert len(sent["workflow"]["metadata"]["labels"][SUBMISSION]) == 32
    assert len(argo.requests) == 1
    assert given == workflow(labels={"a": "b"}, generateName="one-")


@pytest.mark.parametrize("metadata", [{}, {"name": ""}, {"name": None}, {"generateName": "x-"}])
def test_a_name_must_be_given(argo, service, metadata):
    with pytest.raises(UsageError, match=r"metadata\.name: the workflow has no name"):
        service.create({"metadata": metadata, "spec": {}})
    assert argo.requests == []


def test_two_submissions_have_two_keys(argo, service):
    service.create(workflow("one"))
    service.create(workflow("two"))
    keys = {request.body["workflow"]["metadata"]["labels"][SUBMISSION] for request in argo.requests}
    assert len(keys) == 2


def test_a_name_that_is_taken_is_a_conflict(argo, service):
    argo.add("one")
    with pytest.raises(ConflictError, match=r'lab: workflows\.argoproj\.io "one" already exists'):
        service.create(workflow())
    assert len(argo.asked(CREATE)) == 1


@pytest.mark.parametrize(
    "unclear",
    [
        Reply(lost=True),
        Reply({"metadata": {"name": "one"}}, cut=5, act=None),
        error(500, 13, "etcdserver: request timed out"),
        error(504, 4, "context deadline exceeded"),
        Reply("<html>Bad Gateway</html>", 502, "text/html"),
        Reply(""),
    ],
)
def test_without_a_clear_answer_it_is_looked_up_and_sent_again_if_it_is_not_there(
    argo, service, unclear
):
    argo.script(CREATE, unclear)
    created = service.create(workflow())
    assert created["metadata"]["name"] == "one"
    assert list(argo.workflows) == ["one"]
    assert len(argo.asked(CREATE)) == (1 if unclear.lost else 2)


def test_when_the_answer_is_lost_the_run_is_ours_by_its_key(argo, service, time):
    argo.script(CREATE, Reply(lost=True))
    created = service.create(workflow())
    assert created["metadata"]["uid"] == "uid-one"
    assert created["kind"] == "Workflow"
    assert time.slept == []


def test_another_submission_of_the_name_is_not_ours(argo, service):
    argo.script(CREATE, Reply(cut=-1, act=lambda: argo.add("one", labels={SUBMISSION: "theirs"})))
    with pytest.raises(ConflictError, match="another submission took the name"):
        service.create(workflow())
    assert len(argo.asked(CREATE)) == 1


def test_an_answer_that_comes_late_is_found(argo, service):
    """The first request is carried out only after the look-up: the second one conflicts."""
    sent = []

    def late():
        first = argo.requests[0].body["workflow"]["metadata"]["labels"]
        sent.append(argo.add("one", labels=first))

    argo.script(CREATE, UNAVAILABLE, Reply({"code": 6, "message": "exists"}, 409, act=late))
    assert service.create(workflow())["metadata"]["uid"] == "uid-one"
    assert len(argo.workflows) == 1


def test_it_is_not_sent_for_ever(argo, service, time):
    argo.always(CREATE, UNAVAILABLE)
    with pytest.raises(ServerError) as caught:
        service.create(workflow())
    assert str(caught.value) == (
        "lab: it is not known whether one was submitted: the server failed: unavailable\n"
        "  ask once the server answers again: argojobs get one; under the same name it cannot be "
        "started twice"
    )
    assert caught.value.exit_code == 3
    assert len(argo.asked(CREATE)) == TRIES
    assert time.slept == [0.5, 1.0, 2.0, 4.0]


def test_when_it_cannot_be_looked_up_either_it_is_not_sent_again(argo, service):
    argo.script(CREATE, Reply(lost=True))
    argo.always(f"GET {WORKFLOWS}/one", UNAVAILABLE)
    with pytest.raises(ServerError, match="it is not known whether one was submitted"):
        service.create(workflow())
    assert len(argo.asked(CREATE)) == 1


def test_what_is_refused_is_not_sent_again(argo, service):
    argo.script(CREATE, error(400, 3, "template name 'nope' undefined"))
    with pytest.raises(UsageError, match="template name 'nope' undefined"):
        service.create(workflow())
    assert len(argo.requests) == 1


def test_what_was_throttled_is_sent_again(argo, service, time):
    argo.script(CREATE, Reply({"code": 8, "message": "slow"}, 429, headers={"Retry-After": "2"}))
    assert service.create(workflow())
    assert time.slept == [2.0]


PAGE = Reply("<html><title>Log in</title></html>", type="text/html")


def stored(argo, reply):
    """A reply that comes although the workflow was stored."""

    def store():
        argo.add("one", labels=argo.requests[-1].body["workflow"]["metadata"]["labels"])

    return replace(reply, act=store)


@pytest.mark.parametrize(
    "reply",
    [
        PAGE,
        replace(PAGE, status=403),
        Reply("", 302, headers={"Location": "https://login.example.org/"}),
        Reply({"code": 8, "message": "slow"}, 429),
        Reply("too many", 429, type="text/plain", headers={"Retry-After": "99999999"}),
        Reply("null"),
        Reply("[1]"),
        Reply({"metadata": {"name": ["one"]}}),
        Reply({"code": 6, "message": "exists"}, 409),
        Reply("[" * 200_000),
    ],
)
def test_what_was_stored_is_ours_whatever_the_answer_is(argo, service, time, reply):
    argo.script(CREATE, stored(argo, reply))
    assert service.create(workflow())["metadata"]["uid"] == "uid-one"
    assert len(argo.asked(CREATE)) == 1
    assert time.slept == []


def test_a_login_page_although_it_was_stored_is_told(argo, connect):
    notes = []
    page = 'a web page "Log in" answers, not an Argo server'
    argo.script(CREATE, stored(argo, PAGE))
    service = connect()
    service._note = notes.append
    service.create(workflow())
    assert notes == [f"one was submitted, although the answer was another: {page}"]


def test_a_login_page_each_time_is_the_error_and_says_how_to_look(argo, service):
    argo.script(CREATE, stored(argo, PAGE))
    argo.always(f"GET {WORKFLOWS}/one", PAGE)
    with pytest.raises(UsageError, match='a web page "Log in" answers') as caught:
        service.create(workflow())
    assert "ask once the server answers again: argojobs get one" in str(caught.value)


def test_a_login_page_where_nothing_was_stored_is_the_error(argo, service):
    argo.script(CREATE, PAGE)
    with pytest.raises(UsageError, match='a web page "Log in" answers') as caught:
        service.create(workflow())
    assert "argojobs get" not in str(caught.value)
    assert len(argo.asked(CREATE)) == 1


def test_a_server_that_asks_for_a_year_of_patience_is_not_waited_for(argo, service, time):
    argo.script(CREATE, Reply("", 503, headers={"Retry-After": "31536000"}))
    with pytest.raises(ServerError):
        service.create(workflow())
    assert time.slept == []
