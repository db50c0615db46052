"""Retries: which sequences of ends are tried again, as Argo evaluates the strategy."""

from __future__ import annotations

import pytest

from argojobs import Retry
from argojobs.compile.pipeline.pod import retry_strategy
from argojobs.expressions.expr import evaluate

ENDS = {
    "lost": {"exitCode": "-1", "status": "Error", "message": "pod deleted"},
    "fails": {"exitCode": "1", "status": "Failed", "message": "Error (exit code 1)"},
    "import": {"exitCode": "78", "status": "Failed", "message": "Error (exit code 78)"},
}


def attempts(retry, ends):
    """How many attempts there are if they end like this, one after the other."""
    strategy = retry_strategy(retry)
    for number, end in enumerate(ends.split()):
        values = {f"lastRetry.{key}": value for key, value in ENDS[end].items()}
        values["retries"] = str(number)
        if number >= int(strategy["limit"]) or not evaluate(strategy["expression"], values):
            return number + 1
    raise AssertionError("it would be tried for ever")


BOTH = Retry(infra=3, failures=1)
SEQUENCES = [
    (Retry(2), "fails lost fails fails", 3),
    (Retry(2), "import fails", 1),
    (BOTH, "fails fails", 2),
    (BOTH, "lost lost lost lost", 4),
    (BOTH, "fails lost lost lost", 4),  # the losses' budget counts the failure, too
    (BOTH, "lost fails", 2),  # and so does the failures' count the loss
    (BOTH, "lost import", 2),
    (Retry(infra=1, failures=3), "fails lost", 2),
    (Retry(infra=1, failures=3), "lost fails fails fails", 4),
    (Retry(failures=2), "lost", 1),  # a budget left out is 0
    (Retry(failures=2), "fails fails fails", 3),
    (Retry(infra=2), "fails", 1),
    (Retry(infra=2), "lost lost lost", 3),
    (Retry(infra=0, failures=0), "lost", 1),
    (Retry(infra=0, failures=0), "fails", 1),
]


@pytest.mark.parametrize(("retry", "ends", "expected"), SEQUENCES)
def test_a_sequence_of_ends_has_so_many_attempts(retry, ends, expected):
    assert attempts(retry, ends) == expected
