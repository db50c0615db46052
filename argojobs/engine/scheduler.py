"""The runs of one home in memory: what happened is folded, what follows is stored, then done.

A `Scheduler` is told of pods that ended and timers that rang. One `turn` folds all of it through
the pure operator, chooses the pods that may start, stores everything in one transaction, and only
then starts and ends pods. So a process that is killed at any point leaves a store that says what
was decided, and an executor that can say what was begun; the next one goes on from both.
"""

from __future__ import annotations

import itertools
import json
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from argojobs.config.home import no_space
from argojobs.engine.active import ActiveRun, Pod
from argojobs.engine.clock import SteadyClock, duration, stamp
from argojobs.engine.executors.executor import Devices, Executor, PodId
from argojobs.engine.journal import log
from argojobs.engine.model import (
    Begin,
    Event,
    PodEnded,
    PodProgress,
    PodResult,
    PodStarted,
    PodWaits,
    Resume,
    Shutdown,
    StartPod,
    Suspend,
    Tick,
)
from argojobs.engine.placement import Gang, Resources, in_use, place, shortage
from argojobs.engine.pod import GRACE, GRACE_AT_ONCE, pod_spec
from argojobs.engine.reserve import give_up_reserve, make_reserve
from argojobs.engine.store.rows import Command, DamagedRunError, StoredRun
from argojobs.engine.store.store import Store
from argojobs.errors import ArgojobsError, HostError

#: Seconds between two looks at the GPUs that other homes hold: nobody tells us of their end.
LOOK_AGAIN = 0.5

#: Seconds between two looks at how far the pods are that run.
LOOK_AT_PROGRESS = 1.0

#: Seconds of a fold after which commands are looked at before the next one.
SLOW_FOLD = 0.5

#: A pod that has waited so many seconds for its turn says why; so many pods of a run do.
NOTICE_AFTER = 1.0
MAX_NOTICES = 20


class Scheduler:
    """The runs of one home, in memory, and what is to be done for them."""

    def __init__(
        self,
        home: Path,
        store: Store,
        executor: Executor,
        devices: Devices,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.home = home
        self.store = store
        self.executor = executor
        self.devices = devices
        steady = SteadyClock()
        self.clock = clock or steady
        self._from_wall = steady.from_wall
        self.runs: dict[str, ActiveRun] = {}
        self._queue: deque[tuple[ActiveRun, Event]] = deque()
        self._by_pod: dict[PodId, tuple[ActiveRun, str]] = {}
        #: Why pods wait for a GPU although this home has one left; "" where none does.
        self._without_gpu = ""
        self._look_again_at = 0.0
        self._look_at_progress_at = 0.0

    # What happens

    def look_at_store(self) -> None:
        """Take in new runs and carry out commands, before anything else that waits to be folded."""
        for name in self.store.unfinished():
            if name not in self.runs:
                self._load(name)
        done: list[int] = []
        wanted: list[tuple[ActiveRun, Event]] = []
        for command in self.store.commands():
            run = self.runs.get(command.run)
            if run is None:  # finished meanwhile, or removed
                done.append(command.number)
            elif command.number > run.obeyed:
                run.obeyed = command.number
                event = self._event_of(run, command)
                if event is not None:
                    wanted.append((run, event))
        self._queue.extendleft(reversed(wanted))
        if done:
            self.store.drop_commands(done)

    def pods_ended(self, ended: Iterable[tuple[PodId, PodResult]]) -> None:
        """Take in that these pods have ended, and how."""
        for pod, result in ended:
            if pod in self._by_pod:
                run, node_id = self._by_pod[pod]
                self._enqueue(run, self._end_of(node_id, result))

    def look_at_progress(self) -> None:
        """Take in how far pods say that they are, now and then."""
        if self.clock() < self._look_at_progress_at:
            return
        self._look_at_progress_at = self.clock() + LOOK_AT_PROGRESS
        for pod, (run, node_id) in self._by_pod.items():
            said = self.executor.progress(pod)
            if said and said != run.state.nodes[node_id].get("progress"):
                self._enqueue(run, PodProgress(node_id, said))

    def ring_timers(self) -> None:
        """Send a `Tick` to the runs whose time has come."""
        now = self.clock()
        for run in self.runs.values():
            if run.ring(now):
                self._enqueue(run, Tick())

    def next_time(self) -> float | None:
        """When the loop has to look again by itself, None when it need not."""
        times = [run.timers[0] for run in self.runs.values() if run.timers]
        if self._without_gpu:
            times.append(self._look_again_at)
        if self._by_pod:
            times.append(self._look_at_progress_at)
        times += [pod.since + NOTICE_AFTER for pod in self._first_waiting() if not pod.notice]
        return min(times, default=None)

    def turn(self) -> None:
        """Do all that is to be done now: fold, choose, store, then act, until nothing is left."""
        self._look_again_at = self.clock() + LOOK_AGAIN
        if not self._by_pod:
            self._look_at_progress_at = self.clock() + LOOK_AT_PROGRESS
        while True:
            self._fold_queue()
            self._choose_pods()
            self._notify_waiting()
            self._fold_queue()
            self._end_stuck_runs()
            if not self._commit():
                return
            self._act()
            if not self._queue:
                return

    # How it is done

    def _load(self, name: str) -> None:
        """Take a run in: a new one begins, one of an earlier controller goes on."""
        try:
            stored = self.store.load_run(name)
        except DamagedRunError as error:
            self._refuse(name, error)
            return
        try:
            run = ActiveRun(stored)
            self._take_up(run, stored)
        except Exception as error:  # noqa: BLE001 - ends this run, not the controller
            self.runs.pop(name, None)
            self._refuse(name, error)

    def _take_up(self, run: ActiveRun, stored: StoredRun) -> None:
        name = run.name
        self.runs[name] = run
        if not stored.begun:
            self._enqueue(run, Begin())
            return
        log(f"{name}: going on with it, {len(stored.pods)} pods under way")
        for row in stored.pods:
            pod = PodId(name, row.name)
            state = self.executor.recover(pod)
            run.restore_pod(row, started=state.begun)
            if state.begun:
                self._by_pod[pod] = (run, row.node_id)
            if state.result is not None:
                self._enqueue(run, self._end_of(row.node_id, state.result))
            elif not state.begun and row.kill is not None:
                self._enqueue(run, PodEnded(row.node_id, PodResult("Failed", row.kill)))
        self._enqueue(run, Tick())

    def _refuse(self, name: str, error: Exception) -> None:
        """End a run that cannot even be loaded."""
        log("".join(traceback.format_exception(error)))
        message = error.what if isinstance(error, DamagedRunError) else _internal(error)
        self.store.end_in_error(name, message, stamp(self.clock()))

    def _event_of(self, run: ActiveRun, command: Command) -> Event | None:
        """What a command means. One that this version does not know is left out, and told of."""
        run.change().commands_done.append(command.number)
        match command.strategy:
            case "Stop":
                return Shutdown("Stop", command.message)
            case "Terminate":
                return Shutdown("Terminate", command.message)
            case "Suspend":
                return Suspend()
            case "Resume":
                return Resume(command.message)
            case "Set":
                given = json.loads(command.message)
                return Resume(given["nodeFieldSelector"], given["outputParameters"])
            case other:
                log(f"{run.name}: no command {other!r} is known here")
                return None

    def _end_of(self, node_id: str, result: PodResult) -> PodEnded:
        """The end of a pod, by our clock: executors tell it by the host's, which may be set."""
        ended = result.finished_at and self._from_wall(result.finished_at)
        return PodEnded(node_id, replace(result, finished_at=ended))

    def _enqueue(self, run: ActiveRun, event: Event) -> None:
        self._queue.append((run, event))

    def _fold_queue(self) -> None:
        """Fold all events that wait; an error of ours ends its run and no other."""
        while self._queue:
            run, event = self._queue.popleft()
            if run.final or self.runs.get(run.name) is not run:
                continue
            if isinstance(event, PodEnded):
                if event.node_id not in run.running and event.node_id not in run.waiting:
                    continue  # told twice
                self._let_go(run, run.running.get(event.node_id))
            began = time.monotonic()
            try:
                follow = run.fold(event, self.clock())
            except Exception as error:  # noqa: BLE001 - whatever it is, it must not hang the run
                log(f"{run.name}: {''.join(traceback.format_exception(error))}")
                run.break_off(_internal(error), self.clock())
                continue
            self._queue.extend((run, later) for later in follow)
            if time.monotonic() - began > SLOW_FOLD:
                self.look_at_store()  # somebody may want the end of it

    def _let_go(self, run: ActiveRun, pod: Pod | None) -> None:
        """Give back what a pod held that has ended; None is one that never started."""
        if pod is None:
            return
        self._by_pod.pop(_id(run, pod), None)
        try:
            self.devices.give_back(_id(run, pod), pod.resources)
        except HostError as error:  # of a pod that has ended they hold nothing
            log(f"{run.name}: {error.what}")

    def _choose_pods(self) -> None:
        """Give pods their turn, as many as fit."""
        self._without_gpu = ""
        for name, node_id in place(self._candidates(), self._running(), self.devices.capacity):
            run = self.runs[name]
            pod = run.waiting[node_id]
            try:
                pod.devices = self.devices.lend(_id(run, pod), pod.resources)
            except HostError as error:  # another home has them now, or it cannot be known
                self._without_gpu = error.what
                continue
            run.mark_started(node_id)
            self._by_pod[_id(run, pod)] = (run, node_id)
            self._enqueue(run, PodStarted(node_id))

    def _running(self) -> Iterator[Gang]:
        """Yield what each pod takes that was started: each is a gang of one."""
        return ((pod.resources,) for run in self.runs.values() for pod in run.running.values())

    def _candidates(self) -> Iterator[tuple[tuple[str, str], Gang]]:
        """Yield the pods that wait, one of each run in turn, so that no run waits for another.

        A run that has less of the host goes first: else each slot that becomes free would be the
        oldest run's. All of a run with a higher `spec.priority` goes before (Argo docs, priority).
        """
        waiting = [run for run in self.runs.values() if run.waiting and not run.final]
        waiting.sort(
            key=lambda run: (-run.priority, sum(p.resources.cpu for p in run.running.values()))
        )
        for _, same in itertools.groupby(waiting, key=lambda run: run.priority):
            queues = [_waiting_of(run) for run in same]
            while queues:
                for queue in list(queues):
                    found = next(queue, None)
                    if found is None:
                        queues.remove(queue)
                    else:
                        yield found

    def _first_waiting(self) -> Iterator[Pod]:
        """Yield the pods that say why they wait: the first of each run."""
        for run in self.runs.values():
            if not run.final:
                yield from itertools.islice(run.waiting.values(), MAX_NOTICES)

    def _notify_waiting(self) -> None:
        """Let pods that wait for more than a moment say for what, anew when that changes."""
        now = self.clock()
        late = {id(pod) for pod in self._first_waiting() if now - pod.since >= NOTICE_AFTER}
        if not late:
            return
        used = in_use(self._running(), self.devices.capacity)
        for run in self.runs.values():
            for node_id, pod in itertools.islice(run.waiting.items(), MAX_NOTICES):
                if id(pod) in late and (text := self._why(run, pod, used)) != pod.notice:
                    pod.notice = text
                    self._enqueue(run, PodWaits(node_id, text))

    def _why(self, run: ActiveRun, pod: Pod, used: Resources) -> str:
        """Say for what a pod waits."""
        if run.most_pods and len(run.running) >= run.most_pods:
            return f"waits: this run may have {run.most_pods} at once (max_pods in the settings)"
        lacking = shortage(pod.resources, used, self.devices.capacity)
        if not lacking:
            why = self._without_gpu
            return f"waits for a GPU: {why}" if why else "waits for its turn"
        holders = [one.name for one in self.runs.values() if one.running]
        names = ["this run" if name == run.name else name for name in holders]
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        return f"waits for {lacking} in use by {', '.join(names[:2])}{more}"

    def _end_stuck_runs(self) -> None:
        """End runs that are not over although nothing can happen in them any more.

        It is a fault of ours when it happens; a message beats a run that waits for ever.
        """
        for run in self.runs.values():
            idle = not (run.running or run.waiting or run.timers or run.is_suspended)
            if idle and not run.final:
                log(f"{run.name}: nothing runs and nothing waits, yet it is {run.status}")
                run.break_off(
                    "no step runs, waits or can start: an error of the engine", self.clock()
                )

    def _commit(self) -> bool:
        """Store what changed in all runs, in one transaction; False when the disk is full."""
        changes = [change for run in self.runs.values() if (change := run.take_change())]
        if not changes:
            return True
        try:
            self.store.commit(changes)
        except HostError as error:
            log(str(error))
            self._survive_full_disk([change.run for change in changes])
            return False
        make_reserve(self.home)
        return True

    def _survive_full_disk(self, names: list[str]) -> None:
        """End the runs whose changes found no room, with a message that says so.

        The reserve is given up for it. Without even that much room the controller ends, and the
        next one tries again: what was not stored was not begun.
        """
        message = no_space(self.home).what
        for name in names:
            self.runs[name].break_off(message, self.clock())
        give_up_reserve(self.home)
        changes = [change for name in names if (change := self.runs[name].take_change())]
        self.store.commit(changes)
        self._act()

    def _act(self) -> None:
        """Start and end pods as stored; forget runs that are over."""
        for run in list(self.runs.values()):
            if run.to_start:
                ids, run.to_start = run.to_start, []
                for node_id in ids:
                    self._start(run, node_id)
            if run.to_kill:
                ids, run.to_kill = run.to_kill, []
                for node_id in ids:
                    self._stop(run, node_id)
            if run.final:
                self._forget(run)

    def _start(self, run: ActiveRun, node_id: str) -> None:
        pod = run.running[node_id]
        try:
            now = self.clock()
            spec = pod_spec(
                _with_deadline(pod.start, now),
                run.workflow,
                run.submitter,
                resources=pod.resources,
                devices=pod.devices,
                now=now,
            )
            self.executor.start(spec)
        except (ArgojobsError, OSError) as error:
            message = error.what if isinstance(error, ArgojobsError) else str(error)
            log(f"{run.name}: pod {pod.start.name} cannot start: {message}")
            self._enqueue(run, PodEnded(node_id, PodResult("Error", message)))
        except Exception as error:  # noqa: BLE001 - ours; it ends the step, with the message
            log(f"{run.name}: {''.join(traceback.format_exception(error))}")
            self._enqueue(run, PodEnded(node_id, PodResult("Error", _internal(error))))

    def _stop(self, run: ActiveRun, node_id: str) -> None:
        pod = run.running.get(node_id)
        if pod is not None and pod.kill is not None:
            try:
                grace = GRACE_AT_ONCE if run.terminated else GRACE
                self.executor.stop(_id(run, pod), pod.kill, grace)
            except OSError as error:
                log(f"{run.name}: pod {pod.start.name} cannot be ended: {error}")

    def _forget(self, run: ActiveRun) -> None:
        """Let a final run go. Pods that are still being ended keep their GPUs until then."""
        for pod in run.running.values():
            self._by_pod.pop(_id(run, pod), None)
        del self.runs[run.name]
        log(f"{run.name}: {run.status.get('phase')}")


def _id(run: ActiveRun, pod: Pod) -> PodId:
    return PodId(run.name, pod.start.name)


def _with_deadline(start: StartPod, now: float) -> StartPod:
    """Put in what a pod may last from its own start, waiting for its turn not counted.

    Source: Kubernetes API, PodSpec.activeDeadlineSeconds, "relative to StartTime".
    """
    lasts = start.template.get("activeDeadlineSeconds")
    if lasts is None:
        return start
    ends = now + duration(lasts)
    return replace(start, deadline=ends if start.deadline is None else min(ends, start.deadline))


def _waiting_of(run: ActiveRun) -> Iterator[tuple[tuple[str, str], Gang]]:
    """Yield the pods of a run that may have their turn, no more than its settings allow."""
    pods = iter(run.waiting.items())
    if run.most_pods:
        pods = itertools.islice(pods, max(0, run.most_pods - len(run.running)))
    return (((run.name, node_id), (pod.resources,)) for node_id, pod in pods)


def _internal(error: Exception) -> str:
    """Say an internal error in one line, for the run it ended."""
    what = error.what if isinstance(error, ArgojobsError) else f"{type(error).__name__}: {error}"
    return f"internal error of the controller, see controller.log: {what}"
