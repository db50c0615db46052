"""What an un-archived directory loses comes back."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from argojobs.errors import InputError, OutputError
from argojobs.runtime import tree


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _through_a_store(source: Path, target: Path) -> None:
    """Copy files only, with Argo's mode 0755, as an un-archived artifact travels."""
    target.mkdir()
    for folder, _, names in os.walk(source):
        for name in names:
            copy = target / Path(folder, name).relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(folder, name), copy)
    for folder, _, names in os.walk(target):
        for name in [".", *names]:
            Path(folder, name).chmod(0o755)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    (root / "empty" / "deeper").mkdir(parents=True)
    (root / "sub").mkdir()
    (root / "sub" / "run.sh").write_text("#!/bin/sh\n")
    (root / "sub" / "run.sh").chmod(0o750)
    for name in ("a", "b", "c"):
        (root / name).write_text(name)
        (root / name).chmod(0o640)
    (root / "latest").symlink_to("sub/run.sh")
    (root / "current").symlink_to("sub")
    (root / "gone").symlink_to("nowhere")
    (root / "sub").chmod(0o700)
    return root


def test_empty_folders_links_and_modes_come_back(source: Path, tmp_path: Path) -> None:
    tree.save(str(source))
    target = tmp_path / "target"
    _through_a_store(source, target)
    tree.restore(str(target))
    assert (target / "empty" / "deeper").is_dir()
    assert (target / "latest").readlink() == Path("sub/run.sh")
    assert (target / "current").readlink() == Path("sub")
    assert (target / "gone").readlink() == Path("nowhere")
    assert _mode(target / "a") == _mode(target / "c") == 0o640
    assert _mode(target / "sub" / "run.sh") == 0o750
    assert _mode(target / "sub") == 0o700
    assert (target / "sub" / "run.sh").read_text() == "#!/bin/sh\n"


def test_the_tree_file_is_gone_after_restoring(source: Path) -> None:
    tree.save(str(source))
    assert (source / tree.NAME).exists()
    tree.restore(str(source))
    assert not (source / tree.NAME).exists()


def test_links_an_uploader_stumbles_over_are_taken_away(source: Path) -> None:
    tree.save(str(source))
    assert not os.path.lexists(source / "current")
    assert not os.path.lexists(source / "gone")
    assert (source / "latest").is_symlink(), "a link to a file is uploaded as the file"


def test_the_content_of_a_link_to_a_file_outside_travels(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("weights")
    root = tmp_path / "model"
    root.mkdir()
    (root / "weights").symlink_to(tmp_path / "cache")
    tree.save(str(root))
    _through_a_store(root, tmp_path / "target")
    tree.restore(str(tmp_path / "target"))
    assert not (tmp_path / "target" / "weights").is_symlink()
    assert (tmp_path / "target" / "weights").read_text() == "weights"


def test_an_empty_directory_is_not_empty_when_saved(tmp_path: Path) -> None:
    tree.save(str(tmp_path))
    assert [entry.name for entry in tmp_path.iterdir()] == [tree.NAME]


def test_names_in_any_bytes(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / os.fsdecode(b"odd\xff\n")).mkdir(parents=True)
    tree.save(str(root))
    _through_a_store(root, tmp_path / "target")
    tree.restore(str(tmp_path / "target"))
    assert [os.fsencode(each.name) for each in (tmp_path / "target").iterdir()] == [b"odd\xff\n"]


def test_two_saves_of_the_same_are_equal(source: Path) -> None:
    tree.save(str(source))
    first = (source / tree.NAME).read_bytes()
    tree.restore(str(source))
    tree.save(str(source))
    assert (source / tree.NAME).read_bytes() == first


def test_a_directory_without_a_tree_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "file").chmod(0o600)
    tree.restore(str(tmp_path))
    assert _mode(tmp_path / "file") == 0o600


def test_a_pipe_is_no_artifact(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe is a socket, pipe or device"):
        tree.save(str(tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        {"empty": ["../outside"]},
        {"links": {"/etc/x": "y"}},
        {"empty": ["door/x"]},
        {"modes": {"": 0}},
        {"empty": 3},
        {"links": {"way": "..", "way/out": "x"}},
    ],
)
def test_a_hostile_or_damaged_tree_file_is_refused(tmp_path: Path, change: dict) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "door").symlink_to(tmp_path)
    good = {
        "format": 1, "file": 420, "directory": 493, "modes": {}, "empty": [], "links": {},
    }  # fmt: skip
    (root / tree.NAME).write_text(json.dumps(good | change))
    with pytest.raises(InputError, match="damaged"):
        tree.restore(str(root))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["root"]


def test_a_link_through_a_folder_link_leaves_nothing_to_stumble_over(source: Path) -> None:
    (source / "a").unlink()
    (source / "a").symlink_to("current/run.sh")
    tree.save(str(source))
    assert not os.path.lexists(source / "a")
    tree.restore(str(source))
    assert (source / "a").read_text() == "#!/bin/sh\n"


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside", "nowhere", "file", "folder"])
def test_content_is_never_given_up_for_a_link_that_leads_to_none(
    tmp_path: Path, target: str
) -> None:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "outside").write_text("not ours")
    (root / "file").write_text("kept")
    (root / "folder" / "inner").write_text("kept too")
    made = {
        "format": 1, "file": 420, "directory": 493, "modes": {}, "empty": [],
        "links": {"file": target, "folder": "file"},
    }  # fmt: skip
    (root / tree.NAME).write_text(json.dumps(made))
    tree.restore(str(root))
    assert (root / "file").read_text() == "kept"
    assert (root / "folder" / "inner").read_text() == "kept too"


def test_a_newer_tree_file_says_so(tmp_path: Path) -> None:
    (tmp_path / tree.NAME).write_text('{"format": 2}')
    with pytest.raises(InputError, match="newer argojobs"):
        tree.restore(str(tmp_path))


def test_what_an_earlier_attempt_left_at_the_same_place_is_not_handed_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOJOBS_ATTEMPT", "1")
    tree.save(str(source))
    target = tmp_path / "target"
    _through_a_store(source, target)
    (target / "sub" / "half").write_text("of an attempt that failed")
    (target / "old").write_text("too")
    tree.restore(str(target))
    assert sorted(os.listdir(target / "sub")) == ["run.sh"]
    assert sorted(os.listdir(target)) == sorted(
        set(os.listdir(source)) - {tree.NAME} | {"gone", "current"}
    )


def test_a_first_attempt_lists_no_files(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGOJOBS_ATTEMPT", "0")
    tree.save(str(source))
    assert "files" not in json.loads((source / tree.NAME).read_text())
