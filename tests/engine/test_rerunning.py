"""Suspend, resume, retry and resubmit on this machine, with real controllers and real steps."""

import json
import random

import pytest
from support.in_project import capture_in

from argojobs.edits.resubmit import PREVIOUS, new_name
from argojobs.edits.reuse import resubmit_from
from argojobs.engine.local import LocalService
from argojobs.errors import ConflictError, NotFoundError, UsageError

NOW = "2026-01-02T03:04:05Z"


@pytest.fixture
def service(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(tmp_path / "home", submitter=capture_in(project)) as opened:
        yield opened
        opened.shutdown(force=True)


@pytest.fixture
def files(service):
    """The folder that the steps run in."""
    return service.home.parent / "project"


def pod(name, script, **fields):
    container = {"image": "any", "command": ["sh", "-c", script]}
    return {"name": name, "container": container, **fields}


def task(name, *needs, **fields):
    needed = {"depends": " && ".join(needs)} if needs else {}
    return {"name": name, "template": name, **needed, **fields}


def workflow(*templates, tasks, name="run", **spec):
    """A DAG of these templates."""
    main = {"name": "main", "dag": {"tasks": tasks}}
    return {
        "metadata": {"name": name},
        "spec": {"entrypoint": "main", "templates": [main, *templates], **spec},
    }


def finish(service, name="run"):
    *_, last = service.watch(name)
    return last.workflow


def phases(found):
    return {n["displayName"]: n["phase"] for n in found["status"]["nodes"].values()}


def node(found, shown):
    return next(n for n in found["status"]["nodes"].values() if n["displayName"] == shown)


def lines(service, name, shown):
    found = node(service.get(name), shown)
    return [line.text for line in service.logs(name, node_id=found["id"])]


MAKE = pod(
    "make",
    "echo made >> made.txt; mkdir -p $ARGOJOBS_ROOT/out; echo hello > $ARGOJOBS_ROOT/out/file",
    outputs={"artifacts": [{"name": "file", "path": "/out/file"}]},
)
#: Fails until the file `good` is there.
USE = pod(
    "use",
    "echo try; cat $ARGOJOBS_ROOT/in/file; test -e good",
    inputs={"artifacts": [{"name": "file", "path": "/in/file"}]},
)
USE_TASK = task(
    "use",
    "make",
    arguments={"artifacts": [{"name": "file", "from": "{{tasks.make.outputs.artifacts.file}}"}]},
)


def make_and_use(name="run", **spec):
    return workflow(MAKE, USE, tasks=[task("make"), USE_TASK], name=name, **spec)


def until(service, shown, phase):
    """Watch the run until a node has a phase."""
    for event in service.watch("run"):
        nodes = event.workflow["status"].get("nodes", {}).values()
        if any((n["displayName"], n["phase"]) == (shown, phase) for n in nodes):
            return


class TestSuspend:
    def test_nothing_starts_until_it_is_resumed(self, service, files):
        wait = pod("wait", "while ! test -e go; do sleep 0.01; done")
        service.create(
            workflow(wait, pod("last", "echo last"), tasks=[task("wait"), task("last", "wait")])
        )
        until(service, "wait", "Running")
        suspended = service.suspend("run")
        assert suspended["spec"]["suspend"] is True
        (files / "go").touch()
        until(service, "wait", "Succeeded")
        assert set(phases(service.get("run"))) == {"run", "wait"}
        assert service.get("run")["status"]["phase"] == "Running"
        resumed = service.resume("run")
        assert "suspend" not in resumed["spec"]
        assert phases(finish(service)) == dict.fromkeys(("run", "wait", "last"), "Succeeded")

    def test_it_outlives_the_controller(self, service):
        service.create(workflow(pod("a", "true"), tasks=[task("a")], suspend=True))
        for event in service.watch("run"):
            if event.workflow["status"].get("phase"):
                break
        service.shutdown(force=True)
        assert service.get("run")["status"]["phase"] == "Running"
        service.resume("run")
        assert finish(service)["status"]["phase"] == "Succeeded"

    def test_a_suspended_run_can_be_deleted(self, service):
        service.create(workflow(pod("a", "true"), tasks=[task("a")], suspend=True))
        service.delete("run")
        assert service.list() == []

    def test_an_approval_waits_for_its_resume(self, service):
        ask = {
            "name": "ask",
            "suspend": {},
            "outputs": {
                "parameters": [{"name": "ok", "valueFrom": {"supplied": {}, "default": "yes"}}]
            },
        }
        say = pod("say", "echo {{inputs.parameters.ok}}", inputs={"parameters": [{"name": "ok"}]})
        given = {"parameters": [{"name": "ok", "value": "{{tasks.ask.outputs.parameters.ok}}"}]}
        tasks = [task("ask"), task("say", "ask", arguments=given)]
        service.create(workflow(ask, say, tasks=tasks))
        for event in service.watch("run"):
            if event.workflow["status"].get("nodes", {}).get("run", {}).get("children"):
                break
        with pytest.raises(ConflictError, match="no suspend nodes matching"):
            service.resume("run", node_selector="displayName=other")
        with pytest.raises(UsageError, match="invalid selector"):
            service.resume("run", node_selector="ask")
        service.resume("run", node_selector="displayName=ask")
        assert finish(service)["status"]["phase"] == "Succeeded"
        assert lines(service, "run", "say") == ["yes"]

    def test_an_ended_run_cannot_be_suspended(self, service):
        service.create(workflow(pod("a", "true"), tasks=[task("a")]))
        finish(service)
        with pytest.raises(ConflictError, match="cannot suspend completed workflows"):
            service.suspend("run")
        assert service.resume("run")["status"]["phase"] == "Succeeded"

    @pytest.mark.parametrize("verb", ["suspend", "resume", "retry", "resubmit"])
    def test_an_unknown_run_is_not_found(self, service, verb):
        with pytest.raises(NotFoundError, match='"nope" not found'):
            getattr(service, verb)("nope")


class TestRetry:
    def test_what_succeeded_is_kept_and_the_rest_runs(self, service, files):
        service.create(make_and_use())
        failed = finish(service)
        assert phases(failed)["use"] == "Failed"
        (files / "good").touch()
        begun = service.retry("run")
        assert begun["metadata"]["uid"] == failed["metadata"]["uid"]
        assert begun["metadata"]["labels"]["workflows.argoproj.io/completed"] in {"false", "true"}
        ended = finish(service)
        assert phases(ended) == dict.fromkeys(("run", "make", "use"), "Succeeded")
        assert "message" not in ended["status"] or not ended["status"]["message"]
        assert node(ended, "make") == node(failed, "make")
        assert (files / "made.txt").read_text() == "made\n"
        assert lines(service, "run", "use") == ["try", "hello"]

    def test_again_and_again_no_log_is_lost(self, service, files):
        service.create(make_and_use())
        finish(service)
        for _ in range(2):
            service.retry("run")
            assert finish(service)["status"]["phase"] == "Failed"
        kept = sorted((service.home / "pods" / "run").glob("*use*/main.log"))
        assert [path.parent.name.partition(".")[2] for path in kept] == [
            "",
            "earlier-1",
            "earlier-2",
        ]
        assert {path.read_text() for path in kept} == {"try\nhello\n"}
        service.delete("run")
        assert not (service.home / "pods" / "run").exists()

    def test_a_run_of_a_single_pod(self, service, files):
        service.create(
            {
                "metadata": {"name": "run"},
                "spec": {"entrypoint": "main", "templates": [pod("main", "test -e good")]},
            }
        )
        finish(service)
        (files / "good").touch()
        service.retry("run")
        assert finish(service)["status"]["phase"] == "Succeeded"

    def test_what_a_step_reports_is_the_same_jobs_in_all_attempts(self, service, files):
        report = "touch $ARGOJOBS_RESULTS/$(ls $ARGOJOBS_RESULTS | wc -l); test -e good"
        retried = pod("train", report, retryStrategy={"limit": 1})
        left_out = {"name": "left-out", "template": "train", "when": "1 == 2"}
        service.create(workflow(retried, tasks=[task("train"), left_out]))
        train = node(finish(service), "train")
        (files / "good").touch()
        service.retry("run")
        assert finish(service)["status"]["phase"] == "Succeeded"
        jobs = list((service.home / "results" / "run").iterdir())
        assert [(job.name, len(list(job.iterdir()))) for job in jobs] == [(train["id"], 3)]
        again = service.resubmit("run")["metadata"]["name"]
        finish(service, again)
        assert len(list((service.home / "results" / again).glob("*/*"))) == 1

    def test_parameters_are_replaced(self, service):
        say = pod("say", "echo {{workflow.parameters.n}}; test {{workflow.parameters.n}} = 2")
        arguments = {"parameters": [{"name": "n", "value": "1"}]}
        service.create(workflow(say, tasks=[task("say")], arguments=arguments))
        finish(service)
        service.retry("run", parameters=["n=2"])
        ended = finish(service)
        assert ended["status"]["phase"] == "Succeeded"
        assert ended["spec"]["arguments"]["parameters"] == [{"name": "n", "value": "2"}]
        assert lines(service, "run", "say") == ["2"]

    def test_a_stopped_run_goes_on(self, service, files):
        wait = pod("wait", "test -e good && exit; echo up; sleep 60")
        service.create(workflow(wait, tasks=[task("wait")]))
        assert next(service.logs("run", follow=True)).text == "up"
        service.stop("run", "enough")
        assert finish(service)["spec"]["shutdown"] == "Stop"
        (files / "good").touch()
        service.retry("run")
        ended = finish(service)
        assert ended["status"]["phase"] == "Succeeded"
        assert "shutdown" not in ended["spec"]
        assert "argojobs.dev/stop-message" not in ended["metadata"].get("annotations", {})

    def test_steps_that_succeeded_run_again_when_named(self, service, files):
        (files / "good").touch()
        service.create(make_and_use())
        finish(service)
        with pytest.raises(ConflictError, match="To retry a succeeded workflow"):
            service.retry("run")
        service.retry("run", restart_successful=True, node_selector="displayName=make")
        assert finish(service)["status"]["phase"] == "Succeeded"
        assert (files / "made.txt").read_text() == "made\nmade\n"

    def test_one_that_runs_is_refused(self, service):
        service.create(workflow(pod("a", "true"), tasks=[task("a")], suspend=True))
        for event in service.watch("run"):
            if event.workflow["status"].get("phase"):
                break
        with pytest.raises(ConflictError, match="Cannot retry a workflow in phase Running"):
            service.retry("run")
        service.terminate("run")

    def test_the_controller_may_be_gone(self, service, files):
        service.create(make_and_use())
        finish(service)
        service.shutdown(force=True)
        (files / "good").touch()
        service.retry("run")
        assert finish(service)["status"]["phase"] == "Succeeded"


class TestResubmit:
    def test_it_is_a_new_run_with_a_name_of_its_own(self, service, files):
        service.create(make_and_use())
        finish(service)
        (files / "good").touch()
        new = service.resubmit("run")
        name = new["metadata"]["name"]
        assert name.startswith("run-")
        assert len(name) == len("run-") + 5
        assert new["metadata"]["labels"][PREVIOUS] == "run"
        assert finish(service, name)["status"]["phase"] == "Succeeded"
        assert (files / "made.txt").read_text() == "made\nmade\n"

    def test_its_steps_run_where_those_of_the_old_one_ran(self, service, files, tmp_path):
        service.create(make_and_use())
        finish(service)
        (files / "good").touch()
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        with LocalService(service.home, submitter=capture_in(elsewhere)) as other:
            name = other.resubmit("run")["metadata"]["name"]
            assert finish(other, name)["status"]["phase"] == "Succeeded"

    def test_memoized_it_takes_over_what_succeeded(self, service, files):
        service.create(make_and_use())
        old = finish(service)
        (files / "good").touch()
        new = service.resubmit("run", memoized=True)["metadata"]["name"]
        ended = finish(service, new)
        assert ended["status"]["phase"] == "Succeeded"
        assert node(ended, "make")["message"] == f"original pod: {node(old, 'make')['id']}"
        assert node(ended, "make")["phase"] == "Skipped"
        assert (files / "made.txt").read_text() == "made\n"

    def test_parameters_are_replaced(self, service):
        say = pod("say", "echo {{workflow.parameters.n}}")
        arguments = {"parameters": [{"name": "n", "value": "1"}]}
        service.create(workflow(say, tasks=[task("say")], arguments=arguments))
        finish(service)
        name = service.resubmit("run", parameters=["n=2"])["metadata"]["name"]
        finish(service, name)
        assert lines(service, name, "say") == ["2"]


class TestFromAStep:
    def again(self, service, *steps):
        old = service.get("run")
        made = resubmit_from(old, steps, new_name(old, random.Random(1)), now=NOW)
        return made.workflow

    def test_artifacts_of_reused_steps_are_there(self, service, files):
        (files / "good").touch()
        service.create(make_and_use())
        finish(service)
        created = service.create(self.again(service, "use"))
        ended = finish(service, created["metadata"]["name"])
        assert ended["status"]["phase"] == "Succeeded"
        assert (files / "made.txt").read_text() == "made\n"
        assert lines(service, ended["metadata"]["name"], "use") == ["try", "hello"]

    def test_the_old_run_may_be_deleted_at_any_time(self, service, files, tmp_path):
        (files / "good").touch()
        service.create(make_and_use())
        finish(service)
        given = self.again(service, "use")
        given["spec"]["suspend"] = True
        name = service.create(given)["metadata"]["name"]
        service.delete("run")
        assert not (service.home / "artifacts" / "run").exists()
        service.resume(name)
        ended = finish(service, name)
        assert ended["status"]["phase"] == "Succeeded"
        copy = service.artifact(name, node(ended, "make")["id"], "file", tmp_path / "copy")
        assert copy.read_text() == "hello\n"
        service.delete(name)
        assert not list((service.home / "artifacts").rglob("*.tgz"))

    def test_and_the_new_one_without_the_old(self, service, files, tmp_path):
        (files / "good").touch()
        service.create(make_and_use())
        old = finish(service)
        name = service.create(self.again(service, "use"))["metadata"]["name"]
        finish(service, name)
        service.delete(name)
        copy = service.artifact("run", node(old, "make")["id"], "file", tmp_path / "copy")
        assert copy.read_text() == "hello\n"

    def test_an_artifact_that_is_gone_starts_nothing(self, service, files):
        (files / "good").touch()
        service.create(make_and_use())
        finish(service)
        for path in (service.home / "artifacts" / "run").rglob("*.tgz"):
            path.unlink()
        with pytest.raises(NotFoundError, match="is gone, which a reused step made"):
            service.create(self.again(service, "use"))
        assert len(service.list()) == 1

    def test_a_name_that_is_taken_is_refused(self, service):
        service.create(make_and_use())
        finish(service)
        given = self.again(service, "use")
        given["metadata"]["name"] = "run"
        before = json.dumps(service.get("run"))
        with pytest.raises(ConflictError, match='"run" already exists'):
            service.create(given)
        assert json.dumps(service.get("run")) == before
