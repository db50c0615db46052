"""A config file is changed without losing what people wrote into it, at once or not at all."""

import os
import socket
import stat

import pytest
import tomllib

from argojobs.config import editing
from argojobs.config.editing import difference, read, replace, with_value, without
from argojobs.errors import ConflictError, HostError, NotFoundError

TEXT = """\
# mine
current_context = "a"  # why

# the lab
[contexts.a]  # x
namespace = "n"  # keep

[contexts.a.s3]
bucket = "b"

[local]
max_pods = 3  # few

[contexts."b.c"]
# lonely
namespace = "x"
"""

CHANGES = [
    (("current_context",), "b.c"),
    (("contexts", "a", "image"), "train:1"),
    (("contexts", "a", "environment", "LEVEL"), "info"),
    (("contexts", "a", "s3", "tls"), False),
    (("contexts", "b.c", "s3", "bucket"), "q"),
    (("contexts", "new"), {"s3": {"bucket": "q"}, "server": "https://x", "max_parallel": 2}),
    (("code", "allow"), ["a", "b"]),
    (("local", "claims", "sets"), "/data"),
]


@pytest.mark.parametrize(("at", "value"), CHANGES)
@pytest.mark.parametrize("text", [TEXT, ""], ids=["full", "empty"])
def test_a_value_is_set_and_all_else_stays(text, at, value):
    after = with_value(text, at, value)
    place = tomllib.loads(after)
    for key in at:
        place = place[key]
    assert place == value
    changed = "why" if at == ("current_context",) else "\n"
    kept = [line for line in text.split("\n") if line and changed not in line]
    assert [line for line in after.split("\n") if line in kept] == kept


def test_a_new_table_stands_apart():
    after = with_value(TEXT, ("contexts", "a", "environment", "LEVEL"), "info")
    assert 'bucket = "b"\n\n[contexts.a.environment]\nLEVEL = "info"\n\n[local]\n' in after


def test_a_changed_value_keeps_its_comment():
    assert 'current_context = "z"  # why\n' in with_value(TEXT, ("current_context",), "z")


def test_tables_that_stand_close_stay_so():
    close = "a = 1\n[b]\nc = 1\n[d]\n"
    assert with_value(close, ("a",), 2) == close.replace("1", "2", 1)


def test_a_new_context_is_written_with_its_tables_last():
    table = {"s3": {"bucket": "q"}, "server": "https://x"}
    assert with_value("", ("contexts", "gke.sandbox"), table) == (
        '[contexts."gke.sandbox"]\nserver = "https://x"\n\n'
        '[contexts."gke.sandbox".s3]\nbucket = "q"\n'
    )


@pytest.mark.parametrize(
    ("at", "gone", "kept"),
    [
        (("current_context",), 'current_context = "a"', "# mine"),
        (("contexts", "a"), "[contexts.a", '[contexts."b.c"]'),
        (("contexts", "a", "namespace"), 'namespace = "n"', "[contexts.a]"),
        (("contexts", "a", "s3", "bucket"), "[contexts.a.s3]", "[contexts.a]"),
        (("contexts", "b.c", "namespace"), 'namespace = "x"', "# lonely"),
        (("local", "max_pods"), "max_pods", "[contexts.a]"),
    ],
)
def test_a_value_is_taken_out_and_an_empty_table_with_it(at, gone, kept):
    after = without(TEXT, at)
    assert gone not in after
    assert kept in after
    tomllib.loads(after)


@pytest.mark.parametrize("at", [("code",), ("contexts", "z"), ("current_context", "x")])
def test_what_is_not_set_cannot_be_taken_out(at):
    with pytest.raises(NotFoundError, match="is not set"):
        without(TEXT, at)


LAYOUTS = [
    "contexts = {a = {namespace = 'n'}}\n",
    "contexts.a.namespace = 'n'\n",
    "[contexts]\na.namespace = 'n'\n",
    "[contexts]\na = {namespace = 'n'}\n",
    "[contexts.a]\nnamespace = 'n'\n[local]\nmax_pods = 1\n[contexts.b]\nimage = 'i'\n",
]


@pytest.mark.parametrize("text", LAYOUTS)
@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("contexts", "a", "image"), "i"),
        (("contexts", "a", "s3", "bucket"), "q"),
        (("contexts", "c"), {"image": "i", "s3": {"bucket": "q"}}),
        (("contexts", "a", "namespace"), "m"),
    ],
)
def test_every_layout_is_changed_rightly_or_refused(text, at, value):
    # That it is refused and not changed wrongly is what counts: such files are rare.
    try:
        place = tomllib.loads(with_value(text, at, value))
    except ConflictError:
        return
    for key in at:
        place = place[key]
    assert place == value


def test_a_value_where_a_table_is_needed_is_told():
    with pytest.raises(ConflictError, match="contexts is a value"):
        with_value("contexts = 3\n", ("contexts", "a"), {})


def test_a_text_that_says_something_else_is_refused(monkeypatch):
    monkeypatch.setattr(editing, "_dumped", lambda *_: 'current_context = "other"\n')
    with pytest.raises(ConflictError, match="laid out"):
        with_value(TEXT, ("current_context",), "b")


def test_a_file_is_replaced_with_a_private_one(tmp_path):
    path = tmp_path / "new" / "config.toml"
    replace(path, "", "a = 1\n")
    assert read(path) == "a = 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    replace(path, "a = 1\n", "a = 2\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["config.toml"]


def test_a_change_in_the_meantime_is_noticed(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("a = 1\n")
    with pytest.raises(ConflictError, match="changed by someone else"):
        replace(path, "a = 0\n", "a = 2\n")
    assert read(path) == "a = 1\n"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    path.write_text("a = 1\n")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(HostError, match="cannot be written: No space left"):
        replace(path, "a = 1\n", "a = 2\n")
    assert read(path) == "a = 1\n"
    assert os.listdir(tmp_path) == ["config.toml"]


def test_a_link_is_followed(tmp_path):
    real = tmp_path / "dotfiles" / "config.toml"
    real.parent.mkdir()
    real.write_text("")
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    replace(link, "", "a = 1\n")
    assert link.is_symlink()
    assert real.read_text() == "a = 1\n"


def test_a_folder_that_cannot_be_made_is_an_error_of_the_machine(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="cannot be written"):
        replace(tmp_path / "file" / "config.toml", "", "a = 1\n")


def test_what_is_not_a_file_is_not_replaced_by_one(tmp_path):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(str(path))
        with pytest.raises(HostError, match="is not a file"):
            replace(path, "", "a = 1\n")
    assert stat.S_ISSOCK(path.stat().st_mode)


def test_a_difference_is_shown_before_it_is_made(tmp_path):
    shown = difference(tmp_path / "c", "a = 1\n", "a = 2\n")
    assert "-a = 1\n+a = 2\n" in shown
    assert difference(tmp_path / "c", "a", "a") == ""
