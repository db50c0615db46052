"""The text of a settings file, and what may stand in its place."""

import os
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
    with pytest.raises(UsageError, match="this is not a file"):
        text_of(tmp_path / "pipe")


def test_links_in_a_circle_cannot_be_read(tmp_path):
    (tmp_path / "a").symlink_to("a")
    with pytest.raises(HostError, match="cannot be read"):
        text_of(tmp_path / "a")


@pytest.mark.parametrize("data", [b"\xff", b"a" * (2**20 + 1)])
def test_what_is_no_text_or_endless_is_refused(tmp_path, data):
    (tmp_path / "a.toml").write_bytes(data)
    with pytest.raises(UsageError):
        text_of(tmp_path / "a.toml")
