"""Facts about the real Argo, laid beside some checkouts: Argo's own examples, tables, records.

The project stands without them, so a plain clone skips what compares with them; CI does not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
ARGO = SHARED / "argo"
WHY_NOT = "../shared with the records of the real Argo is not beside this checkout"


def refuse_to_skip(folder: Path = ARGO, environment: Mapping[str, str] = os.environ) -> None:
    """Raise UsageError where they are missing in CI, whose tests would all be passed over."""
    if environment.get("ARGOJOBS_CI") and not folder.is_dir():
        raise pytest.UsageError(f"{WHY_NOT}, and CI ($ARGOJOBS_CI) skips no test of it")
