"""What a run brings along of an earlier one: nodes made ready to go on, artifacts of its own.

Artifacts of a run lie under its name in the home's repository and go when it is deleted. So those
that a new run refers to are linked (or copied, where links cannot be) under the new run's name
before it is stored: then each of the two can be deleted without the other.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.edits.rerun import GROUPS, from_the_top, linked_among, opened_again, superseded
from argojobs.engine.clock import stamp
from argojobs.engine.context import artifact_root
from argojobs.engine.store.listing import names as names_in
from argojobs.engine.store.store import Store
from argojobs.errors import ConflictError, HostError, NotFoundError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.edits.rerun import Nodes
    from argojobs.manifest.objects import NodeStatus, WorkflowStatus

_OVER = frozenset({"Succeeded", "Failed", "Error", "Skipped", "Omitted"})


def take_over(home: Path, store: Store, created: Workflow) -> dict[str, Any]:
    """Put a fresh status into a new run's object; return the nodes that came with the old one.

    Args:
        home: its folder.
        store: of the home.
        created: the object, with the status of an earlier run; changed in place.

    Raises:
        ConflictError: the name is taken.
        NotFoundError: an artifact is gone.
    """
    given = created["status"]
    status: WorkflowStatus = {"startedAt": None, "finishedAt": None}
    created["status"] = status
    name, names = created["metadata"]["name"], names_in(store)
    if name in names:
        raise ConflictError(f'workflows.argoproj.io "{name}" already exists')
    nodes, outputs = _take_artifacts(
        artifact_root(home), name, names, [given["nodes"], given.get("outputs")]
    )
    if outputs:
        status["outputs"] = outputs
    return ready_nodes(name, nodes, stamp(time.time()))


def ready_nodes(name: str, nodes: Nodes, now: str) -> Nodes:
    """Return given nodes as this engine goes on with them.

    Those that are not over run anew: a group or Retry node is open, any other is left out, so
    that it is made again. Of a Retry node's attempts that are groups only the last is open.

    Args:
        name: of the run.
        nodes: by id.
        now: the time stamp of those that are opened or closed.
    """
    old = superseded(nodes)
    found: Nodes = {}
    # As they were made: a server's object has them in no order.
    for key in dict.fromkeys([*from_the_top(nodes, name), *nodes]):
        node = nodes[key]
        if node.get("phase") in _OVER:
            found[key] = node
        elif node["type"] in GROUPS | {"Retry"}:
            closed: NodeStatus = {**node, "phase": "Failed", "startedAt": now, "finishedAt": now}
            found[key] = closed if key in old else opened_again({**node, "phase": "Pending"}, now)
    return {key: linked_among(node, found) for key, node in found.items()}


def _take_artifacts(root: Path, name: str, runs: Iterable[str], given: Any) -> Any:
    """Return nodes or outputs whose artifacts lie under `name`, having put them there.

    root: the repository's folder. runs: the runs of this home, whose artifacts these may be.
    Raises NotFoundError, before anything is put there, for one that is gone.
    """
    known = set(runs) - {name}
    keys = {key for key in _keys(given) if key.split("/", 1)[0] in known and "/" in key}
    for key in sorted(keys):
        if not (root / key).exists():
            raise NotFoundError(
                f"the artifact {key} is gone, which a reused step made",
                where=str(root / key),
                hint="run the step again: name it with --from, or leave --from out",
            )
    taken = {key: f"{name}/{key.split('/', 1)[1]}" for key in keys}
    for key, own in taken.items():
        _link(root / key, root / own)
    return _with_keys(given, taken)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        place = value.get("s3")
        if isinstance(place, dict) and isinstance(place.get("key"), str):
            yield place["key"]
        for item in value.values():
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _with_keys(value: Any, taken: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_keys(item, taken) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _with_keys(item, taken) for key, item in value.items()}
    place = made.get("s3")
    if isinstance(place, dict) and place.get("key") in taken:
        made["s3"] = {**place, "key": taken[place["key"]]}
    return made


def _link(source: Path, target: Path) -> None:
    """Have a file or tree at a second place. Raises `HostError`."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=_link_file, dirs_exist_ok=True)
        elif not target.exists():
            _link_file(str(source), str(target))
    except OSError as error:
        raise HostError(
            f"the artifact cannot be taken over: {error.strerror or error}", where=str(source)
        ) from error


def _link_file(source: str, target: str) -> None:
    if Path(target).exists():
        return
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without hard links
        shutil.copy2(source, target)


def set_aside(directory: Path) -> None:
    """Move the files of a pod that runs again out of its way: `POD.earlier-1`, `-2`, ..."""
    if not directory.exists():
        return
    number = 1
    while (aside := directory.with_name(f"{directory.name}.earlier-{number}")).exists():
        number += 1
    directory.rename(aside)
