"""Logins: a context's, those that docker and podman keep, and how builders get them."""

from __future__ import annotations

import base64
import json

import pytest

from argojobs.errors import HostError, UsageError
from argojobs.images.logins.credentials import Credentials, bare_host
from argojobs.images.logins.login import _auth_file, credentials_for, private_login


def auth(user: str, password: str) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    (folder / ".docker").mkdir(parents=True)
    return folder


@pytest.fixture
def environ(home, tmp_path):
    return {"HOME": str(home), "XDG_RUNTIME_DIR": str(tmp_path / "run"), "SECRET": "word"}


@pytest.fixture
def config(home):
    """Write docker's config.json."""

    def write(**content):
        (home / ".docker/config.json").write_text(json.dumps(content))

    return write


@pytest.fixture
def helper(tmp_path, monkeypatch):
    """Put a credential helper on PATH, which answers as a shell script says."""

    def make(name, script):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / f"docker-credential-{name}"
        program.write_text(f'#!/bin/sh\nread -r host || true\n[ "$1" = get ] || exit 9\n{script}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    return make


def test_a_context_says_who_we_are(environ, config):
    config(auths={"lab:5000": auth("other", "x")})
    found = credentials_for("lab:5000", "me", "env:SECRET", environ=environ)
    assert found == Credentials("me", "word", source="env:SECRET")
    assert "word" not in repr(found)


def test_nobody_where_no_login_is_kept(environ):
    assert credentials_for("lab:5000", environ=environ) is None


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("lab:5000", "lab:5000"),
        ("https://lab:5000/v1/", "lab:5000"),
        ("http://lab:5000", "https://LAB:5000/"),
        ("lab:5000", "lab:5000/team/sub"),
        ("https://index.docker.io/v1/", "docker.io"),
        ("https://index.docker.io/v1/", "docker.io/team"),
    ],
)
def test_a_login_of_dockers_is_found_under_its_spellings(environ, config, key, asked):
    config(auths={key: auth("me", "pass:word")})
    found = credentials_for(asked, environ=environ)
    assert found is not None
    assert (found.user, found.password) == ("me", "pass:word")


def test_the_login_of_the_path_wins_over_the_hosts(environ, config):
    config(auths={"lab": auth("all", "1"), "lab/team": auth("team", "2")})
    found = [credentials_for(name, environ=environ) for name in ("lab/team/x", "lab/other", "labs")]
    assert [one.user if one else None for one in found] == ["team", "all", None]


def test_an_identity_token_is_kept_as_one(environ, config):
    config(auths={"lab": {**auth("me", ""), "identitytoken": "token"}})
    found = credentials_for("lab", environ=environ)
    assert found is not None
    assert found.identity_token == "token"


def test_podmans_logins_count_too_and_the_named_file_first(environ, config, tmp_path):
    (tmp_path / "run/containers").mkdir(parents=True)
    (tmp_path / "run/containers/auth.json").write_text(
        json.dumps({"auths": {"lab": auth("podman", "1"), "only": auth("podman", "2")}})
    )
    config(auths={"lab": auth("docker", "3")})
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"auths": {"third": auth("named", "4")}}))

    def user(host, more=environ):
        found = credentials_for(host, environ=more)
        return found.user if found else None

    assert [user("lab"), user("only"), user("third")] == ["docker", "podman", None]
    assert user("third", {**environ, "REGISTRY_AUTH_FILE": str(named)}) == "named"


def test_a_helper_is_asked_for_its_host(environ, config, helper):
    helper("lab", 'printf \'{"Username":"me","Secret":"of %s"}\' "$host"')
    config(credHelpers={"lab:5000": "lab"}, auths={"other": auth("x", "y")})
    found = credentials_for("lab:5000", environ=environ)
    assert found == Credentials("me", "of lab:5000", source="docker-credential-lab")
    assert credentials_for("another", environ=environ) is None


def test_a_store_is_asked_for_every_host(environ, config, helper):
    helper(
        "box",
        'case "$host" in hub.example) printf \'{"Username":"<token>","Secret":"t"}\';;'
        ' https://index.docker.io/v1/) printf \'{"Username":"hub","Secret":"s"}\';;'
        " *) echo credentials not found in native keychain; exit 1;; esac",
    )
    config(credsStore="box")
    said: list[str] = []
    token = credentials_for("hub.example", environ=environ, say=said.append)
    assert token == Credentials(identity_token="t", source="docker-credential-box")
    assert credentials_for("lab", environ=environ, say=said.append) is None
    hub = credentials_for("docker.io", environ=environ, say=said.append)
    assert hub is not None
    assert hub.user == "hub"
    assert said == []


@pytest.mark.parametrize(
    ("script", "why"),
    [(None, "is not there"), ("exit 3", "exit code 3"), ("echo {", "no JSON")],
)
def test_a_helper_that_does_not_work_is_told_and_passed_over(
    environ, config, helper, script, why, monkeypatch
):
    if script is not None:
        helper("bad", script)
    config(credsStore="bad")
    said: list[str] = []
    assert credentials_for("lab", environ=environ, say=said.append) is None
    (line,) = said
    assert "docker-credential-bad" in line
    assert why in line


def test_a_broken_file_is_told_without_its_text(environ, home):
    path = home / ".docker/config.json"
    path.write_text('{"auths":\n {"lab": {"auth": "c2VjcmV0"}')
    with pytest.raises(UsageError, match="not JSON") as caught:
        credentials_for("lab", environ=environ)
    assert caught.value.where == f"{path}:2"
    assert "c2VjcmV0" not in str(caught.value)
    path.write_text("[]")
    with pytest.raises(UsageError, match="not a file of logins"):
        credentials_for("lab", environ=environ)
    path.write_text(json.dumps({"auths": {"lab": {"auth": "no base64"}}}))
    with pytest.raises(UsageError, match="cannot be read") as caught:
        credentials_for("lab", environ=environ)
    assert "no base64" not in str(caught.value)


def test_a_file_that_is_a_folder_is_told(environ, home):
    (home / ".docker/config.json").mkdir()
    with pytest.raises(HostError, match="cannot be read"):
        credentials_for("lab", environ=environ)


def test_a_private_login_is_only_ours_and_goes_away(environ):
    who = Credentials("me", "word")
    with private_login("lab:5000/team", who, environ) as folder:
        assert folder is not None
        file = folder / "config.json"
        assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
        assert json.loads(file.read_text())["auths"] == {"lab:5000": auth("me", "word")}
    assert not folder.exists()
    with private_login("lab", None, environ) as nothing:
        assert nothing is None


def test_other_logins_and_dockers_settings_go_with_it(environ, config, tmp_path, home):
    (home / ".docker/contexts").mkdir()
    config(
        auths={"base": auth("b", "1"), "lab": auth("old", "2"), "stored": {}},
        credHelpers={"lab": "x", "cloud": "gcloud"},
        credsStore="box",
        currentContext="colima",
    )
    folder = tmp_path / "private"
    folder.mkdir()
    written = json.loads(_auth_file(folder, "lab", Credentials("me", "new"), environ).read_text())
    assert written == {
        "auths": {"base": auth("b", "1"), "lab": auth("me", "new")},
        "credHelpers": {"cloud": "gcloud", "stored": "box"},
        "currentContext": "colima",
    }
    assert (folder / "contexts").resolve() == home / ".docker/contexts"


def test_docker_hub_is_written_under_its_own_name(environ, tmp_path):
    path = _auth_file(tmp_path, "docker.io/team", Credentials("me", "w"), environ)
    assert set(json.loads(path.read_text())["auths"]) == {
        "https://index.docker.io/v1/",
        "docker.io",
    }


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("https://Lab.Example/team/", "lab.example/team"),
        ("me:word@lab:5000", "lab:5000"),
        ("https://index.docker.io/v1/", "docker.io"),
        ("registry-1.docker.io", "docker.io"),
        ("lab/v2/", "lab"),
    ],
)
def test_a_registrys_name_is_the_same_in_all_spellings(text, bare):
    assert bare_host(text) == bare
