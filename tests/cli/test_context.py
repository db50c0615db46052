"""`argojobs context`: contexts are listed, made, changed and shared without a secret being shown."""

from __future__ import annotations

import json
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import tomllib

from argojobs.cli.completion import complete_context, complete_setting
from argojobs.cli.verbs.context_add import ROWS
from argojobs.config.contexts import S3, Context, Registry

LAB = """\
current_context = "lab"  # the usual one

# the lab's own machine
[contexts.lab]
server = "https://lab:2746"
namespace = "team"
token = "env:LAB_TOKEN"
[contexts.lab.s3]
endpoint = "lab:9000"
bucket = "runs"

[contexts."gke.sandbox"]
kube_context = "gke"
"""

CREDS = """\
argo:
- {name: abacus, address: 'abacus:30992', namespace: argo, tls: true}
s3:
- {name: mldata, address: 'abacus:30991', access key: AKIA, secret key: hunter2, bucket: models}
registry:
- {name: none, url: null}
- {name: local, url: 'localhost:32000', user: me, password: hunter2}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's config file; the working folder is a project of its own."""
    path = tmp_path / "config.toml"
    path.write_text(LAB)
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(path))
    monkeypatch.delenv("ARGOJOBS_CONTEXT", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # texts that are kept
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return path


def contexts(config: Path) -> dict:
    return tomllib.loads(config.read_text()).get("contexts", {})


# list, show


@pytest.mark.parametrize("words", [(), ("list",)])
def test_all_contexts_are_listed_with_the_chosen_one_marked(argojobs, config, words) -> None:
    answer = argojobs("context", *words)
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "  CONTEXT      SERVER                        NAMESPACE  STORE",
        "  local        this machine",
        "* lab          https://lab:2746              team       lab:9000/runs",
        "  gke.sandbox  through the kubeconfig (gke)",
    ]


def test_a_program_gets_all_of_them(argojobs, config) -> None:
    answer = json.loads(argojobs("context", "-o", "json").out)
    assert [(one["name"], one["chosen"]) for one in answer] == [
        ("local", False),
        ("lab", True),
        ("gke.sandbox", False),
    ]
    assert argojobs("context", "list", "-o", "name").out == "local\nlab\ngke.sandbox\n"


def test_the_variable_and_the_project_choose_too(argojobs, config, monkeypatch) -> None:
    Path("argojobs.toml").write_text('context = "gke.sandbox"\n')
    assert "* gke.sandbox" in argojobs("context").out
    monkeypatch.setenv("ARGOJOBS_CONTEXT", "local")
    assert "* local" in argojobs("context").out


def test_a_context_is_shown_with_the_origin_of_each_value(argojobs, config) -> None:
    Path("argojobs.toml").write_text('[contexts.lab]\nnamespace = "mine"\nstorage = "/s"\n')
    answer = argojobs("context", "show", "lab", "--origin")
    lines = [line.split() for line in answer.out.splitlines()]
    assert lines[0] == ["lab", "https://lab:2746"]
    assert ["server", "https://lab:2746", f"{config}:5"] in lines
    assert ["token", "env:LAB_TOKEN", f"{config}:7"] in lines
    assert ["namespace", "mine", f"{Path.cwd()}/argojobs.toml:2"] in lines
    assert ["storage_size", "40Gi", "default"] in lines


def test_without_a_name_the_chosen_one_is_shown(argojobs, config) -> None:
    assert argojobs("context", "show").out.startswith("lab  ")
    assert argojobs("--context", "gke.sandbox", "context", "show").out.startswith("gke.sandbox ")
    assert json.loads(argojobs("context", "show", "-o", "json").out)["s3"]["bucket"] == "runs"


def test_a_file_of_secrets_that_others_may_read_is_warned_about(argojobs, config, tmp_path) -> None:
    token = tmp_path / "token"
    token.write_text("hunter2")
    token.chmod(0o644)
    argojobs("config", "set", "contexts.lab.token", f"file:{token}")
    answer = argojobs("context", "show", "lab")
    assert f"chmod 600 {token}" in answer.err
    assert "hunter2" not in answer.out + answer.err


@pytest.mark.parametrize("words", [["show"], ["use"], ["delete"], ["export"], ["edit"]])
def test_an_unknown_name_gets_the_nearest_and_the_list(argojobs, config, words) -> None:
    answer = argojobs("context", *words, "labb")
    assert answer.code == 2
    assert "there is no context 'labb'" in answer.err
    assert "did you mean 'lab'? the contexts are: local, lab, gke.sandbox" in answer.err


def test_a_mistake_in_the_file_has_its_line(argojobs, config) -> None:
    config.write_text(LAB + "imge = 'x'\n")
    answer = argojobs("context")
    assert answer.code == 2
    assert f"at {config}:14" in answer.err
    assert "did you mean 'image'?" in answer.err


# add


def test_a_context_from_options(argojobs, config) -> None:
    answer = argojobs(
        *("context", "add", "new", "--server", "https://new:1", "-n", "team", "--ca", "ca.pem"),
        *("--token", "file:token", "--insecure", "--resources", "cpu=4 tpu=1"),
        *("--s3-endpoint", "s:1", "--s3-secret-key", "env:S", "--registry", "r:1"),
        *("--env", "A=1=2", "--env", "B=", "--mount", "/data=claim:sets:ro"),
        *("--max-parallel", "2", "--use"),
    )
    assert (answer.code, answer.err) == (0, "")
    assert contexts(config)["new"] == {
        "server": "https://new:1",
        "namespace": "team",
        "ca": f"{Path.cwd()}/ca.pem",
        "token": f"file:{Path.cwd()}/token",
        "insecure": True,
        "resources": "cpu=4 tpu=1",
        "s3": {"endpoint": "s:1", "secret_key": "env:S"},
        "registry": {"url": "r:1"},
        "environment": {"A": "1=2", "B": ""},
        "mounts": {"/data": "claim:sets:ro"},
        "max_parallel": 2,
    }
    text = config.read_text()
    assert 'current_context = "new"  # the usual one' in text
    assert "# the lab's own machine" in text


def test_every_key_of_a_context_has_an_option_in_one_part_of_the_help(argojobs) -> None:
    known = {
        *(one.name for one in fields(Context)),
        *(f"s3.{one.name}" for one in fields(S3)),
        *(f"registry.{one.name}" for one in fields(Registry)),
    }
    by_hand = {"name", "chosen_by", "s3.tls", "s3.access_key_field", "s3.secret_key_field"}
    keys = [row.key for rows in ROWS.values() for row in rows]
    assert sorted(keys) == sorted(known - by_hand - {"s3", "registry"})
    text = argojobs("context", "add", "--help").out
    store = text.partition("\nStore:\n")[2].partition("\nRegistry:\n")[0]
    assert "--s3-bucket NAME" in store
    assert "--registry-user" not in store


def test_mrunners_own_command(argojobs, config) -> None:
    answer = argojobs(
        *("context", "add", "--name", "gke.other", "--type", "kubernetes"),
        *("--registry_url", "https://gcr.io", "--storage", "/storage"),
        *("--resources", "tpu=1 cpu=4"),
    )
    assert answer.code == 0
    assert contexts(config)["gke.other"] == {
        "registry": {"url": "https://gcr.io"},
        "storage": "/storage",
        "resources": "tpu=1 cpu=4",
    }


def test_a_program_gets_the_new_context(argojobs, config) -> None:
    answer = argojobs("context", "add", "new", "--image", "x:1", "-o", "json")
    assert json.loads(answer.out) == {"name": "new", "image": "x:1"}
    assert argojobs("context", "add", "newer", "-n", "a", "-o", "name").out == "newer\n"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["new", "--token", "hunter2"], "token: it must say where the secret is"),
        (["new", "--server", "lab:2746"], "write https://lab:2746"),
        (["new", "--resources", "cpus=1"], "there is no resource 'cpus'"),
        (["new", "--env", "A"], "'A' is not a pair"),
        (["new", "--env", "A=1", "--env", "A=2"], "A is given twice"),
        (["new", "--mount", "/a=b"], "'b' is not a mount"),
        (["new", "--type", "slurm"], "of the type slurm cannot be"),
        (["new", "--neptune", "true"], "there is no Neptune here"),
        (["new", "--name", "other"], "named twice: new and other"),
        ([], "the new context has no name"),
        (["local"], "the context local is this machine"),
        (["lab"], "there is a context lab already"),
    ],
)
def test_what_cannot_be_is_refused_and_the_file_is_left_alone(
    argojobs, config, words, what
) -> None:
    answer = argojobs("context", "add", *words)
    assert answer.code == 2
    assert what in answer.err
    assert "hunter2" not in answer.err
    assert config.read_text() == LAB


def test_a_context_may_take_anothers_place(argojobs, config) -> None:
    assert argojobs("context", "add", "lab", "--image", "x", "--replace").code == 0
    assert contexts(config)["lab"] == {"image": "x"}


# use, delete


def test_the_current_context_is_chosen_and_the_comment_stays(argojobs, config) -> None:
    answer = argojobs("context", "use", "gke.sandbox")
    assert answer.code == 0
    assert 'current_context = "gke.sandbox"  # the usual one' in config.read_text()
    assert argojobs("context", "use", "local").code == 0
    assert "* local" in argojobs("context").out


def test_a_project_that_chooses_another_one_is_told(argojobs, config) -> None:
    Path("argojobs.toml").write_text('context = "lab"\n')
    answer = argojobs("context", "use", "gke.sandbox")
    assert f"here that is lab: {Path.cwd()}/argojobs.toml:1 says so" in answer.err


def test_a_deleted_context_is_no_longer_the_current_one(argojobs, config) -> None:
    answer = argojobs("context", "delete", "lab")
    assert "now that is local" in answer.out
    assert tomllib.loads(config.read_text()) == {
        "contexts": {"gke.sandbox": {"kube_context": "gke"}}
    }
    assert "always there" in argojobs("context", "delete", "local").err


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (["use", "gke.sandbox"], '+current_context = "gke.sandbox"  # the usual one'),
        (["delete", "gke.sandbox"], '-[contexts."gke.sandbox"]'),
        (["add", "new", "--image", "x"], "+[contexts.new]"),
        (["import", "creds.yaml"], "+[contexts.abacus]"),
    ],
)
def test_a_dry_run_shows_the_change_and_makes_none(argojobs, config, words, change) -> None:
    Path("creds.yaml").write_text(CREDS)
    answer = argojobs("context", *words, "--dry-run")
    assert answer.code == 0
    assert change in answer.out.splitlines()
    assert config.read_text() == LAB
    assert "hunter2" not in answer.out


# import, export


def test_a_creds_file_is_brought_over_by_reference(argojobs, config) -> None:
    path = Path("creds.yaml")
    path.write_text(CREDS)
    path.chmod(0o644)
    answer = argojobs("context", "import", "creds.yaml")
    assert answer.code == 0
    assert f"chmod 600 {path.absolute()}" in answer.err
    assert "1 context imported: abacus" in answer.out
    assert contexts(config)["abacus"] == {
        "server": "https://abacus:30992",
        "namespace": "argo",
        "s3": {
            "endpoint": "abacus:30991",
            "bucket": "models",
            "access_key": f"creds:{path.absolute()}#s3/mldata/accesskey",
            "secret_key": f"creds:{path.absolute()}#s3/mldata/secretkey",
        },
        "registry": {
            "url": "localhost:32000",
            "user": "me",
            "password": f"creds:{path.absolute()}#registry/local/password",
        },
    }
    assert "hunter2" not in answer.out + answer.err + config.read_text()


def test_importing_again_needs_a_word(argojobs, config) -> None:
    Path("creds.yaml").write_text(CREDS)
    assert argojobs("context", "import", "creds.yaml", "-o", "name").out == "abacus\n"
    assert "--replace" in argojobs("context", "import", "creds.yaml").err
    assert argojobs("context", "import", "creds.yaml", "--replace", "--insecure").code == 0
    assert contexts(config)["abacus"]["insecure"] is True


def test_the_documents_own_block_is_shown_as_it_must_be(argojobs, config) -> None:
    Path("creds.yaml").write_text(
        "    registry:\n    - name: none\n    url: null\n    - name: local\n"
        "    url: localhost:32000\n    - name: jfrog\n    url: https://jfrog.com/\n"
    )
    answer = argojobs("context", "import", "creds.yaml")
    assert answer.code == 2
    assert f"at {Path.cwd()}/creds.yaml:3" in answer.err
    assert "    - name: jfrog\n        url: https://jfrog.com/" in answer.err


def test_a_context_goes_to_somebody_else_and_comes_back(argojobs, config) -> None:
    answer = argojobs("context", "export", "lab", "-o", "lab.toml")
    assert answer.code == 0
    assert argojobs("context", "export", "lab").out == Path("lab.toml").read_text()
    before = contexts(config)["lab"]
    argojobs("context", "delete", "lab")
    assert argojobs("context", "import", "lab.toml").code == 0
    assert contexts(config)["lab"] == before


def test_an_exported_file_is_not_written_over(argojobs, config) -> None:
    Path("lab.toml").write_text("mine")
    assert argojobs("context", "export", "lab", "-o", "lab.toml").code == 2
    assert Path("lab.toml").read_text() == "mine"
    assert argojobs("context", "export", "lab", "-o", "lab.toml", "--replace").code == 0
    assert "on every machine" in argojobs("context", "export", "local").err


# edit


def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> None:
    """Let the user's editor be a few lines of shell; $1 is the last argument, the file."""
    path = tmp_path / "editor.sh"
    path.write_text(f'for file; do true; done\necho "$@" > {tmp_path}/arguments\n{program}\n')
    monkeypatch.setenv("EDITOR", f"sh {path}")


def test_the_file_is_edited_in_the_users_editor(argojobs, config, monkeypatch, tmp_path) -> None:
    editor(monkeypatch, tmp_path, "sed -i s/team/other/ $file")
    answer = argojobs("context", "edit", "lab")
    assert (answer.code, answer.out) == (0, f"{config}: changed\n")
    assert config.read_text() == LAB.replace("team", "other")
    edited = Path((tmp_path / "arguments").read_text().strip())
    assert not edited.parent.exists()


def test_nothing_edited_is_nothing_changed(argojobs, config, monkeypatch, tmp_path) -> None:
    editor(monkeypatch, tmp_path, "true")
    assert "nothing was changed" in argojobs("context", "edit").out


def test_an_edit_can_be_tried(argojobs, config, monkeypatch, tmp_path) -> None:
    editor(monkeypatch, tmp_path, "sed -i s/team/other/ $file")
    assert '+namespace = "other"' in argojobs("context", "edit", "--dry-run").out
    assert config.read_text() == LAB


def test_a_wrong_edit_is_kept_and_the_file_stays(argojobs, config, monkeypatch, tmp_path) -> None:
    editor(monkeypatch, tmp_path, "sed -i s/namespace/nmespace/ $file")
    answer = argojobs("context", "edit")
    kept = Path((tmp_path / "arguments").read_text().strip())
    assert answer.code == 2
    assert f"at {kept}:6" in answer.err
    assert f"cp {kept} {config}" in answer.err
    assert "nmespace" in kept.read_text()
    assert config.read_text() == LAB


def test_an_edit_beside_another_one_is_kept(argojobs, config, monkeypatch, tmp_path) -> None:
    editor(monkeypatch, tmp_path, f"sed -i s/team/a/ $file; echo '# new' >> {config}")
    answer = argojobs("context", "edit")
    assert "changed by someone else" in answer.err
    assert "is as it was" in answer.err
    assert config.read_text() == f"{LAB}# new\n"


def test_a_broken_file_can_be_edited(argojobs, config, monkeypatch, tmp_path) -> None:
    config.write_text("current_context = ?\n")
    editor(monkeypatch, tmp_path, "echo > $file")
    assert argojobs("context", "edit", "lab").code == 0
    assert config.read_text() == "\n"


# completion

NOTHING: Any = None  # what stands before the word does not matter here


def test_names_and_keys_are_completed(config) -> None:
    assert complete_context(NOTHING, "") == ["local", "lab", "gke.sandbox"]
    assert complete_context(NOTHING, "l") == ["local", "lab"]
    assert complete_setting(NOTHING, "contexts.lab.na") == ["contexts.lab.namespace"]
    assert complete_setting(NOTHING, "local.m") == ["local.max_pods"]
    config.write_text("?")
    assert complete_context(NOTHING, "l") == []
