"""A folder as artifact repository: files and trees by key, as an object store has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argojobs.errors import NotFoundError, OutputError, UsageError
from argojobs.storage.directory import UNFINISHED, DirectoryRepository
from argojobs.storage.opening import open_repository
from argojobs.storage.repository import Entry


@pytest.fixture
def repository(tmp_path):
    return DirectoryRepository(str(tmp_path / "repository"))


@pytest.fixture
def source(tmp_path):
    """A tree of two files, one of them deep."""
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_text("one")
    (folder / "deep" / "b").write_text("two")
    return folder


def keys(repository, prefix=""):
    return [entry.key for entry in repository.list(prefix)]


def test_a_file_comes_back_as_it_was(repository, source, tmp_path):
    repository.put(str(source / "a"), "run/pod/a")
    repository.get("run/pod/a", str(tmp_path / "back"))
    assert (tmp_path / "back").read_text() == "one"
    assert (source / "a").exists()


def test_a_tree_comes_back_as_it_was(repository, source, tmp_path):
    repository.put(str(source), "run/tree")
    repository.get("run/tree/", str(tmp_path / "back"))
    assert (tmp_path / "back" / "deep" / "b").read_text() == "two"


@pytest.mark.parametrize("what", ["a", ""])
def test_what_may_be_moved_is_moved(repository, source, what):
    path = source / what if what else source
    repository.put(str(path), "k", move=True)
    assert not path.exists()
    assert repository.kind("k") == ("file" if what else "tree")


def test_the_tree_above_several_keys_can_be_had_as_one(repository, source, tmp_path):
    for item in ("0", "1"):
        repository.put(str(source / "a"), f"run/step/{item}")
    repository.get("run/step", str(tmp_path / "gathered"))
    assert sorted(os.listdir(tmp_path / "gathered")) == ["0", "1"]


def test_a_file_is_replaced_and_a_tree_is_merged(repository, source, tmp_path):
    repository.put(str(source), "t")
    more = tmp_path / "more"
    more.mkdir()
    (more / "a").write_text("newer")
    (more / "c").write_text("three")
    repository.put(str(more), "t")
    assert keys(repository) == ["t/a", "t/c", "t/deep/b"]
    assert Path(repository.local("t/a")).read_text() == "newer"


def test_listing_is_sorted_with_sizes_and_shows_nothing_unfinished(repository, source):
    repository.put(str(source), "x/t")
    Path(repository.root, UNFINISHED).mkdir(exist_ok=True)
    Path(repository.root, UNFINISHED, "half").write_text("h")
    assert list(repository.list()) == [Entry("x/t/a", 3), Entry("x/t/deep/b", 3)]
    assert list(repository.list("x/t/a")) == [Entry("x/t/a", 3)]
    assert keys(repository, "nothing") == []


def test_deleting_leaves_neither_the_tree_nor_empty_folders(repository, source):
    repository.put(str(source), "run/pod/t")
    repository.put(str(source / "a"), "other")
    repository.delete("run/pod/t")
    repository.delete("run/pod/t")  # nothing there is fine
    assert repository.kind("run") is None
    assert keys(repository) == ["other"]


def test_an_empty_tree_does_not_exist(repository, tmp_path):
    (tmp_path / "empty" / "below").mkdir(parents=True)
    repository.put(str(tmp_path / "empty"), "e", move=True)
    assert repository.kind("e") is None


def test_links_become_what_they_name_and_empty_folders_vanish(repository, source):
    (source / "link").symlink_to("a")
    (source / "hollow").mkdir()
    repository.put(str(source), "t", move=True)
    assert keys(repository) == ["t/a", "t/deep/b", "t/link"]
    assert not Path(repository.local("t/link")).is_symlink()


@pytest.mark.parametrize("target", ["deep", "nowhere"])
def test_a_link_to_no_file_is_refused_and_named(repository, source, target):
    (source / "link").symlink_to(target)
    with pytest.raises(OutputError, match="link"):
        repository.put(str(source), "t")
    assert repository.kind("t") is None
    assert os.listdir(Path(repository.root, UNFINISHED)) == []


def test_the_content_travels_and_the_mode_does_not(repository, source, tmp_path):
    (source / "a").chmod(0o755)
    repository.put(str(source / "a"), "a")
    repository.get("a", str(tmp_path / "back"))
    assert (
        not os.access(tmp_path / "back", os.X_OK) or os.stat(tmp_path / "back").st_mode & 0o111 == 0
    )


def test_what_is_not_there_is_an_error(repository, tmp_path):
    with pytest.raises(NotFoundError, match="no/such"):
        repository.get("no/such", str(tmp_path / "x"))
    with pytest.raises(FileNotFoundError):
        repository.put(str(tmp_path / "missing"), "k")
    assert (repository.kind("k"), repository.local("k")) == (None, None)


def test_a_key_cannot_be_a_file_and_a_folder(repository, source):
    repository.put(str(source / "a"), "k")
    with pytest.raises(OutputError, match="both a file and a folder"):
        repository.put(str(source / "a"), "k/below")
    repository.put(str(source / "a"), "t/x")
    with pytest.raises(OutputError, match="both a file and a folder"):
        repository.put(str(source / "a"), "t")


@pytest.mark.parametrize("key", ["", "/abs", "a//b", "../x", "a/../b", "./a", "a\0b", UNFINISHED])
def test_keys_that_could_lead_astray_are_refused(repository, source, key):
    with pytest.raises(UsageError):
        repository.put(str(source / "a"), key)


def test_another_process_opens_it_by_its_description(repository, source):
    repository.put(str(source / "a"), "k")
    assert keys(open_repository(repository.describe())) == ["k"]
    with pytest.raises(UsageError, match="tape"):
        open_repository({"kind": "tape"})


def test_flushing_takes_files_trees_and_nothing(repository, source):
    repository.put(str(source), "t")
    for key in ("t", "t/a", "none"):
        repository.flush(key)


def test_a_link_is_what_the_pod_sees_behind_it(repository, source, tmp_path):
    (tmp_path / "hosts").write_text("the host's")
    (tmp_path / "pods").write_text("the pod's")
    (source / "link").symlink_to(tmp_path / "hosts")
    repository.put(str(source), "k", resolve=lambda _: str(tmp_path / "pods"))
    assert Path(repository.local("k"), "link").read_text() == "the pod's"


def test_a_pipe_is_refused_not_waited_for(repository, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for move in (True, False):
        with pytest.raises(OutputError, match="pipe"):
            repository.put(str(tmp_path / "pipe"), "k", move=move)


def test_what_is_moved_in_can_be_read_and_removed_by_its_owner(repository, source):
    (source / "a").chmod(0o000)
    (source / "deep").chmod(0o555)
    repository.put(str(source), "k", move=True)
    stored = Path(repository.local("k"))
    assert os.stat(stored / "a").st_mode & 0o600 == 0o600
    assert os.stat(stored / "deep").st_mode & 0o700 == 0o700


def test_a_pipe_and_a_link_at_the_target_are_replaced(repository, source, tmp_path):
    repository.put(str(source), "k")
    back = tmp_path / "back"
    back.mkdir()
    (tmp_path / "precious").mkdir()
    os.mkfifo(back / "a")
    (back / "deep").symlink_to(tmp_path / "precious")
    repository.get("k", str(back))
    assert (back / "a").read_text() == "one"
    assert (back / "deep" / "b").read_text() == "two"
    assert os.listdir(tmp_path / "precious") == []
