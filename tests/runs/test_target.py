"""Which service and store a verb gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import argojobs
from argojobs.errors import UsageError
from argojobs.runs.target import target

CONFIG = """
[contexts.abacus]
server = "https://abacus.example:2746"
namespace = "argo"
[contexts.abacus.s3]
endpoint = "abacus.example:9000"
bucket = "workflows"
prefix = "team"
[contexts.bare]
server = "https://bare.example:2746"
"""


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ARGOJOBS_CONTEXT", raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_a_word_it_is_this_machine_with_its_own_store() -> None:
    place = target()
    assert place.artifacts_here
    assert place.steps_here
    assert place.keeps_code_in_store
    assert not place.detaches_on_interrupt
    assert place.options == ""


def test_a_context_is_its_server_and_its_bucket_with_whole_keys() -> None:
    place = target("abacus")
    assert place.detaches_on_interrupt
    assert place.has_images
    assert not place.artifacts_here
    assert place.service.address.url == "https://abacus.example:2746"
    assert place.service.address.namespace == "argo"
    assert place.repository().place.url("code/x.tgz") == "s3://workflows/code/x.tgz"
    assert place.options == " --context abacus"


def test_hints_of_the_client_know_how_to_get_there() -> None:
    place = target("abacus")
    assert place.service.address.options == place.again().address.options == " --context abacus"


def test_a_url_is_a_server_without_a_store_and_asking_for_one_says_what_to_do() -> None:
    place = target(server="https://other.example:2746")
    assert not place.keeps_code_in_store
    assert place.options == " --server https://other.example:2746"
    with pytest.raises(UsageError, match="no S3 to store things in"):
        place.repository()


def test_an_unknown_context_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no context 'abaccus'") as caught:
        target("abaccus")
    assert "abacus" in caught.value.hint


def test_the_store_is_opened_once_for_all_who_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keys may be what a slow command prints."""
    asked = tmp_path / "asked"
    program = tmp_path / "keys"
    program.write_text(f"#!/bin/sh\necho once >> {asked}\necho key\n")
    program.chmod(0o700)
    keys = f'access_key = "command:{program}"\nsecret_key = "command:{program}"\n'
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.replace("[contexts.bare]", f"{keys}[contexts.bare]"))
    place = target("abacus")
    assert place.repository() is place.repository()
    assert place.again() is not place.again()
    assert asked.read_text().splitlines() == ["once", "once"], "each of the two keys once"


#: Where a context is asked whether it is the one that takes no settings: to build a target of it,
#: to say how it is set, to check its settings.
OF_SETTINGS = {
    "runs/target.py", "runs/images.py", "cli/verbs/context.py", "cli/context_table.py",
    "cli/verbs/open.py", "cli/verbs/doctor.py", "runs/doctor/examine.py",
}  # fmt: skip
KEEPERS = {"LocalService", "LocalPods", "ArgoService", "KubePods", "Service", "Pods", "Target"}


def asked_in(path: Path) -> Iterator[str]:
    """Yield the questions of a file that a capability of the target answers."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr in ("is_local", "built_in"):
            yield node.attr
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if node.func.id == "isinstance" and names & KEEPERS:
            yield "isinstance"
        if node.func.id in ("getattr", "hasattr"):
            words = set(ast.unparse(node.args[0]).split("."))
            if words & {"service", "pods", "place", "target"}:
                yield node.func.id


def test_nobody_asks_which_place_it_is() -> None:
    """What a place can do is a named capability of the target, or a method of its protocols."""
    root = Path(argojobs.__file__).parent
    files = [root / "api.py", *(root / "cli").rglob("*.py"), *(root / "runs").rglob("*.py")]
    asked = {(path.relative_to(root).as_posix(), what) for path in files for what in asked_in(path)}
    assert asked <= {(name, "built_in") for name in OF_SETTINGS}
