"""The operator's agenda."""

import pytest
from player import manifest

from argojobs.engine.operator import operate
from argojobs.engine.operator.state import RunState
from argojobs.engine.operator.turn import Turn


@pytest.mark.parametrize("word", ["", "begun", "retry", "Ready"])
def test_a_word_that_nothing_does_is_an_error_and_not_dropped(word, monkeypatch):
    monkeypatch.setattr(operate.execute, "frame_of", lambda turn, node_id: None)
    turn = Turn(RunState.load(manifest("steps: []"), [], {}), 0.0)
    turn.agenda.append((word, "wf", ""))
    with pytest.raises(ValueError, match=f"holds {word!r}, which nothing does"):
        operate._drain(turn)
