"""The scheduler: events in, one transaction, then deeds; and whatever happens, no silent hang."""

import json
from types import SimpleNamespace

import pytest
from support.fakes import SUBMITTER, FakeDevices, FakeExecutor, chain, fan, step, work, workflow

from argojobs.engine import active
from argojobs.engine import scheduler as module
from argojobs.engine.devices import HostDevices
from argojobs.engine.placement import NVIDIA, Resources
from argojobs.engine.reserve import RESERVE_FILE, RESERVE_SIZE, give_up_reserve, make_reserve
from argojobs.engine.scheduler import Scheduler
from argojobs.engine.store.store import Store
from argojobs.errors import HostError


class Bench:
    """A home with a scheduler in this process, a clock of its own, and pods that obey."""

    def __init__(self, home):
        self.home = home
        self.store = Store.open(home)
        self.executor = FakeExecutor()
        self.now = 1_000_000.0
        self.devices = FakeDevices(Resources(cpu=4, memory=2**40))
        self.start()

    def start(self):
        """A fresh scheduler, as after a crash of the one before."""
        self.scheduler = Scheduler(
            self.home,
            self.store,
            self.executor,
            self.devices,
            clock=lambda: self.now,
        )

    def submit(self, workflow, **submitter):
        self.store.add_run(workflow, {**SUBMITTER, **submitter})
        self.turn()

    def turn(self):
        self.scheduler.look_at_store()
        self.scheduler.pods_ended(self.executor.read())
        self.scheduler.look_at_progress()
        self.scheduler.ring_timers()
        self.scheduler.turn()

    def end(self, *pods, **result):
        for pod in pods:
            self.executor.end(pod, **result)
        self.turn()

    def run_out(self):
        """Let every pod succeed until none runs."""
        while self.executor.running():
            self.end(*self.executor.running())

    def status(self, name="run"):
        return self.store.workflow_object(name)["status"]

    def phases(self, name="run"):
        nodes = self.status(name)["nodes"].values()
        return {node["displayName"]: node["phase"] for node in nodes if node["type"] == "Pod"}


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.executor.close()
    made.store.close()


def test_a_run_of_one_pod(bench):
    bench.submit(workflow(templates=[chain(1)]))
    assert len(bench.executor.specs) == 1
    assert bench.status()["phase"] == "Running"
    assert bench.phases() == {"s0": "Running"}
    bench.run_out()
    assert bench.status()["phase"] == "Succeeded"
    assert bench.phases() == {"s0": "Succeeded"}
    assert bench.scheduler.runs == {}


def test_a_step_of_a_chain_is_one_transaction(bench):
    bench.submit(workflow(templates=[chain(3)]))
    before = bench.store.change_of("run")
    bench.end(*bench.executor.running())
    assert bench.phases() == {"s0": "Succeeded", "s1": "Running"}
    assert bench.store.change_of("run") == before + 1


def test_several_ends_at_once_are_one_transaction(bench):
    bench.submit(workflow(templates=[fan(4)]))
    before = bench.store.change_of("run")
    bench.end(*bench.executor.running()[:3])
    assert bench.store.change_of("run") == before + 1


def test_what_pods_say_of_their_progress_is_looked_at_now_and_then(bench):
    bench.submit(workflow(templates=[fan(2)]))
    one, other = bench.executor.running()
    before = bench.store.change_of("run")
    bench.executor.said = {one: "3/10", other: "1/5"}
    bench.turn()
    assert bench.status()["progress"] == "0/2"
    assert bench.scheduler.next_time() == bench.now + module.LOOK_AT_PROGRESS
    bench.now += module.LOOK_AT_PROGRESS
    bench.turn()
    assert bench.status()["progress"] == "4/15"
    assert bench.store.change_of("run") == before + 1
    bench.now += module.LOOK_AT_PROGRESS
    bench.turn()
    assert bench.store.change_of("run") == before + 1
    bench.run_out()
    assert bench.status()["progress"] == "15/15"
    assert bench.scheduler.next_time() is None


def test_the_next_scheduler_goes_on_with_the_progress_of_pods(bench):
    bench.submit(workflow(templates=[chain(1)]))
    (pod,) = bench.executor.running()
    bench.executor.said = {pod: "3/10"}
    bench.start()
    bench.turn()
    bench.now += module.LOOK_AT_PROGRESS
    bench.turn()
    assert bench.status()["progress"] == "3/10"


def test_no_more_pods_run_than_there_are_cores(bench):
    bench.submit(workflow(templates=[fan(10)]))
    assert len(bench.executor.running()) == 4
    assert sorted(bench.phases().values()) == ["Pending"] * 6 + ["Running"] * 4
    bench.end(bench.executor.running()[0])
    assert len(bench.executor.running()) == 4
    bench.run_out()
    assert len(bench.executor.pods) == 10
    assert bench.status()["phase"] == "Succeeded"


def test_the_settings_of_the_submitter_limit_its_runs(bench):
    bench.submit(workflow(templates=[fan(4)]), max_pods=2)
    assert len(bench.executor.running()) == 2


def test_a_run_does_not_wait_for_another_that_came_first(bench):
    bench.submit(workflow("wide", templates=[fan(10)]))
    bench.submit(workflow("small", templates=[chain(1)]))
    bench.end(*bench.executor.running()[:2])
    assert bench.phases("small") == {"s0": "Running"}


def test_a_failed_step_fails_the_run(bench):
    bench.submit(workflow(templates=[chain(2)]))
    bench.end(
        *bench.executor.running(),
        phase="Failed",
        message="main: Error (exit code 3)",
        exit_code="3",
    )
    assert bench.status()["phase"] == "Failed"
    assert bench.phases() == {"s0": "Failed"}


def test_a_pod_knows_who_submitted_its_run(bench):
    bench.submit(workflow(templates=[chain(1)]), environment={"PATH": "/bin", "MARK": "1"})
    (spec,) = bench.executor.specs
    assert spec.submitter["environment"]["MARK"] == "1"
    assert spec.submitter["project"] == "/project"


def test_a_pod_that_cannot_start_is_an_error_of_its_step(bench):
    bench.store.add_run(workflow(templates=[chain(1)]), SUBMITTER)
    bench.scheduler.look_at_store()
    bench.executor.refuse = _Everything(HostError("no such program here"))
    bench.scheduler.turn()
    assert bench.status()["phase"] != "Running"
    assert [node["message"] for node in _pods(bench)] == ["no such program here"]


def test_an_error_of_ours_ends_the_run_with_its_message(bench, monkeypatch, capsys):
    bench.submit(workflow(templates=[fan(2)]))
    real = active.operate

    def broken(state, event, now):
        if state.name == "run":
            raise ZeroDivisionError("by zero")
        return real(state, event, now)

    monkeypatch.setattr(active, "operate", broken)
    bench.end(bench.executor.running()[0])
    status = bench.status()
    assert status["phase"] == "Error"
    assert "ZeroDivisionError: by zero" in status["message"]
    assert {node["phase"] for node in status["nodes"].values()} == {"Error"}
    assert "Traceback" in capsys.readouterr().err
    assert len(bench.executor.stopped) == 1
    bench.submit(workflow("other", templates=[chain(1)]))
    assert bench.status("other")["phase"] == "Running"


def test_a_run_that_cannot_be_loaded_ends_with_a_message(bench, monkeypatch, capsys):
    monkeypatch.setattr(module, "ActiveRun", lambda stored: 1 / 0)
    bench.submit(workflow(templates=[chain(1)]))
    assert bench.status()["phase"] == "Error"
    assert "division by zero" in bench.status()["message"]
    assert "Traceback" in capsys.readouterr().err


def test_stopping_ends_the_pods_that_run_and_drops_those_that_wait(bench):
    bench.submit(workflow(templates=[fan(6)]))
    number = bench.store.add_command("run", "Stop", "enough")
    bench.turn()
    assert not bench.store.command_pending(number)
    assert len(bench.executor.stopped) == 4
    assert len(bench.executor.pods) == 4
    message = bench.executor.stopped[0][1]
    bench.end(*bench.executor.running(), phase="Failed", message=message, exit_code="143")
    assert bench.status()["phase"] == "Failed"
    assert set(bench.phases().values()) == {"Failed"}
    assert bench.store.workflow_object("run")["spec"]["shutdown"] == "Stop"


def test_a_command_for_a_run_that_is_over_is_dropped(bench):
    bench.submit(workflow(templates=[chain(1)]))
    bench.run_out()
    number = bench.store.add_command("run", "Terminate", "")
    bench.turn()
    assert not bench.store.command_pending(number)


def test_timers_ring_when_their_time_has_come(bench):
    retrying = work(retryStrategy={"limit": 1, "backoff": {"duration": "60"}})
    given = workflow(templates=[chain(1)])
    given["spec"]["templates"][1] = retrying
    bench.submit(given)
    bench.end(*bench.executor.running(), phase="Failed", message="no", exit_code="1")
    assert bench.executor.running() == []
    at = bench.scheduler.next_time()
    assert at is not None
    bench.now = at - 1
    bench.turn()
    assert bench.executor.running() == []
    bench.now = at + 1
    bench.turn()
    assert len(bench.executor.running()) == 1
    bench.run_out()
    assert bench.status()["phase"] == "Succeeded"


def test_a_backoff_is_kept_over_a_crash(bench):
    retrying = work(retryStrategy={"limit": 1, "backoff": {"duration": "60"}})
    given = workflow(templates=[chain(1)])
    given["spec"]["templates"][1] = retrying
    bench.submit(given)
    bench.end(*bench.executor.running(), phase="Failed", message="no", exit_code="1")
    at = bench.scheduler.next_time()
    bench.start()
    bench.turn()
    assert bench.executor.running() == []
    assert bench.scheduler.next_time() == pytest.approx(at)
    bench.now = at + 1
    bench.turn()
    assert len(bench.executor.running()) == 1


def test_after_a_crash_running_pods_go_on_and_ended_ones_are_collected(bench):
    bench.submit(workflow(templates=[fan(4)]))
    first, second, *_ = bench.executor.running()
    bench.executor.end(first)
    bench.executor.lose(second)
    bench.executor.read()  # the word of it was for the controller that died
    bench.start()
    bench.turn()
    assert bench.phases() == {"s0": "Succeeded", "s1": "Error", "s2": "Running", "s3": "Running"}
    assert [node.get("message") for node in _pods(bench)][1] == "pod deleted"
    bench.run_out()
    assert len(bench.executor.pods) == 4
    assert bench.status()["phase"] == "Failed"


def test_a_pod_asked_to_end_before_a_crash_is_asked_again(bench):
    bench.submit(workflow(templates=[fan(2)]))
    bench.store.add_command("run", "Terminate", "")
    bench.turn()
    asked = list(bench.executor.stopped)
    bench.start()
    bench.turn()
    assert bench.executor.stopped == asked * 2


class _Crash(BaseException):
    """The controller is gone at this very point."""


def _outcome(bench):
    """The final object without what differs from run to run."""
    status = bench.status()
    return status["phase"], {
        key: (node["phase"], node["type"], node.get("children"), node.get("message"))
        for key, node in status["nodes"].items()
    }


SHAPE = {
    "name": "main",
    "dag": {
        "tasks": [
            step("a"),
            step("b", dependencies=["a"]),
            step("c", dependencies=["a"], withItems=[1, 2, 3]),
            step("d", dependencies=["b", "c"]),
        ]
    },
}


@pytest.mark.parametrize("deed", ["commit", "start", "before commit", "before start"])
@pytest.mark.parametrize("moment", range(1, 7))
def test_a_crash_at_any_moment_loses_and_repeats_nothing(tmp_path, monkeypatch, moment, deed):
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole, cut = Bench(tmp_path / "whole"), Bench(tmp_path / "cut")
    whole.submit(workflow(templates=[SHAPE]))
    whole.run_out()
    place = cut.store if "commit" in deed else cut.executor
    name = "commit" if "commit" in deed else "start"
    real, count = getattr(place, name), [0]

    def dying(*arguments):
        count[0] += 1
        if count[0] == moment and deed.startswith("before"):
            raise _Crash
        done = real(*arguments)
        if count[0] == moment:
            raise _Crash
        return done

    monkeypatch.setattr(place, name, dying)
    crashes = 0
    cut.store.add_run(workflow(templates=[SHAPE]), SUBMITTER)
    for _ in range(50):
        try:
            cut.turn()
            if cut.store.is_final("run"):
                break
            cut.executor.end(cut.executor.running()[0])
        except _Crash:
            crashes += 1
            cut.executor.read()
            cut.start()
    assert crashes == 1
    assert sorted(cut.executor.pods) == sorted(whole.executor.pods)
    assert _outcome(cut) == _outcome(whole)
    for bench in (whole, cut):
        bench.executor.close()
        bench.store.close()


def test_a_full_disk_ends_the_run_with_a_message(bench, monkeypatch, capsys):
    make_reserve(bench.home)
    bench.submit(workflow(templates=[chain(2)]))
    real = bench.store.commit

    def full(changes):
        if (bench.home / RESERVE_FILE).exists():
            raise HostError("no space left for the home")
        real(changes)

    monkeypatch.setattr(bench.store, "commit", full)
    bench.end(*bench.executor.running())
    assert bench.status()["phase"] == "Error"
    assert bench.status()["message"].startswith(f"no space left for {bench.home}")
    assert "no space left" in capsys.readouterr().err
    assert len(bench.executor.pods) == 1


def test_the_reserve_is_made_again_once_there_is_room(bench):
    give_up_reserve(bench.home)
    bench.submit(workflow(templates=[chain(2)]))
    assert (bench.home / RESERVE_FILE).stat().st_size == RESERVE_SIZE


def test_no_reserve_is_made_where_there_is_hardly_room(bench, monkeypatch):
    give_up_reserve(bench.home)
    full = SimpleNamespace(f_bavail=RESERVE_SIZE, f_frsize=1)
    monkeypatch.setattr("argojobs.engine.reserve.os.statvfs", lambda _: full)
    make_reserve(bench.home)
    assert not (bench.home / RESERVE_FILE).exists()


def test_ten_thousand_pods_that_wait_cost_no_more_each_than_ten(bench):
    """Counted, not timed: what one end of a pod looks at does not grow with those that wait."""
    looked = {}
    for size in (20, 2000):
        bench.submit(workflow(f"fan{size}", templates=[fan(size)]))
        run = bench.scheduler.runs[f"fan{size}"]
        counter = _Counting(run.waiting)
        run.waiting = counter
        bench.end(bench.executor.running()[-1])
        looked[size] = counter.steps
        bench.store.add_command(f"fan{size}", "Terminate", "")
        bench.turn()
        bench.end(*bench.executor.running())
    assert looked[20] == looked[2000]


def _pods(bench, name="run"):
    return [n for n in bench.status(name)["nodes"].values() if n["type"] == "Pod"]


class _Everything(dict):
    """The same answer for every key."""

    def __init__(self, value):
        self._value = value

    def get(self, key, default=None):
        return self._value


class _Counting(type(active.OrderedDict())):
    """Counts how many entries are looked at."""

    steps = 0

    def items(self):
        for item in super().items():
            self.steps += 1
            yield item


def test_a_pod_that_waits_says_why_until_it_starts(bench):
    bench.submit(workflow("first", templates=[fan(4)]))
    bench.submit(workflow("second", templates=[chain(1)]))
    waiting = bench.scheduler.runs["second"].state.nodes
    node_id = next(key for key, node in waiting.items() if node["type"] == "Pod")
    assert "message" not in bench.status("second")["nodes"][node_id]
    assert bench.scheduler.next_time() == bench.now + module.NOTICE_AFTER
    bench.now += 12
    bench.turn()
    node = bench.status("second")["nodes"][node_id]
    assert node["message"] == "waits for a CPU: 4 of 4 in use by first"
    change = bench.store.change_of("second")
    bench.now += 1
    bench.turn()
    assert bench.store.change_of("second") == change
    assert bench.scheduler.next_time() == bench.now + module.LOOK_AT_PROGRESS
    bench.end(bench.executor.running()[0])
    shown = bench.store.workflow_object("second")
    assert shown["status"]["nodes"][node_id]["phase"] == "Running"
    assert "message" not in shown["status"]["nodes"][node_id]
    assert "_waited" not in shown["status"]["nodes"][node_id]
    assert json.loads(shown["metadata"]["annotations"]["argojobs.dev/waited-seconds"]) == {
        node_id: 13.0
    }


def test_a_slot_that_becomes_free_is_for_the_run_that_has_less(bench):
    bench.submit(workflow("first", templates=[fan(10)]))
    bench.submit(workflow("second", templates=[fan(10)]))
    for _ in range(2):
        bench.end(bench.executor.running()[0])
    running = [len(run.running) for run in bench.scheduler.runs.values()]
    assert running == [2, 2]


def test_a_terminate_leaves_two_seconds_also_to_pods_that_a_stop_gave_longer(bench):
    bench.submit(workflow(templates=[chain(1)]))
    bench.store.add_command("run", "Stop", "wrong data")
    bench.turn()
    bench.store.add_command("run", "Terminate", "")
    bench.turn()
    assert bench.executor.graces == [30.0, 2.0]
    assert len({reason for _, reason in bench.executor.stopped}) == 1
    assert (
        bench.store.workflow_object("run")["metadata"]["annotations"]["argojobs.dev/stop-message"]
        == "wrong data"
    )


def test_active_deadline_seconds_count_from_the_pods_own_start(bench):
    bench.devices = FakeDevices(Resources(cpu=1, memory=2**40))
    bench.start()
    limited = workflow(templates=[fan(2)])
    limited["spec"]["templates"][-1]["activeDeadlineSeconds"] = 2
    bench.submit(limited)
    first = bench.executor.specs[-1]
    assert first.deadline == bench.now + 2
    bench.now += 100
    bench.end(first.id.name)
    assert len(bench.executor.specs) == 2
    assert bench.executor.specs[-1].deadline == bench.now + 2


def test_pods_of_a_run_with_a_higher_priority_have_their_turn_first(bench):
    bench.submit(workflow("first", templates=[fan(8)]))
    bench.submit(workflow("low", templates=[fan(2)]))
    bench.submit(workflow("high", templates=[fan(2)], priority=5))
    bench.end(*bench.executor.running()[:2])
    assert [pod.split("-")[0] for pod in bench.executor.pods[4:]] == ["high", "high"]


def test_a_run_that_waits_for_the_user_is_not_stuck(bench):
    bench.submit(workflow(templates=[{"name": "main", "suspend": {}}]))
    bench.submit(workflow("other", templates=[chain(1)], suspend=True))
    bench.turn()
    assert [bench.status(name)["phase"] for name in ("run", "other")] == ["Running"] * 2
    for name in ("run", "other"):
        bench.store.add_command(name, "Resume", "")
    bench.turn()
    bench.run_out()
    assert [bench.status(name)["phase"] for name in ("run", "other")] == ["Succeeded"] * 2


def test_a_command_that_is_not_known_changes_nothing(bench, capsys):
    bench.submit(workflow(templates=[chain(1)]))
    number = bench.store.add_command("run", "Dance", "")
    bench.turn()
    assert not bench.store.command_pending(number)
    assert "no command 'Dance' is known here" in capsys.readouterr().err
    bench.run_out()
    assert bench.status()["phase"] == "Succeeded"


def test_no_gpu_is_lent_while_the_leases_cannot_be_read_and_that_is_said(bench):
    folder = bench.home / "devices"
    capacity = Resources(cpu=4, memory=2**40, gpus={NVIDIA: 1})
    bench.devices = HostDevices(bench.home, capacity, ["0"], folder)
    bench.start()
    folder.touch()  # what another user put in its place
    limits = {"limits": {"nvidia.com/gpu": "1"}}
    needs = {"name": "main", "container": {"image": "i", "command": ["x"], "resources": limits}}
    bench.submit(workflow("gpu", templates=[needs]))
    bench.submit(workflow(templates=[chain(1)]))
    bench.run_out()
    assert bench.status()["phase"] == "Succeeded", "a run without GPUs goes on"
    bench.now += 2
    bench.turn()
    (node,) = bench.status("gpu")["nodes"].values()
    assert node["message"].startswith(f"waits for a GPU: {folder}, where the users of this machine")
    folder.unlink()
    bench.turn()
    (pod,) = bench.executor.running()
    folder.rename(bench.home / "away")
    folder.touch()
    bench.end(pod)
    assert bench.status("gpu")["phase"] == "Succeeded", "what it held is given back all the same"


def test_commands_are_obeyed_before_a_run_is_folded(bench, monkeypatch):
    order = []
    fold = active.ActiveRun.fold

    def noted(run, event, now):
        order.append(type(event).__name__)
        return fold(run, event, now)

    monkeypatch.setattr(active.ActiveRun, "fold", noted)
    bench.store.add_run(workflow("run", [chain(1), work()]), SUBMITTER)
    bench.store.add_command("run", "Terminate", "")
    bench.turn()
    assert order[:2] == ["Shutdown", "Begin"]
    assert bench.executor.pods == []
    assert bench.status()["phase"] == "Failed"
    assert bench.store.commands() == []


def test_commands_are_looked_at_between_two_folds_that_are_slow(bench, monkeypatch):
    monkeypatch.setattr(module, "SLOW_FOLD", -1.0)
    bench.submit(workflow("run", [chain(1), work()]))
    bench.store.add_command("run", "Terminate", "")
    bench.store.add_run(workflow("other", [chain(1), work()]), SUBMITTER)
    bench.scheduler._enqueue(bench.scheduler.runs["run"], module.Tick())
    bench.scheduler.turn()
    assert bench.executor.stopped, "without a look at the store by the loop"
