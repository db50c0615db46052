"""The project's own conformance suite: small workflows, and what the real controller made of them.

`tests/engine/conformance/NAME.yaml` is a workflow of one idea, `NAME.json` its record: the run on
the cluster of tests/cluster, reduced. `UPDATE_RECORDS=1 pytest tests/cluster/suite/test_conformance.py`
writes the records anew.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

from argojobs.engine.coverage import refuse_uncovered
from argojobs.errors import ArgojobsError
from support.reduced import Reduced

FOLDER = Path(__file__).parents[1] / "engine" / "conformance"
NAMES = sorted(file.stem for file in FOLDER.glob("*.yaml"))


def workflow(name: str, suffix: str = "") -> dict[str, Any]:
    """The workflow of that name; `suffix` makes its run's name one that no text has by chance."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    found["metadata"]["name"] += suffix
    return copy.deepcopy(found)


def record(name: str) -> Reduced:
    """What the real controller made of it."""
    found: Reduced = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def write(name: str, reduced: Reduced) -> None:
    """Keep a record, a node a line."""
    head = json.dumps({k: v for k, v in reduced.items() if k != "nodes"})
    nodes = ",\n".join(json.dumps(node, ensure_ascii=False) for node in reduced.get("nodes", ()))
    (FOLDER / f"{name}.json").write_text(f'{head[:-1]}, "nodes": [\n{nodes}\n]}}\n')


def uncovered(name: str) -> str:
    """The field for which the engine here does not run it, "" when it does."""
    try:
        refuse_uncovered(workflow(name))
    except ArgojobsError as error:
        return str(error.where).rsplit(".", 1)[-1]
    return ""
