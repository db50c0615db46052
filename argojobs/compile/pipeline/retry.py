"""A Retry as Argo's retryStrategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argojobs.dsl.retry import Retry

#: Exit code 78: something was wrong before the user's first line, and would be again.
_CAN_HELP = "lastRetry.exitCode != '78'"
#: The machine is to blame: the pod was lost (Error, or no exit code), killed from outside
#: (SIGKILL, SIGTERM), evicted or preempted; not one that took too much memory or time.
_LOST = (
    "(lastRetry.status == 'Error' || lastRetry.exitCode == '-1' || lastRetry.exitCode == '137'"
    " || lastRetry.exitCode == '143' || lastRetry.message matches"
    " 'pod deleted|[Ee]vict|[Pp]reempt|node shutdown')"
    " && !(lastRetry.message matches 'OOMKilled|deadline')"
)


def retry_strategy(retry: Retry) -> dict[str, Any]:
    """Return the strategy: policy Always, as a lost pod is an Error and a crash a Failure.

    Argo docs: retries; `retries` counts the attempts that were repeated, as text.
    """
    limit, expression = retry.limit, _CAN_HELP
    if limit is None:
        assert retry.infra is not None
        assert retry.failures is not None
        limit = max(retry.infra, retry.failures)
        # Neither budget is exceeded, by the count that Argo has: of both.
        expression += f" && asInt(retries) < ({_LOST} ? {retry.infra} : {retry.failures})"
    strategy: dict[str, Any] = {
        "limit": str(limit),
        "retryPolicy": "Always",
        "expression": expression,
    }
    if retry.backoff is not None:
        strategy["backoff"] = {
            "duration": str(retry.backoff),
            "factor": str(retry.factor),
            **({"cap": str(retry.cap)} if retry.cap is not None else {}),
        }
    return strategy
