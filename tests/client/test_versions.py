"""Our client on the answers of each version of Argo's server from 3.5 to 4.1.

Where the answers come from stands in each file of `recorded/` (`source`): recorded by `record.py`,
or derived by `derive.py` where no such server can be run.
"""

import json
from pathlib import Path

import pytest
from support import derive
from support.fake_argo import EVENTS, WORKFLOWS, Reply

from argojobs.client import listing
from argojobs.client.streams import messages
from argojobs.errors import ConflictError, NotFoundError, UnsupportedError, UsageError

FOLDER = Path(__file__).parent / "recorded"
VERSIONS = {
    path.stem.removeprefix("argo-"): {
        case["case"]: case for case in json.loads(path.read_text(encoding="utf-8"))
    }
    for path in sorted(FOLDER.glob("argo-*.json"))
}
ONE = f"{WORKFLOWS}/rec-one"
RUN = {"metadata": {"name": "rec-one"}, "spec": {}}
#: Recorded before there was a recorder: some cases are not in it.
OLDER_RECORD = "4.1.2"


def with_case(*names):
    """The versions that have an answer of each name."""
    return [v for v, cases in VERSIONS.items() if all(name in cases for name in names)]


def reply(version, name):
    case = VERSIONS[version][name]
    body = case["response"]
    if set(body) == {"lines"}:
        body = "".join(f"{line}\n" for line in body["lines"])
    return Reply(body, case["status"], case["content-type"])


def test_every_minor_version_has_answers_whose_source_is_named():
    minors = {version.rpartition(".")[0] for version in VERSIONS}
    assert minors >= {"3.5", "3.6", "3.7", "4.0", "4.1"}
    for cases in VERSIONS.values():
        assert all("argo-server" in case["source"] for case in cases.values())
    whole = set(VERSIONS[derive.BASE])
    for version in VERSIONS:
        assert version == OLDER_RECORD or set(VERSIONS[version]) == whole


@pytest.mark.parametrize("tag", derive.TAGS)
def test_derived_answers_are_what_is_derived(tag):
    base = list(VERSIONS[derive.BASE].values())
    assert derive.derived(base, tag) == list(VERSIONS[tag].values())


@pytest.fixture(params=sorted(VERSIONS))
def version(request):
    return request.param


def test_it_says_its_version(argo, service, version):
    argo.script("GET /api/v1/version", reply(version, "version"))
    said = "v0.0.0" if version == OLDER_RECORD else f"v{version}"
    assert service.version().partition("+")[0] == said


def test_a_run_is_read(argo, service, version):
    argo.script(f"GET {ONE}", reply(version, "get"))
    run = service.get("rec-one")
    assert run["status"]["phase"] == "Succeeded"
    assert [node["phase"] for node in run["status"]["nodes"].values()] == ["Succeeded"]


def test_a_run_is_created(argo, service, version):
    argo.script(f"POST {WORKFLOWS}", reply(version, "create"))
    created = service.create(RUN)
    assert created["metadata"]["uid"]
    assert len(argo.asked(f"POST {WORKFLOWS}")) == 1


def test_a_name_that_is_taken(argo, service, version):
    argo.script(f"POST {WORKFLOWS}", reply(version, "create-duplicate"))
    with pytest.raises(ConflictError, match='"rec-one" already exists'):
        service.create(RUN)
    assert len(argo.asked(f"POST {WORKFLOWS}")) == 1


def test_all_pages_of_a_list_are_read(argo, service, monkeypatch, version):
    """Whether or not a version says where the next one begins."""
    monkeypatch.setattr(listing, "PAGE", 1)
    page = reply(version, "list-page")
    argo.script(f"GET {WORKFLOWS}", page, reply(version, "list-none"))
    names = [run["metadata"]["name"] for run in page.body["items"]]
    assert [run["metadata"]["name"] for run in service.list()] == names
    assert argo.requests[-1].query["listOptions.continue"] == "1"


def test_the_lines_of_a_log_without_those_of_the_executor(argo, service, version):
    argo.script(f"GET {ONE}", reply(version, "get"))
    # The older record was cut off after two lines.
    name, count = ("log-json", 2) if version == OLDER_RECORD else ("log-sse", 3)
    argo.script(f"GET {ONE}/log", reply(version, name))
    texts = [line.text for line in service.logs("rec-one")]
    assert texts == [f"line {number}" for number in range(1, count + 1)]


@pytest.mark.parametrize("version", with_case("watch"))
def test_a_run_is_watched_to_its_end(argo, service, version):
    argo.script(f"GET {ONE}", reply(version, "create"))
    argo.script(f"GET {EVENTS}", reply(version, "watch"))
    phases = [event.workflow["status"].get("phase") for event in service.watch("rec-one")]
    assert phases[0] is None
    assert phases[-1] == "Succeeded"
    assert "Running" in phases


CHANGES = {
    "stop": lambda service: service.stop("rec-long"),
    "terminate": lambda service: service.terminate("rec-long"),
    "suspend": lambda service: service.suspend("rec-long"),
    "resume": lambda service: service.resume("rec-long"),
    "retry": lambda service: service.retry("rec-long"),
}


@pytest.mark.parametrize(
    ("verb", "version"), [(verb, version) for verb in CHANGES for version in with_case(verb)]
)
def test_a_run_is_changed(argo, service, verb, version):
    argo.script(f"PUT {WORKFLOWS}/rec-long/{verb}", reply(version, verb))
    changed = CHANGES[verb](service)
    assert changed["metadata"]["name"] == "rec-long"
    shutdown = {"stop": "Stop", "terminate": "Terminate"}
    assert changed["spec"].get("shutdown") == shutdown.get(verb)
    assert changed["spec"].get("suspend") == (True if verb == "suspend" else None)


def test_a_run_is_started_again_as_a_new_one(argo, service, version):
    argo.script(f"PUT {ONE}/resubmit", reply(version, "resubmit"))
    again = service.resubmit("rec-one")
    assert again["metadata"]["name"].startswith("rec-one-")
    label = "workflows.argoproj.io/resubmitted-from-workflow"
    assert again["metadata"]["labels"][label] == "rec-one"


def test_a_run_is_deleted(argo, service, version):
    argo.script(f"GET {ONE}", reply(version, "get"))
    argo.script(f"DELETE {ONE}", reply(version, "delete"))
    service.delete("rec-one")
    assert len(argo.asked(f"DELETE {ONE}")) == 1


NEEDS = "lab: not allowed to "
ERRORS = {
    "get-missing": (NotFoundError, 'lab: workflows.argoproj.io "rec-none" not found'),
    "stop-missing": (NotFoundError, 'lab: workflows.argoproj.io "rec-none" not found'),
    "delete-missing": (NotFoundError, 'lab: workflows.argoproj.io "rec-one" not found'),
    "create-not-a-namespace": (NotFoundError, 'lab: namespaces "elsewhere" not found'),
    "create-invalid-spec": (UsageError, "lab: template name 'nope' undefined"),
    "list-bad-selector": (UsageError, "lab: found '=='"),
    "retry-succeeded": (ConflictError, "lab: To retry a succeeded workflow"),
    "retry-running": (ConflictError, "lab: Cannot retry a workflow in phase Running"),
    "stop-finished": (ConflictError, "lab: cannot shutdown a completed workflow"),
    "terminate-finished": (ConflictError, "lab: cannot shutdown a completed workflow"),
    "suspend-finished": (ConflictError, "lab: timed out waiting for the condition: cannot suspend"),
    "unknown-path": (UnsupportedError, "lab: this server (v4.0.5) has no GET"),
    "bad-token": (UsageError, "lab: the token is not accepted"),
    "forbidden-list": (UsageError, f"{NEEDS}list workflows in the namespace argo"),
    "forbidden-get": (UsageError, f"{NEEDS}get workflows.argoproj.io in the namespace argo"),
    "forbidden-create": (UsageError, f"{NEEDS}create workflows.argoproj.io in the namespace argo"),
    "forbidden-stop": (UsageError, f"{NEEDS}get workflows.argoproj.io in the namespace argo"),
}


@pytest.mark.parametrize(
    ("case", "version"), [(case, version) for case in ERRORS for version in with_case(case)]
)
def test_errors_are_told_apart(argo, connect, case, version):
    kind, says = ERRORS[case]
    argo.always(f"GET {ONE}", reply(version, case))
    with pytest.raises(kind) as caught:
        connect(token=lambda: "abc").get("rec-one")
    assert type(caught.value) is kind
    assert str(caught.value).startswith(says)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("version", with_case("log-missing"))
def test_the_log_of_a_run_that_is_not_there(argo, service, version):
    argo.script(f"GET {ONE}", reply(version, "get-missing"))
    with pytest.raises(NotFoundError, match='"rec-none" not found'):
        list(service.logs("rec-one"))
    argo.script(f"GET {WORKFLOWS}/rec-none/log", reply(version, "log-missing"))
    with pytest.raises(NotFoundError, match='"rec-none" not found'):
        list(messages(service.transport, f"{WORKFLOWS}/rec-none/log", {}))


@pytest.mark.parametrize("version", with_case("lint", "lint-invalid-spec"))
def test_what_the_servers_own_lint_finds_is_no_failure_of_the_server(argo, service, version):
    """Argo's server gives it no code of its own: gRPC's `unknown`, and HTTP's 500."""
    argo.script(f"POST {WORKFLOWS}/lint", reply(version, "lint"))
    assert service.check(RUN) == []
    argo.script(f"POST {WORKFLOWS}/lint", reply(version, "lint-invalid-spec"))
    with pytest.raises(UsageError) as caught:
        service.check(RUN)
    assert caught.value.what == "template name 'nope' undefined"
    assert len(argo.asked(f"POST {WORKFLOWS}/lint")) == 2


def test_no_token_is_in_what_was_recorded():
    for version in VERSIONS:
        text = (FOLDER / f"argo-{version}.json").read_text(encoding="utf-8")
        assert "eyJ" not in text
        assert "Bearer e" not in text
