"""What is better of a metric, as its name says it."""

import pytest

from argojobs.results.goals import goal_among, goal_of


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("loss", "min"), ("val/loss", "min"), ("trainLoss", "min"), ("val_RMSE", "min"), ("error_rate", "min"),
        ("accuracy", "max"), ("val/acc", "max"), ("top5", "max"), ("F1", "max"), ("error/accuracy", "max"),
        ("score_loss", "min"), ("lr", ""), ("epoch", ""), ("grad_norm", ""), ("glossary", ""), ("", ""), ("🙂", ""),
    ],
)  # fmt: skip
def test_the_last_word_that_says_it_counts(name, goal) -> None:
    assert goal_of(name) == goal


def test_what_a_user_says_goes_before() -> None:
    assert goal_among("loss", {"loss": "max"}) == "max"
    assert goal_among("accuracy", {"loss": "max"}) == "max"
