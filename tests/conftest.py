"""What all tests share: a home of their own whose controller ends with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import seaweed
from support import shared as shared_folder

from argojobs.engine.starting import end
from argojobs.net import known_secrets

TESTS = Path(__file__).parent

#: How long an example takes is the machine's affair: no test fails for that.
settings.register_profile(
    "without-time", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without-time")


#: The files that take longest, begun first: one of them alone at the end would leave a core idle.
LONGEST = (
    "docs/test_documents.py",
    "images/builders/test_contract.py",
    "cli/debug/test_debug.py",
    "images/described/test_providing.py",
    "images/test_deploy.py",
    "images/test_run_with_images.py",
    "workflows/test_demo.py",
    "attacks/test_kills.py",
    "job/test_kills.py",
    "attacks/test_damaged_home.py",
    "typing/test_typing.py",
    "engine/test_examples_for_real.py",
    "engine/test_conformance_for_real.py",
    "engine/test_local.py",
    "engine/executors/process/test_executor.py",
    "cli/test_words.py",
    "cli/test_for_real.py",
    "cli/test_left.py",
    "cli/test_shell_job.py",
    "storage/test_s3_faults.py",
    "test_any_text.py",
    "test_wheel.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, for processes that share the files; the order within one stays."""
    rank = {TESTS / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(LONGEST)))


def pytest_configure() -> None:
    """In CI nothing is skipped for want of Argo's own examples."""
    shared_folder.refuse_to_skip()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh home; its controller, if a test started one, is ended afterwards."""
    folder = tmp_path / "home"
    monkeypatch.setenv("ARGOJOBS_HOME", str(folder))
    (tmp_path / "config.toml").touch()
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(tmp_path / "config.toml"))
    yield folder
    end(folder, force=True)


@pytest.fixture(autouse=True)
def no_secret_of_another_test() -> Iterator[None]:
    """What one test has shown to a server is not masked in the next one's output."""
    yield
    known_secrets._known.clear()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of facts about the real Argo, or a skip that says so."""
    if not shared_folder.ARGO.is_dir():
        pytest.skip(shared_folder.WHY_NOT)
    return shared_folder.SHARED


@pytest.fixture(scope="session")
def s3_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[seaweed.Seaweed]:
    """A real S3 service for the whole session, or a skip that says why there is none."""
    if reason := seaweed.why_not():
        pytest.skip(reason)
    with seaweed.running(tmp_path_factory.mktemp("seaweed")) as running:
        yield running
