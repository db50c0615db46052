"""What the tests of sinks share: a process, and what a sink said."""

from __future__ import annotations

import pytest

from argojobs.job.sinks.sink import Process


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def process() -> Process:
    return Process(
        job="6f1d", run="mnist-x7", step="train", attempt=2, rank=0, host="node 1", user="ada"
    )
