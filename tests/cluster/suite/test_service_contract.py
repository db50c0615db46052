"""The client on a real argo-server keeps to the contract of all services."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest
from harness.cluster import Cluster
from support.service_contract import ServiceContract

from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService


@pytest.fixture
def service(cluster: Cluster) -> Iterator[ArgoService]:
    # without a token the server acts with its own rights, which a retry needs: it deletes pods
    address = ServerAddress(url=cluster.argo_url, namespace=cluster.namespace, label="cluster")
    with ArgoService(address) as opened:
        yield opened


@pytest.fixture
def run_name(cluster: Cluster) -> Iterator[Callable[[], str]]:
    made: list[str] = []

    def name() -> str:
        made.append(f"contract-{uuid.uuid4().hex[:8]}")
        return made[-1]

    yield name
    for start in made:  # one that was made of another begins with its name
        found = cluster.kubectl("get", "workflows", "-o", "name").split()
        names = [one for one in found if one.rpartition("/")[2].startswith(start)]
        if names:
            cluster.kubectl("delete", *names, "--wait=false")


@pytest.fixture
def image() -> str:
    return "busybox:1.36"


class TestArgoService(ServiceContract):
    """All of it."""
