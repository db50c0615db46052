"""What a build takes is what real builders take: the same image from our context as from the folder."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from support import engines

from argojobs.images.builds import Build
from argojobs.images.context.writing import write_context
from argojobs.images.recipe import recipes

FILES = (
    *("a.py", "b.txt", "run.sh", "docs/README.md", "docs/x.md", "docs/deep/y.md"),
    *("networks/cell2d.py", "networks/sub/a.py", "networks/cache/a.pyc"),
    *("data/x.bin", "data/set/y.bin", ".git/HEAD", ".hidden", "with blank.txt", "[odd].txt"),
)
CASES = [
    ("COPY . /", ""),
    ("COPY . /", ".git\n**/cache\ndata\n*.md"),
    ("COPY . /", "*\n!networks\nnetworks/sub"),
    ("COPY . /", "docs\n!docs/README.md\n!docs/deep"),
    ("COPY networks /networks", "**/*.pyc"),
    ("COPY --chown=1:1 a.py b.txt run.sh /x/", ""),
    ('COPY ["with blank.txt", "/x/"]', ""),
    ("COPY *.py ?.txt net* /x/", ""),
    ("COPY docs/*.md /x/", ""),
    ("COPY */sub /x/", ""),
    ("COPY empty /x/", ""),
    ("COPY first /x/", ""),
    ("COPY links /x/", ""),
    ("COPY first/cell2d.py /x/", ""),
    ("ARG W=net\nCOPY ${W}works/*.py /x/", ""),
    ("FROM scratch AS one\nCOPY docs /d\nFROM scratch\nCOPY --from=one /d/x.md /x", ""),
]
#: What docker does and buildah 1.28 does not: it loses exceptions in folders that `**` leaves out,
#: and the brackets of a pattern.
BY_DOCKER = [("COPY . /", "**\n!**/*.py\n!.hidden"), ("COPY [[]odd].txt /x/", "")]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name in FILES:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (root / "run.sh").chmod(0o755)
    (root / "empty" / "inner").mkdir(parents=True)
    (root / "first").symlink_to("networks")
    (root / "links").mkdir()
    (root / "links" / "inside").symlink_to("../a.py")
    (root / "links" / "nowhere").symlink_to("missing")
    return root


def inside(folder: Path) -> dict[str, str]:
    """Return what a folder holds: kind, whether it may be run, content."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link {os.readlink(path)}"
        elif path.is_dir():
            found[name] = "folder"
        else:
            bit = "x" if path.stat().st_mode & 0o100 else "-"
            found[name] = f"file {bit} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found


def compare(project: Path, tmp_path: Path, line: str, ignore: str, build) -> None:
    """Build from the folder, then from our context: equal, and `COPY . /` takes all of it."""
    dockerfile = tmp_path / "train.Dockerfile"
    dockerfile.write_text(f"FROM scratch\n{line}\n")
    (project / ".dockerignore").write_text(ignore)
    recipe = recipes([Build("train", dockerfile, project, {}, "", "")])[0]
    context = tmp_path / "context"
    context.mkdir()
    write_context(recipe.files, context)
    from_folder = build(dockerfile, project, tmp_path / "out-1")
    from_context = build(dockerfile, context, tmp_path / "out-2")
    assert from_context == from_folder
    if line == "COPY . /":
        assert inside(context) == from_folder


@pytest.mark.parametrize(("line", "ignore"), CASES)
def test_with_buildah(project, tmp_path, own_storage, line, ignore):
    program = engines.program("buildah")

    def build(dockerfile: Path, context: Path, out: Path) -> dict[str, str]:
        argv = [
            *(program, "bud", "--isolation", "chroot", "--quiet", "-f", str(dockerfile)),
            *("--output", f"type=local,dest={out}", str(context)),
        ]
        done = subprocess.run(argv, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return inside(out)

    compare(project, tmp_path, line, ignore, build)


@pytest.mark.parametrize(("line", "ignore"), [*CASES, *BY_DOCKER])
def test_with_buildkit(project, tmp_path, buildkit_daemon, line, ignore):
    program = engines.program("buildctl")

    def build(dockerfile: Path, context: Path, out: Path) -> dict[str, str]:
        argv = [
            *(program, "--addr", buildkit_daemon, "build", "--frontend", "dockerfile.v0"),
            *("--local", f"context={context}", "--local", f"dockerfile={dockerfile.parent}"),
            *("--opt", f"filename={dockerfile.name}", "--output", f"type=local,dest={out}"),
        ]
        done = subprocess.run(argv, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return inside(out)

    compare(project, tmp_path, line, ignore, build)
