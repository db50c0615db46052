"""A watch ends in a final state that the server has said, whatever happens to the connection."""

import json

import pytest
from support.fake_argo import EVENTS, WORKFLOWS, Reply, error, event, stream_error

from argojobs.client.watching import OUTAGE
from argojobs.errors import NotFoundError, ServerError

WATCH = f"GET {EVENTS}"
ONE = f"GET {WORKFLOWS}/one"


def seen(service, name="one"):
    return [(found.type, found.workflow["status"]["phase"]) for found in service.watch(name)]


def test_a_final_run_is_shown_once(argo, service):
    argo.add("one", "Succeeded")
    assert seen(service) == [("ADDED", "Succeeded")]
    assert argo.asked(WATCH) == []


def test_changes_come_until_the_end(argo, service):
    run = argo.add("one")
    version = run["metadata"]["resourceVersion"]
    running, done = argo.change("one", "Running"), argo.change("one", "Succeeded")
    argo.workflows["one"] = run
    argo.script(WATCH, Reply([event("MODIFIED", running), event("MODIFIED", done)]))
    assert seen(service) == [("ADDED", ""), ("MODIFIED", "Running"), ("MODIFIED", "Succeeded")]
    query = argo.asked(WATCH)[0].query
    assert query["listOptions.fieldSelector"] == "metadata.name=one"
    assert query["listOptions.resourceVersion"] == version


def test_a_run_that_is_not_there(service):
    with pytest.raises(NotFoundError, match=r'lab: workflows\.argoproj\.io "one" not found'):
        seen(service)


def test_what_was_seen_is_not_shown_again(argo, service):
    run = argo.add("one", "Running")
    newer = argo.change("one", "Running")
    done = argo.change("one", "Failed")
    argo.workflows["one"] = run
    events = [event("ADDED", run), event("MODIFIED", newer), event("MODIFIED", newer)]
    argo.script(WATCH, Reply([*events, event("MODIFIED", run), event("MODIFIED", done)]))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Running"), ("MODIFIED", "Failed")]


BREAKS = [
    Reply([]),  # it just ends
    Reply([stream_error(8, "EOF")]),  # Kubernetes' watch has ended
    Reply([stream_error(3, "too old resource version: 1 (2)")]),
    Reply([stream_error(13, "Internal error")]),
    Reply(cut=-1),
    Reply(["x" * 100], cut=40),
    Reply("<html>down</html>", 502, "text/html"),
    Reply({"code": 14, "message": "unavailable"}, 503),
]


@pytest.mark.parametrize("reply", BREAKS)
def test_a_stream_that_ends_or_breaks_is_opened_again(argo, service, reply):
    run = argo.add("one", "Running")
    done = argo.change("one", "Succeeded")
    argo.workflows["one"] = run
    argo.script(WATCH, reply, Reply([event("MODIFIED", done)]))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Succeeded")]


@pytest.mark.parametrize("reply", BREAKS)
def test_what_ended_meanwhile_is_read(argo, service, reply):
    argo.add("one", "Running")
    argo.script(WATCH, Reply(**{**_fields(reply), "act": lambda: argo.change("one", "Failed")}))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Failed")]
    assert len(argo.asked(WATCH)) == 1


def _fields(reply):
    return {name: getattr(reply, name) for name in Reply.__dataclass_fields__}


def test_an_event_that_is_cut_is_none(argo, service):
    run = argo.add("one", "Running")
    done = argo.change("one", "Succeeded")
    argo.workflows["one"] = run
    whole = len(json.dumps(event("MODIFIED", done)))
    argo.script(WATCH, Reply([event("MODIFIED", done)], cut=whole - 10), Reply([]), Reply([]))
    argo.script(WATCH, Reply([event("MODIFIED", done)]))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Succeeded")]
    assert len(argo.asked(WATCH)) == 4


def test_a_server_that_restarts_is_waited_for(argo, service, time):
    argo.add("one", "Running")
    argo.script(WATCH, Reply(cut=-1))
    argo.script(ONE, None, *[Reply(cut=-1)] * 6, None)
    argo.script(WATCH, Reply([], act=lambda: argo.change("one", "Succeeded")))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Succeeded")]
    assert time.slept[:7] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0]


def test_after_too_long_an_outage_the_state_is_unknown(argo, service, time):
    argo.add("one", "Running")
    argo.script(ONE, None)
    argo.always(ONE, error(503, 14, "unavailable"))
    argo.always(WATCH, error(503, 14, "unavailable"))
    with pytest.raises(ServerError) as caught:
        seen(service)
    assert str(caught.value) == (
        "lab: the state of one is unknown: the server failed: unavailable\n"
        "  ask once the server answers again: argojobs get one"
    )
    assert caught.value.exit_code == 3
    assert OUTAGE < time.now < OUTAGE + 30


def test_a_long_run_with_many_short_streams_is_no_outage(argo, service, time, monkeypatch):
    monkeypatch.setattr("argojobs.client.watching.OUTAGE", 2.0)
    run = argo.add("one", "Running")
    argo.script(WATCH, *[Reply([])] * 20)
    argo.script(WATCH, Reply([], act=lambda: argo.change("one", "Succeeded")))
    assert run["status"]["phase"] == "Running"
    assert seen(service)[-1] == ("MODIFIED", "Succeeded")
    assert time.now > 2.0


def test_a_token_that_expires_in_mid_watch_is_asked_for_again(argo, connect):
    run = argo.add("one", "Running")
    done = argo.change("one", "Succeeded")
    argo.workflows["one"] = run
    given = iter(["old", "new"])
    argo.tokens = {"Bearer old"}

    def expires():
        argo.tokens = {"Bearer new"}

    argo.script(WATCH, Reply([], act=expires), None, Reply([event("MODIFIED", done)]))
    service = connect(token=lambda: next(given))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Succeeded")]


def test_a_deleted_run_is_said_to_be(argo, service):
    run = argo.add("one", "Running")
    argo.script(WATCH, Reply([event("DELETED", run)]))
    assert seen(service) == [("ADDED", "Running"), ("DELETED", "Running")]


def test_a_run_deleted_after_its_end_has_its_end(argo, service):
    run = argo.add("one", "Running")
    done = argo.change("one", "Succeeded")
    argo.workflows["one"] = run
    argo.script(WATCH, Reply([event("DELETED", done)]))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Succeeded")]


def archived(argo, phase):
    argo.change("one", phase)
    argo.archive_run("one")


def test_a_run_that_vanished_is_looked_up_in_the_archive(argo, service):
    argo.add("one", "Running")
    argo.script(WATCH, Reply([], act=lambda: archived(argo, "Failed")))
    argo.script(ONE, None, error(404, 5, "not found"))  # an older server: no look into the archive
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Failed")]


def test_a_run_that_vanished_without_trace_is_unknown_never_a_success(argo, service):
    argo.add("one", "Running")
    argo.script(WATCH, Reply([], act=lambda: argo.workflows.pop("one")))
    with pytest.raises(ServerError) as caught:
        seen(service)
    assert str(caught.value) == (
        "lab: one is gone, and not in the archive: how it ended is unknown\n"
        "  it was deleted while nobody watched, or its time to live was over; the workflow "
        "archive of Argo keeps runs"
    )
    assert caught.value.exit_code == 3


def test_another_run_of_the_name_is_not_the_run(argo, service):
    argo.add("one", "Running")

    def replaced():
        argo.workflows["one"]["metadata"] = {**argo.workflows["one"]["metadata"], "uid": "other"}
        argo.change("one", "Succeeded")

    argo.script(WATCH, Reply([], act=replaced))
    with pytest.raises(ServerError, match="how it ended is unknown"):
        seen(service)


def without_version(run, **status):
    run = {**run, "metadata": {**run["metadata"]}, "status": {**run["status"], **status}}
    del run["metadata"]["resourceVersion"]
    return run


def test_a_run_whose_objects_have_no_version_ends_all_the_same(argo, service):
    argo.add("one", "Running")
    argo.workflows["one"] = without_version(argo.workflows["one"])
    first = argo.workflows["one"]
    nodes = {**first, "status": {**first["status"], "progress": "1/2"}}
    done = {**nodes, "status": {**nodes["status"], "phase": "Succeeded"}}
    events = [event("MODIFIED", one) for one in (nodes, nodes, done)]
    argo.script(WATCH, Reply(events))
    assert seen(service) == [
        ("ADDED", "Running"), ("MODIFIED", "Running"), ("MODIFIED", "Succeeded"),
    ]  # fmt: skip


def test_what_ended_meanwhile_is_read_without_versions_too(argo, service):
    argo.add("one", "Running")
    first = argo.workflows["one"] = without_version(argo.workflows["one"])
    done = {**first, "status": {**first["status"], "phase": "Failed"}}
    argo.script(WATCH, Reply([], act=lambda: argo.workflows.update(one=done)))
    assert seen(service) == [("ADDED", "Running"), ("MODIFIED", "Failed")]


@pytest.mark.parametrize("version", ["", None, 7])
def test_odd_versions_end_as_well(argo, service, version):
    argo.add("one", "Running")
    first = argo.workflows["one"]
    first["metadata"]["resourceVersion"] = version
    done = {**first, "status": {**first["status"], "phase": "Failed"}}
    if version == 7:
        done["metadata"] = {**first["metadata"], "resourceVersion": 8}
    argo.script(WATCH, Reply([event("MODIFIED", done)]))
    assert seen(service)[-1] == ("MODIFIED", "Failed")


def test_a_break_is_told_once_and_not_again_at_once(argo, connect, time):
    told = []
    service = connect(note=told.append)
    argo.add("one", "Running")
    argo.script(WATCH, *[Reply(cut=-1)] * 5)
    argo.script(WATCH, Reply([], act=lambda: argo.change("one", "Succeeded")))
    assert seen(service)[-1] == ("MODIFIED", "Succeeded")
    (line,) = told
    assert line.startswith("one is followed again once it can be: the server lab (")
    assert "closed the connection" in line
