"""DAG templates: a task starts when all that its `depends` names is over.

Source: Argo docs, DAG, enhanced depends logic; Argo's executeDAG. Nothing here walks the whole
graph on an event: a counter a task says how many of its dependencies are not settled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import assess, execute, hooks, outputs
from argojobs.engine.operator.agenda import HooksDue, PartReady
from argojobs.engine.operator.boundary import Boundary, Ids
from argojobs.engine.operator.frames import DagFrame, Member, expands
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.outbound import below, outbound
from argojobs.engine.operator.phases import ON_EXIT, continues_on, fulfilled, is_hook, unsuccessful
from argojobs.engine.operator.references import check_gathered
from argojobs.engine.operator.resolve import resolve
from argojobs.engine.operator.scope import Scope
from argojobs.errors import ManifestError
from argojobs.expressions import depends

_OMITTED = "omitted: depends condition not met"


class Dag(Boundary):
    """A DAG node. Its parts are its tasks."""

    frame: DagFrame

    def look(self) -> None:
        """See `Boundary`."""
        self.resume()
        self.turn.touched[self.frame.id] = None

    def restore(self) -> None:
        """See `Boundary`: also what each task still waits for."""
        counts, key, graph = self.turn.counts, self.frame.id, self.frame.graph
        waiting = self.turn.waiting(key)
        settled: set[str] = set()
        unmade: list[str] = []
        for task in graph.wanted:
            node = self.part_node(task)
            if node is None:
                unmade.append(task)
            elif fulfilled(node) and not counts["left", key, task]:
                settled.add(task)
                counts["settled", key, task] = 1
            elif not fulfilled(node) and node["type"] == "TaskGroup":
                counts["next", key, task] = self.unstarted(task)
                if self.has_unstarted(task):
                    waiting.append(task)
        for task in unmade:
            missing = sum(other not in settled for other in graph.needs[task])
            counts["deps", key, task] = missing
            if not missing:
                waiting.append(task)
        waiting.sort(key=graph.rank.__getitem__)

    def resume(self) -> None:
        """See `Boundary`."""
        waiting = self.turn.waiting(self.frame.id)
        started = 0
        for task in waiting:
            if execute.is_full(self.turn, self.frame) or not self._start_task(task):
                break
            started += 1
        del waiting[:started]

    def start(self, part: str) -> None:
        """Start a task, or queue it for a free slot."""
        if self.is_over():
            return
        waiting = self.turn.waiting(self.frame.id)
        if waiting and execute.is_full(self.turn, self.frame):
            waiting.append(part)
            waiting.sort(key=self.frame.graph.rank.__getitem__)
        elif not self._start_task(part):
            waiting.append(part)

    def advance(self, part: str) -> None:
        """See `Boundary`; of a task that is settled, tell what waited for it."""
        turn, counts, key = self.turn, self.turn.counts, self.frame.id
        if self.is_over():
            return
        node = self.part_node(part)
        if node is None:
            return
        left = counts["left", key, part]
        if not fulfilled(node):
            if node["type"] == "TaskGroup" and left == 1 and not self.has_unstarted(part):
                children = (turn.must(child) for child in node.get("children", ()))
                bad = [one["phase"] for one in children if unsuccessful(one) and not is_hook(one)]
                turn.mark(node["id"], bad[-1] if bad else "Succeeded")
            return
        if left or counts["settled", key, part]:
            return
        counts["settled", key, part] = 1
        for follower in self.frame.graph.followers.get(part, ()):
            waits = ("deps", key, follower)
            if follower in self.frame.graph.rank and counts[waits]:
                counts[waits] -= 1
                if not counts[waits]:
                    turn.later(PartReady(key, follower))

    def conclude(self) -> None:
        """See `Boundary`."""
        turn, frame, targets = self.turn, self.frame, self.frame.graph.targets
        if turn.counts["open", frame.id] or self.is_over():
            return
        try:
            for target in targets:
                if self.part_node(target) is not None:
                    self._check_ancestors(target)
        except ManifestError as error:
            self.break_off(error.what)
            return
        stopped = turn.shutdown and not frame.on_exit
        phase = "Failed" if stopped else assess.phase_of(turn, frame)
        if phase == "Running":
            self._give_up()
            return
        if phase == "Succeeded":
            try:
                for task in frame.gathered:
                    check_gathered(turn, frame, task, by_name=False)
                made = self.outputs()
            except ManifestError as error:
                self.break_off(error.what)
                return
            if made is not None:
                turn.update(frame.id, outputs=made)
            for node in self._nodes(frame.steps):
                outputs.publish(turn, node)  # of a dag in a dag Argo gives them out only now
        ends = [leaf for node in self._nodes(targets) for leaf in outbound(turn, node)]
        turn.update(frame.id, outboundNodes=ends or None)
        turn.mark(frame.id, phase)

    def run_hooks(self, node: Node) -> None:
        """See `Boundary`: of a task, a fan-out's group, or one of its items."""
        task = part_of(node)
        step = self.frame.steps.get(task, {})
        if not hooks.has_hooks(step):
            return
        if "_item" in node:
            if node["type"] == "Skipped":
                return  # an item that never ran
            # Argo takes the task's own exit handler, into which no item is put.
            step = {key: step[key] for key in (ON_EXIT,) if step.get(key)} | {
                "hooks": {k: v for k, v in (step.get("hooks") or {}).items() if k == "exit"}
            }
        if problem := hooks.run(self.turn, self.frame, node, step, task, shown=task):
            self.turn.mark(node["id"], "Error", problem)

    def broke(self, node: Node, message: str) -> None:
        """See `Boundary`."""
        self.turn.mark(node["id"], "Error", f"task '{node['name']}' errored: {message}")

    def belongs(self, part: str, member: Member) -> dict[str, Any]:
        """See `Boundary`."""
        return {"_step": part, "_item": member.item}

    def fill(self, part: str) -> list[Member]:
        """See `Boundary`. A task without a fan-out is asked for once."""
        members = self.filled(self.frame.steps[part], self.scope(part))
        if [one.item for one in members] != [None]:
            self.turn.expansions[self.frame.id, part] = members
        return members

    def resolved(self, step: dict[str, Any], scope: Scope) -> dict[str, Any]:
        """See `Boundary`."""
        return resolve(step, scope, is_task=True)

    def leave_out(self, part: str, member: Member, parents: Ids, phase: str, message: str) -> None:
        """See `Boundary`. Argo shows the template as the task has it, into which nothing is put."""
        as_written = member._replace(body=self.frame.steps[part])
        super().leave_out(part, as_written, parents, phase, message)

    def _start_task(self, task: str) -> bool:
        """Start a task whose dependencies are settled. False when there is no free slot for it."""
        turn, step, logic = self.turn, self.frame.steps[task], self.frame.graph.logic
        if self.part_node(task) is not None:
            return self.start_members(task)
        try:
            if task in logic and not depends.evaluate(logic[task], self._asked):
                self._leave_task_out(task, "Omitted", _OMITTED)
                return True
            self._check_ancestors(task)
            members = self.members(task)
        except ManifestError as error:
            self._leave_task_out(task, "Error", error.what)
            return True
        if not expands(step):
            return self.start_member(task, members[0], self._parents(task))
        if not members:
            self._leave_task_out(task, "Skipped", "Skipped, empty params")
            return True
        group = turn.create(
            self.frame.part_name(task),
            "TaskGroup",
            "Running",
            boundary_id=self.frame.id,
            template_name=execute.template_name(step),
            _step=task,
        )
        turn.add_children(self._parents(task), group["id"], new=True)
        if hooks.has_hooks(step):
            turn.later(HooksDue(group["id"]))
        return self.start_members(task)

    def _leave_task_out(self, task: str, phase: str, message: str) -> None:
        whole = Member(task, task, None, self.frame.steps[task])
        self.leave_out(task, whole, self._parents(task), phase, message)

    def _check_ancestors(self, task: str) -> None:
        """Raise what is wrong with the loops before a task: Argo gathers them all, used or not."""
        for other in self.frame.gathered:
            if self.frame.graph.is_ancestor(task, other):
                check_gathered(self.turn, self.frame, other)

    def _parents(self, task: str) -> tuple[str, ...]:
        """What a task hangs below: the outbound nodes of its dependencies, or the DAG itself."""
        needs = self.frame.graph.needs[task]
        if not needs:
            return (self.frame.id,)
        ids = [self.turn.id_of(self.frame.part_name(other)) for other in needs]
        return tuple(below(self.turn, ids))

    def _asked(self, task: str, wanted: str) -> bool:
        """What `depends` asks about a task: whether it ended so."""
        node = self.turn.must(self.turn.id_of(self.frame.part_name(task)))
        phase = node["phase"]
        if not wanted:
            return phase in {"Succeeded", "Skipped"} or continues_on(self.frame.steps[task], phase)
        if wanted in {"AnySucceeded", "AllFailed"}:
            return self._items_ended(node, wanted)
        if wanted == "Daemoned":
            return bool(node.get("daemoned")) and phase != "Pending"
        return bool(phase == {"Errored": "Error"}.get(wanted, wanted))

    def _items_ended(self, node: Node, wanted: str) -> bool:
        """AnySucceeded and AllFailed look at a fan-out's items; of any other task they are false."""
        if node["type"] != "TaskGroup":
            return False
        phases = [self.turn.must(child)["phase"] for child in node.get("children", ())]
        if wanted == "AnySucceeded":
            return "Succeeded" in phases
        return bool(phases) and all(phase == "Failed" for phase in phases)

    def _nodes(self, tasks: Iterable[str]) -> Iterator[Node]:
        """The nodes of these tasks, as far as they have one."""
        return (node for task in tasks if (node := self.part_node(task)) is not None)

    def _give_up(self) -> None:
        """End a DAG in which nothing is open and a target is missing, unless it waits."""
        turn, frame = self.turn, self.frame
        children = (turn.must(child) for child in turn.must(frame.id).get("children", ()))
        # A hook of the workflow itself hangs below its entrypoint.
        if turn.waiting(frame.id) or any(is_hook(c) and not fulfilled(c) for c in children):
            return
        missing = [task for task in frame.graph.targets if self.part_node(task) is None]
        broken = next((node for node in self._nodes(frame.steps) if unsuccessful(node)), None)
        if not missing and broken is not None:
            # What it left out hangs below no node, as a template in error has no outbound ones.
            turn.mark(frame.id, broken["phase"], broken.get("message"))
            return
        self.break_off(f"no task can start any more; never started: {', '.join(missing)}")
