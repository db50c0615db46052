"""`from argojobs import job`: the standard library alone, little of it, and typed."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import job_process

from argojobs import job

ROOM = Path(job.__file__).parent


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; sys.path.insert(0, {str(job_process.ROOT)!r}); before = {{*sys.modules}}; {statement}; print(*{{*sys.modules}} - before)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_it_loads_nothing_that_is_not_needed_before_something_is_logged() -> None:
    found = loaded_by("from argojobs import job")
    ours = {name for name in found if name.partition(".")[0] == "argojobs"}
    assert ours == {
        "argojobs", "argojobs.job", "argojobs.job.buffer", "argojobs.job.numbers", "argojobs.job.session",
    }  # fmt: skip
    assert (
        not {
            "json",
            "threading",
            "typing",
            "collections",
            "math",
            "dataclasses",
            "signal",
            "shutil",
        }
        & found
    )


@pytest.mark.parametrize("name", sorted(path.stem for path in ROOM.glob("[a-z]*.py")))
def test_no_module_of_it_imports_anything_else_of_ours(name: str) -> None:
    found = loaded_by(f"import argojobs.job.{name}")
    ours = {each for each in found if each.partition(".")[0] == "argojobs"}
    assert all(each.startswith("argojobs.job") for each in ours - {"argojobs"})
    assert {each.partition(".")[0] for each in found} - {"argojobs"} <= sys.stdlib_module_names


def test_what_it_has_not_is_an_attribute_error_as_anywhere() -> None:
    with pytest.raises(AttributeError, match=r"module 'argojobs\.job' has no attribute 'EPOCHS'"):
        job.EPOCHS  # type: ignore[attr-defined]  # noqa: B018
    assert {"log", "epochs", "checkpoint", "restore", "measure"} <= {*job.__all__}
    assert all(callable(getattr(job, name)) for name in job.__all__)


def test_checkers_know_the_types_of_its_names(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(
        "from argojobs import job\n"
        "reveal_type(job.JOB_RESTARTED)\nreveal_type(job.NODELIST)\nreveal_type(job.restore())\n"
        "for epoch in job.epochs(3):\n    reveal_type(epoch)\n"
        "job.log(loss=0.5, step=3)\njob.EPOCHS\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            str(file),
        ],
        cwd=job_process.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()[:-1]]
    assert [line for line in said if "Revealed" in line] == [
        f'note: Revealed type is "{each}"' for each in ("bool", "list[str]", "str | None", "int")
    ]
    assert 'error: Module has no attribute "EPOCHS"  [attr-defined]' in said
