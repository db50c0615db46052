"""The tree as lines that fit the window."""

from __future__ import annotations

from dataclasses import replace

from argojobs.cli.text import Screen, cells, cut, painted
from argojobs.cli.view import counts, items_text, tree_lines
from argojobs.runs.view.steps import Step


def drawn(steps: list[Step], *, now: float = 60.0, width: int = 80, **more: object) -> list[str]:
    screen = Screen(width=width)
    lines = tree_lines(steps, now, screen, **more)  # type: ignore[arg-type]
    return [painted(cut(line, width), colour=False) for line in lines]


def pod(name: str, phase: str, **more: object) -> Step:
    times = {"started": 10.0, "finished": 22.0 if phase != "Running" else None}
    return Step(name, name, phase=phase, node_id=name, pods=(name,), **{**times, **more})  # type: ignore[arg-type]


def test_each_step_has_a_sign_a_name_and_a_time() -> None:
    assert drawn([pod("pretrain", "Succeeded"), pod("train", "Running"), Step("test", "test")]) == [
        "  ✔ pretrain      12s",
        "  ● train         50s",
        "  · test",
    ]


def test_a_failed_step_says_its_attempts_and_its_message() -> None:
    step = pod("train", "Failed", attempts=2, limit=4, message="main: Error (exit code 1)")
    assert drawn([step]) == ["  ✖ train      12s  attempt 2 of 4 · main: Error (exit code 1)"]


def test_a_step_that_says_how_far_it_is_is_shown_so_until_it_succeeds() -> None:
    steps = [pod("a", phase, done=(3, 10)) for phase in ("Running", "Failed", "Succeeded")]
    assert drawn(steps) == [
        "  ● a      50s  3 of 10",
        "  ✖ a      12s  3 of 10",
        "  ✔ a      12s",
    ]


def test_what_an_earlier_run_did_has_no_time_of_its_own() -> None:
    step = pod("train", "Succeeded", message="original pod: demo-x7k2p-1")
    assert drawn([step]) == ["  ✔ train           reused"]


def test_the_newest_log_lines_stand_under_the_step_that_runs() -> None:
    logs = {"train": ("epoch 1", "epoch 2"), "pretrain": ("old",)}
    lines = drawn([pod("pretrain", "Succeeded"), pod("train", "Running")], logs=logs, height=10)
    assert lines[1:] == ["  ● train         50s", "    │ epoch 1", "    │ epoch 2"]


def test_a_large_fan_out_shows_how_far_it_is_and_the_items_that_need_a_look() -> None:
    items = [pod(f"({i})", "Succeeded") for i in range(48)] + [
        pod("(48)", "Failed"),
        pod("(49)", "Running"),
    ]
    lines = drawn(
        [
            Step(
                "train",
                "train",
                phase="Running",
                started=10.0,
                is_fan_out=True,
                children=tuple(items),
            )
        ]
    )
    assert len(lines) == 3
    assert "49 of 50, 1 failed" in lines[0]
    assert "✖ (48)" in lines[1]
    assert "● (49)" in lines[2]


def test_what_is_over_and_what_is_to_come_folds_before_what_runs_does() -> None:
    steps = [pod(f"a{i}", "Succeeded") for i in range(30)]
    steps += [pod("now", "Running")] + [Step(f"z{i}", f"z{i}") for i in range(30)]
    lines = drawn(steps, height=5)
    assert len(lines) <= 5
    assert lines[0] == "  … 30 done"
    assert "● now" in lines[1]
    assert lines[2] == "  … 30 to come"


def test_even_a_window_too_low_for_all_that_runs_is_kept_to() -> None:
    lines = drawn([pod(f"a{i}", "Running") for i in range(30)], height=6)
    assert len(lines) == 6
    assert "25 more" in lines[-1]


def test_no_line_is_wider_than_the_window() -> None:
    steps = [pod("x" * 90, "Running"), pod("train", "Failed", message="m" * 200)]
    for width in (40, 80, 120):
        assert all(cells(line) <= width for line in drawn(steps, width=width))


def test_progress_is_counted_in_steps() -> None:
    assert counts([pod("a", "Succeeded"), pod("b", "Running")]) == "1 of 2 steps (50 %)"
    assert counts([pod("a", "Succeeded")]) == "1 of 1 step (100 %)"


def test_a_step_that_had_to_wait_says_how_long() -> None:
    assert drawn([pod("train", "Succeeded", waited=12.0)]) == ["  ✔ train      12s  waited 12s"]


def test_the_long_value_of_an_item_is_cut() -> None:
    name = f"(0:{'x' * 100})"
    (line,) = drawn([Step(name, "train" + name, phase="Succeeded")], width=120)
    assert line == f"  ✔ (0:{'x' * 29}...)"


def test_what_a_short_step_said_stays_below_it_in_a_small_tree() -> None:
    logs = {"train": ("one", "two", "three")}
    lines = drawn([pod("train", "Succeeded")], logs=logs, keep=True)
    assert lines == ["  ✔ train      12s", "    │ two", "    │ three"]
    many = [pod(f"s{i}", "Succeeded") for i in range(20)]
    assert len(drawn(many, logs={"s0": ("one",)}, keep=True)) == 20


def test_a_fan_out_that_runs_says_how_long_the_rest_will_take() -> None:
    items = [Step(f"({i})", f"t({i})", phase="Succeeded") for i in range(4)]
    items += [Step(f"({i})", f"t({i})", phase="Running") for i in range(4, 10)]
    step = Step("t", "t", "Running", started=0.0, is_fan_out=True, children=tuple(items))
    assert items_text(step, 40.0) == "4 of 10, about 1m 00s left"
    assert items_text(replace(step, children=tuple(items[:1] + items[4:])), 40.0) == "1 of 7"
    assert items_text(replace(step, phase="Succeeded"), 40.0) == "4 of 10"
