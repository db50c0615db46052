"""compile writes a manifest and nothing else; init stores the project's code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.run_service import MANIFEST

import argojobs as argojobs_package


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


FLOW = """
from argojobs import pipeline, step
import beside
@step
def work(n: int) -> int:
    return n
@pipeline
def flow(n: int = 1) -> int:
    return work(n)
"""


@pytest.fixture
def flow(project: Path) -> Path:
    """A pipeline in a folder of the project, with a module beside it."""
    (project / "flows").mkdir()
    (project / "flows" / "beside.py").write_text("")
    (project / "flows" / "flow.py").write_text(FLOW)
    return project / "flows" / "flow.py"


def answered(folder: Path, program: list[str], *arguments: str) -> str:
    """Run a command line in a folder, in a process of its own."""
    done = subprocess.run(
        [*program, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


MODULE = [sys.executable, "-m", "argojobs"]
TEXT = [sys.executable, "-c", "import sys; from argojobs.cli.main import main; sys.exit(main())"]


def compiled(flow: Path) -> tuple[int, str]:
    """Compile a pipeline in a process of its own; return the exit code and what is said."""
    done = subprocess.run(
        [*MODULE, "compile", str(flow)],
        cwd=flow.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


class TestBundle:
    def test_is_the_same_wherever_and_however_the_command_is_given(
        self, flow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = Path(argojobs_package.__file__).parents[1]
        monkeypatch.setenv("PYTHONPATH", str(root))
        project = flow.parent.parent
        made = {
            answered(folder, program, "compile", str(flow), "-o", "json")
            for folder in (project, flow.parent, tmp_path)
            for program in (MODULE, TEXT)
        }
        assert len(made) == 1
        hashes = {
            answered(folder, MODULE, "init", str(project), "--dry-run", "-o", "name").strip()
            for folder in (project, flow.parent)
        }
        assert len(hashes) == 1
        label = json.loads(made.pop())["metadata"]["labels"]["argojobs.dev/code"]
        assert hashes.pop().startswith(label)

    @pytest.mark.parametrize("pattern", ["flows/", "flow.py", "*.py"])
    @pytest.mark.parametrize("file", [".argojobsignore", ".gitignore"])
    def test_without_the_pipelines_own_file_is_refused(
        self, argojobs, flow: Path, pattern: str, file: str
    ) -> None:
        (flow.parent.parent / file).write_text(f"{pattern}\n")
        answer = argojobs("compile", str(flow))
        assert (answer.code, answer.out) == (2, "")
        assert "the pipeline's own file is ignored" in answer.err
        assert "!/flows/flow.py" in answer.err

    def test_leaves_the_secrets_here_that_argojobs_itself_reads(
        self, argojobs, flow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project = flow.parent.parent
        (tmp_path / "elsewhere.yaml").write_text("registry: []\n")
        (project / "creds.yaml").symlink_to(tmp_path / "elsewhere.yaml")
        (flow.parent / "creds.yaml").write_text("registry: []\n")
        (project / "token").write_text("no name that tells\n")
        (project / "lab-keys.yaml").write_text("s3: []\n")
        (project / "argojobs.toml").write_text('[local.secrets.hub]\nkey = "file:token"\n')
        config = tmp_path / "config.toml"
        secret = f"creds:{project / 'lab-keys.yaml'}#s3/lab/accesskey"
        config.write_text(
            f'[contexts.lab.s3]\nendpoint = "lab:9000"\nbucket = "runs"\naccess_key = "{secret}"\n'
        )
        monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
        monkeypatch.chdir(flow.parent)
        answer = argojobs("compile", str(flow), "-o", "json")
        assert (answer.code, json.loads(answer.out)["kind"]) == (0, "Workflow")
        assert [line for line in answer.err.splitlines() if "stays here" in line] == [
            f"warning: {name} stays here: it holds secrets for argojobs itself"
            for name in ("creds.yaml", "flows/creds.yaml", "lab-keys.yaml", "token")
        ]
        assert argojobs("init", "..", "-o", "json", "--dry-run").code == 0

    def test_refuses_other_secrets(self, argojobs, flow: Path) -> None:
        (flow.parent / "creds.yaml").write_text(
            "registry: []\n"
        )  # argojobs is not asked to read it
        answer = argojobs("compile", str(flow))
        assert (answer.code, answer.out) == (2, "")
        assert "flows/creds.yaml  (its name)" in answer.err

    @pytest.mark.parametrize("git", [False, True])
    @pytest.mark.parametrize(
        ("imports", "refused"),
        [
            ("from gen import value", True),
            ("import lib.part", True),
            ("import beside", True),  # which imports gen
            ("try:\n    import gen\nexcept ImportError:\n    gen = None", False),
            ("def late():\n    from gen import value\n    return value", False),
        ],
    )
    def test_a_module_that_git_ignores_is_named_before_the_start(
        self, flow: Path, git: bool, imports: str, refused: bool
    ) -> None:
        root = flow.parent.parent
        (root / ".gitignore").write_text("# made anew\ngen.py\nlib/\n")
        (root / "gen.py").write_text("value = 3\n")
        (flow.parent / "beside.py").write_text(
            "from gen import value\n" if imports.endswith("beside") else ""
        )
        (root / "lib").mkdir()
        (root / "lib" / "part.py").write_text("")
        flow.write_text(f"{imports}\n{flow.read_text()}")
        if git:
            subprocess.run(["git", "init", "-q", root], check=True)
        code, said = compiled(flow)
        name = "lib/part.py" if "lib" in imports else "gen.py"
        by = "beside.py" if "beside" in imports else "flow.py"
        assert f"{by} imports {name}, which does not travel" in said
        assert f"a line !/{name} in .argojobsignore takes it along" in said
        assert code == (2 if refused else 0)
        if git:
            line = "3 (lib/)" if "lib" in imports else "2 (gen.py)"
            assert f"git ignores it: .gitignore:{line}" in said
        (root / ".argojobsignore").write_text(f"!/{name}\n")
        assert compiled(flow) == (0, "")

    def test_what_is_imported_for_type_checkers_or_by_a_main_alone_is_not(self, flow: Path) -> None:
        root = flow.parent.parent
        (root / ".gitignore").write_text("gen.py\n")
        (root / "gen.py").write_text("value = 3\n")
        text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import gen\n"
        main = 'if __name__ == "__main__":\n    import gen\n'
        flow.write_text(f"{text}{flow.read_text()}{main}")
        assert compiled(flow) == (0, "")


class TestCompile:
    def test_of_a_manifest_is_its_canonical_form_with_parameters_put_in(
        self, argojobs, project: Path
    ) -> None:
        answer = argojobs("compile", str(project / "chain.yaml"), "-p", "batch_size=7")
        made = yaml.safe_load(answer.out)
        assert answer.code == 0
        assert made["kind"] == "Workflow"
        assert made["spec"]["arguments"]["parameters"] == [{"name": "batch_size", "value": "7"}]

    def test_an_artifact_without_a_source_is_not_written_as_argo_refuses_it(
        self, argojobs, project: Path
    ) -> None:
        (project / "needs.yaml").write_text(
            "kind: Workflow\nmetadata: {generateName: n-}\nspec:\n  entrypoint: main\n"
            "  arguments: {parameters: [{name: n}], artifacts: [{name: data}]}\n  templates:\n"
            "  - {name: main, container: {image: 'busybox:1', command: [echo]}}\n"
        )
        answer = argojobs("compile", str(project / "needs.yaml"))
        assert (answer.code, answer.out) == (2, "")
        assert "no value is given for data" in answer.err
        assert argojobs("compile", str(project / "needs.yaml"), "--to", "hera").code == 0

    def test_twice_gives_the_same_bytes(self, argojobs, project: Path) -> None:
        once, twice = (argojobs("compile", str(project / "chain.yaml"), "-o", "json") for _ in "ab")
        assert once == twice
        assert json.loads(once.out)["metadata"] == {"generateName": "chain-"}

    def test_writes_nothing(self, argojobs, project: Path, tmp_path: Path) -> None:
        argojobs("compile", str(project / "chain.yaml"))
        assert not (tmp_path / "home").exists()

    def test_an_s3_artifact_goes_in_for_a_context_with_s3_a_folder_is_refused(
        self, argojobs, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = str(project / "chain.yaml")
        config = tmp_path / "config.toml"
        config.write_text(
            '[contexts.abacus]\nserver = "https://abacus:2746"\n'
            '[contexts.abacus.s3]\nendpoint = "abacus:9000"\nbucket = "workflows"\n'
        )
        monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
        given = (file, "-p", "data=s3://workflows/some/key")
        made = yaml.safe_load(argojobs("compile", *given, "--context", "abacus").out)
        assert made["spec"]["arguments"]["artifacts"] == [
            {
                "name": "data",
                "s3": {"key": "some/key"},
                "archive": {"none": {}},
                "optional": True,
            }
        ]
        answer = argojobs("compile", *given)
        assert answer.code == 2
        assert "no S3 is known here" in answer.err
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
            (("--max-code-size", "big"), "is not a size"),
        ],
    )
    def test_too_much_is_refused(
        self, argojobs, project: Path, arguments: tuple[str, ...], says: str
    ) -> None:
        answer = argojobs("init", str(project), *arguments)
        assert answer.code == 2
        assert says in answer.err
