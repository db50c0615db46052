"""The reference pages say what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_the_command_line_shows_what_the_program_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    blocks = re.findall(r"```text\n(Usage: argojobs ((?:[a-z-]+ ?)+).*?)\n```", page, re.DOTALL)
    assert len(blocks) > 35
    for block, verb in blocks:
        assert main([*verb.split(), "--help"]) == 0
        assert capsys.readouterr().out.rstrip() == block


def test_the_page_of_the_dsl_lists_options_by_their_names() -> None:
    page = (ROOT / "docs" / "reference" / "dsl.md").read_text()
    assert "\nOptions:\n\n- `on_exit`: A step that runs at the end" in page
    assert "\n- `cpu`, `memory`, `gpu`, `ephemeral_storage`: " in page
