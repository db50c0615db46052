# travels with: options retry
"""When a failed step is tried again."""

from __future__ import annotations

from .quantities import seconds
from .records import Record
from .where import mistake


class Retry(Record):
    """More attempts for a step that fails.

    `Retry(3)`: up to three more attempts after any failure, but never after an error before the
    first line of your function (an import, a parameter, a missing input: exit code 78), which
    would only happen again.

    `Retry(infra=5, failures=1)`: at most five more attempts if the machine is to blame (a lost or
    evicted pod, a preemption, a kill from outside), at most one if the program is. Argo counts
    attempts, not reasons: after `n` repeated attempts of any kind, a lost pod is retried if
    `n < infra`, a failure if `n < failures`. So neither budget is ever exceeded, but after a lost
    pod there may be none left for a failure.

    Args:
        limit: More attempts after any failure.
        infra: More attempts if the machine is to blame; 0 if only `failures` is given.
        failures: More attempts if the program is to blame; 0 if only `infra` is given.
        backoff: The wait before the second attempt: seconds, or "30s", "5m".
        factor: By which each further wait is longer.
        cap: The longest wait.
    """

    __slots__ = ("backoff", "cap", "factor", "failures", "infra", "limit")

    def __init__(
        self,
        limit: int | None = None,
        *,
        infra: int | None = None,
        failures: int | None = None,
        backoff: int | str | None = None,
        factor: int = 2,
        cap: int | str | None = None,
    ) -> None:
        if (limit is None) == (infra is None and failures is None):
            raise mistake(
                "a Retry has one limit, or budgets for infra and failures",
                "write Retry(3), or Retry(infra=5, failures=1)",
            )
        for name, value in (("limit", limit), ("infra", infra), ("failures", failures)):
            if value is not None and (type(value) is not int or value < 0):
                raise mistake(f"{name}={value!r} is not a number of attempts", "write 0, 1, 2, ...")
        if type(factor) is not int or factor < 1:
            raise mistake(f"factor={factor!r} is not a whole number above 0", "write factor=2")
        if cap is not None and backoff is None:
            raise mistake("a cap without a backoff caps nothing", "give backoff='10s' as well")
        self.limit = limit
        self.infra = None if limit is not None else infra or 0
        self.failures = None if limit is not None else failures or 0
        self.backoff = None if backoff is None else seconds(backoff, "backoff")
        self.factor = factor
        self.cap = None if cap is None else seconds(cap, "cap")
