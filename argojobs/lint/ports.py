"""Host ports that tasks running at once, or two runs, would both want: they wait for each other.

Source: Kubernetes docs, configuration best practices, hostPort.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argojobs.lint.ancestry import Ancestry
from argojobs.lint.pods import containers
from argojobs.lint.rule import KUBERNETES, Fault, Faults, warning
from argojobs.lint.subject import Caller, Object, Subject, callers, items
from argojobs.manifest.findings import Finding

_ONE_COMPARISON = re.compile(r"([^=!<>&|]+?)\s*(==|!=)\s*([^=!<>&|]+?)\s*")


def check_host_ports(subject: Subject) -> Iterator[Finding]:
    """Parallel tasks and steps, and loops, whose pods want the same port of their node."""
    ports: dict[int, set[int]] = {}
    for container in containers(subject):
        for one in container.value.get("ports") or ():
            if one and one.get("hostPort"):
                ports.setdefault(id(container.place.template), set()).add(one["hostPort"])
    if ports:
        yield from list(_within_a_run(subject, ports)) or host_port_runs(subject)


@warning(KUBERNETES + "concepts/configuration/overview/")
def host_port_runs(subject: Subject) -> Faults:
    """A host port that two runs would both want.

    Within one run nothing collides; but a second run of it, or anybody's with the same port, waits
    for a node of its own as long as the first one holds the port.
    Remedy: Remove hostPort; a pod's port is reached without it, by `argojobs port-forward`.
    Wrong:
        container:
          image: busybox:1.36
          ports:
          - {containerPort: 6006, hostPort: 6006}
    Right:
        container:
          image: busybox:1.36
          ports:
          - {containerPort: 6006}
    """
    found = [
        ((*container.path, "ports", index), one["hostPort"])
        for container in containers(subject)
        for index, one in items(container.value, "ports")
        if one.get("hostPort")
    ]
    listed = ", ".join(map(str, sorted({port for _, port in found})))
    what = f"host port {listed} is fixed: two runs never share a node, and one waits for the other"
    yield Fault((*found[0][0], "hostPort"), what)


@warning(KUBERNETES + "concepts/configuration/overview/")
def host_port(caller: Caller, taken: set[int], why: str) -> Faults:
    """Host ports that collide.

    Two pods that want the same port of their node never share a node: tasks that could run at once
    wait for each other in silence.
    Remedy: Remove hostPort; a pod's port is reached without it.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: t}
            - {name: b, template: t}
        - name: t
          container:
            image: busybox:1.36
            ports:
            - {containerPort: 6006, hostPort: 6006}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: t}
            - {name: b, template: t}
        - name: t
          container:
            image: busybox:1.36
            ports:
            - {containerPort: 6006}
    """
    what = f"it wants host port {', '.join(map(str, sorted(taken)))}, and {why}"
    hint = (
        "remove hostPort: a port is reached without it; else each pod waits for a node of its own"
    )
    yield Fault(caller.path, what, hint)


def _within_a_run(subject: Subject, ports: dict[int, set[int]]) -> Iterator[Finding]:
    if subject.spec.get("parallelism") == 1:
        return
    wanted = _Wanted(subject, ports)
    for place in subject.places:
        if place.template.get("parallelism") == 1:
            continue
        found = [
            (caller, wanted.by(caller.value)) for caller in callers(place.template, place.path)
        ]
        taking = [(caller, taken) for caller, taken in found if taken]
        for caller, taken in taking:
            if caller.loops:
                yield from host_port(caller, taken, "its items run at once")
        yield from _parallel(place.template, taking, found)


def _parallel(
    template: Object, taking: list[tuple[Caller, set[int]]], found: list[tuple[Caller, set[int]]]
) -> Iterator[Finding]:
    ancestry = Ancestry([caller for caller, _ in found]) if template.get("dag") else None
    by_port: dict[int, list[Caller]] = {}
    for caller, taken in taking:
        for port in sorted(taken):
            earlier = by_port.setdefault(port, [])
            # The last few are enough to find a pair, and keep this linear.
            for other in reversed(earlier[-8:]):
                if _at_once(other, caller, ancestry):
                    why = f"{other.name!r} may run at once with it"
                    yield from host_port(caller, {port}, why)
                    break
            earlier.append(caller)


def _at_once(one: Caller, other: Caller, ancestry: Ancestry | None) -> bool:
    if _exclude(one.value.get("when") or "", other.value.get("when") or ""):
        return False
    if ancestry is None:
        return one.path[-2] == other.path[-2]  # steps: of the same group
    return not ancestry.before(one.name, other.name) and not ancestry.before(other.name, one.name)


def _exclude(one: str, other: str) -> bool:
    """Whether two conditions never hold both: `x == a` and `x != a`, or `x == a` and `x == b`."""
    first, second = _ONE_COMPARISON.fullmatch(one), _ONE_COMPARISON.fullmatch(other)
    if first is None or second is None or first[1] != second[1]:
        return False
    if first[2] != second[2]:
        return first[3] == second[3]
    constants = "{{" not in first[3] and "{{" not in second[3]
    return first[2] == "==" and constants and first[3].strip("'\"") != second[3].strip("'\"")


class _Wanted:
    """The host ports that a call takes, those of what it calls included."""

    def __init__(self, subject: Subject, ports: dict[int, set[int]]) -> None:
        self.subject = subject
        self.ports = ports
        self.known: dict[int, set[int]] = {}

    def by(self, caller: Any) -> set[int]:
        """Return the ports of a call."""
        template = self.subject.called(caller)
        return set() if template is None else self.of(template)

    def of(self, template: Object) -> set[int]:
        key = id(template)
        if key not in self.known:
            self.known[key] = found = set(self.ports.get(key, ()))
            for caller in callers(template, ()):
                found |= self.by(caller.value)
        return self.known[key]
