"""open: the links of a run, in the browser where there is one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_service import FakeService, Shared, workflow

from argojobs.cli import browser
from argojobs.cli.browser import has_browser
from argojobs.cli.text import tell
from argojobs.config.contexts import S3
from argojobs.runs import target as connecting

UI = "https://abacus/workflows/ml/demo-mine1"


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the browser was told to open."""
    addresses: list[str] = []
    monkeypatch.setattr(browser, "open_address", lambda text: addresses.append(text) or True)
    return addresses


@pytest.fixture
def browsed(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> Shared:
    """A context whose store has a browser too."""
    place = connecting.target()
    context = replace(
        place.context, storage_ui="https://abacus:9001/{bucket}/{run}", s3=S3(bucket="models")
    )
    changed = replace(place, context=context)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: changed)
    return shared


def test_the_ui_is_opened_and_all_places_are_printed(argojobs, browsed, opened) -> None:
    answer = argojobs("open", "mine1")
    assert [line.split() for line in answer.out.splitlines()] == [
        ["ui", UI],
        ["storage", "https://abacus:9001/models/demo-mine1"],
        ["results", "s3://models/demo-mine1"],
    ]
    assert opened == [UI]


def test_only_the_storage(argojobs, browsed, opened) -> None:
    assert argojobs("open", "mine1", "--storage", "-o", "name").out == (
        "https://abacus:9001/models/demo-mine1\n"
    )
    assert opened == []  # a program does not want a browser
    argojobs("open", "mine1", "--storage")
    assert opened == ["https://abacus:9001/models/demo-mine1"]


def test_a_storage_that_nobody_named_says_how_to(argojobs, shared: Shared, opened) -> None:
    answer = argojobs("open", "mine1", "--storage")
    assert answer.code == 2
    assert "argojobs config set contexts.abacus.storage_ui URL" in answer.err
    assert opened == []


def test_without_a_browser_the_link_is_enough(argojobs, browsed, monkeypatch) -> None:
    monkeypatch.setattr(browser, "open_address", lambda _: False)
    answer = argojobs("open", "mine1", "--ui")
    assert (answer.code, answer.out.split()) == (0, ["ui", UI])
    assert answer.err == "no browser can be opened here: follow the link\n"


def test_as_json(argojobs, browsed) -> None:
    assert json.loads(argojobs("open", "mine1", "-o", "json").out)["ui"] == UI


def test_this_machine_has_no_ui(argojobs, service: FakeService, opened) -> None:
    service.runs["r"] = workflow("r")
    answer = argojobs("open", "r", "--ui")
    assert answer.code == 2
    assert "this machine has no web UI" in answer.err


def test_this_machine_says_which_folders_there_are(
    argojobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened
) -> None:
    from argojobs.engine.local import LocalService

    local = LocalService(tmp_path)
    fake = FakeService(workflow("r"))
    fake.folder = local.folder  # type: ignore[method-assign]
    place = replace(connecting.this_machine(local, tell=tell), connect=lambda: fake)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    assert json.loads(argojobs("open", "r", "-o", "json").out) == {
        "logs": str(tmp_path / "pods" / "r")
    }
    assert opened == []


@pytest.mark.parametrize(
    ("environ", "platform", "has"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "wslview"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_a_browser_needs_a_screen(environ: dict[str, str], platform: str, has: bool) -> None:
    assert has_browser(environ, platform) is has
