"""A context as an address and a store."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from argojobs.client.failures import connection_failure
from argojobs.config.choosing import of_argos_variables
from argojobs.config.contexts import S3, Context
from argojobs.errors import UsageError
from argojobs.runs.remote import address_of, remote_repository, remote_service

ARGO = {
    "ARGO_SERVER": "lab.example:2746",
    "ARGO_NAMESPACE": "team",
    "ARGO_TOKEN": "Bearer from-argo",
    "ARGO_INSECURE_SKIP_VERIFY": "true",
}


def test_a_context_says_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_TOKEN", "mine")
    context = Context(
        "lab",
        server="https://lab.example:2746",
        namespace="argo",
        token="env:LAB_TOKEN",
        ca="/etc/lab-ca.pem",
        base_href="/argo",
    )
    address = address_of(context, {})
    assert address.url == "https://lab.example:2746/argo"
    assert (address.namespace, address.label) == ("argo", "lab")
    assert (address.ca_file, address.insecure) == ("/etc/lab-ca.pem", False)
    assert address.token is not None
    assert address.token() == "mine"


def test_a_reference_is_read_when_the_token_is_needed_and_not_before() -> None:
    address = address_of(Context("lab", server="https://lab.example", token="env:NOT_SET"), {})
    assert address.token is not None
    with pytest.raises(UsageError, match="NOT_SET"):
        address.token()


LAB = Context(
    "lab",
    server="https://lab.example",
    token="env:NOT_SET",
    s3=S3(bucket="runs", endpoint="lab.example:9000", access_key="env:NOT_SET"),
    chosen_by="config.toml:1",
)
WAY_BACK = "config.toml:1 chose the context lab: --context local is this machine"


@pytest.mark.parametrize(
    "context",
    [
        LAB,
        replace(LAB, token="file:not-there"),
        replace(LAB, token="command:false"),
        replace(LAB, token="command:not-a-program"),
        replace(LAB, server="ftp://lab.example"),
    ],
)
def test_what_a_context_lacks_names_it_and_the_way_back(context: Context, home) -> None:
    with pytest.raises(UsageError) as caught:
        remote_service(context).address.token()
    assert WAY_BACK in caught.value.hint.splitlines()
    with pytest.raises(UsageError, match="NOT_SET") as caught:
        remote_repository(context)
    assert caught.value.where == "the context lab"
    assert caught.value.hint == f"export NOT_SET=...\n{WAY_BACK}"


def test_a_context_that_the_command_names_needs_no_way_back() -> None:
    with pytest.raises(UsageError, match="NOT_SET") as caught:
        remote_service(replace(LAB, chosen_by="")).address.token()
    assert (caught.value.where, caught.value.hint) == ("the context lab", "export NOT_SET=...")


def test_a_server_of_the_current_context_that_is_out_of_reach_tells_the_way_back() -> None:
    address = remote_service(LAB).address
    for error in (ConnectionRefusedError(), TimeoutError(), socket.gaierror()):
        failure = connection_failure(error, address, connecting=True)
        assert failure.hint.splitlines()[-1] == WAY_BACK


def test_argos_own_variables_fill_in_for_the_server_that_they_name() -> None:
    address = address_of(Context("lab", server="https://lab.example:2746"), ARGO)
    assert (address.namespace, address.insecure) == ("team", True)
    assert address.token is not None
    assert address.token() == "Bearer from-argo"


def test_argos_own_token_goes_to_no_other_server() -> None:
    address = address_of(Context("other", server="https://other.example:2746"), ARGO)
    assert address.token is None
    assert not address.insecure


def test_the_server_of_argos_own_variables_gets_all_of_them() -> None:
    address = address_of(of_argos_variables(ARGO), ARGO)
    assert (address.url, address.namespace) == ("https://lab.example:2746", "team")
    assert address.insecure
    assert address.token is not None
    assert address.token() == "Bearer from-argo"


def test_keys_are_whole_whatever_the_prefix_of_the_context() -> None:
    s3 = S3(endpoint="lab.example:9000", bucket="runs", prefix="team", tls=False)
    place = remote_repository(Context("lab", s3=s3)).place
    assert place.url("team/code/x.tgz") == "s3://runs/team/code/x.tgz"
    assert not place.tls
