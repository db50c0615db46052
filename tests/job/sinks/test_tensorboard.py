"""TensorBoard's event files, read back by TensorBoard itself."""

from __future__ import annotations

import errno
import math
import os
import resource
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from argojobs.job.batch import Batch
from argojobs.job.sinks import background
from argojobs.job.sinks.tensorboard import TensorBoard

pytest.importorskip("tensorboard")

from tensorboard.backend.event_processing import (
    event_accumulator,
    plugin_event_accumulator,
)
from tensorboard.util import tensor_util


def batch(steps: list, /, at: float = 1_700_000_000.0, **values: list) -> Batch:
    return Batch([at + 0.25 * number for number in range(len(steps))], steps, values)


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return what TensorBoard reads in a folder: the steps and values of each tag."""
    return seen(loaded(folder))


class Watching:
    """A TensorBoard that is running: what its server has loaded, which is another loader."""

    def __init__(self, folder: Path) -> None:
        self.accumulators = [
            module.EventAccumulator(str(folder), size_guidance=sizes)
            for module, sizes in (
                (event_accumulator, {"scalars": 0}),
                (plugin_event_accumulator, {"tensors": 0}),
            )
        ]
        self.look()

    def look(self) -> dict[str, list[tuple[int, float]]]:
        """Return what it shows now; both loaders must show the same."""
        simple, server = (each.Reload() for each in self.accumulators)
        found = {
            tag: [
                (each.step, tensor_util.make_ndarray(each.tensor_proto).item())
                for each in server.Tensors(tag)
            ]
            for tag in server.Tags()["tensors"]
        }
        shown = {tag: values for tag, values in found.items() if values}
        assert shown == seen(simple)
        return shown


def loaded(folder: Path):
    accumulator = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    return accumulator.Reload()


def seen(accumulator) -> dict[str, list[tuple[int, float]]]:
    found = {
        tag: [(each.step, each.value) for each in accumulator.Scalars(tag)]
        for tag in accumulator.Tags()["scalars"]
    }
    return {tag: values for tag, values in found.items() if values}


def written(sink: TensorBoard, *batches: Batch) -> None:
    for each in batches:
        sink(each)
    sink.close()


def files(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not os.path.isdir(folder / name))


def test_values_come_back_with_their_steps_and_times(tmp_path, process, said) -> None:
    written(
        TensorBoard(str(tmp_path), process, said.append),
        batch([0, 1, 300], loss=[0.5, 0.25, 2], lr=[0.1, 0.1, 1]),
        batch([301], accuracy=[0.75]),
    )
    accumulator = loaded(tmp_path)
    assert seen(accumulator) == {
        "loss": [(0, 0.5), (1, 0.25), (300, 2.0)],
        "lr": [(0, pytest.approx(0.1)), (1, pytest.approx(0.1)), (300, 1.0)],
        "accuracy": [(301, 0.75)],
    }
    assert [each.wall_time for each in accumulator.Scalars("loss")] == [
        1_700_000_000.0,
        1_700_000_000.25,
        1_700_000_000.5,
    ]
    assert said == []


def test_a_name_may_have_any_characters(tmp_path, process, said) -> None:
    names = ["val/loss", "Verlust µ 漢字 🦊", "a\nb\0c", " ", "x" * 3_000, '{"a": 1}', "a\\b", "-"]
    row = Batch([1.0], [1], {name: [float(place)] for place, name in enumerate(names)})
    written(TensorBoard(str(tmp_path), process, said.append), row)
    assert read(tmp_path) == {name: [(1, float(place))] for place, name in enumerate(names)}


def test_half_a_character_is_a_question_mark(tmp_path, process, said) -> None:
    written(TensorBoard(str(tmp_path), process, said.append), Batch([1.0], [1], {"a\udcff": [2]}))
    assert read(tmp_path) == {"a?": [(1, 2.0)]}


def test_nan_infinities_and_what_is_beyond_32_bits_come_back(tmp_path, process, said) -> None:
    values = [math.nan, math.inf, -math.inf, 1e300, -1e300, 10**400, 2**63]
    written(TensorBoard(str(tmp_path), process, said.append), batch(list(range(7)), loss=values))
    assert said == []
    found = [value for _, value in read(tmp_path)["loss"]]
    assert math.isnan(found[0])
    assert found[1:] == [math.inf, -math.inf, math.inf, -math.inf, math.inf, 2.0**63]


def test_steps_are_whole_numbers_of_64_bits(tmp_path, process, said) -> None:
    steps = [-5, 2.75, 2**40, 2**63 - 1, 2**63, math.nan, -math.inf]
    sink = TensorBoard(str(tmp_path), process, said.append)
    written(sink, batch(steps, loss=[float(n) for n in range(7)]))
    assert [step for step, _ in read(tmp_path)["loss"]] == [-5, 2, 2**40, 2**63 - 1]
    assert sink.dropped == 3
    assert said == [
        "TensorBoard's event file: steps are whole numbers of 64 bits there; left out there",
        "3 values did not reach TensorBoard's event file",
    ]


def test_a_running_tensorboard_sees_each_batch(tmp_path, process, said) -> None:
    sink = Watched(str(tmp_path), process, said.append)
    sink(batch([0], loss=[1.0]))
    sink.wrote.acquire()
    accumulator = loaded(tmp_path)
    assert seen(accumulator) == {"loss": [(0, 1.0)]}
    sink(batch([1], loss=[0.5]))
    sink.wrote.acquire()
    assert seen(accumulator.Reload()) == {"loss": [(0, 1.0), (1, 0.5)]}
    sink.close()


class Watched(TensorBoard):
    """Says when a delivery was made."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.wrote = threading.Semaphore(0)

    def deliver(self, batches: list[Batch]) -> None:
        super().deliver(batches)
        self.wrote.release()


def test_a_new_attempt_repeats_what_holds_and_empties_what_was(tmp_path, process, said) -> None:
    first = process._replace(attempt=1)
    written(
        TensorBoard(str(tmp_path), first, said.append),
        batch([0, 1, 2, 3], loss=[1.0, 0.9, 0.8, 0.7]),
        batch([0, 1], val=[0.5, 0.4]),  # steps of its own: epochs
    )
    watching = Watching(tmp_path)
    # It goes on after step 1; the killed attempt had not written `val` of epoch 0 everywhere.
    holds = [batch([0, 1], loss=[1.0, 0.9]), batch([0], val=[0.5])]
    written(
        TensorBoard(str(tmp_path), process, said.append, lambda: holds),
        batch([2, 3, 4], loss=[0.81, 0.71, 0.61]),
        batch([1], val=[0.41]),
    )
    series = {
        "loss": [
            (0, 1.0),
            (1, pytest.approx(0.9)),
            *((step, pytest.approx(value)) for step, value in [(2, 0.81), (3, 0.71), (4, 0.61)]),
        ],
        "val": [(0, 0.5), (1, pytest.approx(0.41))],
    }
    assert read(tmp_path) == series
    assert watching.look() == series, "one that was running shows a step twice"
    for _ in range(3):
        written(
            TensorBoard(str(tmp_path), process, said.append, lambda: [batch([0], loss=[1.0])]),
            batch([1], loss=[0.5]),
        )
    assert read(tmp_path) == watching.look() == {"loss": [(0, 1.0), (1, 0.5)]}
    sizes = [os.path.getsize(tmp_path / name) for name in files(tmp_path)]
    assert sizes[:-1] == [40] * 4, "what is left of a file is its first event"


def test_an_attempt_that_begins_anew_leaves_nothing_of_before(tmp_path, process, said) -> None:
    written(TensorBoard(str(tmp_path), process, said.append), batch([-7, 1, 2], loss=[3, 2, 1]))
    watching = Watching(tmp_path)
    written(TensorBoard(str(tmp_path), process, said.append, lambda: ()), batch([0], loss=[9]))
    assert read(tmp_path) == watching.look() == {"loss": [(0, 9.0)]}


def test_without_the_earlier_rows_what_is_at_the_first_step_or_later_is_dropped(
    tmp_path, process, said
) -> None:
    written(TensorBoard(str(tmp_path), process, said.append), batch([0, 1, 2], loss=[3, 2, 1]))
    watching = Watching(tmp_path)
    written(TensorBoard(str(tmp_path), process, said.append), batch([2, 3], loss=[8, 7]))
    assert watching.look() == read(tmp_path) == {"loss": [(0, 3.0), (1, 2.0), (2, 8.0), (3, 7.0)]}


def test_a_later_attempts_file_comes_last_whatever_the_clock_says(
    tmp_path, process, said, monkeypatch
) -> None:
    for now in (2_000_000_000.0, 1_000_000_000.0, 1_000_000_000.0):
        monkeypatch.setattr("time.time", lambda now=now: now)
        step = len(files(tmp_path)) if tmp_path.exists() else 0
        written(TensorBoard(str(tmp_path), process, said.append), batch([step], loss=[step]))
    stamps = [name.split(".")[3] for name in files(tmp_path)]
    assert stamps == ["2000000000", "2000000001", "2000000002"]
    assert read(tmp_path) == {"loss": [(0, 0.0), (1, 1.0), (2, 2.0)]}


def test_files_of_others_stay(tmp_path, process, said) -> None:
    other = process._replace(job="another")
    written(TensorBoard(str(tmp_path), other, said.append), batch([0], theirs=[1]))
    (tmp_path / "events.out.tfevents.notes.txt").write_text("mine")
    written(TensorBoard(str(tmp_path), process, said.append, lambda: ()), batch([0], ours=[1]))
    assert len(files(tmp_path)) == 3


def test_each_rank_and_each_child_process_has_a_folder(tmp_path, process, said) -> None:
    for rank, child in ((0, 0), (1, 0), (1, 2)):
        who = process._replace(rank=rank, child=child)
        written(TensorBoard(str(tmp_path), who, said.append, lambda: ()), batch([0], loss=[rank]))
    assert read(tmp_path / "rank-1") == {"loss": [(0, 1.0)]}
    assert read(tmp_path / "rank-1.2") == {"loss": [(0, 1.0)]}
    assert len(files(tmp_path)) == 1


def test_nothing_is_made_before_the_first_row(tmp_path, process, said) -> None:
    TensorBoard(str(tmp_path / "runs"), process, said.append).close()
    assert not (tmp_path / "runs").exists()


@pytest.fixture
def small_files(monkeypatch) -> Iterator[None]:
    """No file may become larger than 8,000 bytes; as on a full disk, part of a write succeeds."""
    monkeypatch.setattr(background, "FIRST_PAUSE", 0.0)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_leaves_whole_events_and_is_said_once(
    tmp_path, process, said, small_files
) -> None:
    sink = TensorBoard(str(tmp_path), process, said.append)
    for number in range(40):
        sink(batch(list(range(10 * number, 10 * number + 10)), loss=[0.5] * 10))
    sink.close()
    found = read(tmp_path).get("loss", [])
    assert [step for step, _ in found] == list(range(len(found)))
    assert len(found) + sink.dropped == 400
    assert sink.dropped > 0
    assert said == [
        f"TensorBoard's event file: {os.strerror(errno.EFBIG)} ({tmp_path})",
        f"{sink.dropped} values did not reach TensorBoard's event file",
    ]


def test_what_found_no_room_is_written_when_there_is_some(
    tmp_path, process, said, monkeypatch
) -> None:
    monkeypatch.setattr(background, "FIRST_PAUSE", 0.0)
    folder = tmp_path / "runs"
    folder.write_text("in the way")
    tried = threading.Event()
    sink = TensorBoard(str(folder), process, lambda text: (said.append(text), tried.set()))
    sink(batch([0], loss=[1.0]))
    tried.wait()
    folder.unlink()
    sink.close()
    assert read(folder) == {"loss": [(0, 1.0)]}
    assert said == [f"TensorBoard's event file: File exists ({folder})"]


def test_every_frame_has_its_length_and_checksums(tmp_path, process, said) -> None:
    written(
        TensorBoard(str(tmp_path), process, said.append),
        batch(list(range(1_000)), loss=[0.5] * 1_000),
    )
    (name,) = files(tmp_path)
    data = (tmp_path / name).read_bytes()
    assert name.startswith("events.out.tfevents.1")
    place = count = 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        place += 8 + 4 + length + 4
        count += 1
    assert (place, count) == (len(data), 1_001)
