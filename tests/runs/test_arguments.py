"""Where the artifact arguments of a run come from."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.fake_service import FakeService

from argojobs.config.contexts import S3
from argojobs.edits.parameters import ArtifactArgument
from argojobs.errors import NotFoundError, UsageError
from argojobs.runs.arguments import Sources, placed
from argojobs.runs.stores import in_claim
from argojobs.storage.artifact_places import location

WORKFLOW: dict[str, Any] = {"metadata": {"name": "run-1"}, "spec": {}}


def given(kind: str, text: str) -> ArtifactArgument:
    return ArtifactArgument("data", kind, text)  # type: ignore[arg-type]


def sources(**more: Any) -> Sources:
    return Sources(FakeService, **more)


def claims(home: Path, **folders: Path) -> Sources:
    """This machine, with claims in folders that settings name."""
    named = {name: str(folder) for name, folder in folders.items()}
    return sources(claim=partial(in_claim, own=home / "claims", claims=named))


def test_a_folder_is_stored_below_the_runs_name_in_the_folder_of_runs(tmp_path: Path) -> None:
    found = placed("run-1", WORKFLOW, given("path", str(tmp_path)), sources(folder="team/"))
    assert found.path == tmp_path
    assert found.argument["s3"] == {"key": "team/run-1/argojobs-arguments/data"}


def test_an_object_of_the_contexts_own_bucket_is_named_by_its_key() -> None:
    bucket = partial(location, S3(endpoint="s3.example", bucket="runs"))
    found = placed("run-1", WORKFLOW, given("s3", "s3://runs/sets/mnist"), sources(bucket=bucket))
    assert found.argument == {"name": "data", "s3": {"key": "sets/mnist"}, "archive": {"none": {}}}
    assert found.path is None


def test_an_object_of_another_bucket_is_named_with_endpoint_and_references_to_keys() -> None:
    s3 = S3(endpoint="s3.example", bucket="runs", secret_name="keys")
    found = placed(
        "run-1",
        WORKFLOW,
        given("s3", "s3://sets/mnist"),
        sources(bucket=partial(location, s3)),
    )
    assert found.argument["s3"]["bucket"] == "sets"
    assert found.argument["s3"]["endpoint"] == "s3.example"
    assert found.argument["s3"]["accessKeySecret"] == {"name": "keys", "key": "accesskey"}


def test_another_bucket_without_keys_for_the_steps_is_refused() -> None:
    bucket = partial(location, S3(endpoint="s3.example", bucket="runs"))
    with pytest.raises(UsageError, match="another bucket"):
        placed("run-1", WORKFLOW, given("s3", "s3://sets/mnist"), sources(bucket=bucket))


def test_a_claim_of_this_machine_is_its_folder(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    here = claims(tmp_path / "home", sets=tmp_path)
    found = placed("run-1", WORKFLOW, given("claim", "claim://sets/mnist"), here)
    assert found.path == tmp_path / "mnist"


def test_a_claim_without_a_setting_is_the_folder_that_steps_mount(tmp_path: Path) -> None:
    (tmp_path / "claims" / "sets" / "mnist").mkdir(parents=True)
    found = placed("run-1", WORKFLOW, given("claim", "claim://sets/mnist"), claims(tmp_path))
    assert found.path == tmp_path / "claims" / "sets" / "mnist"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("claim://set/mnist", "did you mean sets?"),
        ("claim://other/mnist", "[local.claims] other"),
        ("claim://sets/nothing", "the claim's folder is"),
    ],
)
def test_a_claim_or_path_that_is_not_there_is_named(text: str, remedy: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=text) as caught:
        placed("run-1", WORKFLOW, given("claim", text), claims(tmp_path / "home", sets=tmp_path))
    assert remedy in caught.value.hint


def test_a_claims_path_does_not_lead_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    here = claims(tmp_path, sets=tmp_path / "sets")
    with pytest.raises(UsageError, match="leads out"):
        placed("run-1", WORKFLOW, given("claim", "claim://sets/../other"), here)


def test_a_clusters_claim_is_no_artifact_and_the_remedy_is_said() -> None:
    with pytest.raises(UsageError, match="cannot be an artifact") as caught:
        placed("run-1", WORKFLOW, given("claim", "claim://sets/mnist"), sources())
    assert "artifacts get claim://sets/mnist" in caught.value.hint
