"""A creds.yaml as the first users have it, and what happens to one that is a little wrong."""

from pathlib import Path

import pytest

from argojobs.config.creds import read_creds, secret_in
from argojobs.errors import ArgojobsError, HostError, UsageError

TEXT = """\
# servers, stores, registries
argo:
- name: abacus
  address: abacus:30992
  namespace: argo
  tls: true
- name: lab
  address: http://lab:2746
  Token: yes
s3:
- name: mldata
  type: minio
  address: abacus:30991
  access key: AKIA
  secret_key: 007
  tls: false
  cert path: null
  sets:
    dataset: {bucket: sets, prefix: digits}
    model: {"bucket": "models", "prefix": ""}
registry:
- name: none
  url: null
- name: local
  url: localhost:32000
  user: me
  password: hunter2
"""


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "creds.yaml"
        path.write_text(text)
        return path

    return write


def test_lists_and_their_entries(file):
    path = file(TEXT)
    creds = read_creds(path)
    abacus, lab = creds.argo
    assert (abacus.name, abacus.line) == ("abacus", 3)
    assert abacus.values == {
        "name": "abacus",
        "address": "abacus:30992",
        "namespace": "argo",
        "tls": "true",
    }
    assert lab.values["token"] == f"creds:{path}#argo/lab/token"
    (store,) = creds.s3
    assert store.values["secretkey"] == f"creds:{path}#s3/mldata/secretkey"
    assert store.sets == {"dataset": ("sets", "digits"), "model": ("models", "")}
    assert "cert path" in store.unknown
    none, local = creds.registry
    assert "url" not in none.values
    assert local.values["user"] == "me"


def test_no_secret_is_in_what_was_read(file):
    text = repr(read_creds(file(TEXT)))
    assert "hunter2" not in text
    assert "AKIA" not in text
    assert "007" not in text


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("argo/lab/token", "yes"),
        ("s3/mldata/accesskey", "AKIA"),
        ("s3/mldata/secretkey", "007"),
        ("registry/local/password", "hunter2"),
    ],
)
def test_a_secret_is_the_text_that_stands_there(file, pointer, value):
    assert secret_in(file(TEXT), pointer) == value


@pytest.mark.parametrize("pointer", ["s3/other/secretkey", "s3/mldata/password", "git/a/b"])
def test_a_pointer_to_nothing_is_told(file, pointer):
    with pytest.raises(UsageError, match=f"there is no {pointer}"):
        secret_in(file(TEXT), pointer)


def test_case_blanks_and_lines_in_keys_do_not_matter_and_a_secret_is_the_secret_key(file):
    text = "Argo: [{Name: a, ADDRESS: 'https://a:1', tls: on}]\nS3:\n- {name: b, AccessKey: x, secret: y}\n"
    creds = read_creds(file(f"{text}version: 2\n"))
    assert creds.argo[0].values == {"name": "a", "address": "https://a:1", "tls": "true"}
    assert set(creds.s3[0].values) == {"name", "accesskey", "secretkey"}
    assert secret_in(creds.path, "s3/b/secretkey") == "y"
    assert creds.unknown == ("version",)


def test_the_nearest_key_is_named(file):
    creds = read_creds(file("s3:\n- {name: b, acess_key: x, aws secret: y}\n"))
    assert "did you mean 'access key'" in creds.s3[0].unknown["acess_key"]
    assert "session token" in creds.s3[0].unknown["aws secret"]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("just text", 0, "no lists of servers"),
        ("- a\n- b\n", 0, "no lists of servers"),
        ("argo:\n  name: a\n", 1, "argo must be a list"),
        ("argo:\n- name: a\n- b\n", 3, "an entry of argo has no name"),
        ("argo:\n- address: b\n", 2, "has no name"),
        ("argo:\n- {name: a, address: [1]}\n", 2, "a: address must be one value"),
        ("argo:\n- {name: a, address: b, Address: c}\n", 2, "said twice, in two spellings"),
        ("argo:\n- {name: a, tls: maybe}\n", 2, "tls must be true or false"),
        ("argo:\n- {name: a}\n- {name: a}\n", 3, "two entries called a"),
        ("argo:\n- {name: a/b}\n", 2, "has a / or #"),
        ("s3:\n- {name: a, sets: {x: {prefix: y}}}\n", 2, "names no bucket"),
        ("argo: [\n", 2, "not valid YAML"),
    ],
)
def test_a_shape_that_we_do_not_know_is_refused(file, text, line, what):
    path = file(text)
    with pytest.raises(ArgojobsError) as caught:
        read_creds(path)
    assert what in caught.value.what
    assert caught.value.where.startswith(f"{path}:{line}" if line else str(path))


@pytest.mark.parametrize(
    ("text", "line", "block"),
    [
        (
            "registry:\n- name: none\nurl: null\n- name: local\nurl: localhost:32000\n",
            3,
            "- name: none\n  url: null\n- name: local\n  url: localhost:32000",
        ),
        (
            "argo:\n- name: a\n  address: b\n\nregistry:\n    - name: x\n    # why\n    password: hunter2\n",
            8,
            "    - name: x\n    # why\n      password: ...",
        ),
        ("registry:\r\n- name: x\r\nurl: x:1", 3, "- name: x\n  url: x:1"),
    ],
)
def test_keys_under_the_dash_are_shown_where_they_belong(file, text, line, block):
    path = file(text)
    with pytest.raises(UsageError) as caught:
        read_creds(path)
    assert "under the name, not under the dash" in caught.value.what
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.hint.endswith(block)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "argo:\n- {name: a}\nversion: 2\n",
        "s3:\n- name: a\n  sets:\n    x: {bucket: y}\n  tls: false\n",
        "argo:\n  - name: a\n    address: b\nregistry:\n  - name: c\n    url: d\n",
    ],
)
def test_good_indentation_is_left_alone(file, text):
    read_creds(file(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(HostError, match="cannot be read"):
        read_creds(tmp_path / "none.yaml")


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "creds.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="is not text"):
        read_creds(path)


def test_a_file_of_another_kind_is_no_creds(tmp_path):
    path = tmp_path / "workflow.yaml"
    path.write_text("kind: Workflow\nspec: {}\n")
    with pytest.raises(UsageError, match="no lists of servers"):
        read_creds(path)
