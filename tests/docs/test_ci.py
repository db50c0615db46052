"""What CI holds tests to, beyond what a plain clone can."""

from pathlib import Path

import pytest
from support.shared import refuse_to_skip

ROOT = Path(__file__).resolve().parents[2]


def test_without_argos_records_a_clone_goes_on_and_ci_does_not(tmp_path: Path) -> None:
    refuse_to_skip(tmp_path / "argo", {})
    with pytest.raises(pytest.UsageError, match=r"\.\./shared"):
        refuse_to_skip(tmp_path / "argo", {"ARGOJOBS_CI": "1"})
    refuse_to_skip(tmp_path, {"ARGOJOBS_CI": "1"})


def test_ci_says_that_it_is_ci() -> None:
    assert "export ARGOJOBS_CI=1" in (ROOT / ".ci" / "run").read_text()


def test_the_files_that_are_begun_first_are_there(request: pytest.FixtureRequest) -> None:
    """One that was renamed would silently come last."""
    (conftest,) = (
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(ROOT / "tests" / "conftest.py")
    )
    assert [name for name in conftest.LONGEST if not (ROOT / "tests" / name).is_file()] == []
