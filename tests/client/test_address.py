"""Where a server is: URLs as people write them, and Argo's own environment variables."""

import pytest

from argojobs.client.address import ServerAddress, authorization, from_environment, parse
from argojobs.errors import UsageError


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://argo.example.org:2746", "https://argo.example.org:2746"),
        ("http://localhost:2746/", "http://localhost:2746"),
        ("https://example.org/argo/", "https://example.org/argo"),
        ("  https://example.org  ", "https://example.org"),
        ("example.org:443", "https://example.org:443"),
        ("localhost", "https://localhost:2746"),
        ("https://[::1]:2746", "https://[::1]:2746"),
        ("10.0.0.7:2746", "https://10.0.0.7:2746"),
    ],
)
def test_an_address_is_read_as_people_write_it(given, url):
    assert parse(given) == url


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "the address '' has no host"),
        ("https://", "the address 'https://' has no host"),
        ("grpc://x:1", "the address 'grpc://x:1' is not http or https but grpc"),
        ("https://x:99999", "the address 'https://x:99999' is not a URL"),
        ("https://x:port", "the address 'https://x:port' is not a URL"),
        ("https://x?token=1", "the address 'https://x?token=1' has a query or a fragment"),
        ("my server", "the address 'my server' has no valid host"),
        ("-x", "the address '-x' has no valid host"),
    ],
)
def test_what_is_no_address_is_said_with_an_example(given, says):
    with pytest.raises(UsageError) as caught:
        parse(given)
    assert caught.value.what == says
    assert "https://argo.example.org:2746" in caught.value.hint


def test_a_secret_in_an_address_is_refused_and_not_shown():
    with pytest.raises(UsageError, match="no user and no password") as caught:
        parse("https://me:hidden@x")
    assert "hidden" not in str(caught.value)


def test_without_argo_server_there_is_no_address():
    assert from_environment({"ARGO_NAMESPACE": "x"}) is None
    assert from_environment({"ARGO_SERVER": " "}) is None


def test_argos_variables_are_defaults():
    address = from_environment({"ARGO_SERVER": "localhost:2746"})
    assert address is not None
    assert (address.url, address.namespace) == ("https://localhost:2746", "default")
    assert (address.insecure, address.token) == (False, None)
    address = from_environment(
        {
            "ARGO_SERVER": "argo:1",
            "ARGO_NAMESPACE": "team",
            "ARGO_SECURE": "false",
            "ARGO_INSECURE_SKIP_VERIFY": "true",
            "ARGO_BASE_HREF": "/argo/",
            "ARGO_TOKEN": "Bearer abc",
            "ARGO_HTTP1": "true",
        }
    )
    assert address is not None
    assert (address.url, address.namespace) == ("http://argo:1/argo", "team")
    assert address.insecure
    assert address.token is not None
    assert address.token() == "Bearer abc"


def test_argo_server_may_be_a_url():
    address = from_environment({"ARGO_SERVER": "http://x:1", "ARGO_SECURE": "true"})
    assert address is not None
    assert address.url == "http://x:1"


def test_a_variable_that_is_neither_true_nor_false_is_named():
    with pytest.raises(UsageError, match="ARGO_SECURE: 'maybe' is neither true nor false"):
        from_environment({"ARGO_SERVER": "x", "ARGO_SECURE": "maybe"})


@pytest.mark.parametrize(
    ("token", "header"),
    [
        ("abc.def", "Bearer abc.def"),
        ("abc\n", "Bearer abc"),
        ("Bearer abc", "Bearer abc"),
        ("Bearer v2:abc", "Bearer v2:abc"),
        ("Basic dTpw", "Basic dTpw"),
        ("", ""),
    ],
)
def test_a_token_is_shown_as_argo_wants_it(token, header):
    assert authorization(token) == header


@pytest.mark.parametrize("token", ["secret\nX: y", "sécret", "secret\x00"])
def test_a_broken_token_is_refused_and_not_shown(token):
    with pytest.raises(UsageError) as caught:
        authorization(token)
    assert "secret" not in str(caught.value)
    assert "sécret" not in str(caught.value)


def test_a_server_is_called_by_its_context():
    assert ServerAddress("http://x").called == "http://x"
    assert ServerAddress("http://x").whole == "http://x"
    assert ServerAddress("http://x", label="lab").called == "lab"
    assert ServerAddress("http://x", label="lab").whole == "lab (http://x)"
