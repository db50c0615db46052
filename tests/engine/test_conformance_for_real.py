"""The project's own conformance suite run by the real engine: real controller, real processes.

`tests/engine/operator/test_own_conformance.py` replays pods that end as the records say; here they
are run. The whole reduced tree must be what the real controller made of the workflow, as recorded
on the cluster of tests/cluster: `support/conformance.py` says how.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from support import conformance
from support.reduced import Reduced, differences, reduced

from argojobs.engine.local import LocalService
from argojobs.engine.submitter import capture
from argojobs.engine.watching import Pace
from argojobs.service import FINAL_PHASES

PATIENCE = 120.0  # seconds for all
SUFFIX = "-here"

#: What each pod asks for: a core each, the default, would make them queue.
SHARE = {"requests": {"cpu": "50m"}}

#: What is otherwise here than on a cluster, and why.
DIFFERS = dict.fromkeys(
    ("artifact-not-there", "parameter-that-no-one-made"),
    "the message names the output and its path; Argo's names a path inside its executor",
)

COVERED = [name for name in conformance.NAMES if not conformance.uncovered(name)]


def prepared(name: str) -> dict[str, Any]:
    """The workflow with small pods."""
    workflow = conformance.workflow(name, SUFFIX)
    for template in workflow["spec"]["templates"]:
        container = template.get("container") or template.get("script")
        if container is not None:
            container["resources"] = SHARE
    return workflow


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reduced]:
    """All workflows after their end, run together by one controller."""
    folder = tmp_path_factory.mktemp("conformance")
    (folder / "project").mkdir()
    with LocalService(folder / "home", submitter=capture(project=folder / "project")) as service:
        try:
            for name in COVERED:
                service.create(prepared(name))
            until = time.monotonic() + PATIENCE
            return {name: reduced(finished(service, f"{name}{SUFFIX}", until)) for name in COVERED}
        finally:
            service.shutdown(force=True)


def finished(service: LocalService, name: str, until: float) -> dict[str, Any]:
    """The run once it is final, or as it is at the time `until`: a watch could hang."""
    pace = Pace(service.store, service.starter.ensure)
    while True:
        workflow = service.get(name)
        if workflow["status"].get("phase") in FINAL_PHASES or time.monotonic() > until:
            return workflow
        pace.nap()


@pytest.mark.parametrize("name", COVERED)
def test_a_workflow_run_for_real_gives_the_recorded_tree(
    ran: dict[str, Reduced], name: str, request: pytest.FixtureRequest
) -> None:
    if name in DIFFERS:
        request.applymarker(pytest.mark.xfail(reason=DIFFERS[name], strict=True))
    found = differences(ran[name], conformance.record(name))
    assert not found, "\n".join(found)
