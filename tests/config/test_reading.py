"""The text of a settings file, and what may stand in its place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.config.reading import text_of
from argojobs.errors import HostError, UsageError


@pytest.mark.parametrize("place", ["none.toml", "none/a.toml", "file/a.toml", "dangling"])
def test_what_is_not_there_has_no_text(tmp_path, place):
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    assert text_of(tmp_path / place) is None


def test_the_device_for_nothing_says_nothing():
    assert text_of(Path("/dev/null")) == ""


def test_a_folder_is_called_one(tmp_path):
    with pytest.raises(
        UsageError, match="this is a folder, and settings stand in a file"
    ) as caught:
        text_of(tmp_path)
    assert caught.value.where == str(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    program = "import sys, pathlib; from argojobs.config.reading import text_of as t; t(pathlib.Path(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "pipe")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "UsageError" in done.stderr
    assert "this is not a file" in done.stderr


def test_links_in_a_circle_cannot_be_read(tmp_path):
    (tmp_path / "a").symlink_to("a")
    with pytest.raises(HostError, match="cannot be read"):
        text_of(tmp_path / "a")


@pytest.mark.parametrize("data", [b"\xff", b"a" * (2**20 + 1)])
def test_what_is_no_text_or_endless_is_refused(tmp_path, data):
    (tmp_path / "a.toml").write_bytes(data)
    with pytest.raises(UsageError):
        text_of(tmp_path / "a.toml")
