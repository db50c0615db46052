"""What the tests on the cluster share: somebody who uses argojobs on it, and which go first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from as_user import User
from harness.cluster import Cluster

#: The files that take longest, so that they are under way while others run beside them.
LONGEST = (
    "test_same_tree.py",
    "test_results.py",
    "test_conformance.py",
    "test_fan_out.py",
    "test_pods.py",
    "test_contexts.py",
    "test_verbs.py",
    "test_images.py",
    "test_steps.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; the order within a file stays."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONGEST)))


@pytest.fixture
def user(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """A user of the cluster; their runs are deleted after the test."""
    found = User(cluster, tmp_path_factory.mktemp("user"))
    yield found
    found.forget()


@pytest.fixture
def own_server(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """An Argo server that only this test uses and may stop: its name and address."""
    with cluster.own_server() as found:
        yield found
