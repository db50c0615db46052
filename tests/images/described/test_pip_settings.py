"""What pip knows of this machine's indexes, for a build: read as pip reads it."""

from __future__ import annotations

import configparser
import os
import stat
import subprocess
import sys

import pytest

from argojobs.images.described import pip_settings as module
from argojobs.images.described.pip_settings import PipSettings, pip_settings, written

ADDRESS = "https://me:hunter2@example.org/simple"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A machine whose own configuration files are none."""
    files = module._files

    def inside(environment, home, platform):
        return (file for file in files(environment, home, platform) if tmp_path in file.parents)

    monkeypatch.setattr(module, "_files", inside)
    return tmp_path


def settings(environment, home, **more):
    found = pip_settings({"XDG_CONFIG_DIRS": str(home / "etc"), **environment}, home, **more)
    parser = configparser.RawConfigParser()
    parser.read_string(found.text)
    return dict(parser.items("global")) if parser.has_section("global") else {}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_machine_that_says_nothing_gives_nothing(home):
    assert pip_settings({"XDG_CONFIG_DIRS": str(home)}, home) == PipSettings()
    assert written(PipSettings(), home) == {}


def test_what_is_nearer_counts_more(home):
    write(home / "etc/pip/pip.conf", "[global]\nindex-url = far\nproxy = p\nretries = 1\n")
    write(home / ".pip/pip.conf", "[global]\nindex-url = old\n")
    write(home / ".config/pip/pip.conf", "[global]\nindex-url = mine\ntrusted-host = a\n  b\n")
    assert settings({}, home) == {
        "index-url": "mine", "proxy": "p", "retries": "1", "trusted-host": "a\nb",
    }  # fmt: skip
    write(home / "own.conf", "[global]\nretries = 7\n[install]\nindex-url = of install\n")
    named = {"PIP_CONFIG_FILE": str(home / "own.conf")}
    assert settings(named, home)["index-url"] == "of install"
    assert settings(named, home)["retries"] == "7"
    assert settings({**named, "PIP_INDEX_URL": "of a variable"}, home)["index-url"] == (
        "of a variable"
    )


def test_no_file_counts_if_that_is_said(home):
    write(home / ".config/pip/pip.conf", "[global]\nindex-url = mine\n")
    assert settings({"PIP_CONFIG_FILE": os.devnull}, home) == {}


def test_on_a_mac_the_files_lie_elsewhere(home):
    write(home / "Library/Application Support/pip/pip.conf", "[global]\nindex-url = mac\n")
    assert settings({}, home, platform="darwin") == {"index-url": "mac"}


def test_only_what_says_where_packages_come_from_travels(home):
    write(
        home / ".config/pip/pip.conf",
        "[global]\nuser = true\ntarget = /x\ncache_dir = /y\nfind-links = /opt/wheels\n"
        "  https://example.org/wheels\n[freeze]\ntimeout = 3\n",
    )
    assert settings({"PIP_DEFAULT_TIMEOUT": "9", "PIP_PREFIX": "/z"}, home) == {
        "find-links": "https://example.org/wheels",
        "timeout": "9",
    }


def test_certificates_travel_beside(home):
    write(home / "ca.crt", "---")
    found = pip_settings({"PIP_CERT": str(home / "ca.crt"), "XDG_CONFIG_DIRS": "x"}, home)
    assert found.certificates == home / "ca.crt"
    assert "cert = /run/secrets/pip-certificates" in found.text
    assert settings({"PIP_CERT": str(home / "gone.crt")}, home) == {}


def test_a_file_that_is_none_is_left_to_pip(home):
    write(home / ".config/pip/pip.conf", "no section\n")
    assert settings({}, home) == {}


def test_secrets_are_in_private_files_and_shown_nowhere(home):
    found = pip_settings({"PIP_INDEX_URL": ADDRESS, "XDG_CONFIG_DIRS": "x"}, home)
    assert "hunter2" not in repr(found)
    (file,) = written(found, home).values()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "hunter2" in file.read_text()


def test_pip_itself_reads_the_file_as_it_was_meant(home):
    write(home / ".config/pip/pip.conf", "[global]\ntrusted-host = a\n  b\nindex-url = " + ADDRESS)
    secrets = written(pip_settings({"XDG_CONFIG_DIRS": "x"}, home), home)
    shown = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        env={"PIP_CONFIG_FILE": str(secrets["pip"]), "PATH": os.environ["PATH"], "HOME": "/x"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"global.index-url='{ADDRESS}'" in shown
    assert r"global.trusted-host='\na\nb'" in shown or r"global.trusted-host='a\nb'" in shown
