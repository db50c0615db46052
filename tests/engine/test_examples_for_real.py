"""Argo's own examples run by the real engine: real controller, real processes, on this machine.

`test_conformance.py` replays pods that end as the records say; here the pods are run. The images
are not there, so the host's programs and `argosay.py` stand in for them. The whole reduced tree
must be what real Argo 4.1.2 made of the example: names, phases, messages, edges, parameters,
results, exit codes, progress. `examples.json` says what is expected of each; run this file as a
program (`PYTHONPATH=.:tests`) to write it anew.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from support import argo_examples
from support.reduced import differences

from argojobs.config.settings import ImageSettings, Settings
from argojobs.engine.coverage import refuse_uncovered
from argojobs.engine.local import LocalService
from argojobs.engine.submitter import capture
from argojobs.engine.watching import Pace
from argojobs.errors import ArgojobsError
from argojobs.service import FINAL_PHASES

STATES = Path(__file__).with_name("examples.json")

#: Seconds that all examples together may take; alone on two cores they take a fifth of it.
PATIENCE = 90.0

#: What each pod asks for: a core each, the default, would make the sleeping ones queue.
SHARE = "50m"

#: Examples that run for longer than a few seconds, or that need what a laptop's test has not.
LEFT_OUT = {
    "cron-when.yaml@sleep-when": "sleeps for 30 s",
    "dag-task-level-timeout.yaml": "sleeps for 15 s, and its record depends on the cluster's pace",
    "dag-disable-failFast.yaml": "sleeps for 30 s",
    "default-pdb-support.yaml": "sleeps for 20 s",
    "exit-handler-slack.yaml": "calls a host on the internet",
    "intermediate-parameters.yaml": "was resumed by hand",
    "loops-param-result.yaml": "sleeps for 30 s",
    "parallelism-nested-dag.yaml": "sleeps for 120 s in all",
    "parallelism-nested-workflow.yaml": "sleeps for 120 s in all",
    "parallelism-nested.yaml": "sleeps for 80 s in all",
    "parallelism-template-limit.yaml": "sleeps for 50 s in all",
    "suspend-template-outputs.yaml": "was resumed by hand",
    "suspend-template.yaml": "was resumed by hand",
}

#: Why an example differs; all others that are run must give Argo's tree.
DIFFERS = {
    "artifact-disable-archive.yaml": "host: saves /etc of the image, and there is no image",
}


def reason_to_skip(key: str) -> str:
    """Why an example is not run for real, "" when it is."""
    record = argo_examples.expected()[key]
    workflow = argo_examples.documents().get(key)
    if record["status"] != "ran" or workflow is None:
        return "Argo did not run it"
    if key in _random():
        return f"random: {_random()[key]}"
    try:
        refuse_uncovered(workflow)
    except ArgojobsError as error:
        return f"not covered: {str(error.where).rsplit('.', 1)[-1]}"
    if key in LEFT_OUT:
        return f"left out: {LEFT_OUT[key]}"
    return ""


def _random() -> dict[str, str]:
    found: dict[str, str] = json.loads((argo_examples.ARGO / "random.json").read_text())
    return found


def stand_ins() -> Settings:
    """What the images of the examples are on this machine."""
    argosay = (sys.executable, str(Path(__file__).parents[1] / "support" / "argosay.py"))
    shell = ImageSettings(command=("sh",))
    return Settings(
        images={
            "argoproj/argosay:v2": ImageSettings(entrypoint=argosay),
            "alpine": shell,
            "debian": ImageSettings(command=("bash",)),
            "ubuntu": ImageSettings(command=("bash",)),
        }
    )


def prepared(key: str) -> dict[str, Any]:
    """The example with a name of its own, and small pods."""
    workflow = copy.deepcopy(argo_examples.documents()[key])
    workflow["metadata"]["name"] = re.sub(r"[^a-z0-9]+", "-", key.replace(".yaml", "")) + "-real"
    for template in workflow["spec"]["templates"]:
        container = template.get("container") or template.get("script")
        if container is not None:
            container.setdefault("resources", {"requests": {"cpu": SHARE}})
    return workflow


class Run:
    """Some examples, run together by one controller; `found` has how each differs from Argo's."""

    def __init__(self, keys: list[str]) -> None:
        self.found: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = {}
        self._keys = keys

    def all(self, folder: Path) -> None:
        """Run them in a home below `folder`."""
        project = folder / "project"
        project.mkdir()
        submitter = capture(stand_ins(), project=project)
        began = time.monotonic()
        with LocalService(folder / "home", submitter=submitter) as service:
            try:
                names = {key: self._create(service, key) for key in self._keys}
                for key, name in names.items():
                    if name:
                        workflow = self._finished(service, name, began + PATIENCE)
                        self.found[key] = compare(key, workflow)
                        self.seconds[key] = _took(workflow)
            finally:
                service.shutdown(force=True)
        self.seconds["all"] = time.monotonic() - began

    def _create(self, service: LocalService, key: str) -> str:
        try:
            created = service.create(prepared(key))
        except ArgojobsError as error:
            self.found[key] = [f"refused: {error.what}"]
            return ""
        name: str = created["metadata"]["name"]
        return name

    def _finished(self, service: LocalService, name: str, until: float) -> dict[str, Any]:
        """The run once it is final, or as it is at the time `until`: a watch could hang."""
        pace = Pace(service.store, service.starter.ensure)
        while True:
            workflow = service.get(name)
            if workflow["status"].get("phase") in FINAL_PHASES or time.monotonic() > until:
                return workflow
            pace.nap()


def compare(key: str, workflow: dict[str, Any]) -> list[str]:
    """How a finished run differs from Argo's record, one line each."""
    record = argo_examples.expected()[key]
    reduced = argo_examples.reduce_workflow(workflow)
    if record["nodes"] and record["nodes"][0].get("templateScope") == "local/":
        for node in reduced["nodes"]:  # submitted from a template: Argo names no workflow
            node["templateScope"] = "local/"
    return differences(reduced, record)


def _took(workflow: dict[str, Any]) -> float:
    if not workflow["status"].get("finishedAt"):
        return PATIENCE
    ends = (datetime.fromisoformat(workflow["status"][k]) for k in ("startedAt", "finishedAt"))
    started, finished = (end.timestamp() for end in ends)
    return finished - started


def _known() -> dict[str, str]:
    known: dict[str, str] = json.loads(STATES.read_text()) if STATES.exists() else {}
    return known


PASSING = sorted(key for key, state in _known().items() if state == "pass")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All examples that are run for real, after their end."""
    ran = Run([*PASSING, *DIFFERS])
    ran.all(tmp_path_factory.mktemp("examples"))
    return ran


@argo_examples.needs_records
@pytest.mark.parametrize("key", PASSING)
def test_example_run_for_real_gives_the_tree_that_argo_gives(run: Run, key: str) -> None:
    assert not run.found[key], "\n".join(run.found[key])


@argo_examples.needs_records
def test_what_differs_still_does(run: Run) -> None:
    """One that has come to pass leaves DIFFERS: then run this file as a program."""
    assert [key for key in DIFFERS if not run.found[key]] == []


@argo_examples.needs_records
def test_every_example_has_a_state() -> None:
    known = _known()
    assert set(known) == set(argo_examples.expected())
    for key, state in known.items():
        differs = f"differs, {DIFFERS[key]}" if key in DIFFERS else "pass"
        assert state == (reason_to_skip(key) or differs), key
    counts = Counter(state.split(":")[0] for state in known.values())
    print(dict(counts))
    assert counts["pass"] >= 46


@argo_examples.needs_records
def test_a_wrong_result_would_be_seen(run: Run) -> None:
    record = copy.deepcopy(argo_examples.expected()["exit-code-output-variable.yaml"])
    changed = copy.deepcopy(record)
    changed["nodes"][1]["exitCode"] = "77"
    assert differences(changed, record)
    assert run.found["exit-code-output-variable.yaml"] == []


def _write() -> None:
    states = {key: reason_to_skip(key) for key in sorted(argo_examples.expected())}
    ran = Run([key for key, reason in states.items() if not reason])
    folder = Path(tempfile.mkdtemp(prefix="argojobs-examples-"))
    try:
        ran.all(folder)
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    for key, found in sorted(ran.found.items()):
        states[key] = f"differs, {DIFFERS.get(key, 'not known why')}" if found else "pass"
        if found:
            print(key, *found, sep="\n    ")
    STATES.write_text(json.dumps(states, indent=1) + "\n")
    print(Counter(state.split(":")[0] for state in states.values()))
    print(sorted(ran.seconds.items(), key=lambda item: -item[1])[:12])


if __name__ == "__main__":
    _write()
