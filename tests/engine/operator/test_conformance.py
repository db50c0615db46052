"""What our operator makes of Argo's own examples, beside what real Argo 4.1.2 made of them.

Each example is replayed with pods that end as the real ones did; the whole reduced tree must be
the same. `conformance.json` says what is expected of each; a pass there must stay one.
Run this file as a program to write it anew.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from support import argo_examples
from support.reduced import differences

STATES = Path(__file__).with_name("conformance.json")


def state_of(key: str, record: dict, workflow: dict | None) -> tuple[str, list[str]]:
    """`pass`, `differs`, or why the example is not replayed; and the differences."""
    if record["status"] != "ran" or workflow is None:
        return "Argo did not run it", []
    if reason := argo_examples.uncovered(workflow):
        return f"not covered: {reason}", []
    found = differences(argo_examples.replay(workflow, record), record)
    return ("differs", found) if found else ("pass", [])


def _keys() -> list[str]:
    return sorted(json.loads(STATES.read_text())) if STATES.exists() else []


@argo_examples.needs_records
@pytest.mark.parametrize("key", [k for k in _keys() if json.loads(STATES.read_text())[k] == "pass"])
def test_example_gives_the_tree_that_argo_gives(key: str) -> None:
    state, found = state_of(key, argo_examples.expected()[key], argo_examples.documents()[key])
    assert not found, "\n".join(found)
    assert state == "pass"


@argo_examples.needs_records
def test_every_example_has_a_known_state() -> None:
    known = json.loads(STATES.read_text())
    assert set(known) == set(argo_examples.expected())
    counts = Counter(known.values())
    print(counts)
    assert counts["pass"] >= 80
    assert counts["differs"] == 0


@argo_examples.needs_records
def test_a_wrong_phase_would_be_seen() -> None:
    record = argo_examples.expected()["steps.yaml"]
    reduced = argo_examples.replay(argo_examples.documents()["steps.yaml"], record)
    reduced["nodes"][0]["phase"] = "Failed"
    assert any(".phase" in line for line in differences(reduced, record))


def _write() -> None:
    records, workflows = argo_examples.expected(), argo_examples.documents()
    states = {key: state_of(key, records[key], workflows.get(key)) for key in sorted(records)}
    for key, (state, found) in states.items():
        if state == "differs":
            print(key, *found, sep="\n    ")
    STATES.write_text(json.dumps({k: s for k, (s, _) in states.items()}, indent=1) + "\n")
    print(Counter(state for state, _ in states.values()))


if __name__ == "__main__":
    _write()
