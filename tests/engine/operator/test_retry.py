"""Retries, as Argo does them (Argo docs: retries; fields: retryStrategy)."""

from __future__ import annotations

import pytest
from support.player import EPOCH, Ended, Player, children, given, manifest, nodes, play, tree


def retried(strategy: str, *, body: str = "", spec: str = "") -> str:
    return f"""
metadata: {{name: wf}}
spec:
  entrypoint: main
  {spec}
  templates:
  - name: main
    retryStrategy: {strategy}
    {body or "container: {image: i, args: ['{{retries}} {{lastRetry.exitCode}} {{lastRetry.status}}']}"}
"""


def test_a_limit_of_two_means_three_attempts() -> None:
    done = play(retried("{limit: 2}"), lambda start, name: Ended(code=7))
    assert tree(done) == {"wf": "Failed", "wf(0)": "Failed", "wf(1)": "Failed", "wf(2)": "Failed"}
    assert nodes(done)["wf"]["type"] == "Retry"
    assert nodes(done)["wf"]["message"] == done["status"]["message"] == "No more retries left"
    assert nodes(done)["wf(1)"]["nodeFlag"] == {"retried": True}
    assert nodes(done)["wf"]["outputs"] == {"exitCode": "7"}
    assert done["status"]["progress"] == "0/3"


def test_it_ends_with_the_first_success_and_has_its_outputs() -> None:
    done = play(
        retried("{limit: 5}"), {"wf(0)": Ended(code=1), "wf(1)": Ended(parameters={"o": "1"})}
    )
    assert tree(done) == {"wf": "Succeeded", "wf(0)": "Failed", "wf(1)": "Succeeded"}
    assert nodes(done)["wf"]["outputs"]["parameters"] == [{"name": "o", "value": "1"}]
    assert "message" not in nodes(done)["wf"]


def test_attempts_see_what_became_of_the_one_before() -> None:
    player = Player(retried("{limit: 2}"))
    player.play({"wf(0)": Ended(code=4)})
    assert [start.template["container"]["args"] for start in player.started] == [
        ["0 0 "],
        ["1 4 Failed"],
    ]
    assert player.started[1].name != player.started[0].name


@pytest.mark.parametrize(
    ("policy", "failed", "error"),
    [("OnFailure", 2, 1), ("OnError", 1, 2), ("Always", 2, 2), ("OnTransientError", 1, 1)],
)
def test_policies(policy: str, failed: int, error: int) -> None:
    text = retried(f"{{limit: 1, retryPolicy: {policy}}}")
    done = play(text, lambda start, name: Ended(code=1))
    assert len(children(done, "wf")) == failed
    done = play(text, lambda start, name: Ended(phase="Error", message="lost"))
    assert len(children(done, "wf")) == error
    if error == 1:
        assert done["status"]["phase"] == "Error"
        assert done["status"]["message"] == "lost"


def test_the_default_policy_is_always_when_only_an_expression_is_given() -> None:
    text = retried("{limit: 1, expression: 'true'}")
    done = play(text, lambda start, name: Ended(phase="Error", message="lost"))
    assert len(children(done, "wf")) == 2


def test_an_expression_decides_by_exit_code() -> None:
    text = retried("{limit: 9, expression: 'asInt(lastRetry.exitCode) == 2'}")
    done = play(text, {"wf(0)": Ended(code=2), "wf(1)": Ended(code=1)})
    assert len(children(done, "wf")) == 2
    assert nodes(done)["wf"]["message"] == "retryStrategy.expression evaluated to false"


def test_an_expression_that_is_wrong_is_an_error() -> None:
    done = play(retried("{limit: 9, expression: 'lastRetry.exitCode'}"), {"wf(0)": Ended(code=2)})
    assert done["status"]["phase"] == "Error"
    assert done["status"]["message"] == (
        "error in entry template execution: unable to cast expression result '2' to bool"
    )


def test_backoff_grows_by_the_factor_up_to_the_cap() -> None:
    player = Player(retried("{limit: 4, backoff: {duration: 10, factor: 3, cap: 1m}}"))
    player.begin()
    waits = []
    for number in range(4):
        player.end_pod(f"wf({number})", code=1)
        assert not player.pods
        over = player.now
        waits.append(player.node("wf")["message"])
        player.tick(over + 1)
        assert not player.pods, "not before its time"
        player.tick()
        waits.append(round(player.now - over))
    assert waits == [
        "Backoff for 10 seconds", 10, "Backoff for 30 seconds", 30,
        "Backoff for 1 minute 0 seconds", 60, "Backoff for 1 minute 0 seconds", 60,
    ]  # fmt: skip
    assert "message" not in player.node("wf")


def test_max_duration_ends_the_retries_and_is_the_deadline_of_later_attempts() -> None:
    player = Player(retried("{limit: 9, backoff: {duration: 10s, maxDuration: 25s}}"))
    player.begin()
    assert player.started[0].deadline is None
    player.end_pod("wf(0)", code=1)
    player.tick()
    assert player.started[1].deadline == EPOCH + 25
    player.end_pod("wf(1)", code=1, seconds=5)
    assert player.node("wf")["message"] == "Backoff would exceed max duration limit"
    assert player.over
    late = play(
        retried("{limit: 9, backoff: {duration: 1s, maxDuration: 5s}}"),
        lambda start, name: Ended(code=1, seconds=9),
    )
    assert late["status"]["message"] == "Max duration limit exceeded"


def test_steps_are_retried_as_a_whole() -> None:
    text = retried("{limit: 1}", body="steps: [[{name: a, inline: {container: {image: i}}}]]")
    done = play(text, {"wf(0)[0].a": Ended(code=1)})
    assert tree(done)["wf(0)"] == "Failed"
    assert nodes(done)["wf(0)"]["type"] == "Steps"
    assert tree(done)["wf(1)[0].a"] == tree(done)["wf"] == "Succeeded"
    assert done["status"]["phase"] == "Succeeded"


def test_the_workflows_strategy_is_that_of_every_template_without_one() -> None:
    done = play(
        """
metadata: {name: wf}
spec:
  entrypoint: main
  retryStrategy: {limit: 1}
  templates:
  - {name: main, steps: [[{name: a, template: pod}]]}
  - {name: pod, container: {image: i}}
""",
        {"wf(0)[0].a(0)": Ended(code=1)},
    )
    assert nodes(done)["wf"]["type"] == "Retry"
    assert tree(done)["wf(0)[0].a(1)"] == "Succeeded"


def test_an_item_of_a_loop_is_retried_by_itself_and_gathered_once() -> None:
    done = play(
        """
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: pod, withItems: [p, q], arguments: {parameters: [{name: x, value: "{{item}}"}]}}
      - {name: b, template: pod, depends: a, arguments: {parameters: [{name: x, value: "{{tasks.a.outputs.parameters.o}}"}]}}
  - name: pod
    retryStrategy: {limit: "1"}
    inputs: {parameters: [{name: x}]}
    container: {image: i}
""",
        lambda start, name: Ended(code=int(name == "wf.a(0:p)(0)"), parameters={"o": name}),
    )
    assert tree(done)["wf.a(0:p)(1)"] == "Succeeded"
    assert given(done, "wf.b") == {"x": '["wf.a(0:p)(1)","wf.a(1:q)(0)"]'}
    assert children(done, "wf.a(0:p)(1)") == ["wf.b"], "what follows hangs below the last attempt"
    assert children(done, "wf.a(0:p)(0)") == []


def test_the_limit_may_be_a_parameter() -> None:
    text = retried(
        "{limit: '{{workflow.parameters.n}}'}",
        spec="arguments: {parameters: [{name: n, value: 0}]}",
    )
    done = play(text, lambda start, name: Ended(code=1))
    assert len(children(done, "wf")) == 1


def test_transient_errors_are_those_that_the_pattern_of_the_controller_names() -> None:
    text = retried("{limit: '1', retryPolicy: OnTransientError}")
    for pattern, attempts in (("exit code 1", 2), ("exit code 2", 1), ("", 1)):
        player = Player(text)
        player.state.transient_errors = pattern
        done = player.play(lambda start, name: Ended(code=1))
        assert len(children(done, "wf")) == attempts


@pytest.mark.parametrize("factor", ["x", "1.5"])
def test_a_factor_that_is_no_whole_number_ends_the_run_with_a_message(factor: str) -> None:
    text = retried(f"{{limit: '1', backoff: {{duration: '1', factor: '{factor}'}}}}")
    done = play(text, lambda start, name: Ended(code=1))
    assert done["status"]["phase"] == "Error"
    assert f"factor '{factor}' is not a whole number" in done["status"]["message"]


@pytest.mark.parametrize(("seconds", "told"), [(0.027905, "0"), (0.9999, "0"), (3.2, "3")])
def test_the_last_attempts_duration_has_whole_seconds(seconds: float, told: str) -> None:
    """As Argo's times: `asInt(lastRetry.duration)` works there, in expressions and in templates."""
    strategy = "{limit: 1, expression: asInt(lastRetry.duration) < 100}"
    body = "container: {image: i, args: ['{{lastRetry.duration}}']}"
    player = Player(retried(strategy, body=body))
    done = player.play(lambda start, name: Ended(code=1, seconds=seconds))
    assert nodes(done)["wf"]["message"] == "No more retries left"
    assert [start.template["container"]["args"] for start in player.started] == [["0"], [told]]


def test_behind_the_last_attempt_nothing_is_waited_for() -> None:
    player = Player(retried("{limit: 1, backoff: {duration: 10}}"))
    player.begin()
    player.end_pod("wf(0)", code=1)
    player.tick()
    player.end_pod("wf(1)", code=1)
    assert player.node("wf")["message"] == "No more retries left"


def test_a_pause_that_has_grown_for_days_is_still_a_number() -> None:
    player = Player(retried("{limit: 400, backoff: {duration: 1, factor: 10, cap: 2}}"))
    done = player.play(lambda start, name: Ended(code=1))
    assert len(children(done, "wf")) == 401


@pytest.mark.parametrize("phase", ["Failed", "Error"])
def test_what_is_not_retried_has_its_attempts_message_or_none(phase: str) -> None:
    """Argo 4.0.5: the Retry node and the workflow have no message either."""
    body = "dag: {tasks: [{name: a, template: p}]}"
    policy = "OnFailure" if phase == "Error" else "OnError"
    text = retried(f"{{limit: 1, retryPolicy: {policy}}}", body=body)
    text += "  - {name: p, container: {image: i}}\n"
    done = play(text, lambda start, name: Ended(phase=phase, message="why"))
    assert tree(done)["wf"] == phase
    assert "message" not in nodes(done)["wf"]
    assert done["status"]["message"] == ""


def test_a_strategy_that_cannot_be_read_is_an_error_of_what_is_around_the_retry_node() -> None:
    fault = 'unable to parse 1d as a duration: time: unknown unit "d" in duration "1d"'
    entry = play(retried("{limit: 1, backoff: {duration: 1d}}"), {"wf(0)": Ended(code=1)})
    assert nodes(entry)["wf"]["message"] == fault
    assert entry["status"]["message"] == f"error in entry template execution: {fault}"
    again = (
        "[{name: again, retryStrategy: {limit: 1, backoff: {duration: 1d}}, container: {image: i}}]"
    )
    steps = play(
        manifest("steps: [[{name: a, template: again}]]", more=again), {"wf[0].a(0)": Ended(code=1)}
    )
    assert nodes(steps)["wf[0]"]["message"] == (
        f"step group deemed errored due to child wf[0].a error: {fault}"
    )
    dag = play(
        manifest("dag: {tasks: [{name: a, template: again}]}", more=again),
        {"wf.a(0)": Ended(code=1)},
    )
    assert nodes(dag)["wf.a"]["message"] == f"task 'wf.a' errored: {fault}"
