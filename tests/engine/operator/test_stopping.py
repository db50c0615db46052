"""Stop, terminate, timeouts and deadlines (Argo docs: fields; workflow and template timeouts)."""

from __future__ import annotations

import pytest
from support.player import EPOCH, Ended, Player, manifest, nodes, play, tree

from argojobs.engine.model import PodEnded, PodResult

BYE = "[{name: bye, container: {image: i}}, {name: pause, suspend: {}}, {name: nap, suspend: {duration: 30}}]"
MAIN = """
dag:
  tasks:
  - {name: a, template: pod, onExit: bye}
  - {name: b, template: pod, depends: a.Succeeded}
  - {name: wait, template: pause}
"""


def test_stop_ends_the_steps_and_still_runs_exit_handlers() -> None:
    player = Player(manifest(MAIN, spec="{onExit: bye}", more=BYE))
    player.begin()
    player.stop("Stop")
    assert player.node("wf.a")["message"] == "workflow shutdown with strategy:  Stop"
    assert player.node("wf.wait")["message"] == "Stopped with strategy 'Stop'"
    done = player.play()
    assert tree(done)["wf.a"] == tree(done)["wf.wait"] == "Failed"
    assert tree(done)["wf.a.onExit"] == tree(done)["wf.onExit"] == "Succeeded"
    assert done["status"]["phase"] == "Failed"
    assert done["status"]["message"] == "Stopped with strategy 'Stop'"
    assert done["spec"]["shutdown"] == "Stop"


def test_a_pod_that_never_began_was_on_no_host() -> None:
    player = Player(manifest("container: {image: i}"))
    player.begin()
    player.send(PodEnded(player.id_of("wf"), PodResult("Failed", "workflow shutdown")))
    assert "hostNodeName" not in player.node("wf")


def test_terminate_ends_everything_and_runs_no_exit_handler() -> None:
    player = Player(manifest(MAIN, spec="{onExit: bye}", more=BYE))
    player.begin()
    player.stop("Terminate")
    assert player.over
    done = player.object()
    assert not [name for name in nodes(done) if name.endswith("onExit")]
    assert done["status"]["message"] == "Stopped with strategy 'Terminate'"


def test_a_terminate_ends_the_exit_handlers_that_a_stop_left() -> None:
    player = Player(manifest("container: {image: i}", spec="{onExit: bye}", more=BYE))
    player.begin()
    player.stop("Stop")
    assert tree(player.object())["wf.onExit"] == "Pending"
    player.stop("Terminate")
    assert player.over
    assert tree(player.object())["wf.onExit"] == "Failed"


def test_a_stopped_step_that_fails_is_not_retried() -> None:
    made = manifest("retryStrategy: {limit: 5, backoff: {duration: 1m}}\ncontainer: {image: i}")
    player = Player(made)
    player.begin()
    player.end_pod("wf(0)", code=1)
    player.stop("Stop")
    assert player.over
    assert tree(player.object()) == {"wf": "Failed", "wf(0)": "Failed"}
    assert player.node("wf")["message"] == "Stopped with strategy 'Stop'"


def test_the_later_items_of_a_stopped_loop_fail_without_starting() -> None:
    player = Player(
        manifest("parallelism: 1\nsteps: [[{name: a, template: pod, withItems: [1, 2, 3]}]]")
    )
    player.begin()
    player.stop("Stop")
    done = player.object()
    assert player.over
    assert nodes(done)["wf[0].a(2:3)"]["message"] == "workflow shutdown with strategy: Stop"
    assert len(player.started) == 1


def test_a_pod_that_ends_by_itself_after_a_stop_keeps_its_success() -> None:
    player = Player(manifest("container: {image: i}"))
    player.begin()
    from argojobs.engine.model import Shutdown

    player.send(Shutdown("Stop"))
    assert player.killed
    player.end_pod("wf")
    assert player.object()["status"]["phase"] == "Succeeded"


def test_a_template_timeout_is_the_pods_deadline() -> None:
    player = Player(manifest("timeout: 90s\nactiveDeadlineSeconds: 200\ncontainer: {image: i}"))
    player.begin()
    assert player.started[0].deadline == EPOCH + 90
    text = "Pod was active on the node longer than the specified deadline"
    player.run_pod("wf")
    player.tick()
    assert not player.killed, "a pod that runs is ended by its own deadline"
    player.end_pod("wf", Ended(code=143, message=text))
    assert player.object()["status"]["message"] == text


def test_a_pod_that_still_waits_when_its_timeout_is_over_is_not_started() -> None:
    player = Player(manifest("pendingTimeout: 10s\ncontainer: {image: i}"))
    player.begin()
    player.tick()
    assert list(player.killed.values()) == ["timeout"]
    player.end_killed()
    assert player.object()["status"]["message"] == "timeout"


def test_the_workflows_deadline_ends_all_but_the_exit_handler() -> None:
    player = Player(manifest(MAIN, spec="{onExit: bye, activeDeadlineSeconds: 60}", more=BYE))
    player.begin()
    player.run_pod("wf.a")
    player.tick()
    assert player.now == EPOCH + 60
    assert list(player.killed.values()) == ["Step exceeded its deadline"]
    assert player.node("wf.wait")["message"] == "Step exceeded its deadline"
    player.end_killed()
    done = player.play()
    assert tree(done)["wf.onExit"] == "Succeeded"
    assert done["status"]["phase"] == "Failed"


@pytest.mark.parametrize("reload", [False, True])
def test_a_suspend_with_a_duration_ends_by_itself(reload: bool) -> None:
    player = Player(manifest("steps: [[{name: n, template: nap}]]", more=BYE), reload=reload)
    player.begin()
    assert player.node("wf[0].n")["phase"] == "Running"
    assert player.node("wf[0].n")["type"] == "Suspend"
    player.tick(EPOCH + 29)
    assert not player.over
    player.tick(EPOCH + 30)
    assert player.object()["status"]["phase"] == "Succeeded"
    assert player.object()["status"]["progress"] == "1/1"


def test_supplied_outputs_take_their_defaults_when_time_is_up() -> None:
    text = "suspend: {duration: 5}\noutputs: {parameters: [{name: o, valueFrom: {supplied: {}%s}}]}"
    good = Player(manifest(text % ", default: d"))
    done = good.play()
    assert nodes(done)["wf"]["outputs"]["parameters"] == [{"name": "o", "value": "d"}]
    bad = Player(manifest(text % "")).play()
    assert bad["status"]["phase"] == "Error"
    assert "has not been set" in bad["status"]["message"]


def test_conditions_say_whether_pods_run_and_whether_it_is_over() -> None:
    player = Player(manifest("container: {image: i}"))
    player.begin()
    assert player.object()["status"]["conditions"] == [{"type": "PodRunning", "status": "False"}]
    player.run_pod("wf")
    assert player.object()["status"]["conditions"] == [{"type": "PodRunning", "status": "True"}]
    player.end_pod("wf")
    assert player.object()["status"]["conditions"] == [
        {"type": "Completed", "status": "True"},
        {"type": "PodRunning", "status": "False"},
    ]


def test_a_stop_spares_an_exit_handler_that_runs_already() -> None:
    player = Player(manifest(MAIN, more=BYE))
    player.begin()
    player.end_pod("wf.a")
    player.run_pod("wf.a.onExit")
    player.stop("Stop")
    assert tree(player.object())["wf.a.onExit"] == "Running"
    assert not player.over
    assert tree(player.play())["wf.a.onExit"] == "Succeeded"


def test_a_suspended_step_says_why_the_user_stopped_it() -> None:
    from argojobs.engine.model import Shutdown

    player = Player(manifest(MAIN, more=BYE))
    player.begin()
    player.send(Shutdown("Stop", "wrong data"))
    assert player.node("wf.wait")["message"] == "wrong data"


@pytest.mark.parametrize(
    "message",
    ["Pod was active on the node longer than the specified deadline", "Step exceeded its deadline"],
)
@pytest.mark.parametrize(
    "tag",
    ["{{tasks.a.exitCode}}", "{{tasks.a.outputs.result}}", "{{tasks.a.outputs.parameters.o}}"],
)
def test_outputs_of_a_pod_that_its_deadline_ended_are_there_for_no_other(
    message: str, tag: str
) -> None:
    """A cluster deletes the pod: with Argo 4.0.5 such a task waits for ever."""
    task = "{name: b, template: pod, depends: a.Failed, arguments: {parameters: [{name: x, value: '%s'}]}}"
    text = manifest(f"dag: {{tasks: [{{name: a, template: pod}}, {task % tag}]}}")
    late = Ended(code=143, message=message, result="hi", parameters={"o": "1"})
    done = play(text, {"wf.a": late})
    assert done["status"]["phase"] == "Error"
    assert "can never be resolved" in nodes(done)["wf.b"]["message"]
    assert nodes(done)["wf.a"]["outputs"]["exitCode"] == "143", "for who looks at it"
    other = Ended(
        code=143, message="main: Error (exit code 143)", result="hi", parameters={"o": ""}
    )
    assert play(text, {"wf.a": other})["status"]["phase"] == "Succeeded"


def test_a_retry_knows_no_exit_code_of_an_attempt_that_its_deadline_ended() -> None:
    strategy = '{limit: 1, expression: lastRetry.exitCode == "-1"}'
    text = f"{{retryStrategy: {strategy}, container: {{image: i}}}}"
    late = "Pod was active on the node longer than the specified deadline"
    done = play(manifest(text), {"wf(0)": Ended(code=143, message=late)})
    assert done["status"]["phase"] == "Succeeded"
