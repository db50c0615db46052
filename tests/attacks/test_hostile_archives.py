"""An artifact whose archive wants to write elsewhere, to run as somebody else, or to fill all.

Right: unpacked as far as it is an artifact, without those bits; else one error that says so.
Nothing outside is touched, and nothing is left behind.
"""

import gzip
import io
import json
import os
import stat
import struct
import tarfile
import time
import zipfile

import pytest

from argojobs.errors import InputError
from argojobs.runtime import tree
from argojobs.storage.loading import load

WITHIN = 20.0
pytestmark = pytest.mark.usefixtures("figure")


@pytest.fixture
def place(tmp_path):
    """A folder to unpack into, beside one that must stay as it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    (tmp_path / "in").mkdir()
    yield tmp_path / "in"
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_text() == "precious"
    assert stat.S_IMODE((outside / "precious").stat().st_mode) & 0o7000 == 0
    for path in (tmp_path / "in").rglob("*"):
        assert not path.name.startswith((".x.", ".out.")), "left behind"
        assert path.is_symlink() or path.lstat().st_mode & 0o6000 == 0


def entry(name, content=b"", kind=tarfile.REGTYPE, to="", mode=0o644, **more):
    made = tarfile.TarInfo(name)
    made.size, made.type, made.linkname, made.mode = len(content), kind, to, mode
    for key, value in more.items():
        setattr(made, key, value)
    return made, content


LINK, HARD, FOLDER = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE


def tar(path, *entries):
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for made, content in entries:
            archive.addfile(made, io.BytesIO(content))
    return path


def tried(source, target, kind="tar"):
    """Load an archive and return its error, None for none."""
    begun, error = time.monotonic(), None
    try:
        load(str(source), str(target), kind)
    except InputError as raised:
        error = raised
    assert time.monotonic() - begun < WITHIN
    return error


CLIMBING = {
    "..": [entry("../outside/precious", b"x")],
    "deep ..": [entry("a/b/../../../outside/precious", b"x")],
    "an absolute name": [entry("/tmp/argojobs-attack", b"x")],
    "a link up, then a file in it": [
        entry("l", kind=LINK, to="../outside"),
        entry("l/precious", b"x"),
    ],
    "an absolute link": [entry("l", kind=LINK, to="/etc"), entry("m", b"x")],
    "a link over a link": [
        entry("a", kind=LINK, to="."),
        entry("b", kind=LINK, to="a/.."),
        entry("c", kind=LINK, to="b/../outside"),
    ],
    "a hard link to a link": [
        entry("l", kind=LINK, to="../../outside/precious"),
        entry("h", kind=HARD, to="l"),
    ],
    "a hard link to what is not there": [entry("h", kind=HARD, to="none"), entry("m", b"x")],
    "a hard link out": [entry("h", kind=HARD, to="../outside/precious")],
    "a file as a folder": [entry("a", b"x"), entry("a/b", b"x")],
    "a folder as a file": [entry("a/b", b"x"), entry("a", b"x")],
    "a folder as a link": [entry("a/b", b"x"), entry("a", kind=LINK, to="c")],
    "a NUL in a name": [entry("a\0b", b"x", pax_headers={"path": "a\0b"}), entry("m", b"x")],
    "a name too long": [entry("n" * 5000, b"x"), entry("m", b"x")],
    "a circle of links": [
        entry("a", kind=LINK, to="b"),
        entry("b", kind=LINK, to="a"),
        entry("a/c", b"x"),
    ],
    "a negative size": [entry("a", b"", pax_headers={"size": "-512"}), entry("m", b"x")],
    "a size of 10^18": [entry("a", b"", pax_headers={"size": str(10**18)}), entry("m", b"x")],
    "a time of 10^30": [entry("a", b"x", pax_headers={"mtime": str(10**30)}), entry("m", b"x")],
    "a time that is none": [entry("a", b"x", pax_headers={"mtime": "nan"}), entry("m", b"x")],
}


@pytest.mark.parametrize("what", CLIMBING)
@pytest.mark.parametrize("there", ["nothing", "a folder", "a link to a folder"])
def test_what_does_not_fit_is_an_error_and_touches_nothing(place, tmp_path, what, there):
    target = place / "out"
    if there == "a folder":
        target.mkdir()
    elif there == "a link to a folder":
        (place / "elsewhere").mkdir()
        target.symlink_to(place / "elsewhere")
    tried(tar(tmp_path / "a.tgz", *CLIMBING[what]), target)
    if there == "a link to a folder":
        assert list((place / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6777, 0o7777])
@pytest.mark.parametrize("count", [1, 2])
def test_no_archive_says_as_whom_a_file_runs(place, tmp_path, kind, mode, count):
    if kind == "tar":
        entries = [entry(f"d/{name}", b"x", mode=mode) for name in "ab"[:count]]
        source = tar(tmp_path / "a", entry("d", kind=FOLDER, mode=mode), *entries)
    else:
        source = tmp_path / "a"
        with zipfile.ZipFile(source, "w") as archive:
            for name in "ab"[:count]:
                info = zipfile.ZipInfo(f"d/{name}")
                info.external_attr = (0o100000 | mode) << 16
                archive.writestr(info, b"x")
    assert tried(source, place / "out", kind) is None
    files = [path for path in place.rglob("?") if path.is_file()]
    assert files
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {mode & 0o777}


def test_one_small_file_that_would_run_as_root(place, tmp_path):
    assert tried(tar(tmp_path / "a", entry("f", b"x", mode=0o6755)), place / "out", "auto") is None
    assert stat.S_IMODE((place / "out").stat().st_mode) == 0o755


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"V"])
def test_devices_and_pipes_are_left_out(place, tmp_path, kind):
    source = tar(tmp_path / "a", entry("dev", kind=kind, devmajor=1, devminor=3), entry("f", b"x"))
    assert tried(source, place / "out") is None
    assert (place / "out").read_bytes() == b"x"


@pytest.mark.parametrize("entries", [1, 2])
def test_a_link_to_a_folder_gives_way_and_the_folder_stays(place, tmp_path, entries):
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "kept").write_text("kept")
    (place / "out").symlink_to(place / "elsewhere")
    names = ["d/a", "d/b"][:entries] if entries == 1 else ["a", "b"]
    assert tried(tar(tmp_path / "a", *(entry(one, b"x") for one in names)), place / "out") is None
    assert not (place / "out").is_symlink()
    assert [path.name for path in (place / "elsewhere").iterdir()] == ["kept"]
    assert sorted(path.name for path in (place / "out").iterdir()) == ["a", "b"][:entries]


def raw(name, size, kind):
    """A header whose size is not to be had from tarfile."""
    made = tarfile.TarInfo(name)
    made.type = kind
    block = bytearray(made.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"\x80" + size.to_bytes(11, "big") if size >= 0 else b"\xff" * 12
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % (sum(block))
    return bytes(block)


@pytest.mark.parametrize("kind", [b"0", b"L", b"K", b"x", b"g", b"X", b"S", b"5"])
@pytest.mark.parametrize("size", [-1, 1 << 40, 1 << 62, 1 << 80])
def test_a_header_with_a_size_that_cannot_be(place, tmp_path, kind, size):
    source = tmp_path / "a.tgz"
    source.write_bytes(gzip.compress(raw("a", size, kind) + b"x" * 512 + bytes(1024)))
    tried(source, place / "out")
    assert sum(path.lstat().st_blocks for path in place.rglob("*")) < 1000


@pytest.mark.parametrize("kind", [b"x", b"L", b"g"])
def test_a_bomb_in_a_header_is_not_read_into_memory(place, tmp_path, kind):
    source = tmp_path / "a.tgz"
    with gzip.open(source, "wb", 1) as file:
        file.write(raw("a", 256 << 20, kind))
        for _ in range(256):
            file.write(bytes(1 << 20))
    assert "is not a size" in str(tried(source, place / "out"))


def test_a_zip_that_claims_to_be_larger_than_the_disk(place, tmp_path):
    source = tmp_path / "a.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("f", b"x")
    data = source.read_bytes()
    at = data.index(b"PK\x01\x02")
    source.write_bytes(data[: at + 24] + struct.pack("<I", 0xFFFFFFFE) + data[at + 28 :])
    tried(source, place / "out", "zip")
    assert sum(path.lstat().st_blocks for path in place.rglob("*")) < 100


@pytest.mark.parametrize(
    "name", ["../outside/precious", "/tmp/argojobs-attack", "a/../../outside/x"]
)
def test_a_zip_that_climbs(place, tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr(name, b"x")
    assert "leads outside" in str(tried(tmp_path / "a", place / "out", "zip"))


@pytest.mark.parametrize("at", range(0, 200, 7))
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_damaged_archive_is_an_error_or_unpacked(place, tmp_path, kind, at):
    source = tmp_path / "a"
    if kind == "tar":
        tar(source, entry("d/a", os.urandom(300)), entry("d/b", b"x"))
    else:
        with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("d/a", b"x" * 300)
            archive.writestr("b", b"y")
    data = bytearray(source.read_bytes())
    data[at % len(data)] ^= 0xFF
    source.write_bytes(data)
    tried(source, place / "out", kind)


TREES = {
    "setuid": {"modes": {"f": 0o104755}},
    "setuid for all": {"file": 0o6755, "directory": 0o6777},
    "a mode that is none": {"modes": {"f": "x"}},
    "modes that are a list": {"modes": ["f"]},
    "a link out": {"links": {"l": "../../outside"}},
    "an absolute link": {"links": {"l": "/etc"}},
    "a link over a link": {"links": {"d": ".", "e": "d/.."}},
    "a link that is a number": {"links": {"l": 5}},
    "a folder out": {"empty": ["../outside/new"]},
    "a NUL": {"empty": ["a\0b"]},
    "files that are a number": {"files": 5},
}


@pytest.mark.parametrize("what", [*TREES, "not JSON", "a list", "nested too deeply"])
def test_a_tree_file_that_lies(place, what):
    root = place / "d"
    root.mkdir()
    (root / "f").write_text("x")
    usual = {"format": 1, "file": 0o644, "directory": 0o755, "modes": {}, "empty": [], "links": {}}
    text = {"not JSON": "{", "a list": "[1]", "nested too deeply": "[" * 100_000}.get(what, "")
    (root / tree.NAME).write_text(text or json.dumps({**usual, **TREES[what]}))
    error = None
    try:
        tree.restore(str(root))
    except InputError as raised:
        error = raised
    assert error is not None or what.startswith("setuid")
    for path in root.iterdir():
        assert not path.is_symlink() or path.resolve().is_relative_to(root)
