from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from support.fake_service import FakeService, Shared, of, workflow

from argojobs.cli.main import main
from argojobs.cli.text import tell
from argojobs.config.contexts import LOCAL, Context
from argojobs.runs import target as connecting
from argojobs.runs.owners import user_name


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
    place = connecting.Target(
        LOCAL,
        lambda: fake,
        pytest.fail,
        lambda: fake,
        tell=tell,
        detaches_on_interrupt=False,
        has_owners=False,
    )
    monkeypatch.setattr(connecting, "connect", lambda *_: fake)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    return fake


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Shared:
    """A server `abacus` with a run of mine, a newer one of alex, and one of nobody."""
    fake = Shared(
        of(user_name(), workflow("demo-mine1", created="2026-01-01T00:00:00Z")),
        of("alex", workflow("demo-alex1", created="2026-01-02T00:00:00Z")),
        workflow("demo-none1", created="2026-01-03T00:00:00Z"),
    )
    abacus = Context("abacus", server="https://abacus", namespace="ml")
    place = connecting.Target(
        abacus, lambda: fake, pytest.fail, lambda: fake, " --context abacus", tell=tell
    )
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
