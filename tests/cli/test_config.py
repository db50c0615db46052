"""`argojobs config`: settings are shown with their origin, set and taken out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomllib

from argojobs.cli.settings_keys import split_key
from argojobs.errors import UsageError

TEXT = """\
current_context = "gke.sandbox"  # why
[contexts."gke.sandbox"]
namespace = "team"
[local]
max_pods = 3
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(TEXT)
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(path))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return path


@pytest.mark.parametrize("words", [(), ("show",)])
def test_settings_are_shown(argojobs, config, words) -> None:
    lines = [line.split() for line in argojobs("config", *words).out.splitlines()]
    assert lines == [
        ["current_context", "gke.sandbox"],
        ['contexts."gke.sandbox".namespace', "team"],
        ["local.max_pods", "3"],
    ]


@pytest.mark.parametrize("words", [(), ("show",)])
def test_with_the_file_and_line_of_each(argojobs, config, words) -> None:
    Path("argojobs.toml").write_text(
        '\n[local]\nmax_pods = 1\n[contexts.unknown]\nnamespace = "x"\n'
    )
    lines = [line.split() for line in argojobs("config", *words, "--origin").out.splitlines()]
    assert ["current_context", "gke.sandbox", f"{config}:1"] in lines
    assert ["local.max_pods", "1", f"{Path.cwd()}/argojobs.toml:3"] in lines
    assert len(lines) == 3


def test_a_program_gets_them(argojobs, config) -> None:
    assert json.loads(argojobs("config", "-o", "json").out)["local.max_pods"] == 3
    origin = json.loads(argojobs("config", "show", "--origin", "-o", "json").out)
    assert origin["local.max_pods"] == {"value": 3, "origin": f"{config}:5"}
    assert argojobs("config", "-o", "name").out.splitlines()[0] == "current_context"


def test_nothing_set_is_told(argojobs, config) -> None:
    config.write_text("")
    answer = argojobs("config")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == f"nothing is set in {config}: argojobs config set KEY VALUE\n"


@pytest.mark.parametrize("words", ["config", "context", "context show", "list", "server status"])
def test_a_file_that_is_named_and_not_there_yet_stops_no_verb(
    argojobs, config, home, monkeypatch, words
) -> None:
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(config.with_name("new.toml")))
    assert argojobs(*words.split()).code == 0
    assert argojobs("config", "set", "local.max_pods", "2").code == 0
    assert "max_pods = 2" in config.with_name("new.toml").read_text()


@pytest.mark.parametrize(
    ("key", "value", "place", "written"),
    [
        ("current_context", "local", ["current_context"], "local"),
        ("local.max_pods", "4", ["local", "max_pods"], 4),
        ("local.environment", '["A", "B"]', ["local", "environment"], ["A", "B"]),
        ("code.max_size", "20MiB", ["code", "max_size"], "20MiB"),
        ("contexts.gke.sandbox.image", "true", ["contexts", "gke.sandbox", "image"], "true"),
        ("contexts.gke.sandbox.insecure", "true", ["contexts", "gke.sandbox", "insecure"], True),
        ('contexts."new.one".namespace', "x", ["contexts", "new.one", "namespace"], "x"),
        ("contexts.new.environment.N", "3", ["contexts", "new", "environment", "N"], 3),
        ('local.images."a:1".root', "/x", ["local", "images", "a:1", "root"], "/x"),
    ],
)
def test_a_value_is_what_its_key_takes(argojobs, config, key, value, place, written) -> None:
    answer = argojobs("config", "set", key, value)
    assert (answer.code, answer.err) == (0, "")
    found = tomllib.loads(config.read_text())
    for part in place:
        found = found[part]
    assert found == written
    assert "# why" in config.read_text()


def test_paths_on_the_command_line_are_from_here(argojobs, config) -> None:
    argojobs("config", "set", "contexts.new.ca", "ca.pem")
    argojobs("config", "set", "contexts.new.token", "file:token")
    assert tomllib.loads(config.read_text())["contexts"]["new"] == {
        "ca": f"{Path.cwd()}/ca.pem",
        "token": f"file:{Path.cwd()}/token",
    }


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("current_contxt", "local", "did you mean 'current_context'?"),
        ("current_context", "labb", "there is no context 'labb'"),
        ("local.max_pods", "many", "whole number"),
        ("contexts.new.token", "hunter2", "it must say where the secret is"),
        ("contexts.gke.sandbox.imge", "x", "did you mean 'image'?"),
        ("a b", "x", "'a b' is not a key"),
        ("", "x", "'' is not a key"),
        ("current_context.x", "1", "is a value, not a table"),
    ],
)
def test_what_a_key_does_not_take_is_refused(argojobs, config, key, value, what) -> None:
    answer = argojobs("config", "set", key, value)
    assert answer.code == 2
    assert what in answer.err
    assert "hunter2" not in answer.err
    assert config.read_text() == TEXT


def test_a_value_is_taken_out(argojobs, config) -> None:
    assert argojobs("config", "unset", "local.max_pods").code == 0
    assert (
        argojobs("config", "unset", "contexts.gke.sandbox.namespace").code == 2
    )  # the current one
    assert argojobs("config", "unset", "current_context").code == 0
    assert argojobs("config", "unset", "contexts.gke.sandbox").code == 0
    assert config.read_text() == ""
    assert "local.max_pods is not set" in argojobs("config", "unset", "local.max_pods").err


@pytest.mark.parametrize("words", [["set", "local.max_pods", "9"], ["unset", "local.max_pods"]])
def test_a_dry_run_shows_the_change_and_makes_none(argojobs, config, words) -> None:
    answer = argojobs("config", *words, "--dry-run")
    assert "-max_pods = 3" in answer.out.splitlines()
    assert config.read_text() == TEXT


def test_a_file_that_is_no_toml_is_told_and_left_alone(argojobs, config) -> None:
    config.write_text("a = ?\n")
    answer = argojobs("config", "set", "local.max_pods", "1")
    assert f"at {config}:1" in answer.err
    assert config.read_text() == "a = ?\n"


def test_a_mistake_elsewhere_in_the_file_has_its_line(argojobs, config) -> None:
    config.write_text(TEXT + "max_pod = 1\n")
    answer = argojobs("config", "set", "current_context", "local")
    assert f"at {config}:6" in answer.err
    assert argojobs("config", "unset", "local.max_pod").code == 0


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("a.b", ("a", "b")),
        ('a."b.c".d', ("a", "b.c", "d")),
        ("contexts.gke.sandbox", ("contexts", "gke.sandbox")),
        ("contexts.gke.sandbox.s3.bucket", ("contexts", "gke.sandbox", "s3", "bucket")),
        ("contexts.gke.other", ("contexts", "gke", "other")),
    ],
)
def test_a_key_is_split_as_toml_does_but_for_names_that_there_are(key, parts) -> None:
    assert split_key(key, {"contexts": {"gke.sandbox": {}, "gke": {}}}) == parts


@pytest.mark.parametrize("key", ["a = 1\nb", "a.", ".", "a = 3 #", "[a]"])
def test_what_is_no_key_is_refused(key) -> None:
    with pytest.raises(UsageError, match="is not a key"):
        split_key(key, {})
