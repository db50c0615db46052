"""What the tests on the cluster share: somebody who uses argojobs on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from as_user import User
from harness.cluster import Cluster


@pytest.fixture
def user(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """A user of the cluster; their runs are deleted after the test."""
    found = User(cluster, tmp_path_factory.mktemp("user"))
    yield found
    found.forget()
