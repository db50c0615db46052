"""Settings: what the files say, merged, and every mistake with its line."""

from pathlib import Path

import pytest

from argojobs.config.settings import ImageSettings, Settings, load_settings, parse_settings
from argojobs.errors import UsageError

FULL = """\
[local]
environment = ["HF_TOKEN"]
max_pods = 4

[local.claims]
datasets = "/data/sets"
models = "models"

[local.images."train:1.2"]
command = ["python3", "-m", "train"]
root = "/opt/root"

[code]
max_size = "20MiB"
allow = ["tests/key.pem"]
"""


@pytest.fixture
def user_file(monkeypatch, tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("")
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(path))
    return path


def test_a_file_with_everything():
    settings = parse_settings(FULL, Path("/project/argojobs.toml"))
    assert settings.claims == {"datasets": "/data/sets", "models": "/project/models"}
    assert settings.images == {
        "train:1.2": ImageSettings(command=("python3", "-m", "train"), root="/opt/root")
    }
    assert settings.environment == ("HF_TOKEN",)
    assert settings.max_pods == 4
    assert settings.code_max_size == 20 * 2**20
    assert settings.code_allow == ("tests/key.pem",)


def test_without_files_all_is_at_its_default(user_file, tmp_path):
    user_file.unlink()
    user_file.write_text("")
    settings = load_settings(tmp_path / "nowhere")
    assert settings.claims == {}
    assert settings.max_pods == 0
    assert settings.code_max_size is None


def test_the_project_wins_and_tables_merge(user_file, tmp_path):
    user_file.write_text('[local]\nmax_pods = 8\n[local.claims]\na = "/user/a"\nb = "/user/b"\n')
    (tmp_path / "argojobs.toml").write_text(
        '[local]\nmax_pods = 2\n[local.claims]\nb = "/project/b"\n'
    )
    settings = load_settings(tmp_path)
    assert settings.max_pods == 2
    assert settings.claims == {"a": "/user/a", "b": "/project/b"}


def test_a_config_file_that_is_named_and_not_there_yet_says_nothing(monkeypatch, tmp_path):
    for place in ("none.toml", "none/none.toml", "a/none.toml"):
        (tmp_path / "a").touch()
        monkeypatch.setenv("ARGOJOBS_CONFIG", str(tmp_path / place))
        assert load_settings() == Settings()


@pytest.mark.parametrize(
    ("text", "what", "where", "hint"),
    [
        ("[locl]\n", "unknown key 'locl'", ":1", "did you mean 'local'?"),
        ("[local]\n\nmax_pod = 1\n", "unknown key 'max_pod' in [local]", ":3", "'max_pods'"),
        ("[local]\nmax_pods = -1\n", "whole number", ":2", ""),
        ("[local]\nmax_pods = true\n", "whole number", ":2", ""),
        ('[local]\nenvironment = "HOME"\n', "list of texts", ":2", ""),
        ("[local.claims]\nsets = 3\n", "sets must be a folder", ":2", ""),
        ('[local.images."a:1"]\ncomand = []\n', "unknown key 'comand'", ":2", "'command'"),
        ("[local.secrets.hub]\ntoken = 'abc123'\n", "where the secret is", ":2", "env:VARIABLE"),
        ("[code]\nmax_size = '20 apples'\n", "size such as", ":2", ""),
        ("[code\n", "not TOML", ":1", ""),
        ("local = 3\n", "[local] must be a table", ":1", ""),
    ],
)
def test_mistakes_say_file_line_and_the_nearest_name(text, what, where, hint):
    with pytest.raises(UsageError) as caught:
        parse_settings(text, Path("argojobs.toml"))
    assert what in caught.value.what
    assert caught.value.where == f"argojobs.toml{where}"
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"a = " + b"[" * 100_000, "not TOML"),
        (b"x.y" * 30_000 + b" = 1", "more than 32 parts"),
        (b"\xff\xfe", "0xff is not UTF-8"),
        (b"#" * 1_100_000, "longer than 1 MiB"),
        (b"x" * 1_000_000, "not TOML"),
    ],
)
def test_hostile_files_are_refused_before_they_are_read_whole(user_file, tmp_path, data, what):
    user_file.parent.mkdir(parents=True, exist_ok=True)
    user_file.write_bytes(data)
    with pytest.raises(UsageError, match=what) as refused:
        load_settings(tmp_path)
    assert str(user_file) in str(refused.value.where)
