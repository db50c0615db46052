"""How Argo and Kubernetes word the end of a pod: exit codes and messages, whoever runs it."""

from __future__ import annotations

from argojobs.engine.model import PodResult

EXECUTOR_ERROR = 64  # the exit code of Argo's executor, when it cannot start the command say

#: The result of a pod that is gone, in Argo's words.
LOST = PodResult("Error", "pod deleted")


def container_message(container: str, exit_code: int, why: str = "", reason: str = "Error") -> str:
    """Return Argo's message of a pod one of whose containers failed.

    Args:
        container: init, main or wait.
        exit_code: what it ended with, 128 + N after signal N.
        why: what is known beside that.
        reason: Kubernetes' word for it: Error or OOMKilled.
    """
    text = f"{container}: {reason} (exit code {exit_code})"
    return f"{text}: {why}" if why else text
