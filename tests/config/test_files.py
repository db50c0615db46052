"""Where the files of settings are."""

from pathlib import Path

import pytest

from argojobs.config.files import config_file


@pytest.mark.parametrize("folder", ["/elsewhere", ""])
def test_the_config_file_is_where_platformdirs_says(monkeypatch, folder):
    import platformdirs

    monkeypatch.delenv("ARGOJOBS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", folder)
    place = platformdirs.user_config_dir("argojobs", appauthor=False)
    assert config_file() == Path(place) / "config.toml"
