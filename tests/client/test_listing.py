"""Lists of runs: all pages, newest first, and only the fields that are wanted."""

import pytest
from support.fake_argo import WORKFLOWS, Reply, error

from argojobs.client import listing

LIST = f"GET {WORKFLOWS}"


def names(runs):
    return [run["metadata"]["name"] for run in runs]


def add(argo, count):
    for number in range(count):
        argo.add(f"run-{number}", "Succeeded")
    return [f"run-{number}" for number in reversed(range(count))]


def test_runs_are_listed_newest_first(argo, service):
    expected = add(argo, 3)
    assert names(service.list()) == expected
    assert service.names() == tuple(expected)


def test_names_with_labels_say_whose_runs_are(argo, service):
    argo.add("run-0", "Succeeded")
    argo.add("mine", "Running", labels={"argojobs.dev/user": "me"})
    found = service.names_and_labels()
    assert [name for name, _ in found] == ["mine", "run-0"]
    assert found[0][1]["argojobs.dev/user"] == "me"
    assert "items.spec" not in argo.requests[-1].query["fields"]


def test_runs_whose_names_hold_a_text(argo, service):
    runs = [argo.add(name, "Succeeded") for name in ("demo-abcde", "abc")]
    argo.script(LIST, Reply({"items": runs}))
    assert [name for name, _ in service.names_and_labels("abc")] == ["abc", "demo-abcde"]
    query = argo.requests[-1].query
    assert query["nameFilter"] == "Contains"
    assert query["listOptions.fieldSelector"] == "metadata.name=abc"
    assert "items.metadata.labels" in query["fields"]


def test_runs_of_one_user_by_their_names(argo, service):
    argo.add("mine", labels={"user": "me"})
    argo.add("theirs", labels={"user": "them"})
    found = service.names_and_labels(labels={"user": "me"})
    assert [name for name, _ in found] == ["mine"]


def test_nodes_are_not_asked_for(argo, service):
    add(argo, 1)
    service.list()
    assert argo.requests[0].query["fields"].startswith("-items.status.nodes,")
    service.names()
    assert "items.metadata.name" in argo.requests[-1].query["fields"]


def test_a_line_about_each_run_needs_no_templates(argo, service):
    expected = add(argo, 2)
    assert names(service.summaries()) == expected
    fields = argo.requests[0].query["fields"].split(",")
    assert {"items.metadata.labels", "items.status.phase", "items.spec.priority"} <= {*fields}
    assert not {"items.spec", "items.status", "items.spec.templates"} & {*fields}


def test_runs_of_one_second_are_listed_by_name(argo, service):
    for name in ("b", "a", "c"):
        argo.add(name, "Succeeded")["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    argo.add("new", "Succeeded")["metadata"]["creationTimestamp"] = "2026-01-01T00:00:01Z"
    assert names(service.list()) == ["new", "a", "b", "c"]


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("count", [0, 1, 4, 5, 10, 11])
def test_all_pages_are_read_even_where_the_server_does_not_say_there_are_more(
    argo, service, monkeypatch, count, forgets
):
    monkeypatch.setattr(listing, "PAGE", 5)
    argo.forgets_continue = forgets
    expected = add(argo, count)
    assert names(service.list()) == expected


def test_an_older_server_that_takes_no_guessed_page(argo, service, monkeypatch):
    monkeypatch.setattr(listing, "PAGE", 2)
    expected = add(argo, 2)
    argo.script(LIST, None, error(400, 3, "continue key is not valid"))
    assert names(service.list()) == expected


def test_a_page_that_fails_is_an_error(argo, service, monkeypatch):
    argo.script(LIST, error(400, 3, "unable to parse"))
    with pytest.raises(Exception, match="lab: unable to parse"):
        service.list()


def test_runs_with_labels(argo, service):
    add(argo, 2)
    argo.add("mine", labels={"user": "me", "x": "y"})
    argo.add("theirs", labels={"user": "them", "x": "y"})
    assert names(service.list(labels={"user": "me", "x": "y"})) == ["mine"]


def test_the_newest_few_hold_those_not_started_yet(argo, service):
    for number, started in enumerate(("2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", None)):
        ended = {"workflows.argoproj.io/completed": "true"} if started else {}
        argo.add(f"run-{number}", labels=ended)["status"]["startedAt"] = started
    assert names(service.list(limit=1)) == ["run-2"]
    assert names(service.list(limit=2)) == ["run-2", "run-1"]
    assert names(service.list(limit=9)) == ["run-2", "run-1", "run-0"]


def test_no_runs_may_be_null(argo, service):
    argo.script(LIST, Reply({"metadata": {}, "items": None}))
    assert service.list() == []
