"""README and docs are true: their blocks run, their links lead somewhere.

- ```console   each line that starts with `$ ` is run in the page's scratch folder and must succeed;
               one that ends in `# exit N` must exit with N
- ```python, ```yaml, ```toml   with a first line `# file: NAME` are written to that folder;
               Python without one is run; with `# from: NAME` it stands in that file of the project
- other blocks are pictures and outputs
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in BLOCK.finditer(page.read_text())]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


RUN_PAGES = [
    page for page in PAGES if any(kind in ("console", "python") for kind, _ in blocks(page))
]


def test_the_tour_is_among_what_is_run() -> None:
    assert ROOT / "README.md" in RUN_PAGES
    assert len(RUN_PAGES) >= 5


@pytest.mark.parametrize("page", RUN_PAGES, ids=name_of)
def test_the_blocks_of_a_page_run_in_order(page: Path, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copytree(ROOT / "workflows", folder / "workflows")
    environment = {
        **os.environ,
        "ARGOJOBS_HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    for kind, text in blocks(page):
        if kind == "console":
            for line in text.splitlines():
                if line.startswith("$ "):
                    run(line[2:], folder, environment)
            continue
        first, _, rest = text.partition("\n")
        if first.startswith("# file: "):
            target = folder / first.removeprefix("# file: ")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(rest)
        elif first.startswith("# from: "):
            assert rest in (ROOT / first.removeprefix("# from: ")).read_text(), text
        elif kind == "python":
            done = subprocess.run(
                [sys.executable, "-"],
                input=text, cwd=folder, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, text + done.stdout + done.stderr


def run(line: str, folder: Path, environment: dict[str, str]) -> None:
    command, _, exit_code = line.partition("# exit ")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == int(exit_code or 0), f"$ {line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target, _ in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


def test_the_two_commands_of_the_readme_exist() -> None:
    for target in ("demo", "test"):
        assert f"make {target}" in (ROOT / "README.md").read_text()
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)
