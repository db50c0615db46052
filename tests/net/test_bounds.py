"""The table of bounds, and what is said of it."""

from pathlib import Path

import pytest
import requests

from argojobs.images.registry.connection import open_session
from argojobs.net import bounds, known_secrets
from argojobs.net.pools import BoundedConnection

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "contexts.md"


def test_the_docs_say_the_bounds_that_hold():
    text = PAGE.read_text()
    assert bounds.Bounds(60, 256 << 10) == bounds.HEAD
    assert "| 60 s, 256 KiB |" in text
    assert bounds.Bounds(300, 128 << 20) == bounds.ANSWER
    assert "| 300 s, 128 MiB |" in text
    assert bounds.Bounds(60, slowest=1 << 10) == bounds.FILE
    assert "| 60 s, plus a second for each KiB received; no larger than the disk |" in text
    assert f"| {bounds.LONGEST_LIST:,} entries;" in text
    assert f"| {bounds.LONGEST_WAIT:.0f} s |" in text


@pytest.mark.parametrize("proxy", [False, True])
def test_all_connections_of_a_registry_are_bounded_also_over_a_proxy(proxy):
    adapter = open_session("registry.example.org").get_adapter("https://registry.example.org")
    assert isinstance(adapter, requests.adapters.HTTPAdapter)
    manager = (
        adapter.proxy_manager_for("http://proxy.example.org") if proxy else adapter.poolmanager
    )
    for scheme in ("http", "https"):
        pool = manager.connection_from_url(f"{scheme}://registry.example.org")
        assert issubclass(pool.ConnectionCls, BoundedConnection)


def test_short_words_are_no_secrets(monkeypatch):
    monkeypatch.setattr(known_secrets, "_known", set())
    for secret in ("", "a", "admin", "longer-one"):
        assert known_secrets.remember(secret) == secret
    assert known_secrets.masked("admin: a longer-one") == "admin: a ***"
