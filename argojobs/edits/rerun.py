"""What a retry leaves of a finished run: which nodes go, which are opened again, which stay.

Source: Argo's FormulateRetryWorkflow (4.0): pods that failed are deleted with all that came after
them, the groups and boundaries around them run again, all else stays. Two things differ: an exit
handler of a step does not count as a descendant that succeeded (in Argo a step with one is never
run again), and of a Retry node with attempts that are steps or DAGs only the last goes on (Argo
leaves the earlier ones Running for ever).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from argojobs.errors import ConflictError, UsageError
from argojobs.manifest import selectors
from argojobs.manifest.names import pod_of_node
from argojobs.manifest.view import arguments_of, nodes_of, parameters_of, spec_of, status_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import NodeStatus, Parameter, WorkflowSpec

    Node = NodeStatus
    Nodes = dict[str, Node]

GROUPS = frozenset({"DAG", "TaskGroup", "StepGroup", "Steps"})
EXECUTED = frozenset({"Container", "Pod", "HTTP", "Plugin"})
#: The fields of a node with the ids of others.
LINKS: tuple[Literal["children"], Literal["outboundNodes"]] = ("children", "outboundNodes")
UNSUCCESSFUL = frozenset({"Failed", "Error"})


class Again(NamedTuple):
    """A run made ready to go on.

    nodes: those that are left, reset where they are open again. deleted: ids of those that are
    not. pods: names of the pods that belonged to deleted ones.
    """

    nodes: Nodes
    deleted: frozenset[str]
    pods: tuple[str, ...]


def retry(
    workflow: Workflow,
    *,
    now: str,
    restart_successful: bool = False,
    node_selector: str = "",
    parameters: Sequence[str] = (),
) -> Again:
    """Return what a retry makes of a run's nodes.

    Args:
        workflow: the run, with its nodes.
        now: the time stamp of nodes that are open again.
        restart_successful: nodes that the selector means run again, even those that succeeded.
        node_selector: as `selectors.parse` takes it.
        parameters: NAME=VALUE of what changed; fan-outs are then expanded anew.

    Raises:
        ConflictError: the run cannot be retried; with Argo's text.
        UsageError: the selector is wrong.
    """
    phase = str(status_of(workflow).get("phase") or "")
    _refuse(phase, chosen=restart_successful and bool(node_selector))
    nodes = nodes_of(workflow)
    wanted: set[str] = set()
    if restart_successful and node_selector:
        terms = selectors.parse(node_selector)
        wanted = {key for key, node in nodes.items() if selectors.matches(terms, node)}
    wanted |= failed(nodes, wanted)
    return reset(workflow, wanted, now=now, expand_anew=bool(parameters))


def _refuse(phase: str, *, chosen: bool) -> None:
    if phase in UNSUCCESSFUL or (phase == "Succeeded" and chosen):
        return
    if phase == "Succeeded":
        raise ConflictError(
            "To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector",
            hint="argojobs retry RUN --node displayName=STEP, or a new run: argojobs resubmit RUN",
        )
    raise ConflictError(
        f"Cannot retry a workflow in phase {phase}", hint="wait for its end: argojobs wait RUN"
    )


def failed(nodes: Nodes, wanted: Iterable[str] = ()) -> set[str]:
    """Return the ids of the nodes that ran and failed, and behind which nothing succeeded.

    wanted: nodes that run again in any case; that they succeeded counts for nothing.
    """
    leaving = set(wanted)
    parents = _parents(nodes)
    found = set()
    for key, node in nodes.items():
        if node["phase"] in UNSUCCESSFUL and node["type"] in EXECUTED:
            whole = parents.get(key) if flag(node, "retried") else None
            if not _has_success_below(nodes, whole or node, leaving):
                found.add(key)
    return found


def flag(node: Node, name: Literal["hooked", "retried"]) -> bool:
    """Tell whether Argo has set one of a node's flags: `hooked` or `retried`."""
    return bool((node.get("nodeFlag") or {}).get(name))


def _parents(nodes: Nodes) -> dict[str, Node]:
    return {child: node for node in nodes.values() for child in node.get("children") or ()}


def _has_success_below(nodes: Nodes, node: Node, leaving: set[str]) -> bool:
    steps = walk_below(nodes, node, lambda one: not flag(one, "hooked"))
    return any(nodes[key]["phase"] == "Succeeded" and key not in leaving for key in steps)


def reset(
    workflow: Workflow, wanted: Iterable[str], *, now: str, expand_anew: bool = False
) -> Again:
    """Delete nodes with all that came after them, and open again what they are part of.

    Args:
        workflow: the run, with its nodes; stays as it is.
        wanted: ids of nodes.
        now: the time stamp of nodes that are open again.
        expand_anew: the parameters changed, so that fan-outs around them are expanded anew.
    """
    name = workflow["metadata"]["name"]
    nodes = nodes_of(workflow)
    gone, opened = _marked(nodes, name, set(wanted) - superseded(nodes))
    if expand_anew:
        for key in opened - gone:
            if nodes[key]["type"] in {"TaskGroup", "StepGroup"}:
                gone |= below(nodes, key)
    exits = {key for key, node in nodes.items() if node["name"].startswith(f"{name}.onExit")}
    exits |= {child for key in exits for child in below(nodes, key)}
    gone |= exits
    left: Nodes = {}
    for key, node in nodes.items():
        if key in gone:
            continue
        left[key] = opened_again(node, now) if key in opened else node
    left = {key: linked_among(node, left) for key, node in left.items()}
    pods = [
        pod_of_node(workflow, node) for key, node in nodes.items() if key in gone and _ran(node)
    ]
    return Again(left, frozenset(gone), tuple(dict.fromkeys(pods)))


def linked_among(node: Node, there: Collection[str]) -> Node:
    """Return a node whose links lead to nodes that are there. there: their ids."""
    linked: Node = {**node}
    for link in LINKS:
        if link in linked:
            linked[link] = [other for other in linked[link] or () if other in there]
            if not linked[link]:
                del linked[link]
    return linked


def steps_again(workflow: Workflow, again: Again) -> list[str]:
    """Return the names, as shown, of the steps that a run does once more: pods and the like."""
    nodes = nodes_of(workflow)
    found = [nodes[key] for key in nodes if key in again.deleted]
    found += [n for n in again.nodes.values() if n["type"] == "Retry" and n["phase"] == "Running"]
    return [
        str(node["displayName"])
        for node in found
        if node["type"] not in GROUPS and not (flag(node, "retried") or flag(node, "hooked"))
    ]


def _ran(node: Node) -> bool:
    return bool(node["type"] == "Pod")


def _marked(nodes: Nodes, name: str, wanted: set[str]) -> tuple[set[str], set[str]]:
    """Return the ids of what is deleted and of what is opened again, from the top downwards."""
    parents = _parents(nodes)
    gone: set[str] = set()
    opened: set[str] = set()
    for key in from_the_top(nodes, name):
        if key not in wanted or key in gone:
            continue
        gone |= {key, *below(nodes, key)}
        opened |= _around(nodes, parents, nodes[key])
    return gone, opened


def from_the_top(nodes: Nodes, name: str) -> list[str]:
    """Return the ids of all nodes under the root, breadth first."""
    root = next((key for key, node in nodes.items() if node["name"] == name), None)
    order = [] if root is None else [root]
    seen = set(order)
    todo = deque(order)
    while todo:
        for child in nodes[todo.popleft()].get("children") or ():
            if child in nodes and child not in seen:
                seen.add(child)
                order.append(child)
                todo.append(child)
    return order


def below(nodes: Nodes, key: str) -> set[str]:
    """Return the ids of all that hangs below a node."""
    return set(walk_below(nodes, nodes[key]))


def walk_below(
    nodes: Nodes, node: Node, enters: Callable[[Node], bool] = lambda _: True
) -> Iterator[str]:
    """Yield the id of each node below one, once.

    Args:
        nodes: by their ids.
        node: the one above.
        enters: whether a node is wanted; where not, what is below it is not either.
    """
    seen: set[str] = set()
    left = list(node.get("children") or ())
    while left:
        key = left.pop()
        if key not in seen and key in nodes and enters(nodes[key]):
            seen.add(key)
            yield key
            left += nodes[key].get("children") or ()


def _around(nodes: Nodes, parents: Mapping[str, Node], start: Node) -> set[str]:
    """Return the ids of the groups, boundaries and Retry nodes on the way up from a node."""
    found: set[str] = set()
    current: Node | None = start
    while current is not None:
        if current["type"] in GROUPS:
            found.add(current["id"])
            current = _around_group(nodes, parents, current, found)
            continue
        if current["type"] == "Retry" and current["phase"] in UNSUCCESSFUL:
            found.add(current["id"])
        current = parents.get(current["id"])
    # What a template's member sits in is open with it, whatever hangs above the member.
    boundary = start.get("boundaryID", "")
    while boundary in nodes:
        found.add(boundary)
        above = parents.get(boundary)
        if above is not None and above["type"] in {"Retry", "StepGroup", "TaskGroup"}:
            found.add(above["id"])
        boundary = nodes[boundary].get("boundaryID", "")
    return found


def _around_group(
    nodes: Nodes, parents: Mapping[str, Node], group: Node, found: set[str]
) -> Node | None:
    """Go up from a group by its boundaries; return where the way goes on."""
    current = group
    while True:
        above = parents.get(current["id"])
        if above is not None and above["type"] == "Retry":
            found.add(above["id"])
            current, above = above, parents.get(above["id"])
        if above is not None and above["type"] in {"StepGroup", "TaskGroup"}:
            found.add(above["id"])
        boundary = current.get("boundaryID", "")
        if boundary not in nodes:
            return above
        found.add(boundary)
        current = nodes[boundary]


def superseded(nodes: Nodes) -> set[str]:
    """Return the ids of all in attempts, of steps or DAGs, that a later one has taken the place of."""
    found: set[str] = set()
    for node in nodes.values():
        if node["type"] != "Retry":
            continue
        attempts = [key for key in node.get("children") or () if _is_attempt(nodes.get(key))]
        for attempt in attempts[:-1]:
            if nodes[attempt]["type"] in GROUPS:
                found |= {attempt, *below(nodes, attempt)}
    return found


def _is_attempt(node: Node | None) -> bool:
    return node is not None and flag(node, "retried")


def opened_again(node: Node, now: str) -> Node:
    """Return a node that runs again; a skipped one stays skipped."""
    opened: Node = {**node}
    opened.pop("message", None)
    opened.pop("finishedAt", None)
    if node["type"] == "Suspend" and (given := parameters_of(node.get("outputs"))):
        supplied: list[Parameter] = [
            {"name": parameter["name"], "valueFrom": {"supplied": {}}} for parameter in given
        ]
        opened["outputs"] = {**node["outputs"], "parameters": supplied}
    if node["phase"] != "Skipped":
        opened["phase"] = "Running"
    opened["startedAt"] = now
    return opened


def override(workflow: Workflow, parameters: Sequence[str]) -> WorkflowSpec:
    """Return the spec with `name=value` parameters in place of its own, in Argo's order.

    Raises UsageError for a text that is not an assignment.
    """
    spec: WorkflowSpec = {**spec_of(workflow)}
    if not parameters:
        return spec
    given: dict[str, Parameter] = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"expected parameter of the form: NAME=VALUE. Received: {text}")
        given[name] = {"name": name, "value": value}
    others = [p for p in parameters_of(arguments_of(spec)) if p["name"] not in given]
    spec["arguments"] = {**arguments_of(spec), "parameters": [*given.values(), *others]}
    return spec
