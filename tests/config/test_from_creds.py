"""Which server of a creds.yaml gets which store and registry."""

from pathlib import Path

import pytest

from argojobs.config.contexts import S3, Context, Registry
from argojobs.config.creds import read_creds
from argojobs.config.from_creds import Imported, contexts_of_creds
from argojobs.errors import UsageError

ONE = """\
argo:
- {name: abacus, address: 'abacus:30992', namespace: argo, tls: true}
s3:
- name: mldata
  type: MinIO
  address: abacus:30991
  access key: x
  secret key: y
  tls: false
  sets: {dataset: {bucket: sets}, model: {bucket: models, prefix: cnn}}
registry:
- {name: none, url: null}
- {name: local, url: 'localhost:32000', user: me, password: z}
"""


@pytest.fixture
def imported(tmp_path: Path):
    def read(text: str, **choices: str) -> Imported:
        path = tmp_path / "creds.yaml"
        path.write_text(text)
        return contexts_of_creds(read_creds(path), **choices)

    return read


def test_the_only_store_and_registry_go_with_a_server(imported, tmp_path):
    found = imported(ONE)
    assert found.contexts == (
        Context(
            "abacus",
            server="https://abacus:30992",
            namespace="argo",
            s3=S3(
                endpoint="abacus:30991",
                bucket="models",
                prefix="cnn",
                tls=False,
                access_key=f"creds:{tmp_path}/creds.yaml#s3/mldata/accesskey",
                secret_key=f"creds:{tmp_path}/creds.yaml#s3/mldata/secretkey",
                kind="minio",
            ),
            registry=Registry(
                url="localhost:32000",
                user="me",
                password=f"creds:{tmp_path}/creds.yaml#registry/local/password",
            ),
        ),
    )
    assert found.notes == ("mldata: runs use the bucket models, that of its set model",)


TWO = """\
argo: [{name: a, address: 'a:1', tls: false}, {name: b, address: 'https://b'}]
s3: [{name: a, address: 'http://s:1', bucket: x}, {name: c, address: 's:2', bucket: y}]
"""


def test_a_server_gets_the_store_of_its_name_else_says_that_one_must_be_chosen(imported):
    found = imported(TWO)
    a, b = found.contexts
    assert (a.server, b.server) == ("http://a:1", "https://b")
    assert a.s3 == S3(endpoint="s:1", bucket="x", tls=False)
    assert b.s3 is None
    assert any("b: which store is it?" in note and "--store" in note for note in found.notes)


def test_a_store_can_be_chosen(imported):
    assert [one.s3.bucket for one in imported(TWO, store="c").contexts] == ["y", "y"]
    with pytest.raises(UsageError, match="there is no store 'd'"):
        imported(TWO, store="d")


def test_certificates_are_checked_unless_the_file_says_otherwise(imported):
    assert not imported(TWO).contexts[1].insecure
    assert imported("argo: [{name: a, address: b, insecure: true}]").contexts[0].insecure


def test_what_is_left_out_is_told(imported):
    notes = imported("argo: [{name: a, address: b, colour: red}]\nmail: [1]\n").notes
    mail, colour = notes
    assert mail == "mail is none of our lists, and is left out"
    assert colour.startswith("a: colour is not known, and is left out; known: ")


def test_a_file_without_servers_makes_no_context(imported):
    found = imported("registry: [{name: a, url: b}]")
    assert found.contexts == ()
    assert "no server" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("argo: [{name: a}]", "a has no address"),
        ("argo: [{name: a, address: 'http://b', tls: true}]", "say different things"),
    ],
)
def test_mistakes(imported, text, what):
    with pytest.raises(UsageError, match=what):
        imported(text)
