"""The verbs that change a run, each carried out once even when an answer is lost."""

import pytest
from support.fake_argo import WORKFLOWS, Reply, error

from argojobs.errors import ConflictError, NotFoundError, ServerError

ONE = f"{WORKFLOWS}/one"
CHANGES = {
    "stop": lambda run: run["spec"]["shutdown"] == "Stop",
    "terminate": lambda run: run["spec"]["shutdown"] == "Terminate",
    "suspend": lambda run: run["spec"]["suspend"] is True,
    "resume": lambda run: run["spec"]["suspend"] is False,
}


@pytest.mark.parametrize("verb", CHANGES)
def test_a_change_returns_the_run_as_it_is_then(argo, service, verb):
    argo.add("one", "Running")
    changed = getattr(service, verb)("one")
    assert CHANGES[verb](changed)
    assert changed["kind"] == "Workflow"
    sent = argo.asked(f"PUT {ONE}/{verb}")
    assert [request.body for request in sent] == [{"namespace": "argo", "name": "one"}]


@pytest.mark.parametrize("verb", CHANGES)
@pytest.mark.parametrize("lost", [True, False])
def test_a_change_without_an_answer_is_made(argo, service, verb, lost):
    argo.add("one", "Running")
    argo.script(f"PUT {ONE}/{verb}", Reply(lost=lost, cut=-1))
    assert CHANGES[verb](getattr(service, verb)("one"))


def test_a_run_that_ended_by_a_stop_without_an_answer_was_stopped(argo, service):
    argo.add("one", "Running")

    def stopped():
        argo.workflows["one"]["spec"]["shutdown"] = "Stop"
        argo.change("one", "Failed")

    argo.script(f"PUT {ONE}/stop", Reply(cut=-1, act=stopped))
    assert service.stop("one")["status"]["phase"] == "Failed"


def test_a_run_that_ended_by_itself_cannot_be_stopped(argo, service):
    argo.add("one", "Succeeded")
    with pytest.raises(ConflictError, match="lab: cannot shutdown a completed workflow"):
        service.stop("one")
    argo.change("one", "Running")
    argo.script(f"PUT {ONE}/stop", Reply(cut=-1, act=lambda: argo.change("one", "Succeeded")))
    with pytest.raises(ConflictError, match="lab: one is Succeeded now"):
        service.stop("one")


def test_verbs_on_no_run(service):
    for verb in (*CHANGES, "retry", "resubmit", "delete", "get"):
        with pytest.raises(NotFoundError):
            getattr(service, verb)("none")


def test_resume_of_some_nodes(argo, service):
    argo.add("one", "Running")
    service.resume("one", node_selector="displayName=approve")
    assert argo.requests[-1].body["nodeFieldSelector"] == "displayName=approve"


def test_outputs_of_a_suspended_step_are_set(argo, service):
    argo.add("one", "Running")
    service.resume("one", node_selector="displayName=approve", outputs={"amount": "3"})
    assert argo.requests[-1].path.endswith("/one/set")
    assert argo.requests[-1].body == {
        "namespace": "argo",
        "name": "one",
        "nodeFieldSelector": "displayName=approve",
        "outputParameters": '{"amount": "3"}',
        "phase": "Succeeded",
    }


def test_a_retry_sends_what_it_is_told(argo, service):
    argo.add("one", "Failed")
    service.retry("one", restart_successful=True, node_selector="id=x", parameters=["a=b"])
    assert argo.requests[-1].body == {
        "namespace": "argo",
        "name": "one",
        "restartSuccessful": True,
        "nodeFieldSelector": "id=x",
        "parameters": ["a=b"],
    }


def test_a_retry_without_an_answer_is_not_made_twice(argo, service):
    argo.add("one", "Failed")
    argo.script(f"PUT {ONE}/retry", Reply(lost=True))
    assert service.retry("one")["status"]["phase"] == "Running"
    assert len(argo.asked(f"PUT {ONE}/retry")) == 1


def test_a_run_that_goes_on_cannot_be_retried(argo, service):
    argo.add("one", "Running")
    with pytest.raises(ConflictError, match="lab: Cannot retry a workflow in phase Running"):
        service.retry("one")


def test_a_resubmission_is_the_new_run(argo, service):
    argo.add("one", "Succeeded")
    assert service.resubmit("one", memoized=True)["metadata"]["name"] == "one-1"
    assert argo.asked(f"PUT {ONE}/resubmit")[0].body["memoized"] is True


def test_a_resubmission_without_an_answer_is_found_not_made_twice(argo, service):
    argo.add("one", "Succeeded")
    service.resubmit("one")
    argo.script(f"PUT {ONE}/resubmit", Reply(lost=True))
    assert service.resubmit("one")["metadata"]["name"] == "one-2"
    assert len(argo.workflows) == 3


def test_a_resubmission_that_is_not_to_be_found_is_unknown(argo, service):
    argo.add("one", "Succeeded")
    argo.script(f"PUT {ONE}/resubmit", error(500, 13, "etcd timeout"))
    with pytest.raises(ServerError) as caught:
        service.resubmit("one")
    assert str(caught.value) == (
        "lab: it is not known whether one was resubmitted: the server failed: etcd timeout\n"
        "  argojobs list shows it"
    )
    assert len(argo.asked(f"PUT {ONE}/resubmit")) == 1


def test_delete_terminates_first_what_runs(argo, service):
    argo.add("one", "Running")
    service.delete("one")
    assert argo.workflows == {}
    assert [request.method for request in argo.requests] == ["GET", "PUT", "DELETE"]
    argo.add("two", "Succeeded")
    service.delete("two")
    assert argo.asked(f"PUT {WORKFLOWS}/two/terminate") == []


def test_delete_without_an_answer_is_done(argo, service):
    argo.add("one", "Succeeded")
    argo.script(f"DELETE {ONE}", Reply(lost=True))
    service.delete("one")
    assert argo.workflows == {}


def test_delete_takes_a_run_from_the_archive_too(argo, service):
    labels = {"workflows.argoproj.io/workflow-archiving-status": "Persisted"}
    argo.add("one", "Succeeded", labels=labels)
    argo.script("DELETE /api/v1/archived-workflows/uid-one", Reply({}))
    service.delete("one")
    assert len(argo.asked("DELETE /api/v1/archived-workflows/uid-one")) == 1


def test_lint_asks_the_server(argo, service):
    argo.script(f"POST {WORKFLOWS}/lint", error(400, 3, "templates.main is wrong"))
    with pytest.raises(Exception, match=r"lab: templates\.main is wrong"):
        service.lint({"spec": {}})
