"""Trees that a step has made are removed, whatever it did to the permissions in them."""

import os

import pytest

from argojobs.storage.removing import open_folders, remove_tree


def test_a_tree_goes_and_what_its_links_lead_to_stays(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "f").touch()
    (tmp_path / "t" / "deep").mkdir(parents=True)
    (tmp_path / "t" / "deep" / "link").symlink_to(tmp_path / "kept")
    remove_tree(tmp_path / "t")
    assert not (tmp_path / "t").exists()
    assert (tmp_path / "kept" / "f").exists()


def test_folders_closed_to_their_owner_are_opened_from_the_top(tmp_path):
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    for path in ("a/b/c", "a/b", "a"):
        (tmp_path / path).chmod(0)
    open_folders(str(tmp_path / "a"))
    modes = [os.stat(tmp_path / path).st_mode & 0o777 for path in ("a", "a/b", "a/b/c")]
    assert modes == [0o700] * 3


def test_a_tree_that_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        remove_tree(tmp_path / "t")
