"""An exported context has no secrets and nothing of this machine, and says what it left out."""

import tomllib

from argojobs.config.contexts import S3, Context, Registry, table_of
from argojobs.config.exporting import exported

CONTEXT = Context(
    "gke.sandbox",
    server="https://lab:2746",
    token="command:print-token --for me",
    ca="/home/me/ca.pem",
    kubeconfig="/home/me/.kube/config",
    s3=S3(endpoint="s:1", access_key="env:KEY", secret_key="file:/home/me/secret"),
    registry=Registry(url="r:1", user="me", password="keyring:r/me"),
    environment={"LEVEL": "info"},
)


def test_only_references_that_mean_something_elsewhere_are_in_it():
    text = exported(CONTEXT)
    table = tomllib.loads(text)["contexts"]["gke.sandbox"]
    assert table == {
        "server": "https://lab:2746",
        "s3": {"endpoint": "s:1", "access_key": "env:KEY"},
        "registry": {"url": "r:1", "user": "me", "password": "keyring:r/me"},
        "environment": {"LEVEL": "info"},
    }
    assert "/home/me" not in text
    assert "print-token" not in text


def test_what_was_left_out_is_named():
    comments = [line for line in exported(CONTEXT).splitlines() if line.startswith("#")]
    assert [line.partition(":")[0] for line in comments] == [
        "# ca",
        "# kubeconfig",
        "# token",
        "# s3.secret_key",
    ]


def test_the_context_itself_is_not_changed():
    before = table_of(CONTEXT)
    exported(CONTEXT)
    assert table_of(CONTEXT) == before


def test_an_empty_table_is_left_out_with_its_only_value():
    context = Context("a", s3=S3(secret_key="file:/x"))
    assert "secret_key =" not in exported(context)
    assert tomllib.loads(exported(context))["contexts"]["a"] in ({}, {"s3": {}})
