"""Doctor's checks of a registry, on real registries of this machine."""

from __future__ import annotations

import pytest
from support import registries

from argojobs.config.contexts import Context, Registry
from argojobs.images.registry.client import open_registry
from argojobs.images.registry.trial import TAG
from argojobs.runs.doctor.registry import registry_checks


@pytest.fixture(scope="module", autouse=True)
def _program():
    absent = registries.missing(registries.PROGRAM)
    if absent:
        pytest.skip(absent)


@pytest.fixture(autouse=True)
def _no_logins(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for name in ("DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def open_to_all(tmp_path_factory):
    with registries.serve(tmp_path_factory.mktemp("open")) as served:
        yield served


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locked")
    with registries.serve(folder, more=registries.basic(folder), delete=False) as served:
        yield served


def found_in(url, user="", password=""):
    known = Registry(url, user, password and "env:REGISTRY_PASSWORD")
    return list(registry_checks(Context("lab", registry=known)))


def test_a_context_without_a_registry_is_not_looked_at():
    assert list(registry_checks(Context("lab"))) == []


def test_an_image_is_pushed_pulled_and_deleted(open_to_all):
    answers, push = found_in(open_to_all.host)
    assert answers.what == f"{open_to_all.url} answers"
    assert push.state == "ok"
    assert "pushed, pulled and deleted" in push.what
    left = open_registry(open_to_all.host).digest("argojobs-doctor", TAG)
    assert left is None


def test_the_path_of_an_address_stands_before_the_repository(open_to_all):
    _, push = found_in(f"{open_to_all.host}/team/")
    assert "as team/argojobs-doctor" in push.what


def test_a_registry_that_deletes_nothing_is_told(locked, monkeypatch):
    monkeypatch.setenv("REGISTRY_PASSWORD", registries.PASSWORD)
    answers, push = found_in(locked.url, registries.USER, "env")
    assert answers.what == f"{locked.url} answers, as {registries.USER}"
    assert push.state == "ok"
    assert "argojobs-doctor stays" in push.what


def test_a_wrong_password_is_to_be_fixed_and_not_shown(locked, monkeypatch):
    monkeypatch.setenv("REGISTRY_PASSWORD", "wrong-battery")
    (found,) = found_in(locked.url, registries.USER, "env")
    assert found.state == "failed"
    assert f"does not take the user {registries.USER} (env:REGISTRY_PASSWORD)" in found.what
    assert "contexts.lab.registry.password REFERENCE" in found.remedy
    assert "wrong-battery" not in str(found)


def test_who_has_no_login_may_want_only_to_pull(locked):
    answers, push = found_in(locked.url)
    assert (answers.state, push.state) == ("ok", "warning")
    assert "wants a login" in push.what


def test_a_password_is_not_sent_over_http_unless_http_was_asked_for(locked, monkeypatch):
    monkeypatch.setenv("REGISTRY_PASSWORD", registries.PASSWORD)
    answers, push = found_in(locked.host, registries.USER, "env")
    assert answers.what == f"{locked.url} answers", "it was told nobody"
    assert push.state == "failed"
    assert f"contexts.lab.registry.url {locked.url}" in push.remedy


def test_a_login_of_dockers_is_used(locked, monkeypatch, tmp_path):
    from argojobs.images.logins.credentials import Credentials
    from argojobs.images.logins.login import _auth_file

    folder = tmp_path / "docker"
    folder.mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    _auth_file(folder, locked.host, Credentials(registries.USER, registries.PASSWORD))
    answers, push = found_in(locked.url)
    assert f"as {registries.USER}" in answers.what
    assert push.state == "ok"


def test_a_registry_out_of_reach_is_worth_a_retry():
    (found,) = found_in("http://127.0.0.1:9")
    assert found.state == "failed"
    assert found.passing
