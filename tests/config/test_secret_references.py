"""A secret is found where its reference says, and no message holds it."""

import subprocess
import sys
import types

import pytest

from argojobs.config import secret_references
from argojobs.config.secret_references import check, loose, resolve, warning_of
from argojobs.errors import ArgojobsError, HostError, UsageError


def test_an_environment_variable():
    assert resolve("env:TOKEN", {"TOKEN": "abc"}) == "abc"


def test_a_file_without_its_last_newline(tmp_path):
    path = tmp_path / "token"
    path.write_text("abc\n")
    assert resolve(f"file:{path}") == "abc"


def test_a_command_is_run_without_a_shell():
    assert resolve(f"command:{sys.executable} -c 'print(\"a;b $HOME\")'") == "a;b $HOME"


def test_a_keyring(monkeypatch):
    entries = {("argo/abacus", "me"): "abc"}
    fake = types.SimpleNamespace(get_password=lambda service, user: entries.get((service, user)))
    monkeypatch.setitem(sys.modules, "keyring", fake)
    assert resolve("keyring:argo/abacus/me") == "abc"
    with pytest.raises(UsageError, match="no entry argo of you"):
        resolve("keyring:argo/you")


def test_a_value_of_a_creds_file(tmp_path):
    path = tmp_path / "creds.yaml"
    path.write_text("s3:\n- name: a\n  secret key: 007\n")
    assert resolve(f"creds:{path}#s3/a/secretkey") == "007"


def test_without_the_package_keyring_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(HostError, match="needs the package keyring") as caught:
        resolve("keyring:argo/me")
    assert "pip install keyring" in caught.value.hint


def test_a_keyring_that_fails_says_no_more_than_its_kind_of_error(monkeypatch):
    def fail(*_):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setitem(sys.modules, "keyring", types.SimpleNamespace(get_password=fail))
    with pytest.raises(HostError) as caught:
        resolve("keyring:argo/me")
    assert "RuntimeError" in caught.value.what
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("env:NONE", "NONE is not set"),
        ("env:EMPTY", "env:EMPTY is empty"),
        ("file:/does/not/exist", "cannot be read"),
        (f"command:{sys.executable} -c 'print(\"hunter2\"); exit(3)'", "exit code 3"),
        ("command:no-such-program-here", "cannot be run"),
    ],
)
def test_what_is_not_there_is_named_by_its_reference(reference, what):
    with pytest.raises(ArgojobsError) as caught:
        resolve(reference, {"EMPTY": ""})
    assert what in caught.value.what
    assert caught.value.hint


def test_the_output_of_a_failed_command_is_not_shown():
    with pytest.raises(HostError) as caught:
        resolve(f"command:{sys.executable} -c 'print(chr(104)+\"unter2\"); exit(3)'")
    assert "hunter2" not in str(caught.value)


def test_a_command_that_waits_is_given_up(monkeypatch):
    def wait(*_, **__):
        raise subprocess.TimeoutExpired("x", 1)

    monkeypatch.setattr(subprocess, "run", wait)
    with pytest.raises(HostError, match="printed nothing for 120 seconds"):
        resolve("command:login")


@pytest.mark.parametrize(
    "text", ["hunter2", "http://hunter2", "", "env:", "keyring:x", "keyring:/x", "creds:f#a/b"]
)
def test_a_literal_or_half_a_reference_is_refused(text):
    with pytest.raises(UsageError) as caught:
        check(text)
    assert "hunter2" not in str(caught.value)
    assert caught.value.hint


def test_a_command_with_an_open_quote_is_refused():
    with pytest.raises(UsageError, match="cannot be split"):
        check("command:print 'x")


def test_files_that_others_may_read_are_warned_about(tmp_path):
    path = tmp_path / "token"
    path.write_text("abc")
    path.chmod(0o640)
    assert f"chmod 600 {path}" in loose(path)
    assert warning_of(f"file:{path}") == loose(path)
    assert warning_of(f"creds:{path}#s3/a/secretkey") == loose(path)
    path.chmod(0o600)
    assert loose(path) == ""
    assert warning_of("env:TOKEN") == ""
    assert loose(tmp_path / "none") == ""


def test_every_kind_is_in_the_table():
    assert set(secret_references.KINDS) == {"env", "file", "command", "keyring", "creds"}
