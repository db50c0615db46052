"""What servers answer, and what is made of it: the real one's answers, and bad input of all kinds."""

import json
from pathlib import Path

import pytest
from support.fake_argo import WORKFLOWS, Reply

from argojobs.errors import (
    ConflictError,
    NotFoundError,
    ServerError,
    UnsupportedError,
    UsageError,
)

RECORDED = {
    case["case"]: case
    for case in json.loads(
        (Path(__file__).parent / "recorded" / "argo-4.1.2.json").read_text(encoding="utf-8")
    )
}
ONE = f"{WORKFLOWS}/one"


def recorded(case):
    """The reply that a real server gave."""
    found = RECORDED[case]
    body = found["response"]
    if "json" not in found["content-type"]:
        body = "\n".join(body["lines"])
    return Reply(body, found["status"], found["content-type"])


@pytest.mark.parametrize(
    ("case", "kind", "says"),
    [
        ("get-missing", NotFoundError, 'lab: workflows.argoproj.io "rec-none" not found'),
        ("create-duplicate", ConflictError, 'lab: workflows.argoproj.io "rec-one" already exists'),
        ("create-invalid-spec", UsageError, "lab: template name 'nope' undefined"),
        ("create-no-body", UsageError, "lab: workflow body not specified"),
        ("create-not-a-namespace", NotFoundError, 'lab: namespaces "elsewhere" not found'),
        ("retry-succeeded", ConflictError, "lab: To retry a succeeded workflow, set the options"),
        ("stop-finished", ConflictError, "lab: cannot shutdown a completed workflow"),
        (
            "forbidden-create",
            UsageError,
            (
                "lab: not allowed to create workflows.argoproj.io in the namespace argo "
                "as system:serviceaccount:argo:nobody"
            ),
        ),
        ("forbidden-list", UsageError, "lab: not allowed to list workflows in the namespace argo"),
    ],
)
def test_the_real_servers_errors(argo, service, case, kind, says):
    argo.script(f"GET {ONE}", recorded(case))
    with pytest.raises(kind) as caught:
        service.get("one")
    assert str(caught.value).startswith(says)
    assert caught.value.exit_code == 2


def test_the_real_servers_objects(argo, service):
    argo.script(f"GET {ONE}", recorded("get"))
    run = service.get("one")
    assert run["status"]["nodes"]["rec-one"]["phase"] == "Succeeded"
    assert (run["apiVersion"], run["kind"]) == ("argoproj.io/v1alpha1", "Workflow")
    argo.script(f"GET {WORKFLOWS}", recorded("list-none"))
    assert service.list() == []
    argo.script("GET /api/v1/version", recorded("version"))
    assert service.version() == "v0.0.0+unknown"
    argo.script("GET /api/v1/info", recorded("info"))
    assert service.info()["managedNamespace"] == "argo"
    argo.script("GET /api/v1/userinfo", recorded("userinfo"))
    assert service.user()["subject"] == "admin"


def failing(argo, service, reply):
    argo.always(f"GET {ONE}", reply)
    with pytest.raises((UsageError, ServerError)) as caught:
        service.get("one")
    return caught.value


def test_an_expired_token(argo, connect):
    error = failing(argo, connect(token=lambda: "abc"), recorded("bad-token"))
    assert str(error) == (
        "lab: the token is not accepted\n"
        "  tokens end after a while: get a new one, and give it by ARGO_TOKEN or by a context's "
        "`token`"
    )
    assert error.exit_code == 2


def test_a_missing_permission_is_named_with_the_remedy(argo, service):
    error = failing(argo, service, recorded("forbidden-create"))
    assert str(error) == (
        "lab: not allowed to create workflows.argoproj.io in the namespace argo as "
        "system:serviceaccount:argo:nobody\n"
        "  a Role with the verb 'create' on 'workflows.argoproj.io' has to be bound to who the "
        "token is of; argojobs doctor --write - writes it"
    )
    assert error.exit_code == 2


def test_a_refusal_that_the_server_calls_its_own_failure_is_one_all_the_same(argo, service):
    said = (
        'timed out waiting for the condition: workflows.argoproj.io "one" is forbidden: User "ann" '
        'cannot update resource "workflows" in API group "argoproj.io" in the namespace "argo"'
    )
    error = failing(argo, service, Reply({"code": 13, "message": said}, 500))
    assert error.what == "not allowed to update workflows.argoproj.io in the namespace argo as ann"
    assert error.exit_code == 2


def test_a_permission_that_is_not_named(argo, service):
    error = failing(argo, service, Reply({"code": 7, "message": "permission denied"}, 403))
    assert error.what == "not allowed: permission denied"
    error = failing(argo, service, Reply("Forbidden", 403, "text/plain"))
    assert error.what == "not allowed: Forbidden"


def test_a_missing_namespace(argo, service):
    error = failing(argo, service, recorded("create-not-a-namespace"))
    assert str(error) == (
        'lab: namespaces "elsewhere" not found\n'
        "  name another: a context's `namespace`, ARGO_NAMESPACE; or make it: "
        "kubectl create namespace argo"
    )


@pytest.mark.parametrize("status", [200, 401, 403, 404])
def test_a_login_page(argo, service, status):
    page = "<!DOCTYPE html><html><head><title>\n Sign in </title></head><body/></html>"
    error = failing(argo, service, Reply(page, status, "text/html; charset=utf-8"))
    assert str(error) == (
        'lab: a web page "Sign in" answers, not an Argo server\n'
        f"  a login page or a proxy stands before it, or the address {argo.url} is not that of "
        "the server: its base href may be missing"
    )
    assert error.exit_code == 2


def test_a_proxy_whose_server_is_away(argo, service):
    error = failing(argo, service, Reply("<html>x</html>", 502, "text/html"))
    assert str(error) == (
        "lab: a proxy before the server answers 502 Bad Gateway\n"
        "  the server may be restarting; try again"
    )
    assert error.exit_code == 3


def test_a_truncated_answer(argo, service):
    argo.add("one")
    error = failing(argo, service, Reply({"metadata": {"name": "one"}}, cut=10))
    assert error.exit_code == 3
    assert error.what == (
        f"the server lab ({argo.url}) closed the connection before it had answered"
    )
    error = failing(argo, service, Reply('{"metadata": {'))
    assert str(error) == "lab: the answer broke off\n  try again"
    assert error.exit_code == 3


def test_an_empty_answer(argo, service):
    error = failing(argo, service, Reply(""))
    assert str(error) == "lab: the answer is empty\n  try again"
    assert error.exit_code == 3


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"code": 12, "message": "Not Implemented"}, 501),
        Reply("404 page not found\n", 404, "text/plain"),
    ],
)
def test_an_older_server_that_lacks_a_path(argo, service, reply):
    error = failing(argo, service, reply)
    assert isinstance(error, UnsupportedError)
    assert str(error) == (
        f"lab: this server (v4.0.5) has no GET {ONE}\n"
        "  it is older than Argo 3.5, which argojobs needs, or its base href is missing in the "
        f"address {argo.url}"
    )
    assert error.exit_code == 2


def test_a_server_that_does_not_even_tell_its_version(argo, service):
    argo.always("GET /api/v1/version", Reply("404 page not found\n", 404, "text/plain"))
    with pytest.raises(UnsupportedError, match="this server has no GET /api/v1/version"):
        service.version()


def test_a_bug_in_the_server(argo, service):
    error = failing(argo, service, Reply("oops", 500, "text/plain"))
    assert str(error) == "lab: the server failed: oops\n  try again; the server's log says more"
    assert error.exit_code == 3
