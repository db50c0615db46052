# travels with: job
"""This process as part of a job: whom it reports to is decided when it is first used."""

from __future__ import annotations

import _thread
import os
import time

from argojobs.job.buffer import Buffer
from argojobs.job.numbers import NotLogged, number, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from argojobs.job.attempt import Attempt
    from argojobs.job.entries import Line, Mark
    from argojobs.job.sink_thread import Sink
    from argojobs.job.store import Store
    from argojobs.job.training import Training
    from argojobs.job.writer import Writer

#: Seconds for which `flush` waits for a store that neither takes nor fails; after that, for less.
_PATIENCE, _IMPATIENCE = 30.0, 1.0
#: Seconds for the last rows, and for the sinks, when the process ends.
_LAST, _LAST_OF_SINKS = 10.0, 2.0
#: So many different things are said.
_MOST_SAID = 100


class Session:
    """What this process reports.

    takes: whether there is anybody to report to. sinks: each gets every batch; they are added
    before anything is reported.
    """

    def __init__(self) -> None:
        self.buffer = Buffer()
        self.sinks: list[Sink] = []
        self._registered = False
        self._training: Training | None = None
        self._reset(None)

    def _reset(self, parent: str | None) -> None:
        self.takes = False
        self.rank = 0
        self.attempt: Attempt | None = None
        self.buffer.clear()
        self._parent = parent
        self._decided = self._ended = False
        self._lock = _thread.allocate_lock()
        self._writer: Writer | None = None
        self._patience = _PATIENCE
        self._said: set[object] = set()

    @property
    def training(self) -> Training:
        """What this process does in epochs."""
        if self._training is None:
            from argojobs.job.training import Training

            self._training = Training(self)
        return self._training

    def begin(self, *, trains: bool = False) -> bool:
        """Decide, once, who is reported to; return whether there is anybody.

        trains: this process is an attempt of its own, whoever started it.
        """
        with self._lock:
            if not self._decided:
                self._decided = True
                self.takes = self._begin(trains=trains)
        return self.takes

    def _begin(self, *, trains: bool) -> bool:
        from argojobs.job.asking import asked

        environment = os.environ
        results = environment.get("ARGOJOBS_RESULTS")
        progress = environment.get("ARGO_PROGRESS_FILE")
        wanted = asked(environment)
        if not (results or progress or self.sinks or wanted):
            return False
        from argojobs.job import processes
        from argojobs.job.attempt import Attempt
        from argojobs.job.identity import identity
        from argojobs.job.writer import Writer

        who = identity(environment)
        self.rank = who["rank"]
        store = self._store(environment) if results else None
        if store is not None:
            parent = self._parent or processes.parent_of(store, who)
            self.attempt = Attempt(store, who, None if trains else parent)
        sinks = [*self.sinks]
        if wanted:
            sinks += self._wanted(environment, who)
        self._writer = Writer(
            self.buffer,
            self.attempt,
            seconds=self.seconds("ARGOJOBS_FLUSH_SECONDS", 0.2 if store is None else store.seconds),
            progress=progress if self.rank == 0 else None,
            sinks=sinks,
        )
        try:
            self._writer.start()
        except RuntimeError:  # the process is ending: no thread can be started
            self._writer = None
            return False
        if not self._registered:
            self._registered = True
            processes.register(self)
        processes.register_in_child(self.end)
        return True

    def _wanted(self, environment: Mapping[str, str], who: dict[str, Any]) -> list[Sink]:
        """Return the sinks that an environment asks for."""
        try:
            from argojobs.job.sinks import sinks_of_attempt
        except ModuleNotFoundError:
            self.note(
                "sinks",
                "rows go to no other place: the code of this step does not bring what that needs;"
                " let the project say `from argojobs import job`, not only `import argojobs`",
            )
            return []
        return [sinks_of_attempt(environment, self.attempt, who)]

    def _store(self, environment: Mapping[str, str]) -> Store | None:
        from argojobs.job.place import NoStoreError, store_of

        try:
            return store_of(environment)
        except NoStoreError as why:
            self.note("place", f"nothing is stored: {why}")
            return None

    def before_fork(self) -> None:
        """Prepare for a child."""
        if self._training is not None:
            self._training.before_fork()

    def after_fork(self) -> None:
        """Go on in the parent."""
        if self._training is not None:
            self._training.after_fork()

    def forked(self) -> None:
        """Begin anew in a forked child: what it reports stands beside what its parent does."""
        if self._training is not None:
            self._training.forked()
            self._training = None
        self._reset(None if self.attempt is None else self.attempt.name or None)

    def end(self) -> None:
        """Store what waits, at the end of this process."""
        if self._writer is not None and not self._ended:
            self._ended = True
            if self.buffer.waits() or (self.attempt is not None and self.attempt.name):
                self.line({"ended": time.time()})
                self.flush(_LAST)
            self._writer.close_sinks(_LAST_OF_SINKS)
        if self._training is not None:
            self._training.leave_if_told()

    def seconds(self, name: str, default: float) -> float:
        """Return a variable's number of seconds; the default where it has none."""
        import math

        text = os.environ.get(name, "")
        try:
            given = float(text or default)
        except ValueError:
            given = -1.0
        if 0 < given < math.inf:
            return given
        self.note(name, f"{name} is {text!r}: it is a number of seconds; {default:g} is taken")
        return default

    def put(self, entry: Line | Mark) -> None:
        """Have the writer take something."""
        self.buffer.put(entry)

    def line(self, content: dict[str, Any]) -> None:
        """Have a line written."""
        from argojobs.job.entries import Line

        self.buffer.put(Line(content))

    def note(self, about: object, text: str) -> None:
        """Say something on standard error and in the attempt, once for each thing it is about."""
        if about in self._said or len(self._said) > _MOST_SAID:
            return
        self._said.add(about)
        more = len(self._said) > _MOST_SAID
        self.buffer.say("there is more, which is not said" if more else text)

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until all that was logged is durable; return whether it is.

        seconds: at most so long. A store that fails is not waited for.
        """
        if self._writer is None:
            return True
        done = self._writer.flush(self._patience if seconds is None else seconds)
        self._patience = _PATIENCE if done else _IMPATIENCE
        return done

    def numbers(self, given: Mapping[Any, Any]) -> dict[str, float | int]:
        """Return the values of a row that are numbers; of the others, say what they are."""
        found = {}
        for name, value in given.items():
            try:
                found[str(name)] = number(value)
            except NotLogged as why:
                self.note(("row", str(name)), f"{name} is not logged: {why}")
        return found

    def step(self, given: Any) -> float | int | None:
        """Return the step of a row as a number; None, the next one, where it is none."""
        import math

        try:
            step = number(given)
        except NotLogged as why:
            self.note("step", f"a step is a number, but {why}: it is numbered by itself")
            return None
        if not math.isfinite(step):
            self.note("step", f"a step is {step}: it is numbered by itself")
            return None
        return step

    def summary(self, given: Mapping[Any, Any]) -> None:
        """Have results of the whole job stored; of what is no JSON, say so."""
        found = {}
        for name, value in given.items():
            try:
                found[str(name)] = plain(value)
            except NotLogged as why:
                self.note(("summary", str(name)), f"{name} is not in the summary: {why}")
        if found:
            self.line({"summary": found})

    def progress(self, done: Any, of: Any) -> None:
        """Have the progress told: so much is done, of so much."""
        import math

        from argojobs.job.entries import Progress

        try:
            ours, whole = float(number(done)), float(number(of))
            if not (0 < whole < math.inf and math.isfinite(ours)):
                raise NotLogged(f"{done} of {of} is none")
        except (NotLogged, OverflowError) as why:
            self.note("progress", f"this progress is not told: {why}")
            return
        self.put(Progress(min(max(ours, 0.0), whole), whole, time.time()))


SESSION = Session()
