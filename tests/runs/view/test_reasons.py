"""Exit codes and limits are explained to people; the API's text stays as it is."""

from __future__ import annotations

import pytest

from argojobs.runs.view.reasons import explained

OURS = {"container": {"env": [{"name": "ARGOJOBS_RUN", "value": "{{workflow.name}}"}]}}


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (137, "killed by SIGKILL, often out of memory"),
        (139, "segmentation fault"),
        (143, "ended by SIGTERM"),
        (127, "no such command"),
        (126, "cannot be executed"),
    ],
)
def test_an_exit_code_with_a_meaning_says_it(code: int, meaning: str) -> None:
    text = explained(f"main: Error (exit code {code})", {}, {})
    assert text.startswith(f"main: Error (exit code {code}): ")
    assert meaning in text


def test_78_means_something_only_for_steps_of_ours() -> None:
    message = "main: Error (exit code 78)"
    assert explained(message, OURS, {}) == f"{message}: before the step's first line, see its log"
    assert explained(message, {}, {}) == message


def test_other_messages_stay() -> None:
    for message in ("", "main: Error (exit code 1)", "workflow shutdown with strategy:  Stop"):
        assert explained(message, OURS, {}) == message


def test_a_limit_that_was_hit_is_named_with_its_field() -> None:
    message = "Pod was active on the node longer than the specified deadline"
    assert explained(message, {"timeout": "5s"}, {}) == (
        f"took longer than its timeout, 5s ({message})"
    )
    assert explained(message, {"timeout": "{{inputs.parameters.t}}"}, {}) == message
    late = "Step exceeded its deadline"
    told = explained(late, {}, {"activeDeadlineSeconds": 9})
    assert told == f"took longer than its activeDeadlineSeconds, 9 ({late})"
