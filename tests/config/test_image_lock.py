"""`images.lock`: one line an image and registry, read strictly, written whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.config.image_lock import (
    Locked,
    known_in,
    lock_text,
    read_lock,
    registries_of,
    with_entries,
    write_lock,
)
from argojobs.errors import HostError, UsageError

DIGEST = "sha256:" + "4f" * 32
CONTENT = "9c" * 32
TRAIN = Locked("localhost:32000", "train", DIGEST, CONTENT, "0123456789ab", "linux/amd64")
DEV = Locked("jfrog.com/team", "dev", DIGEST, CONTENT, "0123456789ab-dirty", "linux/arm64")
LINE = f"localhost:32000/train@{DIGEST} content={CONTENT} commit=0123456789ab platform=linux/amd64"


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "images.lock"
    write_lock(path, with_entries((), [TRAIN, DEV, Locked("lab", "bare", DIGEST, CONTENT)]))
    assert path.read_text().splitlines()[2:] == [
        f"lab/bare@{DIGEST} content={CONTENT} platform=linux/amd64",
        LINE,
    ]
    assert set(read_lock(path)) == {TRAIN, DEV, Locked("lab", "bare", DIGEST, CONTENT)}
    assert [file.name for file in tmp_path.iterdir()] == ["images.lock"]


def test_no_file_is_an_empty_lock(tmp_path):
    assert read_lock(tmp_path / "images.lock") == ()


def test_a_new_entry_takes_the_place_of_the_one_with_its_registry_name_and_platform():
    newer = TRAIN._replace(digest="sha256:" + "aa" * 32)
    arm = TRAIN._replace(platform="linux/arm64")
    assert with_entries([TRAIN, DEV], [newer]) == (DEV, newer)
    assert with_entries([TRAIN], [arm]) == (TRAIN, arm)


names = st.sampled_from(["train", "dev", "serve"])
registries = st.sampled_from(["lab:5000", "jfrog.com/team", "localhost:32000"])
entries = st.builds(
    Locked, registries, names, st.just(DIGEST), st.just(CONTENT), st.just("0123456789ab")
)


@given(st.lists(entries), st.lists(entries))
def test_two_people_who_add_lines_get_the_same_file_in_either_order(mine, yours):
    assert lock_text(with_entries(with_entries((), mine), yours)) == lock_text(
        with_entries(with_entries((), yours), mine)
    )


@pytest.mark.parametrize(
    ("text", "line", "match"),
    [
        (f"{LINE}\n{LINE}\n", 2, "stands on line 1 already"),
        (f"# x\n<<<<<<< HEAD\n{LINE}\n", 2, "merge"),
        (f"{LINE}\n=======\n", 2, "merge"),
        ("train:latest\n", 1, "not a line of images.lock"),
        (LINE.replace("sha256:4f", "sha256:4"), 1, "not a line"),
        (LINE.replace("content=9c", "content=zz"), 1, "not a line"),
        (LINE.replace(" platform=linux/amd64", ""), 1, "not a line"),
        (LINE.replace("commit=0123456789ab", "commit=main"), 1, "not a line"),
        (LINE + " platform=linux/amd64", 1, "not a line"),
        (LINE.replace("localhost:32000/train", "train"), 1, "not a line"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_remedy(tmp_path, text, line, match):
    path = tmp_path / "images.lock"
    path.write_text(text)
    with pytest.raises(UsageError, match=match) as caught:
        read_lock(path)
    assert caught.value.where == f"{path}:{line}"
    assert "deploy" in caught.value.hint


def test_a_file_that_is_no_text_is_told(tmp_path):
    path = tmp_path / "images.lock"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        read_lock(path)


def test_a_lock_that_cannot_be_written_stays_as_it_is(tmp_path):
    (tmp_path / "images.lock").mkdir()
    with pytest.raises(HostError, match="cannot be written"):
        write_lock(tmp_path / "images.lock", [TRAIN])
    assert [file.name for file in tmp_path.iterdir()] == ["images.lock"]


def test_the_images_of_one_registry_by_their_names():
    lock = (TRAIN, DEV)
    assert known_in(lock, "localhost:32000") == {"train": f"localhost:32000/train@{DIGEST}"}
    assert known_in(lock, "jfrog.com/team") == {"dev": f"jfrog.com/team/dev@{DIGEST}"}
    assert known_in(lock, "jfrog.com") == {"team/dev": f"jfrog.com/team/dev@{DIGEST}"}
    assert known_in(lock, "localhost") == {}
    assert registries_of(lock) == ("jfrog.com/team", "localhost:32000")


def test_an_image_for_two_platforms_is_no_choice_in_silence():
    arm = TRAIN._replace(platform="linux/arm64")
    with pytest.raises(UsageError, match="train for linux/amd64 and for linux/arm64"):
        known_in((TRAIN, arm), "localhost:32000")
