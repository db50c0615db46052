"""The command line that a run keeps shows no secret."""

from __future__ import annotations

import pytest

from argojobs.runs.masking import LONGEST, command_line, masked_value

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("run", "demo.py", "-p", "batch_size=2"), "argojobs run demo.py -p batch_size=2"),
        (("run", "demo.py", "-p", "hub_token=abc"), "argojobs run demo.py -p 'hub_token=***'"),
        (("run", "demo.py", "-phub-token=abc"), "argojobs run demo.py '-phub-token=***'"),
        (("run", "d.py", "--parameter=password=x"), "argojobs run d.py '--parameter=password=***'"),
        (("run", "d.py", "-p", f"note={TOKEN}"), "argojobs run d.py -p 'note=***'"),
        (("run", "--params", '{"n":2,"api_key":"x","deep":{"secret":[1]}}'),
         """argojobs run --params '{"n": 2, "api_key": "***", "deep": {"secret": ["***"]}}'"""),
        (("run", "d.py", "--params", '<"token":"x">'), """argojobs run d.py --params '{"token": "***"}'"""),
        (("run", "d.py", "--params", "{broken"), "argojobs run d.py --params '***'"),
        (("run", "d.py", "--params", "@values.json"), "argojobs run d.py --params @values.json"),
        (
            ("run", "d.py", "-p", "db=postgres://me:word@host/db"),
            "argojobs run d.py -p 'db=postgres://***@host/db'",
        ),
        (("run", "d.py", "--notify", "https://hooks.example.com/T0/B0/xyz"),
         "argojobs run d.py --notify 'https://hooks.example.com/***'"),
        (("run", "d.py", "--notify", "secret:slack/url"), "argojobs run d.py --notify secret:slack/url"),
        (("run", "t.py", "--", "--params", "{x", "-p", "token=a", "-pn"),
         "argojobs run t.py -- --params '{x' -p token=a -pn"),
        (("run", "t.py", "--", "--api-key=abc", "--password", "pw", "--token", "-v", TOKEN),
         "argojobs run t.py -- '--api-key=***' --password '***' --token -v '***'"),
        (("run", "t.py", "--", "db://me:word@host"), "argojobs run t.py -- 'db://***@host'"),
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_masked(words: tuple[str, ...], kept: str) -> None:
    assert command_line(words) == kept


def test_an_empty_secret_is_none() -> None:
    assert masked_value("token", "") == ""


def test_a_long_one_is_cut() -> None:
    assert len(command_line(("run", "x" * 10_000))) == LONGEST
