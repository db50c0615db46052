"""A context as data: what it refers to, what it warns about, and the table it is."""

from argojobs.config.contexts import (
    LOCAL,
    S3,
    Context,
    Mount,
    Registry,
    mount_text,
    table_of,
    warnings_of,
)


def test_local_is_this_machine():
    assert LOCAL.built_in
    assert not Context("abacus").built_in
    assert table_of(LOCAL) == {}


def test_a_table_has_what_is_not_at_its_default():
    context = Context(
        "abacus",
        server="https://abacus:2746",
        resources={"cpu": "4"},
        s3=S3(endpoint="abacus:9000", tls=False),
        registry=Registry(url="localhost:32000"),
        environment={"LEVEL": "info"},
        mounts=(Mount("/data", "claim", "sets", read_only=True),),
        max_parallel=2,
    )
    assert table_of(context) == {
        "server": "https://abacus:2746",
        "resources": {"cpu": "4"},
        "s3": {"endpoint": "abacus:9000", "tls": False},
        "registry": {"url": "localhost:32000"},
        "environment": {"LEVEL": "info"},
        "mounts": {"/data": "claim:sets:ro"},
        "max_parallel": 2,
    }


def test_a_mount_as_text():
    assert mount_text(Mount("/data", "nfs", "box:/export")) == "nfs:box:/export"


def test_references_are_named_by_their_keys():
    context = Context(
        "a",
        token="env:T",
        s3=S3(access_key="env:A", secret_key="env:B"),
        registry=Registry(password="keyring:r/me"),
    )
    assert context.references() == {
        "token": "env:T",
        "s3.access_key": "env:A",
        "s3.secret_key": "env:B",
        "registry.password": "keyring:r/me",
    }


def test_a_file_that_others_may_read_is_warned_about_once(tmp_path):
    path = tmp_path / "creds.yaml"
    path.write_text("")
    path.chmod(0o644)
    s3 = S3(access_key=f"creds:{path}#s3/a/accesskey", secret_key=f"creds:{path}#s3/a/secretkey")
    assert len(warnings_of(Context("a", s3=s3))) == 1
    path.chmod(0o600)
    assert warnings_of(Context("a", s3=s3)) == []
