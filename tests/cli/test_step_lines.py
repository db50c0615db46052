"""`logs -f RUN STEP` ends with the step, with all its lines, while the run goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.errors import NotFoundError, ServerError
from argojobs.runs.logs import log_texts
from argojobs.service import LogLine, WatchEvent

ROOT = node("r", "", "Running")


class Following(FakeService):
    """A service whose logs, once followed, bring some lines and then nothing, for ever."""

    brings = 0

    def logs(self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0) -> Iterator[LogLine]:  # fmt: skip
        found = super().logs(name, node_id=node_id, tail=tail)
        if not follow:
            yield from found
            return
        yield from islice(found, self.brings)
        threading.Event().wait()


def going(*nodes: dict[str, Any]) -> Any:
    return workflow("r", "Running", tasks=("train", "later"), nodes=(ROOT, *nodes))


def service(first: Any, *then: Any) -> Following:
    made = Following(first)
    made.then["r"] = list(then)
    made.endless = True
    return made


def followed(made: FakeService, tail: int = 0) -> list[str]:
    return list(log_texts(made, made.get("r"), "train", lambda: made, follow=True, tail=tail))


RUNNING, DONE = node("r", "train", "Running"), node("r", "train")


@pytest.mark.parametrize("brings", [0, 1, 2])
def test_it_ends_with_the_step_and_has_each_line_once(brings: int) -> None:
    made = service(going(RUNNING), going(DONE))
    made.brings = brings
    made.log("r", "r-train", "epoch 1", "epoch 2")
    made.log("r", "r-later", "not this")
    assert followed(made) == ["epoch 1", "epoch 2"]


@pytest.mark.parametrize("brings", [0, 3])
def test_it_begins_with_the_last_lines_that_are_asked_for(brings: int) -> None:
    made = service(going(RUNNING), going(DONE))
    made.brings = brings
    made.log("r", "r-train", "epoch 1", "epoch 2", "epoch 3")
    assert followed(made, tail=1) == ["epoch 3"]


def test_a_step_that_has_ended_is_not_followed() -> None:
    made = service(going(DONE))
    made.log("r", "r-train", "epoch 1")
    assert followed(made) == ["epoch 1"]


def test_a_step_that_has_not_begun_is_waited_for() -> None:
    made = service(going(), going(RUNNING), going(DONE))
    made.log("r", "r-train", "epoch 1")
    assert followed(made) == ["[train] epoch 1"]


def test_all_attempts_are_the_step() -> None:
    def retry(phase: str, *attempts: dict[str, Any]) -> Any:
        inner = [one["id"] for one in attempts]
        return going(node("r", "train", phase, type="Retry", children=inner), *attempts)

    first = node("r", "train(0)", "Failed", boundaryID="r", templateName="train")
    second = node("r", "train(1)", templateName="train")
    made = service(retry("Running", first), retry("Succeeded", first, second))
    made.log("r", "r-train(0)", "broken")
    made.log("r", "r-train(1)", "well")
    assert [line.rpartition("] ")[2] for line in followed(made)] == ["broken", "well"]


def test_what_goes_wrong_is_raised() -> None:
    class Broken(Following):
        def watch(self, name: str) -> Iterator[WatchEvent]:
            raise ServerError("out of reach")

    made = Broken(going(RUNNING))
    with pytest.raises(ServerError, match="out of reach"):
        followed(made)


def test_a_run_that_is_deleted_meanwhile_is_said() -> None:
    class Deleted(Following):
        def watch(self, name: str) -> Iterator[WatchEvent]:
            yield WatchEvent("DELETED", self.get(name))

    with pytest.raises(NotFoundError, match="was deleted while it was followed"):
        followed(Deleted(going(RUNNING)))


FLOW = """\
import time
from argojobs import pipeline, step

@step
def train() -> int:
    print("epoch 1", flush=True)
    return 1

@step
def later(n: int) -> None:
    time.sleep(1000)

@pipeline
def two() -> None:
    later(train())
"""


def test_on_this_machine_it_ends_while_the_next_step_runs(
    tmp_path: Path, home: Path, argojobs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "argojobs.toml").touch()
    (tmp_path / "flow.py").write_text(FLOW)
    monkeypatch.chdir(tmp_path)
    argojobs("run", "flow.py", "--detach")
    answer = argojobs("logs", "-f", "@latest", "train")
    assert (answer.code, answer.out.splitlines()[-1].rpartition("] ")[2]) == (0, "epoch 1")
    assert '"phase": "Running"' in argojobs("get", "@latest", "-o", "json").out
    argojobs("abort", "@latest")
