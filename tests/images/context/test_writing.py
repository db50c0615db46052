"""A context that is written: the same files, bits and times, whenever it is done."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argojobs.errors import HostError, UsageError
from argojobs.images.context.files import context_files
from argojobs.images.context.writing import write_context
from argojobs.images.dockerfiles.dockerfile import parse_dockerfile
from argojobs.images.dockerfiles.ignore import Ignore
from argojobs.images.dockerfiles.sources import sources

ALL = parse_dockerfile("FROM x\nCOPY . .\n", Path("Dockerfile"))


def files_of(root: Path):
    # A name that hypothesis finds may look like a secret: here all of them may travel.
    return context_files(ALL, root, sources(ALL, {}), Ignore(), ["*"]).files


def written(files, folder: Path):
    """Return path, mode, time and content of all that is written."""
    folder.mkdir()
    write_context(files, folder)
    found = []
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        kind = stat.S_IFMT(status.st_mode)
        mode = 0 if kind == stat.S_IFLNK else stat.S_IMODE(status.st_mode)
        content = {stat.S_IFLNK: os.readlink, stat.S_IFREG: Path.read_bytes}.get(kind, lambda _: "")
        found.append((str(path.relative_to(folder)), mode, status.st_mtime, content(path)))
    return found


def make(root: Path, contents, order=1) -> None:
    root.mkdir()
    for name, content in list(contents.items())[::order]:
        path = root / name
        path.write_bytes(content)


def test_what_is_in_it(tmp_path):
    root = tmp_path / "p"
    make(root, {"b": b"2", "run": b"#!"})
    (root / "run").chmod(0o4711)
    (root / "sub" / "empty").mkdir(parents=True)
    (root / "sub").chmod(0o700)
    (root / "a").symlink_to("b")
    assert written(files_of(root), tmp_path / "out") == [
        ("a", 0, 0, "b"),
        ("b", 0o644, 0, b"2"),
        ("run", 0o755, 0, b"#!"),
        ("sub", 0o755, 0, ""),
        ("sub/empty", 0o755, 0, ""),
    ]


names = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=12)
good = names.filter(lambda name: name not in (".", "..") and len(os.fsencode(name)) < 100)


@settings(max_examples=40)
@given(st.dictionaries(good, st.binary(max_size=40), max_size=5), st.integers(0, 2**31))
def test_time_and_order_change_nothing(tmp_path_factory, contents, time):
    folder = tmp_path_factory.mktemp("tar")
    make(folder / "one", contents)
    make(folder / "two", contents, order=-1)
    for path in (folder / "two").iterdir():
        os.utime(path, (time, time))
        path.chmod(0o600)
    first, second = files_of(folder / "one"), files_of(folder / "two")
    assert written(first, folder / "out") == written(second[::-1], folder / "again")
    assert [file.line for file in first] == [file.line for file in second]


@settings(max_examples=40)
@given(st.dictionaries(good, st.binary(max_size=40), min_size=1, max_size=5), st.data())
def test_every_change_counts(tmp_path_factory, contents, data):
    folder = tmp_path_factory.mktemp("tar")
    make(folder / "one", contents)
    before = files_of(folder / "one")
    name = data.draw(st.sampled_from(sorted(contents)))
    path = folder / "one" / name
    change = data.draw(st.sampled_from(["content", "bits", "gone", "kind"]))
    if change == "content":
        path.write_bytes(contents[name] + b"!")
    elif change == "bits":
        path.chmod(0o755)
    else:
        path.unlink()
        if change == "kind":
            path.mkdir()
    after = files_of(folder / "one")
    assert [file.line for file in before] != [file.line for file in after]


def test_it_is_what_it_was(tmp_path):
    root = tmp_path / "p"
    make(root, {"é" * 60: b"1", "b" * 200: b"2"})
    with open(os.fsencode(root) + b"/caf\xe9", "wb") as file:
        file.write(b"3")
    (root / "deep" / ("x" * 120)).mkdir(parents=True)
    (root / "run").write_bytes(b"")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("run")
    files = files_of(root)
    written(files, tmp_path / "out")
    assert [file.line for file in files_of(tmp_path / "out")] == [file.line for file in files]


@pytest.mark.parametrize("content", [b"longer than before", b"", b"othr"])
def test_a_file_that_changes_meanwhile_is_told(tmp_path, content):
    root = tmp_path / "p"
    make(root, {"a": b"text"})
    files = files_of(root)
    (root / "a").write_bytes(content)
    with pytest.raises(UsageError, match="a changed while") as caught:
        written(files, tmp_path / "out")
    assert caught.value.where == f"{root}/a"


def test_a_file_that_is_gone_is_told(tmp_path):
    root = tmp_path / "p"
    make(root, {"a": b"text"})
    files = files_of(root)
    (root / "a").unlink()
    with pytest.raises(HostError, match="cannot be read"):
        written(files, tmp_path / "out")


def test_a_large_file_is_never_whole_in_memory(tmp_path):
    import tracemalloc

    root = tmp_path / "p"
    root.mkdir()
    with (root / "model.bin").open("wb") as file:
        file.truncate(64 << 20)
    tracemalloc.start()
    files = files_of(root)
    (tmp_path / "out").mkdir()
    write_context(files, tmp_path / "out")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
