# travels with: job
"""Which job this process is of, and where it runs: what an attempt's first line says."""

from __future__ import annotations

import os

from argojobs.job import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def rank_of(environment: Mapping[str, str]) -> int:
    """Return the rank; 0 where the variable says none that could be one."""
    try:
        return max(variables.whole(environment, "RANK", 0), 0)
    except ValueError:
        return 0


def identity(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return job, run, step, rank, host and user; empty where the environment does not say it."""
    return {
        "job": variables.job(environment),
        "run": environment.get("ARGOJOBS_RUN") or environment.get("ARGO_WORKFLOW_NAME", ""),
        "step": environment.get("ARGOJOBS_STEP") or environment.get("ARGO_NODE_ID", ""),
        "rank": rank_of(environment),
        "host": environment.get("ARGOJOBS_HOST") or variables.node(),
        "user": environment.get("USER") or environment.get("LOGNAME") or _user(),
    }


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else ""
