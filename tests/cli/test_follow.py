"""A run is followed to its end: line by line, drawn, or silently."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.cli.follow import Follow, follow
from argojobs.cli.picture import Picture
from argojobs.cli.plain_lines import PlainLines
from argojobs.cli.text import Screen
from argojobs.errors import NotFoundError, ServerError
from argojobs.service import LogLine, WatchEvent


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def leave(_: int, __: Callable[[str], None]) -> None:
    raise KeyboardInterrupt


def how(service: FakeService, mode: str = "plain", interrupted=leave) -> Follow:
    stream = Terminal() if mode == "live" else io.StringIO()
    return Follow(service, lambda: service, stream, mode, interrupted, now=lambda: 0.0)  # type: ignore[arg-type]


@pytest.fixture
def service() -> FakeService:
    """A run of two steps that is watched from its start to its end."""
    tasks = ("train", "test")
    made = FakeService(workflow("r", "", tasks=tasks))
    root = node("r", "", "Running")
    made.then["r"] = [
        workflow("r", "Running", tasks=tasks, nodes=(root, node("r", "train", "Running"))),
        workflow(
            "r",
            "Running",
            tasks=tasks,
            nodes=(root, node("r", "train"), node("r", "test", "Running")),
        ),
        workflow(
            "r",
            "Succeeded",
            tasks=tasks,
            nodes=(node("r", ""), node("r", "train"), node("r", "test")),
        ),
    ]
    made.log("r", "r-train", "epoch 1")
    return made


def test_nothing_is_told_of_what_an_earlier_try_of_the_run_ended(service: FakeService) -> None:
    followed = replace(how(service), kept=frozenset({"r-train"}))
    follow(followed, service.runs["r"])
    text = followed.stream.getvalue()  # type: ignore[attr-defined]
    assert "train" not in text
    assert "test Succeeded" in text


def test_plain_lines_say_each_change_once_and_head_log_lines_with_their_step(
    service: FakeService,
) -> None:
    plain = how(service)
    final = follow(plain, service.get("r"))
    text = plain.stream.getvalue()  # type: ignore[attr-defined]
    assert final["status"]["phase"] == "Succeeded"
    assert text.count("train Running") == 1
    assert text.count("train Succeeded in 5s") == 1
    assert "epoch 1\n" in text
    assert "\x1b" not in text


def test_a_step_runs_before_its_first_line_also_where_the_line_is_heard_of_first() -> None:
    tasks = ("train",)
    before = workflow(
        "r", "Running", tasks=tasks, nodes=(node("r", "", "Running"), node("r", "train", "Pending"))
    )
    service, stream = FakeService(before), io.StringIO()
    lines = PlainLines(service, Picture(before), stream, lambda text: text, lambda: 0.0)  # type: ignore[arg-type]
    lines.take(LogLine("r-train", "r-train", "epoch 1"))
    told = [line.partition("  ")[2] or line for line in stream.getvalue().splitlines()]
    assert told == ["train Running", "[train] epoch 1"]


def test_of_a_large_fan_out_each_tenth_is_told_and_each_item_that_broke() -> None:
    def run(ended: int, phase: str = "Running"):
        items = [
            node(
                "r",
                f"t({i}:{i})",
                ("Failed" if i == 7 else "Succeeded") if i < ended else "Running",
                boundaryID="r",
                hostNodeName="n",
            )
            for i in range(20)
        ]
        group = node("r", "t", phase, type="TaskGroup", children=[one["id"] for one in items])
        made = workflow("r", phase, tasks=("t",), nodes=(node("r", "", phase), group, *items))
        made["spec"]["templates"][0]["dag"]["tasks"][0]["withSequence"] = {"count": "20"}
        return made

    stream, states = io.StringIO(), [run(0), run(1), run(5), run(6), run(10), run(20, "Failed")]
    picture = Picture(states[0])
    lines = PlainLines(FakeService(), picture, stream, lambda text: text, lambda: 0.0)  # type: ignore[arg-type]
    for state in states:
        picture.update(state)
        lines.changed(state)
    told = [line.partition("  ")[2] for line in stream.getvalue().splitlines()]
    assert told == [
        "t Running",
        "t 5 of 20",
        "t 6 of 20",
        "t 10 of 20, 1 failed",
        "t(7:7) Failed in 5s",
        "t Failed in 5s",
    ]


def test_the_last_state_comes_after_the_last_log_line(service: FakeService) -> None:
    plain = how(service)
    follow(plain, service.get("r"))
    lines = plain.stream.getvalue().splitlines()  # type: ignore[attr-defined]
    assert "test Succeeded" in lines[-1]


def test_drawn_live_the_last_tree_stays(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    live = how(service, "live")
    follow(live, service.get("r"))
    text = live.stream.getvalue()  # type: ignore[attr-defined]
    assert text.endswith("  ✔ train       5s\n    │ epoch 1\n  ✔ test        5s\n\n")


def test_silently_nothing_is_written(service: FakeService) -> None:
    quiet = how(service, "quiet")
    assert follow(quiet, service.get("r"))["status"]["phase"] == "Succeeded"
    assert quiet.stream.getvalue() == ""  # type: ignore[attr-defined]


def test_after_an_interruption_that_does_not_end_it_following_goes_on(
    service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    presses: list[int] = []

    def stopping(count: int, note: Callable[[str], None]) -> None:
        presses.append(count)
        note("stopping")

    service.interrupts = 2
    final = follow(how(service, "plain", stopping), service.get("r"))
    assert final["status"]["phase"] == "Succeeded"
    assert presses == [1, 2]
    assert capsys.readouterr().err == "stopping\nstopping\n"


def test_an_interruption_may_end_it(service: FakeService) -> None:
    service.interrupts = 1
    with pytest.raises(KeyboardInterrupt):
        follow(how(service), service.get("r"))


def test_a_run_deleted_meanwhile_is_said(service: FakeService) -> None:
    gone = service.get("r")
    service.watch = lambda name: iter([WatchEvent("DELETED", gone)])  # type: ignore[method-assign]
    with pytest.raises(NotFoundError, match="was deleted"):
        follow(how(service), gone)


def test_a_watch_that_keeps_ending_leaves_the_state_unknown_never_done() -> None:
    service = FakeService(workflow("r", "Running"))
    with pytest.raises(ServerError, match="state is unknown"):
        follow(how(service), service.get("r"))


def test_log_lines_that_cannot_be_had_do_not_end_following(
    service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_logs(*_: object, **__: object) -> None:
        raise ServerError("the log is gone")

    service.logs = no_logs  # type: ignore[assignment, method-assign]
    assert follow(how(service), service.get("r"))["status"]["phase"] == "Succeeded"
    assert "no more log lines here: the log is gone" in capsys.readouterr().err


def test_a_steps_log_comes_before_the_line_that_it_ended(service: FakeService) -> None:
    from argojobs.cli.picture import Picture

    final = service.then["r"][-1]
    stream = io.StringIO()
    lines = PlainLines(service, Picture(final), stream, lambda text: text, lambda: 0.0)
    lines.changed(final)
    lines.take(LogLine("r-train", "r-train", "epoch 1"))  # the thread comes late with it
    written = stream.getvalue().splitlines()
    assert written[0] == "[train] epoch 1"
    assert "train Succeeded" in written[1]
    assert stream.getvalue().count("epoch 1") == 1


def test_the_log_of_an_attempt_comes_before_the_next_attempt() -> None:
    from argojobs.cli.picture import Picture

    run = workflow(
        "r",
        "Running",
        tasks=("train",),
        nodes=(
            node("r", "", "Running"),
            node("r", "train", "Running", type="Retry", children=["r-train(0)", "r-train(1)"]),
            node("r", "train(0)", "Failed"),
            node("r", "train(1)", "Running"),
        ),
    )
    service = FakeService(run)
    service.log("r", "r-train(0)", "first words")
    stream = io.StringIO()
    PlainLines(service, Picture(run), stream, lambda text: text, lambda: 0.0).changed(run)
    words, again, *_ = stream.getvalue().splitlines()
    assert words == "[train(0)] first words"
    assert "train attempt 2" in again


def test_why_steps_wait_is_said_once() -> None:
    why = "waits for a CPU: 2 of 2 in use by other"
    waiting = [node("r", name, "Pending", message=why) for name in ("train", "test")]
    waiting.insert(0, node("r", "", "Running"))
    tasks = ("train", "test")
    service = FakeService(workflow("r", "Running", tasks=tasks, nodes=tuple(waiting)))
    service.then["r"] = [workflow("r", "Failed", tasks=tasks)]
    plain = how(service)
    follow(plain, service.get("r"))
    text = plain.stream.getvalue()  # type: ignore[attr-defined]
    assert text.count(f"train {why}\n") == 1
    assert text.count(why) == 1


def test_a_step_that_an_earlier_run_did_is_said_to_be_reused() -> None:
    taken = node("r", "train", message="original pod: q-train")
    run = workflow("r", "Running", tasks=("train",), nodes=(node("r", "", "Running"), taken))
    service = FakeService(run)
    service.then["r"] = [workflow("r", "Succeeded", tasks=("train",), nodes=(taken,))]
    plain = how(service)
    follow(plain, service.get("r"))
    text = plain.stream.getvalue()  # type: ignore[attr-defined]
    assert text.count("train reused\n") == 1
    assert "train Succeeded" not in text


def test_what_a_run_waits_for_is_said_once_and_drawn() -> None:
    waiting = workflow("r", "Pending", tasks=("train",))
    waiting["status"]["synchronization"] = {"mutex": {"waiting": [{"mutex": "ml/Mutex/gpus"}]}}
    service = FakeService(waiting)
    service.then["r"] = [waiting, workflow("r", "Failed", tasks=("train",))]
    headline = Picture(waiting).lines(0.0, Screen())[0]
    assert "waits for gpus" in "".join(text for text, _ in headline)
    plain = how(service)
    follow(plain, service.get("r"))
    text = plain.stream.getvalue()  # type: ignore[attr-defined]
    assert text.count("waits for gpus") == 1


def test_a_reader_that_is_gone_ends_following_at_once(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread of the logs finds it; the main thread is woken, and nobody sees a traceback."""
    plain = how(service)

    def gone(_: str) -> int:
        raise BrokenPipeError

    def watch(_: str):
        yield WatchEvent("ADDED", workflow("r", ""))
        plain.stream.write = gone  # type: ignore[method-assign]
        ready.set()
        ended.wait()

    ready, ended = threading.Event(), threading.Event()
    logs = service.logs

    def later(*given: object, **more: object):
        ready.wait(10)
        yield from logs(*given, **more)  # type: ignore[arg-type]

    service.watch = watch  # type: ignore[method-assign]
    service.logs = later  # type: ignore[method-assign]
    with pytest.raises(BrokenPipeError):
        follow(plain, service.get("r"))
    ended.set()


def test_who_waits_in_silence_has_no_steps_made_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of a large run takes long to make, and is not looked at."""
    from argojobs.runs.view import followed

    made: list[object] = []
    monkeypatch.setattr(followed, "steps_of", lambda workflow: made.append(workflow) or ())
    seen = Picture({"metadata": {"name": "r"}})
    seen.update({"metadata": {"name": "r"}, "status": {"phase": "Running"}})
    assert made == []
    assert seen.steps == seen.steps == ()
    assert made == [seen.workflow]


def test_a_line_that_has_no_end_yet_is_written_and_counts_for_none(service: FakeService) -> None:
    stream = io.StringIO()
    picture = Picture(service.then["r"][0])
    lines = PlainLines(service, picture, stream, str, lambda: 0.0)  # type: ignore[arg-type]
    for text in ("10%", "20%"):
        lines.take(LogLine("r-train", "r-train", text, unfinished=True))
    lines.take(LogLine("r-train", "r-train", "epoch 1"))
    picture.update(service.then["r"][1])
    lines.changed(picture.workflow)
    lines.take(LogLine("r-train", "r-train", "late", unfinished=True))
    first, _, text = stream.getvalue().partition("\n")
    assert first.endswith("train Running")
    assert text.startswith("[train] 10%\n[train] 20%\n[train] epoch 1\n")
    assert text.count("epoch 1") == 1
    assert "late" not in text, "its step has ended"


def test_drawn_live_a_line_takes_the_place_of_what_it_was() -> None:
    picture = Picture(workflow("r", "Running"))
    for text, unfinished in (("one", False), ("10%", True), ("20%", True), ("100%", False), ("two", False)):  # fmt: skip
        picture.add_line("a", text, unfinished=unfinished)
    assert picture.logs() == {"a": ("one", "100%", "two")}
