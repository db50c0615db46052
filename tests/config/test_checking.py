"""A config file is checked whole before it takes the old one's place."""

from pathlib import Path

import pytest

from argojobs.config.checking import check_change, check_config
from argojobs.errors import UsageError


def test_a_file_in_which_all_is_right():
    text = "current_context = 'a'\n[contexts.a]\nnamespace = 'x'\n[local]\nmax_pods = 1\n"
    assert list(check_config(text, Path("c.toml")).by_name) == ["a"]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("a = ?\n", "c.toml:1", "this is not TOML"),
        ("[local]\nmax_pods = -1\n", "c.toml:2", "max_pods"),
        ("[contexts.a]\nimge = 'x'\n", "c.toml:2", "unknown key 'imge'"),
        ("\ncurrent_context = 'b'\n[contexts.a]\n", "c.toml:2", "there is no context 'b'"),
    ],
)
def test_every_part_of_it_is_looked_at(text, where, what):
    with pytest.raises(UsageError) as caught:
        check_config(text, Path("c.toml"))
    assert what in caught.value.what
    assert caught.value.where == where


def test_a_mistake_that_was_there_is_told_with_its_line_there():
    wrong = "[local]\nmax_pod = 1\n"
    with pytest.raises(UsageError) as caught:
        check_change(wrong, f"current_context = 'local'\n{wrong}", Path("c.toml"))
    assert caught.value.where == "c.toml:2"
    with pytest.raises(UsageError) as caught:
        check_change("", f"\n{wrong}", Path("c.toml"))
    assert caught.value.where == "c.toml:3"


def test_a_change_that_puts_a_mistake_right_is_taken():
    check_change("[local]\nmax_pod = 1\n", "[local]\n", Path("c.toml"))
