"""One attempt: what a process wrote into its file, read while it grows.

A line is a JSON object; what it is about is its one key. A line that is torn, foreign or too long is
left out and counted, one with a key that is not known is left out. Whatever the file holds, reading
it takes a bounded time and memory: see `Room`.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argojobs.results.columns import Columns, finite, finites, in_json, number, numbers

#: A line of a hundred thousand names has some 6 MB.
MOST_OF_LINE = 16 << 20
#: So many notes are kept, the last ones, and so many letters of a text.
MOST_NOTES, MOST_LETTERS = 100, 500
#: So many epochs are kept, the last ones, and so many names of what was measured or summed up.
MOST_EPOCHS, MOST_KEYS = 20_000, 2_000
#: What one time that was measured in an epoch takes, in values.
_MEASURED = 10
#: So deep a value of a summary may be, and so long a text in it.
_DEEPEST, MOST_OF_TEXT = 8, 10_000


@dataclass(slots=True)
class Room:
    """What a job may still take: rows are 24 bytes a value, a name some 700."""

    bytes: int = 1 << 30
    values: int = 20_000_000
    names: int = 200_000


class Mark(NamedTuple):
    """A place in an attempt: the COUNT of `RANK-NUMBER:COUNT`.

    epoch: the one that ends there. done: so many epochs are. time: when it was written.
    """

    nth: int
    epoch: int | None = None
    done: int | None = None
    time: float | None = None


class Upto(NamedTuple):
    """How much of an attempt belongs to the series.

    It is what stands above the first mark of which one of these is true: it is the nth; so many
    epochs are done there, where another rank made the mark that is meant. What a child process
    logged, which makes no marks, is it up to a time.
    """

    nth: int = 0
    done: int | None = None
    time: float | None = None

    def reached(self, mark: Mark) -> bool:
        """Tell whether what stands below the mark no longer belongs to the series.

        The mark itself may be missing: then the next one ends it.
        """
        if self.done is not None:
            return mark.done is not None and mark.done >= self.done
        return self.time is None and mark.nth >= self.nth


#: All of an attempt is superseded.
NOTHING = Upto()


class Place(NamedTuple):
    """A mark as a line names it: of which attempt, and which one there."""

    rank: int
    number: int
    nth: int


class Epoch(NamedTuple):
    """One epoch that ended; measured: name -> how often, seconds in all, the shortest, the longest."""

    number: int
    seconds: float
    time: float
    of: int | None
    measured: dict[str, tuple[float, float, float, float]]


@dataclass(slots=True)
class Attempt:
    """What a process reported, each line in its place.

    Args:
        rank: of the process.
        number: in the order of starts of its rank.
        upto: how much of it belongs to the series; None for all.
        room: what the job may still take.
        child: of a child process, which of the attempt's it is; 0 for the attempt's own process.
    """

    rank: int
    number: int
    upto: Upto | None = None
    room: Room = field(default_factory=Room)
    child: int = 0

    #: The first line: run, step, attempt, time, host, user, pid.
    head: dict[str, Any] = field(default_factory=dict)
    #: Where it goes on; None for the beginning.
    after: Place | None = None
    #: Whether it reported anything that could supersede an earlier attempt.
    speaks: bool = False
    #: The rows that belong to the series, and those that are superseded.
    kept: dict[str, Columns] = field(default_factory=dict)
    superseded: dict[str, Columns] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    #: The last progress and when it was told, and the first one: done, of, time.
    progress: tuple[float, float, float] | None = None
    first_progress: tuple[float, float, float] | None = None
    epochs: deque[Epoch] = field(default_factory=lambda: deque(maxlen=MOST_EPOCHS))
    #: Marks that other ranks may go on after.
    marks: deque[Mark] = field(default_factory=lambda: deque(maxlen=MOST_EPOCHS))
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_NOTES))
    dropped: int = 0
    #: Lines that could not be read, and rows that there was no room for.
    unreadable: int = 0
    left_out: int = 0
    ended: float | None = None

    #: The mark at which it was cut.
    cut: Mark | None = None

    #: Whether the place where it is cut was passed, and after which time it is.
    _passed: bool = field(default=False, init=False)
    _until: float = field(default=math.inf, init=False)
    #: A line whose end has not come: its pieces and their size, and whether it is too long already.
    _rest: list[bytes] = field(default_factory=list, init=False)
    _rest_size: int = field(default=0, init=False)
    _skips: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._passed = self.upto == NOTHING
        if self.upto is not None and self.upto.time is not None:
            self._until = self.upto.time

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file. A line without its end waits for it, or is torn."""
        whole_lines, newline, rest = data.rpartition(b"\n")
        if newline:
            if self._skips or self._rest:
                first, newline, whole_lines = whole_lines.partition(b"\n")
                self._take_rest(first)
            if newline:
                for line in whole_lines.decode("utf-8", "replace").split("\n"):
                    self._take(line)
        if rest and not self._skips:
            self._rest.append(rest)
            self._rest_size += len(rest)
            if self._rest_size > MOST_OF_LINE:
                self._rest, self._rest_size, self._skips = [], 0, True

    def _take_rest(self, end: bytes) -> None:
        """Take the line whose end has come."""
        if self._skips or self._rest_size + len(end) > MOST_OF_LINE:
            self.unreadable += 1
        else:
            self._take(b"".join([*self._rest, end]).decode("utf-8", "replace"))
        self._rest, self._rest_size, self._skips = [], 0, False

    def _take(self, line: str) -> None:
        """Take one line."""
        if not line:
            return
        try:
            found, end = _decode(line)
            if type(found) is not dict or (end != len(line) and line[end:].strip()):
                raise ValueError("not one object")
            if "rows" in found:  # nearly all lines
                self._take_rows(found)
                return
            for key, take in _TAKES.items():
                if key in found:
                    take(self, found)
                    return
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ):
            self.unreadable += 1

    def _take_rows(self, line: dict[str, Any]) -> None:
        rows = line["rows"]
        values = rows["values"]
        if len(rows["time"]) == 1:  # a step that logs seldom has a line for each row
            [time], [step] = rows["time"], rows["step"]
            self._take_row(finite(time), finite(step), values)
            return
        times, steps = finites(rows["time"]), finites(rows["step"])
        count, taken = len(times), []
        for name, some in values.items():
            column = numbers(some)
            if len(column) != count:
                raise ValueError("not as many values as times")
            taken.append((name, column))
        if len(steps) != count:
            raise ValueError("not as many steps as times")
        late = next((at for at, time in enumerate(times) if time > self._until), count)
        for begin, end in ((0, late), (late, count)):
            for name, column in taken if begin < end else ():
                columns = self._columns(name, end - begin)
                if columns is not None:
                    columns.times.extend(times[begin:end])
                    columns.steps.extend(steps[begin:end])
                    columns.values.extend(column[begin:end])
            self._passed = self._passed or late < count
        self.speaks = True

    def _take_row(self, time: float, step: float, values: dict[str, Any]) -> None:
        """Take a line of one row."""
        taken = []
        for name, [value] in values.items():
            taken.append((name, value if type(value) is float else number(value)))
        self._passed = self._passed or time > self._until
        for name, value in taken:
            columns = self._columns(name, 1)
            if columns is not None:
                columns.times.append(time)
                columns.steps.append(step)
                columns.values.append(value)
        self.speaks = True

    def _columns(self, name: str, count: int) -> Columns | None:
        """Return where so many rows of a name go; None where there is no room for them."""
        into, room = self.superseded if self._passed else self.kept, self.room
        columns = into.get(name)
        is_new = columns is None
        if room.values < count or (is_new and (not room.names or len(name) > MOST_OF_TEXT)):
            self.left_out += count
            return None
        room.values -= count
        if columns is None:
            room.names -= 1
            columns = into[name] = Columns()
        return columns

    def _take_head(self, line: dict[str, Any]) -> None:
        texts = {key: line[key][:MOST_LETTERS] for key in _TEXTS if isinstance(line.get(key), str)}
        counts = {key: line[key] for key in ("attempt", "pid") if type(line.get(key)) is int}
        self.head = self.head or {**texts, **counts, "time": finite(line["time"])}

    def _take_after(self, line: dict[str, Any]) -> None:
        self.after = None if line["after"] is None else place(line["after"])
        self.speaks = True

    def _take_mark(self, line: dict[str, Any]) -> None:
        found = place(line["mark"])
        if (found.rank, found.number) != (self.rank, self.number):
            raise ValueError("a mark of another attempt")
        epoch, done, time = line.get("epoch"), line.get("epochs_done"), line.get("time")
        epoch = None if epoch is None else whole(epoch)
        if done is None and epoch is not None:
            done = epoch + 1
        mark = Mark(
            found.nth,
            epoch,
            None if done is None else whole(done),
            None if time is None else finite(time),
        )
        self.marks.append(mark)
        self.speaks = True
        if self.upto is not None and not self._passed and self.upto.reached(mark):
            self._passed, self.cut = True, mark

    def _take_epoch(self, line: dict[str, Any]) -> None:
        told = line["epoch"]
        ended, of = whole(told["number"]), told.get("of")
        measured = told.get("measured") or {}
        self.speaks = True
        if self._passed and (self.cut is None or self.cut.epoch is None or ended > self.cut.epoch):
            return
        found = {
            str(name): (finite(a), finite(b), finite(c), finite(d))
            for name, (a, b, c, d) in list(measured.items())[:MOST_KEYS]
        }
        of = whole(of) if of is not None else None
        if self.room.values < _MEASURED * len(found):
            self.left_out, found = self.left_out + len(found), {}
        self.room.values -= _MEASURED * len(found)
        self.epochs.append(Epoch(ended, finite(told["seconds"]), finite(told["time"]), of, found))

    def _take_summary(self, line: dict[str, Any]) -> None:
        self.speaks = True
        if self._passed:
            return
        for name, value in line["summary"].items():
            if name in self.summary or (len(self.summary) < MOST_KEYS and len(name) < MOST_LETTERS):
                self.summary[name] = bounded(value)

    def _take_progress(self, line: dict[str, Any]) -> None:
        done, of = line["progress"]
        self.speaks = True
        if not self._passed:
            self.progress = (finite(done), finite(of), finite(line["time"]))
            self.first_progress = self.first_progress or self.progress

    def _take_dropped(self, line: dict[str, Any]) -> None:
        self.dropped += max(0, whole(line["dropped"]))
        if isinstance(line.get("why"), str):
            self.notes.append(line["why"][:MOST_LETTERS])

    def _take_note(self, line: dict[str, Any]) -> None:
        self.notes.append(str(line["note"])[:MOST_LETTERS])

    def _take_ended(self, line: dict[str, Any]) -> None:
        self.ended = finite(line["ended"])


def place(value: object) -> Place:
    """Return the place that `RANK-NUMBER:COUNT` names. Raises ValueError for another text."""
    if not isinstance(value, str) or len(value) > MOST_LETTERS:
        raise ValueError("not a mark")
    attempt, _, nth = value.partition(":")
    rank, _, number = attempt.partition("-")
    if not all(part.isascii() and part.isdecimal() for part in (rank, number, nth)):
        raise ValueError("not a mark")
    return Place(int(rank), int(number), int(nth))


def whole(value: object) -> int:
    """Return an integer that a double can hold. Raises ValueError for what is not one."""
    if type(value) is not int or abs(value) > 1 << 53:
        raise ValueError("not a whole number")
    return value


def bounded(value: Any) -> Any:
    """Return a value of a summary in which nothing is too deep, too long or too many to be shown."""
    left = [MOST_KEYS]

    def cut(one: Any, depth: int) -> Any:
        left[0] -= 1
        if isinstance(one, str):
            left[0] -= len(one) // 5
            return one[:MOST_OF_TEXT] if left[0] >= 0 else "..."
        if isinstance(one, float):
            return in_json(one)  # 1e999
        if not isinstance(one, dict | list):
            return one
        if depth >= _DEEPEST or left[0] < len(one):
            return "..."
        if isinstance(one, dict):
            return {key[:MOST_LETTERS]: cut(each, depth + 1) for key, each in one.items()}
        return [cut(each, depth + 1) for each in one]

    return cut(value, 0)


def _refused(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


_TEXTS = ("job", "run", "step", "host", "user")
_decode = json.JSONDecoder(parse_constant=_refused).raw_decode
#: By its key, how a line is taken. A mark has an epoch beside it, so it comes before.
_TAKES: dict[str, Callable[[Attempt, dict[str, Any]], None]] = {
    "argojobs": Attempt._take_head,  # noqa: SLF001 - the table belongs to the class
    "after": Attempt._take_after,  # noqa: SLF001
    "mark": Attempt._take_mark,  # noqa: SLF001
    "epoch": Attempt._take_epoch,  # noqa: SLF001
    "summary": Attempt._take_summary,  # noqa: SLF001
    "progress": Attempt._take_progress,  # noqa: SLF001
    "dropped": Attempt._take_dropped,  # noqa: SLF001
    "note": Attempt._take_note,  # noqa: SLF001
    "ended": Attempt._take_ended,  # noqa: SLF001
}
