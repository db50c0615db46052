"""What our operator makes of the project's own conformance suite, with pods that end as the real ones did.

`tests/engine/test_conformance_for_real.py` runs the pods as well.
"""

from __future__ import annotations

import copy

import pytest
from support import conformance
from support.reduced import differences, played, reduced

#: Workflows that the engine here refuses, by the field that it does not honour yet.
NOT_COVERED = {
    "before-the-step": "initContainers",
    "beside-the-step": "sidecars",
    "one-behind-the-other": "synchronization",
    "several-containers": "containerSet",
    "stays-up": "daemon",
}


@pytest.mark.parametrize("name", [name for name in conformance.NAMES if name not in NOT_COVERED])
def test_a_workflow_gives_the_recorded_tree(name: str) -> None:
    record = conformance.record(name)
    found = differences(reduced(played(conformance.workflow(name, "-here"), record)), record)
    assert not found, "\n".join(found)


def test_every_workflow_has_a_record_and_most_are_played() -> None:
    records = {file.stem for file in conformance.FOLDER.glob("*.json")}
    assert records == set(conformance.NAMES)
    assert len(conformance.NAMES) >= 120
    refused = {name: conformance.uncovered(name) for name in conformance.NAMES}
    assert {name: field for name, field in refused.items() if field} == NOT_COVERED


def test_a_wrong_phase_would_be_seen() -> None:
    record = conformance.record("steps-in-order")
    changed = copy.deepcopy(record)
    changed["nodes"][0]["phase"] = "Failed"
    assert any(".phase" in line for line in differences(changed, record))
