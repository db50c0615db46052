"""What every store of a job does: a folder, and a bucket of a real S3."""

import os
import threading
from pathlib import Path

import pytest
from support.job_places import Place

from argojobs.job.folder_store import SourceError


def test_an_attempt_belongs_to_who_creates_it_first(place: Place) -> None:
    assert place.store().attempts() == []
    assert place.store().create("0-1") is not None
    assert place.store().create("0-1") is None
    assert place.store().create("0-2") is not None
    assert sorted(place.store().attempts()) == ["0-1", "0-2"]
    assert [*place.store().lines("0-1")] == []


def test_of_several_that_begin_one_attempt_at_once_exactly_one_does(place: Place) -> None:
    for number in range(20):
        made: list[object] = []
        barrier = threading.Barrier(4)

        def race(
            name: str = f"0-{number}",
            made: list[object] = made,
            barrier: threading.Barrier = barrier,
        ) -> None:
            store = place.store()
            barrier.wait()
            made.append(store.create(name))

        racers = [threading.Thread(target=race) for _ in range(4)]
        for each in racers:
            each.start()
        for each in racers:
            each.join()
        assert len(made) == 4
        assert made.count(None) == 3


def test_lines_come_back_in_the_order_in_which_they_were_added(place: Place) -> None:
    store = place.store()
    lines = store.create("0-1")
    assert lines is not None
    added = [b'{"n": %d}\n' % number for number in range(40)]
    for line in added[:20]:
        lines.append(line)
    lines.append(b"".join(added[20:]))
    assert [*place.store().lines("0-1")] == added


def test_a_lot_of_lines_come_back_too(place: Place) -> None:
    lines = place.store().create("0-1")
    assert lines is not None
    added = [b'{"note": "%d%s"}\n' % (number, b"x" * 100_000) for number in range(10)]
    for line in added:
        lines.append(line)
        lines.append(b'{"note": "short"}\n')
    assert [line for line in place.store().lines("0-1") if len(line) > 30] == added
    assert len([*place.store().lines("0-1")]) == 20


def test_a_checkpoint_comes_back_as_it_was_under_its_name(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "state dir"
    (folder / "deep" / "empty").mkdir(parents=True)
    (folder / "deep" / "weights").write_bytes(os.urandom(3 << 20))
    (folder / "nothing").touch()
    (folder / "ä ~+&=%41#?\n").write_text("any name")
    (folder / os.fsdecode(b"\xff")).write_text("no UTF-8")
    (folder / ("long" * 60)).write_text("long")
    (folder / "run").write_text("#!")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("deep")
    place.store().keep("0-1-1", f"{folder}/")
    store = place.store()
    assert store.checkpoints() == ["0-1-1"]
    assert store.halves() == []
    path = store.path("0-1-1")
    assert path is not None
    found = Path(path)
    assert found.name == "state dir"
    assert sorted(os.listdir(found)) == sorted(os.listdir(folder))
    assert (found / "link" / "weights").read_bytes() == (folder / "deep" / "weights").read_bytes()
    assert (found / "link" / "empty").is_dir()
    assert (found / "ä ~+&=%41#?\n").read_text() == "any name"
    assert (found / os.fsdecode(b"\xff")).read_text() == "no UTF-8"
    assert (found / ("long" * 60)).read_text() == "long"
    assert (found / "nothing").read_bytes() == b""
    assert (found / "run").stat().st_mode & 0o777 == 0o755


def test_a_file_is_a_checkpoint_too_and_a_link_is_what_it_leads_to(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "weights").write_bytes(b"w" * 10)
    (tmp_path / "best").symlink_to("weights")
    place.store().keep("0-1-1", str(tmp_path / "best"))
    path = place.store().path("0-1-1")
    assert path is not None
    assert Path(path).name == "best"
    assert not Path(path).is_symlink()
    assert Path(path).read_bytes() == b"w" * 10


def test_a_checkpoint_that_is_not_there_is_none(place: Place) -> None:
    assert place.store().checkpoints() == []
    assert place.store().halves() == []
    assert place.store().path("0-1-1") is None
    place.store().remove("0-1-1")


def test_what_is_removed_is_gone(place: Place, tmp_path: Path) -> None:
    for number in (1, 2, 11):
        (tmp_path / "weights").write_text(str(number))
        place.store().keep(f"0-1-{number}", str(tmp_path / "weights"))
    place.store().remove("0-1-1")
    assert sorted(place.store().checkpoints()) == ["0-1-11", "0-1-2"]
    assert place.store().halves() == []
    assert place.store().path("0-1-1") is None
    path = place.store().path("0-1-11")
    assert path is not None
    assert Path(path).read_text() == "11"


def test_what_cannot_be_read_is_no_checkpoint(place: Place, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "first").write_text("x")
    (tmp_path / "state" / "second").symlink_to("nowhere")
    with pytest.raises(SourceError, match=r"nowhere|second"):
        place.store().keep("0-1-1", str(tmp_path / "state"))
    assert place.store().checkpoints() == []
    with pytest.raises(SourceError):
        place.store().keep("0-1-1", str(tmp_path / "nothing"))


def test_a_link_to_a_folder_around_it_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "state" / "deep").mkdir(parents=True)
    (tmp_path / "state" / "deep" / "again").symlink_to("..")
    with pytest.raises(SourceError, match="is a folder around what is copied"):
        place.store().keep("0-1-1", str(tmp_path / "state"))
    assert place.store().checkpoints() == []
