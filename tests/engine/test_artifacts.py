"""Artifact files are packed and unpacked as Argo's executor does it."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argojobs.engine.artifacts import save_tar, save_zip, set_mode
from argojobs.engine.executors.process.host import archive_name
from argojobs.errors import InputError, OutputError
from argojobs.storage.loading import load


class Hard(str):
    """The name that a hard link gives to another file."""

    __slots__ = ()


FOLDER = None


def tar_of(path, entries):
    """A gzip tar with the given (name, content or link, FOLDER) entries."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            if content is FOLDER:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            elif isinstance(content, Hard):
                entry.type, entry.linkname = tarfile.LNKTYPE, content
                archive.addfile(entry)
            elif isinstance(content, bytes):
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            else:
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                archive.addfile(entry)
    return str(path)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 3_000_000])
def test_a_file_has_one_root_entry_named_after_the_path(tmp_path, size):
    source, packed, back = (str(tmp_path / name) for name in ("made", "p", "back"))
    content = os.urandom(size)
    with open(source, "wb") as file:
        file.write(content)
    os.chmod(source, 0o750)
    save_tar(source, packed, "model.bin")
    with tarfile.open(packed, "r:gz") as archive:
        assert archive.getnames() == ["model.bin"]
    load(packed, back, "auto")
    with open(back, "rb") as file:
        assert file.read() == content
    assert os.stat(back).st_mode & 0o777 == 0o750


@settings(max_examples=30, deadline=None)
@given(content=st.binary(max_size=3000), level=st.integers(-1, 9))
def test_any_content_survives_at_any_level(tmp_path_factory, content, level):
    folder = tmp_path_factory.mktemp("any")
    (folder / "f").write_bytes(content)
    save_tar(str(folder / "f"), str(folder / "p"), "n", level)
    load(str(folder / "p"), str(folder / "back"), "tar")
    assert (folder / "back").read_bytes() == content


def test_a_folder_keeps_links_modes_and_empty_folders(tmp_path):
    tree = tmp_path / "tree"
    (tree / "empty").mkdir(parents=True)
    (tree / "run.sh").write_text("#!/bin/sh")
    (tree / "run.sh").chmod(0o755)
    (tree / "link").symlink_to("run.sh")
    save_tar(str(tree), str(tmp_path / "p"), "out")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "auto")
    back = tmp_path / "back"
    assert sorted(os.listdir(back)) == ["empty", "link", "run.sh"]
    assert os.access(back / "run.sh", os.X_OK)
    assert os.readlink(back / "link") == "run.sh"


def test_a_pipe_in_a_folder_is_left_out(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    os.mkfifo(tree / "pipe")
    (tree / "f").touch()
    save_tar(str(tree), str(tmp_path / "p"), "t")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "auto")
    assert os.listdir(tmp_path / "back") == ["f"]


def test_several_root_entries_lie_below_the_path(tmp_path):
    packed = tar_of(tmp_path / "p", [("a", b"1"), ("b", b"2")])
    load(packed, str(tmp_path / "back"), "auto")
    assert sorted(os.listdir(tmp_path / "back")) == ["a", "b"]


def test_no_root_entry_is_an_empty_folder(tmp_path):
    load(tar_of(tmp_path / "p", []), str(tmp_path / "back"), "auto")
    assert os.listdir(tmp_path / "back") == []


def test_a_gzip_file_that_is_no_tar_stays_as_it_is(tmp_path):
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n" * 1000))
    load(str(packed), str(tmp_path / "back"), "auto")
    assert (tmp_path / "back").read_bytes() == packed.read_bytes()


def test_archive_none_leaves_a_tar_packed(tmp_path):
    packed = tar_of(tmp_path / "p", [("a", b"1")])
    load(packed, str(tmp_path / "back"), "none")
    with tarfile.open(tmp_path / "back") as archive:
        assert archive.getnames() == ["a"]


def test_zip_is_unpacked_only_when_the_artifact_says_so(tmp_path):
    (tmp_path / "f").write_text("z")
    save_zip(str(tmp_path / "f"), str(tmp_path / "p"), "name")
    load(str(tmp_path / "p"), str(tmp_path / "auto"), "auto")
    assert zipfile.is_zipfile(tmp_path / "auto")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "zip")
    assert (tmp_path / "back").read_text() == "z"


def test_a_zipped_folder_comes_back(tmp_path):
    (tmp_path / "t" / "deep").mkdir(parents=True)
    (tmp_path / "t" / "deep" / "f").write_text("z")
    save_zip(str(tmp_path / "t"), str(tmp_path / "p"), "name")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "zip")
    assert (tmp_path / "back" / "deep" / "f").read_text() == "z"


@pytest.mark.parametrize(
    "entries",
    [
        [("../evil", b"x")],
        [("/evil", b"x")],
        [("a/../../evil", b"x")],
        [("link", ".."), ("link/evil", b"x")],
        [("link", "/etc"), ("link/evil", b"x")],
        [("link", "../../x")],
        [("hard", Hard("../precious"))],
        [("deep/at", "../.."), ("hard", Hard("deep/at/precious"))],
    ],
)
def test_an_archive_that_leads_outside_is_refused(tmp_path, entries):
    with pytest.raises(InputError, match="outside"):
        load(tar_of(tmp_path / "p", [*entries, ("z", b"")]), str(tmp_path / "sub"), "auto")
    assert not (tmp_path / "evil").exists()


DEEP = [(name, FOLDER) for name in ("x", "x/1", "x/1/2", "x/1/2/3")]


def test_no_entry_is_written_through_a_link_of_the_archive(tmp_path):
    """The link's text looks harmless: only with `up` followed it leads out."""
    links = [("x/1/2/3/up", "../../.."), ("x/esc", "1/2/3/up/../../../precious")]
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "precious").write_text("kept")
    packed = tar_of(tmp_path / "p", [*DEEP, *links, ("x/esc", b"evil")])
    load(packed, str(tmp_path / "a" / "b" / "c"), "auto")
    assert (tmp_path / "a" / "precious").read_text() == "kept"
    assert sorted(os.listdir(tmp_path / "a")) == ["b", "precious"]
    assert (tmp_path / "a" / "b" / "c" / "esc").read_bytes() == b"evil"


def test_a_link_that_leads_outside_by_way_of_another_is_refused(tmp_path):
    links = [("x/esc", "1/2/3/up/../../../precious"), ("x/1/2/3/up", "../../..")]
    with pytest.raises(InputError, match=r"x/esc.* leads outside"):
        load(tar_of(tmp_path / "p", [*DEEP, *links]), str(tmp_path / "sub"), "auto")
    assert os.listdir(tmp_path) == ["p"]


def test_hard_links_within_the_archive_are_kept_and_those_to_links_refused(tmp_path):
    good = tar_of(tmp_path / "p", [("a", b"1"), ("b", Hard("a"))])
    load(good, str(tmp_path / "back"), "auto")
    assert (tmp_path / "back" / "a").samefile(tmp_path / "back" / "b")
    bad = tar_of(tmp_path / "q", [("a", b"1"), ("l", "a"), ("b", Hard("l"))])
    with pytest.raises(InputError, match="hard link"):
        load(bad, str(tmp_path / "other"), "auto")


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_what_must_be_an_archive_and_is_none_is_an_error(tmp_path, kind):
    (tmp_path / "p").write_text("text")
    with pytest.raises(InputError, match=kind):
        load(str(tmp_path / "p"), str(tmp_path / "back"), kind)


def test_a_link_at_the_path_is_replaced_not_followed(tmp_path):
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "back").symlink_to("precious")
    load(tar_of(tmp_path / "p", [("a", b"1")]), str(tmp_path / "back"), "auto")
    assert (tmp_path / "precious").read_text() == "kept"
    assert (tmp_path / "back").read_text() == "1"


def test_a_folder_that_is_there_is_filled(tmp_path):
    (tmp_path / "volume").mkdir()
    (tmp_path / "volume" / "old").touch()
    load(tar_of(tmp_path / "p", [("a", b"1"), ("b", b"2")]), str(tmp_path / "volume"), "auto")
    assert sorted(os.listdir(tmp_path / "volume")) == ["a", "b", "old"]


def test_folders_that_are_there_are_filled_at_every_depth_and_again(tmp_path):
    (tmp_path / "m.tmpdir").mkdir()  # what an earlier version left behind, half done
    packed = tar_of(tmp_path / "p", [("m", FOLDER), ("m/sub", FOLDER), ("m/sub/a", b"1")])
    for _ in range(2):
        load(packed, str(tmp_path / "m"), "auto")
        (tmp_path / "m" / "sub" / "mine").touch()
    assert sorted(os.listdir(tmp_path / "m" / "sub")) == ["a", "mine"]
    assert sorted(os.listdir(tmp_path)) == ["m", "m.tmpdir", "p"]


def test_nothing_is_left_of_an_archive_that_is_refused(tmp_path):
    (tmp_path / "volume").mkdir()
    with pytest.raises(InputError):
        load(tar_of(tmp_path / "p", [("../x", b"")]), str(tmp_path / "volume"), "auto")
    assert os.listdir(tmp_path / "volume") == []


def test_many_may_load_the_same_artifact_to_the_same_path(tmp_path):
    many = [("m", FOLDER), *((f"m/{number}", b"x") for number in range(200))]
    packed = tar_of(tmp_path / "p", many)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: load(packed, str(tmp_path / "m"), "auto"), range(6)))
    assert len(os.listdir(tmp_path / "m")) == 200


def test_a_closed_folder_arrives_with_what_is_in_it(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f").write_text("x")
    (tmp_path / "t").chmod(0o555)
    save_tar(str(tmp_path / "t"), str(tmp_path / "p"), "t")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "auto")
    assert (tmp_path / "back" / "f").read_text() == "x"
    assert os.stat(tmp_path / "back").st_mode & 0o777 == 0o555


@pytest.mark.parametrize("save", [save_tar, save_zip])
def test_a_pipe_cannot_be_saved_and_is_not_waited_for(tmp_path, save):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe"):
        save(str(tmp_path / "pipe"), str(tmp_path / "p"), "pipe")


def test_a_pipe_at_the_path_is_replaced_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "back")
    (tmp_path / "p").write_text("text")
    load(str(tmp_path / "p"), str(tmp_path / "back"), "none")
    assert (tmp_path / "back").read_text() == "text"


def test_links_in_a_zip_are_what_the_pod_sees(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "hosts").write_text("the host's")
    (tmp_path / "pods").write_text("the pod's")
    (tmp_path / "t" / "link").symlink_to(tmp_path / "hosts")
    save_zip(str(tmp_path / "t"), str(tmp_path / "p"), "t", lambda _: str(tmp_path / "pods"))
    load(str(tmp_path / "p"), str(tmp_path / "back"), "zip")
    assert (tmp_path / "back" / "link").read_text() == "the pod's"


def test_modes_are_given_to_the_top_or_to_all(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f").touch(0o600)
    set_mode(str(tmp_path / "t"), 0o755, recurse=False)
    assert os.stat(tmp_path / "t" / "f").st_mode & 0o777 == 0o600
    set_mode(str(tmp_path / "t"), 0o755, recurse=True)
    assert os.stat(tmp_path / "t" / "f").st_mode & 0o777 == 0o755


def test_names_are_argos():
    assert archive_name("model", "/out/m.bin", "tar") == "model.tgz"
    assert archive_name("model", "/out/m.bin", "zip") == "model.zip"
    assert archive_name("model", "/out/m.bin/", "none") == "m.bin"


def test_packing_one_huge_file_hears_a_signal_within_it(tmp_path, monkeypatch):
    """A supervisor that was told to end must not first pack a file of many gigabytes."""
    import signal

    from argojobs.engine import artifacts

    class Told(BaseException):
        """What a supervisor's handler raises, see `executors.patience`."""

    def tell(_number, _frame):
        raise Told

    writes = []

    class Zipped(gzip.GzipFile):
        def write(self, data):
            writes.append(len(data))
            if len(writes) == 2:
                signal.raise_signal(signal.SIGUSR1)
            return super().write(data)

    source = tmp_path / "huge"
    source.touch()
    os.truncate(source, 1 << 26)
    monkeypatch.setattr(artifacts.gzip, "GzipFile", Zipped)
    before = signal.signal(signal.SIGUSR1, tell)
    try:
        with pytest.raises(Told):
            artifacts.save_tar(str(source), str(tmp_path / "huge.tgz"), "huge")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert sum(writes) < 1 << 22
