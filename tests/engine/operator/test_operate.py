"""The operator's agenda."""

import pytest
from support.player import manifest

from argojobs.engine.operator import agenda, operate
from argojobs.engine.operator.state import RunState
from argojobs.engine.operator.turn import Turn


@pytest.mark.parametrize("item", ["ready", ("ready", "wf", ""), agenda.PartReady])
def test_an_item_that_nothing_does_is_an_error_and_not_dropped(item):
    turn = Turn(RunState.load(manifest("steps: []"), [], {}), 0.0)
    turn.agenda.append(item)
    with pytest.raises(AssertionError, match="unreachable"):
        operate._drain(turn)
