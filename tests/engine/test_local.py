"""The local service: Argo's operations on this machine, with real controllers and real steps."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.in_project import capture_in

from argojobs.engine import local, starting
from argojobs.engine.local import LocalService
from argojobs.engine.lock import holder
from argojobs.engine.submitter import capture
from argojobs.errors import (
    ConflictError,
    HostError,
    NotFoundError,
    ServerError,
    UnsupportedError,
    UsageError,
)
from argojobs.service import FINAL_PHASES


@pytest.fixture
def service(tmp_path):
    home = tmp_path / "home"
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(home, submitter=capture_in(project)) as opened:
        yield opened
        opened.shutdown(force=True)


def shell(script, name="run", **template):
    """A workflow of one step that runs a shell script."""
    container = {"image": "any", "command": ["sh", "-c", script]}
    return {
        "metadata": {"name": name},
        "spec": {
            "entrypoint": "main",
            "templates": [{"name": "main", "container": container, **template}],
        },
    }


def finish(service, name="run"):
    *_, last = service.watch(name)
    return last.workflow


def texts(lines):
    return [line.text for line in lines]


def release(service, name):
    """Let a step go on that waits for a file."""
    (service.home.parent / "project" / name).touch()


WAIT = "while ! test -e {}; do sleep 0.01; done"


def test_create_gives_the_object_as_stored(service):
    created = service.create({**shell("true"), "spec": shell("true")["spec"]})
    assert created["metadata"]["uid"]
    assert created["metadata"]["namespace"] == "default"
    assert created["metadata"]["creationTimestamp"].endswith("Z")
    assert created["spec"]["entrypoint"] == "main"
    assert finish(service)["status"]["phase"] == "Succeeded"
    assert service.get("run")["metadata"]["uid"] == created["metadata"]["uid"]


def test_create_does_not_change_what_it_is_given(service):
    given = shell("true")
    before = json.dumps(given)
    service.create(given)
    assert json.dumps(given) == before
    finish(service)


def test_a_name_is_given_once(service):
    service.create(shell("true"))
    with pytest.raises(ConflictError, match='"run" already exists'):
        service.create(shell("true"))
    finish(service)


@pytest.mark.parametrize("name", ["", None, "Upper", "a_b", "-a", "a" * 64, "../x"])
def test_a_name_that_is_none_is_refused(service, name):
    with pytest.raises(UsageError):
        service.create(shell("true", name=name))


def test_what_cannot_be_honoured_starts_nothing(service):
    with pytest.raises(UnsupportedError, match="sidecars"):
        service.create(shell("true", sidecars=[{"name": "x"}]))
    with pytest.raises(HostError, match="nosuchprogram"):
        service.create(
            {
                **shell(""),
                "spec": {
                    "entrypoint": "main",
                    "templates": [{"name": "main", "container": {"command": ["nosuchprogram"]}}],
                },
            }
        )
    assert service.list() == []
    assert holder(service.home) is None


def test_notes_are_kept_on_the_object(service):
    created = service.create(shell("true", nodeSelector={"a": "b"}))
    assert "nodeSelector has no meaning" in created["metadata"]["annotations"]["argojobs.dev/notes"]
    finish(service)


def test_strict_resources_refuse_what_the_host_does_not_have(tmp_path):
    given = shell("true")
    limits = {"limits": {"nvidia.com/gpu": "1000"}}
    given["spec"]["templates"][0]["container"]["resources"] = limits
    with LocalService(tmp_path, strict_resources=True) as strict:
        with pytest.raises(HostError, match="1000 GPUs"):
            strict.create(given)
        assert strict.list() == []
    with LocalService(tmp_path) as lenient:
        assert any("1000 GPUs" in note for note in lenient.check(given))


def test_watch_goes_from_added_to_the_end(service):
    service.create(shell("true"))
    events = list(service.watch("run"))
    assert events[0].type == "ADDED"
    assert {event.type for event in events[1:]} <= {"MODIFIED"}
    assert events[-1].workflow["status"]["phase"] == "Succeeded"
    versions = [int(event.workflow["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))
    assert all(event.workflow["status"].get("phase") not in FINAL_PHASES for event in events[:-1])
    assert [event.type for event in service.watch("run")] == ["ADDED"]


def test_a_watched_run_that_is_deleted_says_so(service):
    service.create(shell("true"))
    finish(service)
    service.create(shell(WAIT.format("go"), name="other"))
    events = service.watch("other")
    next(events)
    thread = threading.Thread(target=_delete, args=(service.home, "other"))
    thread.start()
    last = list(events)[-1]
    thread.join()
    assert last.type == "DELETED" or last.workflow["status"]["phase"] == "Failed"
    assert service.names() == ("run",)


def _delete(home, name):
    with LocalService(home) as other:
        other.delete(name)


def test_unknown_names_are_not_found_at_once(service):
    for ask in (service.get, service.watch, service.logs, service.stop, service.delete):
        with pytest.raises(NotFoundError):
            ask("nothing")


def test_list_is_newest_first_and_knows_labels(service):
    for name, team in (("one", "a"), ("two", "b"), ("three", "a")):
        given = shell("true", name=name)
        given["metadata"]["labels"] = {"team": team}
        service.create(given)
        finish(service, name)
    assert [w["metadata"]["name"] for w in service.list()] == ["three", "two", "one"]
    assert [w["metadata"]["name"] for w in service.list(labels={"team": "a"})] == ["three", "one"]
    assert [w["metadata"]["name"] for w in service.list(limit=1)] == ["three"]
    assert "nodes" not in service.list()[0]["status"]
    done = {"workflows.argoproj.io/phase": "Succeeded"}
    assert len(service.list(labels=done)) == 3


def test_logs_are_what_the_step_wrote(service):
    service.create(shell("echo one; echo two >&2; printf three"))
    assert texts(service.logs("run", follow=True)) == ["one", "two", "three"]
    assert texts(service.logs("run")) == ["one", "two", "three"]
    assert texts(service.logs("run", tail=2)) == ["two", "three"]
    line = next(service.logs("run"))
    assert line.node_id == line.pod == "run"
    finish(service)


def test_followed_logs_come_while_the_step_runs(service):
    service.create(shell("echo first; " + WAIT.format("go") + "; echo second"))
    lines = service.logs("run", follow=True)
    assert next(lines).text == "first"
    assert service.get("run")["status"]["phase"] == "Running"
    release(service, "go")
    assert texts(lines) == ["second"]
    finish(service)


def test_a_watcher_sees_how_far_a_step_says_it_is(service):
    wait = "for i in $(seq 1000); do test -e go && exit; sleep 0.01; done; exit 1"
    service.create(shell(f"echo 3/10 > $ARGO_PROGRESS_FILE; {wait}"))
    statuses = (event.workflow["status"] for event in service.watch("run"))
    assert ("Running", "3/10") in ((one.get("phase"), one.get("progress")) for one in statuses)
    assert service.get("run")["status"]["nodes"]["run"]["progress"] == "3/10"
    release(service, "go")
    assert finish(service)["status"]["progress"] == "10/10"
    assert service.summaries()[0]["status"]["progress"] == "10/10"


def test_many_lines_come_once_each_and_in_order(service):
    service.create(shell("seq 1 200000"))
    assert texts(service.logs("run", follow=True)) == [str(i) for i in range(1, 200001)]
    finish(service)


def test_stop_ends_the_steps_and_waits_until_it_is_taken_in(service):
    service.create(shell(WAIT.format("never")))
    assert next(service.watch("run"))
    stopped = service.stop("run")
    assert stopped["spec"]["shutdown"] == "Stop"
    assert finish(service)["status"]["phase"] == "Failed"
    with pytest.raises(ConflictError, match="cannot shutdown a completed workflow"):
        service.stop("run")


def test_terminate_runs_no_exit_handler(service):
    given = shell(WAIT.format("never"))
    given["spec"]["onExit"] = "bye"
    given["spec"]["templates"].append(
        {"name": "bye", "container": {"image": "any", "command": ["true"]}}
    )
    service.create(given)
    assert service.terminate("run")["spec"]["shutdown"] == "Terminate"
    nodes = finish(service)["status"]["nodes"]
    assert list(nodes) == ["run"]


def test_delete_forgets_all_of_a_run_and_frees_its_name(service):
    outputs = {"artifacts": [{"name": "made", "path": "/tmp/made"}]}
    service.create(shell("echo 1 > /tmp/made; echo 1 > $ARGOJOBS_RESULTS/rows", outputs=outputs))
    finish(service)
    folders = [service.home / kind / "run" for kind in ("pods", "artifacts", "results")]
    assert [folder.exists() for folder in folders] == [True, True, True]
    service.delete("run")
    assert [folder.exists() for folder in folders] == [False, False, False]
    with pytest.raises(NotFoundError):
        service.get("run")
    service.create(shell("exit 3"))
    assert finish(service)["status"]["phase"] == "Failed"


@pytest.mark.parametrize("name", ["code", "debugger", "job"])
def test_a_run_whose_name_is_that_of_shared_code_leaves_it_when_it_is_deleted(service, name):
    shared = service.home / "artifacts" / name / "0123.tgz"
    shared.parent.mkdir(parents=True)
    shared.write_bytes(b"what the steps of another run run")
    outputs = {"artifacts": [{"name": "made", "path": "/tmp/made"}]}
    service.create(shell("echo 1 > /tmp/made", name=name, outputs=outputs))
    finish(service, name)
    assert len(list(shared.parent.iterdir())) == 2
    service.delete(name)
    assert list(shared.parent.iterdir()) == [shared]


def test_deleting_a_run_that_runs_terminates_it_first(service):
    service.create(shell(WAIT.format("never")))
    service.delete("run")
    assert service.names() == ()


def test_an_artifact_is_copied_out_unpacked(service, tmp_path):
    outputs = {
        "artifacts": [
            {"name": "file", "path": "/tmp/out/file.txt"},
            {"name": "folder", "path": "/tmp/out/folder"},
            {"name": "bare", "path": "/tmp/out/folder", "archive": {"none": {}}},
        ]
    }
    script = "mkdir -p /tmp/out/folder; echo 1 > /tmp/out/file.txt; echo 2 > /tmp/out/folder/a"
    service.create(shell(script, outputs=outputs))
    finish(service)
    target = service.artifact("run", "run", "file", tmp_path / "copy" / "here.txt")
    assert target == tmp_path / "copy" / "here.txt"
    assert target.read_text() == "1\n"
    for name in ("folder", "bare"):
        target = service.artifact("run", "run", name, tmp_path / name)
        assert (target / "a").read_text() == "2\n"
    inside = service.artifact("run", "run", "file", tmp_path / "copy")
    assert inside == tmp_path / "copy" / "file.txt"
    with pytest.raises(ConflictError, match="exists"):
        service.artifact("run", "run", "file", tmp_path / "copy" / "here.txt")
    with pytest.raises(NotFoundError, match="no output artifact 'nothing'") as caught:
        service.artifact("run", "run", "nothing", tmp_path / "x")
    assert "file, folder, bare" in caught.value.hint
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == ["file.txt", "here.txt"]


def test_a_run_goes_on_when_its_controller_is_killed(service):
    service.create(shell("echo x >> ran; " + WAIT.format("go")))
    lines = service.logs("run", follow=True)
    os.kill(holder(service.home).pid, signal.SIGKILL)
    release(service, "go")
    assert texts(lines) == []
    assert finish(service)["status"]["phase"] == "Succeeded"
    assert (service.home.parent / "project" / "ran").read_text() == "x\n"


def test_a_newer_version_takes_over_while_a_step_runs(service, monkeypatch):
    service.create(shell("echo x >> ran; echo one; " + WAIT.format("go") + "; echo two"))
    lines = service.logs("run", follow=True)
    assert next(lines).text == "one"
    old = holder(service.home)
    with monkeypatch.context() as patch:
        patch.setattr(starting, "VERSION", "1000.0")
        with LocalService(service.home) as newer:
            newer.create(shell("true", name="other"))
    assert holder(service.home).pid != old.pid
    assert finish(service, "other")["status"]["phase"] == "Succeeded"
    release(service, "go")
    assert texts(lines) == ["two"]
    assert finish(service)["status"]["phase"] == "Succeeded"
    assert (service.home.parent / "project" / "ran").read_text() == "x\n"


def test_steps_have_the_submitters_environment_not_the_controllers(service, tmp_path):
    environment = {"PATH": os.environ["PATH"], "LANG": "xx", "SECRET": "1"}
    other = capture_in(tmp_path / "project", environment=environment)
    service.create(shell("true"))
    finish(service)
    with LocalService(service.home, submitter=other) as second:
        second.create(shell('echo "$LANG,$SECRET,$(pwd)"', name="other"))
        assert texts(second.logs("other", follow=True)) == [f"xx,,{tmp_path / 'project'}"]
        finish(second, "other")


def test_the_controller_is_shown_and_ended(service):
    assert not service.status()["running"]
    service.create(shell(WAIT.format("go")))
    status = service.status()
    assert status["running"]
    assert status["unfinished"] == ["run"]
    with pytest.raises(ConflictError, match="the run run is not finished"):
        service.shutdown()
    assert service.shutdown(force=True)
    assert not service.status()["running"]
    assert not service.shutdown(force=True)
    release(service, "go")
    assert finish(service)["status"]["phase"] == "Succeeded"


SUBMIT = """
import sys
from pathlib import Path
from argojobs.engine.local import LocalService

with LocalService(Path(sys.argv[1])) as service:
    for index in range(5):
        name = f"{sys.argv[2]}-{index}"
        container = {"image": "any", "command": ["true"]}
        template = {"name": "main", "container": container}
        spec = {"entrypoint": "main", "templates": [template]}
        service.create({"metadata": {"name": name}, "spec": spec})
"""


def test_two_processes_submit_at_once(service):
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", SUBMIT, str(service.home), who], cwd=root)
        for who in ("a", "b")
    ]
    assert [process.wait() for process in processes] == [0, 0]
    names = sorted(f"{who}-{index}" for who in "ab" for index in range(5))
    assert sorted(service.names()) == names
    for name in names:
        assert finish(service, name)["status"]["phase"] == "Succeeded"


def test_deleting_a_run_on_a_full_disk_uses_the_reserve(service, monkeypatch):
    from argojobs.engine.reserve import make_reserve

    service.create(shell("sleep 600"))
    make_reserve(service.home)
    real, refused = service.store.add_command, []

    def full(*arguments):
        if not refused:
            refused.append(arguments)
            raise HostError("no space left for the home")
        return real(*arguments)

    monkeypatch.setattr(service.store, "add_command", full)
    service.delete("run")
    assert refused == [("run", "Terminate", "")]
    assert service.names() == ()


def test_a_run_is_deleted_where_no_controller_starts(service, monkeypatch):
    def fails(_):
        raise ServerError("the controller of this home does not start")

    service.store.add_run(shell("true"), capture(project=service.home))
    monkeypatch.setattr(starting.Starter, "ensure", fails)
    service.delete("run")
    assert service.names() == ()


def test_a_run_is_deleted_although_its_controller_does_not_listen(service, monkeypatch):
    service.create(shell("sleep 1000"))
    while service.store.pod_states("run")[0:1] != [("run", "run", "started")]:
        os.sched_yield()
    monkeypatch.setattr(starting, "PATIENCE", 2.0)
    monkeypatch.setattr(local, "COMMAND_PATIENCE", 0.2)
    deaf = service.status()["pid"]
    os.kill(deaf, signal.SIGSTOP)
    service.delete("run")
    assert service.names() == ()
    assert not service.status()["running"]
    assert not (service.home / "pods" / "run").exists()
