"""A registry's protocol, on real registries: open, with a password, with tokens, with TLS."""

from __future__ import annotations

import shutil

import pytest
from support import registries

from argojobs.errors import ServerError, UsageError
from argojobs.images.logins.credentials import Credentials
from argojobs.images.registry.client import open_registry
from argojobs.images.registry.connection import challenges_of, is_near
from argojobs.images.registry.trial import TAG, try_pull, try_push

pytestmark = pytest.mark.usefixtures("no_logins")

RIGHT = Credentials(registries.USER, registries.PASSWORD, source="env:X")
WRONG = Credentials(registries.USER, "wrong-horse", source="env:X")


def test_a_registry_on_this_machine_needs_no_scheme(open_registry_server):
    found = open_registry(open_registry_server.host)
    assert found.host == open_registry_server.host
    assert found.plain_http


@pytest.mark.parametrize(
    ("form", "prefix"),
    [
        ("http://{}", ""),
        ("http://{}/", ""),
        ("http://{}/team/", "team"),
        ("{}/team/sub", "team/sub"),
        ("http://someone:word@{}/team", "team"),
    ],
)
def test_an_address_is_a_host_and_what_stands_before_repositories(
    open_registry_server, form, prefix
):
    found = open_registry(form.format(open_registry_server.host))
    assert (found.host, found.prefix) == (open_registry_server.host, prefix)


def test_what_is_not_there_has_no_digest(open_registry_server):
    found = open_registry(open_registry_server.host)
    assert found.digest("nothing", "1") is None
    assert found.manifest("nothing", "1") is None
    assert found.blob("nothing", f"sha256:{'0' * 64}") is None


def test_what_is_pushed_has_one_digest_by_tag_and_by_itself(open_registry_server):
    found = open_registry(f"{open_registry_server.host}/team")
    digest = try_push(found, "trial")
    assert found.digest("trial", TAG) == digest
    assert found.digest("trial", digest) == digest
    assert open_registry(open_registry_server.host).digest("team/trial", TAG) == digest
    try_pull(found, "trial", digest)
    assert found.delete("trial", digest)
    assert found.digest("trial", TAG) is None


def test_a_second_trial_is_the_same_image(locked_registry_server):
    found = open_registry(locked_registry_server.url, RIGHT)
    assert try_push(found, "again") == try_push(found, "again")
    assert not found.delete("again", found.digest("again", TAG) or ""), "it deletes nothing"
    found.ping()


@pytest.mark.parametrize("server", ["locked_registry_server", "token_registry_server"])
def test_a_wrong_password_is_told_as_such(server, request):
    served = request.getfixturevalue(server)
    found = open_registry(served.url, WRONG, context="lab")
    with pytest.raises(UsageError, match=r"does not take the user me \(env:X\)") as caught:
        try_push(found, "x")
    assert "contexts.lab.registry.password" in caught.value.hint
    assert "wrong-horse" not in str(caught.value)


def test_nobody_is_told_to_log_in(locked_registry_server):
    with pytest.raises(UsageError, match="wants a login") as caught:
        open_registry(locked_registry_server.url).digest("x", "1")
    assert f"docker login {locked_registry_server.host}" in caught.value.hint


def test_a_password_waits_for_an_address_that_says_http(locked_registry_server):
    found = open_registry(locked_registry_server.host, RIGHT)
    assert found.credentials is None
    with pytest.raises(UsageError, match="has no TLS"):
        found.digest("x", "1")


def test_a_token_is_fetched_for_what_is_to_be_done(token_registry_server):
    found = open_registry(token_registry_server.url, RIGHT)
    digest = try_push(found, "by-token")
    try_pull(found, "by-token", digest)
    assert open_registry(token_registry_server.url).digest("by-token", TAG) == digest, "by nobody"


def test_an_identity_token_takes_the_place_of_a_password(token_registry_server):
    who = Credentials(identity_token=registries.IDENTITY_TOKEN)
    assert try_push(open_registry(token_registry_server.url, who), "by-identity")
    wrong = Credentials(identity_token="another")
    with pytest.raises(UsageError, match="does not take"):
        try_push(open_registry(token_registry_server.url, wrong), "by-identity")


def test_who_may_only_pull_is_told_what_is_missing(token_registry_server):
    who = Credentials(registries.READER, registries.PASSWORD)
    found = open_registry(f"{token_registry_server.url}/team", who)
    assert found.digest("x", "1") is None
    with pytest.raises(UsageError, match=r"team/x at .* is not for the user reader"):
        try_push(found, "x")


def test_a_certificate_that_nobody_knows_is_not_trusted(tls_registry_server):
    for address in (tls_registry_server.host, f"https://{tls_registry_server.host}"):
        with pytest.raises(UsageError, match="is not trusted") as caught:
            open_registry(address)
        assert f"certs.d/{tls_registry_server.host}/ca.crt" in caught.value.hint


def test_a_certificate_that_docker_was_told_is_trusted(tls_registry_server, no_logins):
    folder = no_logins / ".docker/certs.d" / tls_registry_server.host
    folder.mkdir(parents=True)
    shutil.copy(tls_registry_server.folder / "cert.pem", folder / "ca.crt")
    found = open_registry(tls_registry_server.host, RIGHT)
    assert not found.plain_http
    assert found.credentials == RIGHT, "the line is safe"
    assert found.digest("x", "1") is None


def test_a_registry_without_tls_is_not_asked_for_it_by_name(open_registry_server):
    with pytest.raises(ServerError, match="does not speak TLS") as caught:
        open_registry(f"https://{open_registry_server.host}")
    assert f"http://{open_registry_server.host}" in caught.value.hint


@pytest.mark.parametrize("address", ["127.0.0.1:9", "http://127.0.0.1:9", "no-such-host.invalid"])
def test_out_of_reach_is_worth_a_retry(address):
    with pytest.raises(ServerError, match="out of reach"):
        open_registry(address)


def test_an_address_that_is_none_is_refused():
    with pytest.raises(UsageError, match="ftp://"):
        open_registry("ftp://lab")


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1:5000", True),
        ("localhost:32000", True),
        ("10.1.2.3", True),
        ("[::1]:5000", True),
        ("8.8.8.8:5000", False),
        ("no-such-host.invalid", False),
    ],
)
def test_only_a_near_registry_is_spoken_to_without_tls(host, near):
    assert is_near(host) is near


def test_challenges_are_taken_apart():
    header = 'Basic realm="a, b", Bearer realm="https://t/x",service=reg,scope="repository:a:pull"'
    assert challenges_of(header) == {
        "basic": {"realm": "a, b"},
        "bearer": {
            "realm": "https://t/x",
            "service": "reg",
            "scope": "repository:a:pull",
        },
    }
    assert challenges_of("") == {}
