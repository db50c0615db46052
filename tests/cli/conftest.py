from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from fake_service import FakeService

from argojobs.cli import connect as connecting
from argojobs.cli.main import main
from argojobs.config.contexts import LOCAL


@dataclass(frozen=True)
class Answer:
    """What a command line answered."""

    code: int
    out: str
    err: str


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    """The service that every verb finds."""
    fake = FakeService()
    place = connecting.Target(LOCAL, fake, pytest.fail, lambda: fake)
    monkeypatch.setattr(connecting, "connect", lambda *_: fake)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    return fake


@pytest.fixture
def argojobs(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run a command line in this process."""

    def run(*arguments: str) -> Answer:
        code = main(arguments)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run
