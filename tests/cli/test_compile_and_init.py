"""compile writes a manifest and nothing else; init stores the project's code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from test_run import MANIFEST


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is a project, and a home and settings of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "chain.yaml").write_text(MANIFEST)
    (folder / "big.txt").write_text("x" * 5000)
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ARGOJOBS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


class TestCompile:
    def test_of_a_manifest_is_its_canonical_form_with_parameters_put_in(
        self, argojobs, project: Path
    ) -> None:
        answer = argojobs("compile", str(project / "chain.yaml"), "-p", "batch_size=7")
        made = yaml.safe_load(answer.out)
        assert answer.code == 0
        assert made["kind"] == "Workflow"
        assert made["spec"]["arguments"]["parameters"] == [{"name": "batch_size", "value": "7"}]

    def test_twice_gives_the_same_bytes(self, argojobs, project: Path) -> None:
        once, twice = (argojobs("compile", str(project / "chain.yaml"), "-o", "json") for _ in "ab")
        assert once == twice
        assert json.loads(once.out)["metadata"] == {"generateName": "chain-"}

    def test_writes_nothing(self, argojobs, project: Path, tmp_path: Path) -> None:
        argojobs("compile", str(project / "chain.yaml"))
        assert not (tmp_path / "home").exists()

    def test_an_s3_artifact_goes_in_a_folder_is_refused(self, argojobs, project: Path) -> None:
        file = str(project / "chain.yaml")
        made = yaml.safe_load(argojobs("compile", file, "-p", "data=s3://bucket/some/key").out)
        assert made["spec"]["arguments"]["artifacts"] == [
            {"name": "data", "s3": {"bucket": "bucket", "key": "some/key"}}
        ]
        answer = argojobs("compile", file, "-p", f"data={project}")
        assert answer.code == 2
        assert "argojobs run" in answer.err

    def test_to_hera_is_a_program(self, argojobs, project: Path) -> None:
        answer = argojobs("compile", str(project / "chain.yaml"), "--to", "hera")
        assert answer.code == 0
        compile(answer.out, "made.py", "exec")

    def test_a_fault_says_where_in_the_file(self, argojobs, project: Path) -> None:
        file = project / "chain.yaml"
        file.write_text(MANIFEST.replace("entrypoint: main", "entrypoint: mian"))
        answer = argojobs("compile", str(file))
        assert answer.code == 2
        assert f"at {file}:6" in answer.err
        assert answer.out == ""


class TestInit:
    def test_stores_the_code_and_says_hash_size_and_the_largest_files(
        self, argojobs, project: Path, tmp_path: Path
    ) -> None:
        answer = argojobs("init", str(project))
        assert answer.code == 0
        assert "3 files" in answer.out
        assert "4.9 KiB  big.txt" in answer.out
        (bundle,) = (tmp_path / "home").rglob("*.tgz")
        assert bundle.stem[:12] in answer.out
        assert "stored before" in argojobs("init", str(project)).out

    def test_dry_run_stores_nothing(self, argojobs, project: Path, tmp_path: Path) -> None:
        assert "would be stored" in argojobs("init", str(project), "--dry-run").out
        assert list((tmp_path / "home").rglob("*.tgz")) == []

    def test_json_for_programs(self, argojobs, project: Path) -> None:
        facts = json.loads(argojobs("init", str(project), "-o", "json").out)
        assert facts["stored"] is True
        assert argojobs("init", str(project), "-o", "name").out == facts["hash"] + "\n"

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--max-code-size", "1KiB"), "--max-code-size"),
            (("--max-code-size", "big"), "is no size"),
        ],
    )
    def test_too_much_is_refused(
        self, argojobs, project: Path, arguments: tuple[str, ...], says: str
    ) -> None:
        answer = argojobs("init", str(project), *arguments)
        assert answer.code == 2
        assert says in answer.err
