"""A folder that travels holds what its links mean here."""

import os
from pathlib import Path

import pytest

from argojobs.errors import OutputError
from argojobs.runtime import links, tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An output folder beside a cache that is none."""
    (tmp_path / "cache" / "sub").mkdir(parents=True)
    (tmp_path / "cache" / "weights").write_text("weights")
    (tmp_path / "cache" / "latest").symlink_to("weights")
    (tmp_path / "cache" / "sub" / "up").symlink_to("../weights")
    folder = tmp_path / "out"
    (folder / "steps").mkdir(parents=True)
    (folder / "steps" / "1").write_text("one")
    return folder


def test_an_absolute_link_that_stays_inside_is_made_relative(root: Path, tmp_path: Path) -> None:
    (root / "last").symlink_to(root / "steps" / "1")
    (root / "steps" / "all").symlink_to(root / "steps")
    tree.save(str(root))
    root.rename(tmp_path / "elsewhere")
    tree.restore(str(tmp_path / "elsewhere"))
    assert os.readlink(tmp_path / "elsewhere" / "last") == "steps/1"
    assert (tmp_path / "elsewhere" / "last").read_text() == "one"
    assert os.readlink(tmp_path / "elsewhere" / "steps" / "all") == "."


def test_a_relative_link_that_leaves_and_comes_back_is_made_simple(root: Path) -> None:
    (root / "last").symlink_to("../out/steps/1")
    tree.save(str(root))
    assert os.readlink(root / "last") == "steps/1"


@pytest.mark.parametrize("absolute", [True, False])
def test_a_link_to_a_folder_outside_becomes_a_copy(
    root: Path, tmp_path: Path, absolute: bool
) -> None:
    (root / "cache").symlink_to(tmp_path / "cache" if absolute else "../cache")
    (root / "one").symlink_to("cache/weights")
    tree.save(str(root))
    (tmp_path / "cache" / "weights").unlink()
    tree.restore(str(root))
    assert not (root / "cache").is_symlink()
    assert (root / "cache" / "weights").read_text() == "weights"
    assert (root / "one").read_text() == "weights"
    assert os.readlink(root / "cache" / "latest") == "weights", "links inside of it stay links"
    assert (root / "cache" / "sub" / "up").read_text() == "weights"


def test_a_link_to_a_file_outside_becomes_a_copy(root: Path, tmp_path: Path) -> None:
    (root / "weights").symlink_to(tmp_path / "cache" / "latest")
    tree.save(str(root))
    assert not (root / "weights").is_symlink()
    assert (root / "weights").read_text() == "weights"


def test_a_link_to_nothing_stays_one(root: Path) -> None:
    (root / "gone").symlink_to("/nowhere/at/all")
    tree.save(str(root))
    tree.restore(str(root))
    assert os.readlink(root / "gone") == "/nowhere/at/all"


def test_a_link_to_a_folder_that_holds_it_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "up").symlink_to("..")
    with pytest.raises(OutputError, match="leads in a circle"):
        tree.save(str(root))
    (root / "up").unlink()
    (root / "cache").symlink_to("../cache")
    (tmp_path / "cache" / "other").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "back").symlink_to("../cache")
    (tmp_path / "cache" / "there").symlink_to("../other")
    with pytest.raises(OutputError, match="leads in a circle"):
        tree.save(str(root))


def test_a_copy_has_what_links_out_of_the_source_lead_to(root: Path, tmp_path: Path) -> None:
    (root / "data").symlink_to("../cache")
    (root / "last").symlink_to(root / "steps" / "1")
    links.copy(str(root), str(tmp_path / "far" / "away"))
    copy = tmp_path / "far" / "away"
    assert (copy / "data" / "weights").read_text() == "weights"
    assert not (copy / "data").is_symlink()
    assert os.readlink(copy / "last") == "steps/1"
    assert (root / "data").is_symlink(), "the source is left alone"


def test_a_copy_refuses_links_to_nothing_by_name_unless_told(root: Path, tmp_path: Path) -> None:
    (root / "steps" / "gone").symlink_to("nowhere")
    with pytest.raises(OutputError, match="leads to nothing") as caught:
        links.copy(str(root), str(tmp_path / "copy"))
    assert caught.value.where.endswith("steps/gone")
    links.copy(str(root), str(tmp_path / "copy"), dangling=True)
    assert os.readlink(tmp_path / "copy" / "steps" / "gone") == "nowhere"


def test_a_copy_refuses_a_pipe(root: Path, tmp_path: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(OutputError, match="pipe or device"):
        links.copy(str(root), str(tmp_path / "copy"))
