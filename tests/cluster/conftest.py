"""The session's real cluster, and when its tests are run: only where they are asked for by path.

`make test` runs the small tests of the harness itself (unit/); the suite on the cluster (suite/)
takes minutes, root and Go, and runs by `make test-cluster`, which is `pytest tests/cluster/suite`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    return None if collection_path != SUITE or asked_for(config) else True


def asked_for(config: pytest.Config) -> bool:
    """Whether an argument of pytest names the suite or something in it."""
    named = [
        (config.invocation_params.dir / argument.split("::")[0]).resolve()
        for argument in config.args
    ]
    return any(path == SUITE or SUITE in path.parents for path in named)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Where processes share the tests (pytest-xdist), the one that leads them has the cluster up.

    It alone can say what goes on; theirs then join it by the fixture.
    """
    leads = session.config.getoption("numprocesses", None) and not hasattr(
        session.config, "workerinput"
    )
    if not leads or session.config.option.collectonly or not asked_for(session.config):
        return (yield)
    with use_of_the_cluster(session.config):
        return (yield)


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Iterator[Cluster]:
    """The real Kubernetes and Argo of this machine: joined if one runs, else started and ended."""
    with use_of_the_cluster(pytestconfig) as running:
        yield running


@contextmanager
def use_of_the_cluster(config: pytest.Config) -> Iterator[Cluster]:
    """The cluster for as long as it is used; on a machine that lacks something pytest ends here.

    It says a line for each thing that is missing.
    """
    from harness.cluster import session
    from harness.errors import Missing

    reporter = config.pluginmanager.get_plugin("terminalreporter")
    capture = config.pluginmanager.get_plugin("capturemanager")

    def say(text: str) -> None:
        if reporter is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                reporter.write_line(f"cluster: {text}")

    try:
        with session(say) as running:
            yield running
    except Missing as missing:
        pytest.exit("the cluster can't run here:\n" + "\n".join(missing.lines), returncode=2)
