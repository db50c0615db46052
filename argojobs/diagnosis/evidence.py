"""What was looked at to say why a run is as it is: objects of Argo and Kubernetes as plain dicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from argojobs.manifest.view import annotations_of, spec_of, status_of
from argojobs.service import Workflow

Object = Mapping[str, Any]

#: Argo's annotation on its pods. Source: Argo's source, `workflow/common`.
NODE_ID = "workflows.argoproj.io/node-id"

_UNFIT = re.compile(r"\d+/(\d+) nodes are available: (.*)", re.DOTALL)
#: What comes after the reasons: what the scheduler would have to end for the pod.
_AFTER = re.compile(r"\. (?:no new claims|preemption:|no preemption).*", re.DOTALL)
_REASON = re.compile(r"(?:^|, )(?=\d+ )")


@dataclass(frozen=True)
class Evidence:
    """All there is to judge by.

    workflow: the whole object. pods, events, nodes, claims: as Kubernetes has them; empty where
    they could not be looked at. logs: the newest lines by node id. silent: for how many seconds a
    step that runs has written nothing, by node id. absent: of steps that miss a file which this
    machine has, the fact and the remedy, by node id. titles: steps as a reader knows them, by node
    id. options: what a command of ours must say to get there, with a blank in front. kubectl: the
    beginning of a command line of kubectl. local: whether the run is on this machine, without pods.
    """

    workflow: Workflow
    pods: Sequence[Object] = ()
    events: Sequence[Object] = ()
    nodes: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    silent: Mapping[str, float] = field(default_factory=dict)
    absent: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    options: str = ""
    kubectl: str = "kubectl"
    local: bool = False

    @property
    def run(self) -> str:
        """The run's name."""
        return str(self.workflow["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """The run's namespace."""
        return str(self.workflow["metadata"].get("namespace") or "default")

    @property
    def status(self) -> Object:
        """The run's status."""
        return status_of(self.workflow)

    @cached_property
    def spec(self) -> Object:
        """The run's spec, with that of a WorkflowTemplate that it refers to below its own."""
        return {
            **(self.status.get("storedWorkflowTemplateSpec") or {}),
            **spec_of(self.workflow),
        }

    @property
    def message(self) -> str:
        """What Argo says of the run as a whole."""
        return str(self.status.get("message") or "")

    @cached_property
    def pods_by_node(self) -> Mapping[str, Object]:
        """The pods by the node that each is of."""
        return {_node_of(pod): pod for pod in self.pods}

    @cached_property
    def events_by_object(self) -> Mapping[str, Sequence[Object]]:
        """The events by the name of what each is about, oldest first."""
        found: dict[str, list[Object]] = {}
        for event in self.events:
            found.setdefault(_about(event), []).append(event)
        return found

    @cached_property
    def templates(self) -> Mapping[str, Object]:
        """The run's templates by name."""
        stored = (self.status.get("storedTemplates") or {}).items()
        found = {key.rpartition("/")[2]: template for key, template in stored}
        own = {str(one.get("name")): one for one in self.spec.get("templates") or ()}
        return {**found, **own}


@dataclass(frozen=True)
class Subject:
    """One step that does not go on, or did not end well, with all that belongs to it."""

    evidence: Evidence
    node: Object
    pod: Object
    events: Sequence[Object]
    log: Sequence[str]

    @property
    def message(self) -> str:
        """What Argo says of the step."""
        return str(self.node.get("message") or "")

    @property
    def title(self) -> str:
        """The step as a reader knows it."""
        node_id = str(self.node.get("id", ""))
        return self.evidence.titles.get(node_id) or str(self.node.get("displayName") or "")

    @property
    def pod_name(self) -> str:
        """The pod's name, "" where it is not known."""
        return str((self.pod.get("metadata") or {}).get("name") or "")

    @property
    def template(self) -> Object:
        """The step's template, tags not replaced."""
        return self.evidence.templates.get(str(self.node.get("templateName", "")), {})

    @property
    def over(self) -> bool:
        """Whether the step has ended."""
        return self.node.get("phase") not in {"Pending", "Running"}

    @cached_property
    def spec(self) -> Object:
        """The pod's spec; without a pod, the template's container as one."""
        found: Object = self.pod.get("spec") or {}
        if found:
            return found
        main = self.template.get("container") or self.template.get("script") or {}
        return {"containers": [{**main, "name": "main"}]}  # Argo writes an empty name

    @property
    def main(self) -> Object:
        """The container of the user's program."""
        containers = self.spec.get("containers") or ()
        return next((one for one in containers if one.get("name") == "main"), {})

    @property
    def container(self) -> Object:
        """The container that Argo's message is about: `prepare: Error (exit code 3)`; else main."""
        name = self.message.partition(":")[0]
        return next((one for one in self.containers if one.get("name") == name), self.main)

    @property
    def containers(self) -> tuple[Object, ...]:
        """All containers of the pod, those before main first."""
        return (*(self.spec.get("initContainers") or ()), *(self.spec.get("containers") or ()))

    @property
    def scheduled(self) -> bool:
        """Whether a node has the pod."""
        return bool((self.pod.get("spec") or {}).get("nodeName"))

    @property
    def well(self) -> bool:
        """Whether the pod runs as it should: what was told of it before no longer counts."""
        status = self.pod.get("status") or {}
        running = self.node.get("phase") == status.get("phase") == "Running"
        return running and not any(self.states("waiting"))

    @cached_property
    def statuses(self) -> tuple[Object, ...]:
        """The states of the pod's containers, those before main first."""
        return statuses_of(self.pod.get("status") or {})

    def states(self, kind: str) -> Iterator[tuple[str, Object]]:
        """Yield the containers in a state (`waiting`, `terminated`), with what is said of it."""
        for status in self.statuses:
            for state in (status.get("state") or {}, status.get("lastState") or {}):
                if state.get(kind):
                    yield str(status.get("name", "")), state[kind]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All that is said of the step by Argo and Kubernetes, the most direct first."""
        if self.well:
            return ()
        status = self.pod.get("status") or {}
        told = [self.message]
        for kind in ("terminated", "waiting"):
            told += [_said(state) for _, state in self.states(kind)]
        told.append(_said(status))
        told += [_said(one) for one in status.get("conditions") or () if one.get("message")]
        told += [
            _said(event)
            for event in reversed(self.events)
            if not (self.scheduled and event.get("reason") == "FailedScheduling")
        ]
        return tuple(dict.fromkeys(filter(None, told)))

    @cached_property
    def unfit(self) -> tuple[str, ...]:
        """What the scheduler says of the nodes: `3 Insufficient cpu`; none if it says nothing."""
        found = None if self.over else self.search(_UNFIT)
        if found is None:
            return ()
        return tuple(filter(None, _REASON.split(_AFTER.sub("", found[2]).strip(" ."))))

    def search(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return where a pattern is in what Argo and Kubernetes say."""
        return next(filter(None, map(pattern.search, self.texts)), None)

    def search_log(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return where a pattern is in the log of a step that has ended, the newest line first."""
        if not self.over:
            return None
        return next(filter(None, map(pattern.search, reversed(self.log))), None)


def statuses_of(status: Object) -> tuple[Object, ...]:
    """Return the states of a pod's containers by the pod's status, those before main first."""
    before, others = status.get("initContainerStatuses"), status.get("containerStatuses")
    return (*(before or ()), *(others or ()))


def _said(value: Object) -> str:
    """Return `reason: message` of a state, a condition or an event."""
    parts = (str(value.get("reason") or ""), str(value.get("message") or "").strip())
    return ": ".join(part for part in parts if part)


def subject_of(evidence: Evidence, node: Object) -> Subject:
    """Return a node of a run with its pod, the pod's events and its log."""
    node_id = str(node.get("id", ""))
    pod = evidence.pods_by_node.get(node_id, {})
    name = str((pod.get("metadata") or {}).get("name") or "")
    events = evidence.events_by_object.get(name, ()) if name else ()
    return Subject(evidence, node, pod, events, evidence.logs.get(node_id, ()))


def _node_of(pod: Object) -> str:
    return str(annotations_of(pod).get(NODE_ID) or "")


def _about(event: Object) -> str:
    return str((event.get("involvedObject") or {}).get("name") or "")
