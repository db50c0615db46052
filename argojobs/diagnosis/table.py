"""The table of causes: the first that knows a step's state says it, so that the exact come first."""

from __future__ import annotations

from argojobs.diagnosis import (
    argo,
    artifacts,
    configuration,
    endings,
    gpu,
    images,
    local,
    permission,
    programs,
    scheduling,
    storage,
    times,
)
from argojobs.diagnosis.cause import Cause

CAUSES: tuple[Cause, ...] = (
    *local.CAUSES,
    *argo.CAUSES,
    *permission.CAUSES,
    *configuration.CAUSES,
    *images.CAUSES,
    *storage.CAUSES,
    *scheduling.CAUSES,
    *endings.CAUSES,
    *artifacts.CAUSES,
    *programs.FIRST,
    *gpu.CAUSES,
    *times.CAUSES,
    *programs.LAST,
    *scheduling.LAST,
    *argo.LAST,
)
