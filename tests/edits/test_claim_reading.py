"""The run that reads a path of a claim."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from argojobs.edits import claim_reading as reading
from argojobs.errors import UsageError
from argojobs.lint import lint


def fetch(inside: str = "sets/mnist", **more: Any) -> dict[str, Any]:
    return reading.fetching(
        "data", inside, name="read-1", image="busybox", **{"store": True, **more}
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("claim://data/sets/mnist", ("data", "sets/mnist")),
        ("claim://data/sets//x/../mnist/", ("data", "sets/mnist")),
        ("claim://data", ("data", "")),
        ("claim://data/.", ("data", "")),
    ],
)
def test_an_address_is_a_claim_and_a_path_in_it(text: str, parts: tuple[str, str]) -> None:
    assert reading.split(text) == parts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("claim:///x", "names no claim"),
        ("claim://Data/x", "names no claim"),
        ("claim://data/../x", "leads out"),
        ("claim://data/a/../..", "leads out"),
        ("claim://data/{{workflow.name}}", "tag"),
        ("claim://data/a\nb", "line breaks"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        reading.split(text)


@pytest.mark.parametrize("made", [fetch(), fetch(""), fetch(store=False)])
def test_the_run_is_a_good_workflow_that_mounts_the_claim_to_read(made: dict[str, Any]) -> None:
    assert not [one for one in lint(made, refs="off") if one.level == "error"]
    (template,) = made["spec"]["templates"]
    (mount,) = template["container"]["volumeMounts"]
    assert mount["readOnly"] is True
    (artifact,) = template["outputs"]["artifacts"]
    assert artifact["path"].startswith(mount["mountPath"])


def test_argo_removes_what_we_have_no_keys_for_by_the_contexts_account() -> None:
    assert "artifactGC" not in fetch()["spec"]
    collection = fetch(store=False, account="runner")["spec"]["artifactGC"]
    assert collection["strategy"] == "OnWorkflowDeletion"
    assert collection["serviceAccountName"] == "runner"


def test_what_its_owner_forgets_goes_by_itself() -> None:
    assert fetch()["spec"]["ttlStrategy"] == {"secondsAfterCompletion": reading.KEPT}
    assert fetch()["spec"]["activeDeadlineSeconds"] == reading.LONGEST


def test_kubernetes_expands_nothing_in_the_path() -> None:
    args = fetch("$(HOSTNAME)")["spec"]["templates"][0]["container"]["args"]
    assert args[-1] == "/claims/data/$$(HOSTNAME)"


def shell(made: dict[str, Any], path: Path) -> subprocess.CompletedProcess[str]:
    """The run's command on this machine, for a path of this machine."""
    container = made["spec"]["templates"][0]["container"]
    script = container["args"][0].replace("$$", "$")
    words = [*container["command"], script, "sh", str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_command_tells_what_is_wrong_by_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there")
    assert shell(fetch(), tmp_path).returncode == 0
    assert shell(fetch(), tmp_path / "nothing").returncode == reading.MISSING
    answer = shell(fetch(), tmp_path / "link")
    assert (answer.returncode, answer.stdout) == (reading.LINK, "there\n")


def test_a_listing_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "folder" / "in it").mkdir(parents=True)
    (tmp_path / "folder" / "empty").touch()
    (tmp_path / "folder" / "a -> b/").mkdir()
    (tmp_path / "folder" / "link").symlink_to("in it")
    (tmp_path / "folder" / "$x").write_text("text")
    made = reading.listing("data", "", name="read-1", image="busybox")
    lines = shell(made, tmp_path / "folder").stdout.splitlines()
    found = {one[0]: one[1:] for one in map(reading.listed, lines) if one}
    assert {name: kind for name, (_, kind) in found.items()} == {
        "in it": "folder",
        "empty": "file",
        "a -> b": "folder",
        "link": "link",
        "$x": "file",
    }
    assert found["$x"][0] == 4
    assert reading.listed("time=now level=info") is None
