"""What is wrong with an address, a token or a place: said with a remedy, never with the token.

A command ends with 3 where trying again may help, with 2 where it does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from as_user import User

TOKEN = "not-a-token-of-this-cluster"


@pytest.fixture
def hello(user: User) -> Path:
    """A pipeline to start; nothing of it may arrive."""
    return user.project / "verbs.py"


def refused(user: User, *words: str | Path, code: int) -> str:
    """What a command says that ends with this code, without a traceback."""
    done = user.there(*words, code=code)
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    for account in ("submitter", "reader", "nobody"):
        assert user.cluster.token(account) not in done.stdout + done.stderr
    assert TOKEN not in done.stdout + done.stderr
    return done.stderr


def nothing_started(user: User) -> bool:
    found = user.cluster.kubectl(
        "get", "workflows", "--selector", f"argojobs.dev/user={user.name}", "-o", "name"
    )
    return found.strip() == ""


def test_a_server_that_is_out_of_reach(user: User) -> None:
    user.write_config(server="http://127.0.0.1:9")
    said = refused(user, "list", code=3)
    assert "(http://127.0.0.1:9) is out of reach: connection refused" in said
    assert "is it running" in said


def test_a_name_that_no_host_has(user: User) -> None:
    user.write_config(server="https://argo.does-not-exist.invalid:2746")
    assert "there is no host of this name" in refused(user, "list", code=3)


def test_a_certificate_that_nobody_here_knows(user: User) -> None:
    user.write_config(server=user.cluster.argo_tls_url)
    said = refused(user, "list", code=2)
    assert "certificate of the server" in said
    assert "`ca`" in said
    assert "insecure" in said


def test_the_wrong_ca(user: User) -> None:
    wrong = user.cluster.folder / "pki" / "other-ca.crt"
    user.write_config(f'ca = "{wrong}"', server=user.cluster.argo_tls_url)
    assert f"is not signed by the CA in {wrong}" in refused(user, "list", code=2)


def test_with_the_right_ca_or_without_a_check_it_is_taken(user: User) -> None:
    right = user.cluster.folder / "pki" / "ca.crt"
    user.write_config(f'ca = "{right}"', server=user.cluster.argo_tls_url)
    user.there("list")
    user.write_config("insecure = true", server=user.cluster.argo_tls_url)
    user.there("list")


def test_a_token_that_is_not_valid(user: User) -> None:
    token = user.folder / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    right = user.cluster.folder / "pki" / "ca.crt"
    user.write_config(f'ca = "{right}"', server=user.cluster.argo_tls_url, token=str(token))
    said = refused(user, "list", code=2)
    assert "token" in said
    assert "there" in said


@pytest.mark.parametrize(("account", "verb"), [("nobody", "list"), ("reader", "create")])
def test_who_may_not_is_told_which_permission_is_missing(
    user: User, hello: Path, account: str, verb: str
) -> None:
    user.account = account
    user.write_config()
    start = ("run", hello, "--pipeline", "counting", "--detach")
    said = refused(user, *(start if verb == "create" else ("list",)), code=2)
    assert verb in said
    assert "workflows" in said
    assert nothing_started(user)


def test_a_namespace_that_is_not_there(user: User, hello: Path) -> None:
    user.write_config(namespace="no-such-namespace")
    said = refused(user, "run", hello, "--pipeline", "counting", "--detach", code=2)
    assert "no-such-namespace" in said


def test_a_bucket_that_is_not_there(user: User, hello: Path) -> None:
    user.write_config(bucket="no-such-bucket")
    said = refused(user, "run", hello, "--pipeline", "counting", "--detach", code=2)
    assert "no-such-bucket" in said
    assert nothing_started(user)
