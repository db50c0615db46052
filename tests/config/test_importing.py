"""Contexts out of a file: which of the three kinds it is, and what no such file may bring."""

from pathlib import Path

import pytest

from argojobs.config.contexts import Context, Registry
from argojobs.config.exporting import exported
from argojobs.config.importing import read_import, read_table, written
from argojobs.errors import ArgojobsError, HostError, UsageError


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str, name: str = "file.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_creds_file(file):
    found = read_import(file("argo: [{name: abacus, address: 'abacus:1'}]\n"))
    assert found.contexts == (Context("abacus", server="https://abacus:1"),)


def test_an_exported_context_comes_back(file):
    context = Context("lab", server="https://lab:1", token="env:T", max_parallel=2)
    assert read_import(file(exported(context), "lab.toml")).contexts == (context,)


def test_a_context_of_mrunners(file):
    found = read_import(
        file(
            "name: gke.sandbox\ntype: kubernetes\nregistry_url: https://gcr.io\n"
            "resources: cpu=4 tpu=1\nneptune: true\nstorage: /storage\ndefault_pvc_size: 50Gi\n"
        )
    )
    assert found.contexts == (
        Context(
            "gke.sandbox",
            resources={"cpu": "4", "google.com/tpu": "1"},
            storage="/storage",
            storage_claim="storage",
            storage_size="50Gi",
            registry=Registry(url="https://gcr.io"),
        ),
    )
    assert found.notes == ("neptune is left out: runs keep their metrics themselves",)


def test_mrunners_neptune_may_be_off(file):
    assert read_import(file("name: a\nneptune: false\n")).notes == ()


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("name: a\nstorge: /s\n", "storge is not a key", "did you mean 'storage'?"),
        ("name: a\ntype: slurm\n", "of the type slurm cannot be", "local"),
        ("name: a\ntype: local\n", "always there", "context use local"),
        ("name: a\nresources: cpus=4\n", "no resource 'cpus'", "'cpu'"),
        ("name: a b\n", "cannot be a context's name", ""),
    ],
)
def test_mistakes_in_a_context_of_mrunners(file, text, what, hint):
    with pytest.raises(UsageError) as caught:
        read_import(file(text))
    assert what in caught.value.what
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('token = "command:sh -c evil"', "a reference command:"),
        ('token = "file:/home/me/.ssh/id"', "a reference file:"),
        ('s3.secret_key = "creds:/home/me/creds.yaml#s3/a/secretkey"', "a reference creds:"),
        ('kubeconfig = "kube"', "a file of this machine"),
        ('ca = "ca.pem"', "a file of this machine"),
    ],
)
def test_a_file_from_elsewhere_may_not_run_programs_or_read_our_files(file, line, what):
    path = file(f"[contexts.lab]\n{line}\n", "lab.toml")
    with pytest.raises(UsageError) as caught:
        read_import(path)
    assert what in caught.value.what
    assert caught.value.where == f"{path}:2"
    assert "argojobs config set contexts.lab." in caught.value.hint


def test_an_exported_file_without_contexts(file):
    with pytest.raises(UsageError, match="no context in this file"):
        read_import(file("[local]\nmax_pods = 1\n", "a.toml"))


def test_a_creds_file_that_is_a_little_wrong_shows_what_it_must_be(file):
    with pytest.raises(ArgojobsError, match="under the name, not under the dash"):
        read_import(file("registry:\n- name: none\nurl: null\n- name: local\nurl: l:1\n"))


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(HostError, match="cannot be read"):
        read_import(tmp_path / "none.yaml")
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not text"):
        read_import(path)


def test_a_key_of_mrunners_without_a_value_says_nothing(file):
    found = read_import(file("name: a\nregistry_url: ''\nresources:\nstorage: /s\n"))
    assert found.contexts == (
        Context("a", storage="/s", storage_claim="storage", storage_size="40Gi"),
    )


def test_a_table_that_stands_nowhere_yet_has_mistakes_without_a_place():
    with pytest.raises(UsageError) as caught:
        read_table("a", {"server": "abacus"}, Path("/u/config.toml"))
    assert caught.value.where == ""
    assert "https://abacus" in caught.value.hint


def test_what_is_written_can_be_read():
    context = Context("a", server="https://a", environment={"A": "1"})
    assert written(context, Path("/u/config.toml")) == {
        "server": "https://a",
        "environment": {"A": "1"},
    }
    with pytest.raises(UsageError, match="not an address of a server"):
        written(Context("a", server="a b"), Path("/u/config.toml"))
