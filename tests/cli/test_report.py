"""What a failing run says: the user's own traceback first, within 25 lines."""

from __future__ import annotations

from support.fake_service import FakeService, node, workflow

from argojobs.cli.report import failure_lines, tail
from argojobs.cli.text import Screen, painted
from argojobs.runs.failures import failing_log

TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "demo.py", line 3, in train',
    "    raise ValueError('no such class')",
    "ValueError: no such class",
]


def report(log: list[str], **status: object) -> list[str]:
    run = workflow(
        "r",
        "Failed",
        tasks=("train", "test"),
        nodes=(
            node("r", "", "Failed"),
            node("r", "train", "Failed", message="main: Error (exit code 1)"),
            node("r", "test", "Omitted"),
        ),
    )
    run["status"].update(status)
    return [painted(x, colour=False) for x in failure_lines(run, log, Screen(), took=42.0)]


def test_the_report_starts_with_the_users_own_traceback() -> None:
    lines = report([*(f"epoch {i}" for i in range(9)), *TRACEBACK])
    assert lines == [
        *TRACEBACK,
        "✖ train failed: ValueError: no such class (exit code 1)",
        "r failed after 42s, 0 of 2 steps succeeded",
        "  more: argojobs logs r train   argojobs get r",
    ]


def test_the_report_has_at_most_25_lines_however_long_the_log() -> None:
    assert len(report([f"line {i}" for i in range(500)])) <= 25
    long = [TRACEBACK[0], *(f"  frame {i}" for i in range(60)), TRACEBACK[-1]]
    lines = report(long)
    assert len(lines) <= 25
    assert lines[0] == TRACEBACK[0]
    assert TRACEBACK[-1] in lines


def test_without_a_traceback_the_last_20_lines_are_shown() -> None:
    assert tail([f"line {i}" for i in range(50)]) == [f"line {i}" for i in range(30, 50)]
    assert tail(["last words", "", ""]) == ["last words"]


def test_the_log_is_that_of_the_last_attempt_of_the_step_that_failed() -> None:
    run = workflow(
        "r",
        "Failed",
        tasks=("train",),
        nodes=(
            node("r", "", "Failed"),
            node("r", "train", "Failed", type="Retry", children=["r-train(0)", "r-train(1)"]),
            node("r", "train(0)", "Failed"),
            node("r", "train(1)", "Failed"),
        ),
    )
    service = FakeService(run)
    service.log("r", "r-train(0)", "first attempt")
    service.log("r", "r-train(1)", "second attempt")
    assert failing_log(service, run) == ["second attempt"]


def test_a_run_without_a_failed_step_says_its_own_message() -> None:
    run = workflow("r", "Error", message="entrypoint not found")
    lines = [painted(x, colour=False) for x in failure_lines(run, [], Screen())]
    assert lines[0] == "r ended in an error, 0 of 1 step succeeded: entrypoint not found"


def test_a_run_that_somebody_stopped_is_said_to_be_stopped_not_broken() -> None:
    lines = report(["epoch 1"], message="Stopped with strategy 'Stop'")
    assert lines == [
        "■ r was stopped after 42s, 0 of 2 steps succeeded",
        "  more: argojobs get r   argojobs logs r",
    ]


def test_a_log_that_was_just_seen_is_not_repeated() -> None:
    run = workflow(
        "r", "Failed", tasks=("train",), nodes=(node("r", ""), node("r", "train", "Failed"))
    )
    lines = failure_lines(run, TRACEBACK, Screen(), streamed=True)
    assert painted(lines[0], colour=False).startswith("✖ train failed")


def test_why_it_was_stopped_is_said() -> None:
    run = workflow("r", "Failed", message="Stopped with strategy 'Stop'")
    run["metadata"]["annotations"]["argojobs.dev/stop-message"] = "wrong data"
    line = painted(failure_lines(run, [], Screen())[0], colour=False)
    assert line.startswith("■ r was stopped: wrong data, ")


def test_the_next_command_can_be_pasted_into_a_shell() -> None:
    value = "long text " * 30
    items = [("0:a", "boom(0:a)"), (f"1:{value}", f"boom(1:{value})")]
    for position, (_, name) in enumerate(items):
        item = node("r", name, "Failed", templateName="boom", id=f"r-{position}")
        run = workflow("r", "Failed", nodes=(node("r", "", "Failed"), item))
        more = painted(failure_lines(run, [], Screen())[-1], colour=False)
        typed = "boom(0:a)" if position == 0 else "boom(1)"
        assert f"argojobs logs r '{typed}'" in more


def test_what_the_runtime_reported_is_the_reason() -> None:
    lines = report(["argojobs: train set loss: expected a number, got 'x'", "  declared as float"])
    assert "✖ train failed: train set loss: expected a number, got 'x' (exit code 1)" in lines


def test_other_steps_that_failed_are_named() -> None:
    names = tuple("abcdefg")
    broken = (node("r", name, "Failed", message="x") for name in names)
    run = workflow("r", "Failed", tasks=names, nodes=(node("r", "", "Failed"), *broken))
    lines = [painted(x, colour=False) for x in failure_lines(run, (), Screen())]
    assert lines[1] == "  failed too: b, c, d, e and 2 more"
