"""The session's real cluster, and when its tests are run: only where they are asked for by path.

`make test` runs the small tests of the harness itself (unit/); the suite on the cluster (suite/)
takes minutes, root and Go, and runs by `make test-cluster`, which is `pytest tests/cluster/suite`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness.cluster import Cluster

HERE = Path(__file__).parent
SUITE = HERE / "suite"

# the harness is a package in this folder, for tests below it only
sys.path.insert(0, str(HERE))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the suite out unless an argument of pytest names it or something in it."""
    if collection_path != SUITE:
        return None
    for argument in config.args:
        asked = (config.invocation_params.dir / argument.split("::")[0]).resolve()
        if asked == SUITE or SUITE in asked.parents:
            return None
    return True


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Iterator[Cluster]:
    """The real Kubernetes and Argo of this machine: joined if one runs, else started and ended.

    A machine that lacks something fails here, with a line for each thing that is missing.
    """
    from harness.cluster import session
    from harness.errors import Missing

    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    capture = pytestconfig.pluginmanager.get_plugin("capturemanager")

    def say(text: str) -> None:
        if reporter is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                reporter.write_line(f"cluster: {text}")

    try:
        with session(say) as running:
            yield running
    except Missing as missing:
        pytest.exit("the cluster can't run here:\n" + "\n".join(missing.lines), returncode=2)
