"""A fake Argo, and services on it that never sleep."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.fake_argo import NAMESPACE, FakeArgo

from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService


class Time:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def argo() -> Iterator[FakeArgo]:
    fake = FakeArgo()
    yield fake
    fake.close()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connect(argo, time):
    """Make a service of an address's further fields."""
    opened = []

    def make(url=None, **fields):
        note = fields.pop("note", lambda _: None)
        repository = fields.pop("repository", None)
        address = ServerAddress(url or argo.url, namespace=NAMESPACE, label="lab", **fields)
        made = ArgoService(
            address,
            note=note,
            repository=repository,
            sleep=time.sleep,
            clock=lambda: time.now,
            jitter=lambda: 0.5,
        )
        opened.append(made)
        return made

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def service(connect):
    return connect()
