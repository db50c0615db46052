"""Which context a command works in: what is nearer to the command wins."""

from pathlib import Path

import pytest

from argojobs.config.choosing import choose, chosen_name, project_of
from argojobs.config.context_files import load_contexts
from argojobs.errors import UsageError

USER = """\
current_context = "current"
[contexts.current]
server = "https://current:2746"
[contexts.project]
server = "https://shared:2746"
[contexts.variable]
server = "https://shared:2746"
[contexts.option]
server = "https://option:2746/argo"
"""
CREDS = "argo:\n- {name: abacus, address: 'abacus:30992', namespace: argo, tls: true}\n"


@pytest.fixture
def chosen(tmp_path: Path):
    """Choose in a folder with all files, but for those that are left out."""

    def choosing(context="", server="", *, user=USER, project='context = "project"\n', **variables):
        config = tmp_path / "config.toml"
        config.write_text(user)
        root, folder = tmp_path / "root", tmp_path / "root" / "folder"
        folder.mkdir(parents=True, exist_ok=True)
        (root / "argojobs.toml").write_text(project)
        return choose(context, server, root, environ=variables, config=config, folder=folder)

    return choosing


def test_an_option_wins_over_all(chosen):
    assert chosen("option", ARGOJOBS_CONTEXT="variable").name == "option"


def test_then_the_variable(chosen):
    assert chosen(ARGOJOBS_CONTEXT="variable").name == "variable"


def test_then_the_project(chosen):
    assert chosen(ARGOJOBS_CONTEXT="").name == "project"


def test_then_the_users_current_context(chosen):
    assert chosen(project="").name == "current"


def test_else_it_is_this_machine(chosen):
    assert chosen(user="", project="").built_in


def test_who_chose_it_is_kept_unless_the_command_did(chosen):
    assert chosen("option").chosen_by == chosen("", "option").chosen_by == ""
    assert chosen(ARGOJOBS_CONTEXT="variable").chosen_by == "ARGOJOBS_CONTEXT"
    assert chosen().chosen_by.endswith("root/argojobs.toml:1")
    assert chosen(project="").chosen_by.endswith("config.toml:1")
    assert chosen(user="", project="").chosen_by == ""


@pytest.mark.parametrize("context", ["local", ""])
def test_local_can_be_asked_for(chosen, context):
    assert chosen(context, ARGOJOBS_CONTEXT="local").built_in
    assert chosen("", "local").built_in


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"context": "optoin"}, "--context"),
        ({"ARGOJOBS_CONTEXT": "varable"}, "ARGOJOBS_CONTEXT"),
        ({"project": "context = 'projct'"}, "root/argojobs.toml:1"),
        ({"project": "", "user": "\ncurrent_context = 'x'"}, "config.toml:2"),
    ],
)
def test_an_unknown_name_says_who_named_it(chosen, given, where):
    with pytest.raises(UsageError, match="there is no context") as caught:
        chosen(**given)
    assert caught.value.where.endswith(where)
    assert "the contexts are: local" in caught.value.hint


def test_context_and_server_both_are_refused(chosen):
    with pytest.raises(UsageError, match="both say where"):
        chosen("option", "https://a")


def test_a_server_may_be_a_contexts_name(chosen):
    assert chosen(server="option").server == "https://option:2746/argo"


def test_a_server_may_be_a_name_in_creds_yaml_of_the_project_or_the_folder(chosen, tmp_path):
    for folder in ("root", "root/folder"):
        (tmp_path / "root/folder").mkdir(parents=True, exist_ok=True)
        path = tmp_path / folder / "creds.yaml"
        path.write_text(CREDS)
        found = chosen(server="abacus")
        assert (found.name, found.server) == ("abacus", "https://abacus:30992")
        assert found.namespace == "argo"
        path.unlink()


def test_a_contexts_name_wins_over_creds_yaml(chosen, tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "root/creds.yaml").write_text(CREDS)
    user = "[contexts.abacus]\nserver = 'https://mine:1'\n"
    assert chosen(server="abacus", user=user, project="").server == "https://mine:1"


def test_a_server_may_be_a_url(chosen):
    found = chosen(server="https://other:2746/argo/")
    assert (found.name, found.server) == ("other:2746/argo", "https://other:2746/argo")


def test_a_url_of_a_context_is_that_context(chosen):
    assert chosen(server="https://option:2746/argo/").name == "option"


def test_a_url_of_several_contexts_is_the_chosen_one_else_it_must_be_named(chosen):
    assert chosen(server="https://shared:2746").name == "project"
    with pytest.raises(UsageError, match="several contexts") as caught:
        chosen(server="https://shared:2746", project="")
    assert "--context project or variable" in caught.value.hint


@pytest.mark.parametrize(
    ("server", "hint"),
    [
        ("abakus", "did you mean 'abacus'?"),
        ("abacus:2746", "--server https://abacus:2746"),
    ],
)
def test_an_unknown_server_gets_the_nearest_of_all(chosen, tmp_path, server, hint):
    (tmp_path / "root").mkdir()
    (tmp_path / "root/creds.yaml").write_text(CREDS)
    with pytest.raises(UsageError, match="there is no server") as caught:
        chosen(server=server)
    assert hint in caught.value.hint


def test_a_broken_creds_yaml_is_told_when_it_is_looked_into(chosen, tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "root/creds.yaml").write_text("argo: 3\n")
    with pytest.raises(UsageError, match="argo must be a list"):
        chosen(server="abacus")
    assert chosen(server="option").name == "option"


def test_who_chose_is_known(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(USER)
    contexts = load_contexts(config=config)
    assert chosen_name(contexts) == ("current", f"{config}:1")
    assert chosen_name(contexts, "", {"ARGOJOBS_CONTEXT": "x"}) == ("x", "ARGOJOBS_CONTEXT")


def test_a_project_is_found_from_inside_it(tmp_path, monkeypatch):
    inside = tmp_path / "project" / "a" / "b"
    inside.mkdir(parents=True)
    assert project_of(inside) is None
    (tmp_path / "project" / "argojobs.toml").write_text("")
    assert project_of(inside) == tmp_path / "project"
    assert project_of(tmp_path) is None


def test_a_folder_for_everything_is_no_project(tmp_path, monkeypatch):
    (tmp_path / "argojobs.toml").write_text("")
    (tmp_path / "a").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_of(tmp_path / "a") is None


def test_the_project_around_the_working_folder_is_the_default(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(USER)
    inside = tmp_path / "project" / "a"
    inside.mkdir(parents=True)
    (tmp_path / "project" / "argojobs.toml").write_text('context = "project"')
    assert choose(config=config, folder=inside, environ={}).name == "project"


ARGO = {"ARGO_SERVER": "lab.example:2746", "ARGO_BASE_HREF": "/argo/"}


@pytest.mark.parametrize("server", ["ARGO_SERVER", "lab.example:2746"])
def test_the_name_and_the_value_of_argos_own_variable_are_its_server(chosen, server):
    found = chosen(server=server, **ARGO)
    assert (found.name, found.server) == ("ARGO_SERVER", "https://lab.example:2746")
    assert found.base_href == "/argo/"
    assert chosen(server=server, **ARGO, ARGO_SECURE="false").server == "http://lab.example:2746"


def test_argos_own_variable_may_be_the_context_of_a_shell(chosen):
    found = chosen(ARGOJOBS_CONTEXT="ARGO_SERVER", **ARGO)
    assert found.server == "https://lab.example:2746"


def test_argos_own_variable_alone_sends_nothing_anywhere(chosen):
    assert chosen(user="", project="", **ARGO).built_in


def test_argos_own_variable_that_is_not_set_is_said(chosen):
    with pytest.raises(UsageError, match="ARGO_SERVER is not set"):
        chosen(server="ARGO_SERVER")
