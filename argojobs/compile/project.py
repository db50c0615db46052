"""Which files make up a project: what git tracks or would track, less `.argojobsignore`."""

from __future__ import annotations

import os
import re
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.compile import git
from argojobs.config.home import home_path
from argojobs.errors import BundleError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".argojobsignore"
#: The folder of a bundle that holds our runtime; a project's own folder of this name stays behind.
RESERVED = ".argojobs"
#: More files than this are not a project: the search stops.
MOST_FILES = 50_000
#: Files that say "here a project begins", where there is no git.
_MARKERS = (IGNORE_FILE, "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
#: Folders that no one means to send along, unless git tracks what is in them.
_JUNK = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "__pycache__", "node_modules", ".mypy_cache", ".tox"}
    | {".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".nox", ".eggs", ".hypothesis"}
    | {".cache", ".DS_Store", ".idea", ".vscode"}
    | {"wandb", "mlruns", "mlartifacts", "lightning_logs", ".neptune", ".aim", "catboost_info"}
)
#: What runs and tools leave beside the code: these folders, the logs of `argojobs query`, the
#: folders of hydra, logs for TensorBoard, compiled Python.
_LEFT_BEHIND = re.compile(
    rf"(.*/)?(({'|'.join(map(re.escape, sorted(_JUNK)))})(/.*)?|assets/[^/]+/[^/]+\.log"
    r"|(outputs|multirun)/\d{4}-\d\d-\d\d/.*|events\.out\.tfevents\.[^/]*|[^/]*\.py[co])",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a project, sorted, relative to its root with `/`, and what to tell about them.

    taken: those that `.argojobsignore` takes along whatever else leaves them out. left: what is
    ignored, a folder once with a `/` at its end.
    """

    files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()


def project_root(file: Path) -> Path:
    """Return the folder that is packed for this file (or folder).

    The git work tree that holds it; else the nearest folder above with a file that marks a
    project (pyproject.toml, .argojobsignore, ...); else the file's own folder.
    """
    folder = file.resolve()
    folder = folder if folder.is_dir() else folder.parent
    tree = git.repository(folder)
    if tree is not None and not is_common(tree):
        return tree
    for place in (folder, *folder.parents):
        if is_common(place):
            break
        if any((place / marker).is_file() for marker in _MARKERS):
            return place
    return folder


def is_common(folder: Path) -> bool:
    """Whether this is a folder for everything: a home, the temporary folder, the root."""
    return folder in (Path(folder.anchor), Path.home(), Path(tempfile.gettempdir()).resolve())


def project_files(root: Path) -> Listing:
    """List the files to pack. Raises BundleError for more than any project has.

    What git tracks or would track, or, without git, what no .gitignore names; of what nobody
    tracks not what runs and tools leave; less what `.argojobsignore` names; and what its lines
    with a `!` name, whatever git ignores. In a folder for everything (a home, /tmp) only the
    Python files beside each other are taken.
    """
    warnings: list[str] = []
    left: list[str] = []
    if is_common(root):
        names = [
            entry.name for entry in root.iterdir() if entry.suffix == ".py" and _may_travel(entry)
        ]
        warnings.append(
            f"{root} is not a project: only the Python files right in it are packed. "
            "Put yours in a folder of their own to pack more."
        )
    else:
        names = _tracked(root, "", warnings) or list(_walk(root, left))
        left += git.ignored(root) if git.repository(root) else ()
    rules = _spec(root / IGNORE_FILE)
    taken = _taken_along(root, left)
    names += taken
    home = f"{_home_below(root)}/"
    kept = sorted(
        name
        for name in set(names)
        if not name.startswith(home) and not (rules and rules.match_file(name))
    )
    ours = [name for name in kept if name.partition("/")[0] == RESERVED]
    if ours:
        warnings.append(
            f"{RESERVED}/ is where a bundle has the runtime: the project's own folder of this name "
            f"({len(ours)} files) is left out"
        )
        kept = [name for name in kept if name.partition("/")[0] != RESERVED]
    left += set(names) - set(kept)
    return Listing(tuple(kept), tuple(warnings), frozenset(taken), tuple(left))


def modules_left_out(root: Path, left: Iterable[str]) -> set[str]:
    """Return the last names of modules among what is ignored (see `Listing.left`), for a quick look."""
    found: set[str] = set()
    for name in left:
        place = Path(name)
        if name.endswith("/"):
            if place.name not in _JUNK and _holds_modules(root / place):
                found.add(place.name)
        elif place.suffix == ".py":
            found.add(place.parent.name if place.stem == "__init__" else place.stem)
    return found - {""}


def _holds_modules(folder: Path) -> bool:
    """Whether a folder, or one in it, has Python files; not where this user may not look."""
    return any(True for pattern in ("*.py", "*/*.py") for _ in folder.glob(pattern))


def why_left_out(root: Path, name: str) -> str:
    """Say why a file of the project (relative to root) is not among `project_files`."""
    rules = _spec(root / IGNORE_FILE)
    if rules and rules.match_file(name):
        return f"{IGNORE_FILE} leaves it out"
    if line := git.why_ignored(root, name):
        return f"git ignores it: {line}"
    return "a .gitignore names it, or it lies where tools leave their files"


def _may_travel(path: Path) -> bool:
    """Whether this is a file or a link: a socket, pipe or device is nothing to pack."""
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _taken_along(root: Path, left: list[str]) -> list[str]:
    """Return the files that `.argojobsignore` takes along by a `!` although git ignores them.

    left: what they leave out. A folder is taken if a pattern names it or something in it.
    """
    file = root / IGNORE_FILE
    patterns = [line[1:] for line in _lines(file) if line.startswith("!")]
    if not patterns:
        return []
    spec = _compiled(file, patterns)
    places = [pattern.strip().lstrip("/") for pattern in patterns]
    found = [place for place in places if (root / place).is_file()]
    for name in left:
        if not name.endswith("/"):
            found += [name] if spec.match_file(name) and not _LEFT_BEHIND.fullmatch(name) else []
        elif spec.match_file(f"{name}x"):
            found += _below(root, name)
        else:
            inside = [place for place in places if place.startswith(name)]
            found += [
                each for place in inside if (root / place).is_dir() for each in _below(root, place)
            ]
    return found


def _below(root: Path, folder: str) -> list[str]:
    """Return all files of a folder (relative to root) but the usual junk."""
    place = folder.rstrip("/")
    return [f"{place}/{name}" for name in _walk(root / place, None)]


def _home_below(root: Path) -> str:
    """Return where the home with all runs lies in the project, as it is not part of it."""
    home = home_path().resolve()
    return home.relative_to(root).as_posix() if home.is_relative_to(root) else ""


def _tracked(root: Path, prefix: str, warnings: list[str]) -> list[str] | None:
    """Return what git knows, submodules and repositories inside included."""
    known = git.files(root) if git.repository(root) else None
    if known is None:
        return None
    found: list[str] = []
    behind = {name for name in known if _LEFT_BEHIND.fullmatch(name)}
    behind -= set(git.files(root, others=False) or () if behind else ())
    for name in known:
        if name in behind:
            continue
        path = root / name
        if path.is_symlink() or not path.is_dir():
            if path.is_symlink() or path.exists():  # else: deleted, git does not know yet
                found.append(prefix + name)
            continue
        inner = _tracked(path, f"{prefix}{name}/", warnings) if (path / ".git").exists() else None
        if inner is None:
            warnings.append(f"the submodule {prefix}{name} is not checked out: it is left out")
        else:
            found += inner
    return found


def _walk(root: Path, left: list[str] | None) -> Iterator[str]:
    """Yield all files but the usual junk and what `.gitignore` files say, without asking git.

    left: gets what these leave out, a folder once with a `/` at its end; None: they are not read.
    """
    specs: list[tuple[str, GitIgnoreSpec]] = []
    home = _home_below(root)
    count = 0
    for folder, folders, names in os.walk(root, onerror=_unreadable):
        relative = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if relative == "." else relative + "/"
        if left is not None and (spec := _spec(Path(folder) / ".gitignore")) is not None:
            specs.append((prefix, spec))
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if name not in _JUNK
            and name not in links
            and prefix + name != home
            and not _is_environment(Path(folder) / name)
            and not _leaves(specs, f"{prefix}{name}/", left)
        )
        for name in (*names, *links):
            if _LEFT_BEHIND.fullmatch(prefix + name) or not _may_travel(Path(folder) / name):
                continue
            if _leaves(specs, prefix + name, left):
                continue
            count += 1
            if count > MOST_FILES:
                raise BundleError(
                    f"more than {MOST_FILES} files to pack",
                    where=str(root),
                    hint=f"list data and results in {IGNORE_FILE} (its syntax is .gitignore's), "
                    "or put the pipeline into a folder of its own.",
                )
            yield prefix + name


def _unreadable(error: OSError) -> None:
    raise BundleError(
        f"cannot look into it: {error.strerror}",
        where=os.fsdecode(error.filename),
        hint="make it readable, or start from a folder without it.",
    ) from error


def _is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").exists() or (folder / "conda-meta").is_dir()


def _leaves(specs: list[tuple[str, GitIgnoreSpec]], path: str, left: list[str] | None) -> bool:
    """Whether ignore files leave a path out, which is noted then."""
    leaves = any(
        path.startswith(prefix) and spec.match_file(path.removeprefix(prefix))
        for prefix, spec in specs
    )
    if leaves and left is not None:
        left.append(path)
    return leaves


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8", "surrogateescape").splitlines() if file.is_file() else []


def _spec(file: Path) -> GitIgnoreSpec | None:
    """Read a file of ignore patterns. Raises BundleError for a pattern that makes no sense."""
    return _compiled(file, _lines(file)) if file.is_file() else None


def _compiled(file: Path, lines: list[str]) -> GitIgnoreSpec:
    """Return the patterns of a file. Raises BundleError for one that makes no sense."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error) as error:
        raise BundleError(
            f"a pattern in it is wrong: {error}",
            where=str(file),
            hint="the syntax is that of .gitignore.",
        ) from error


@dataclass(frozen=True, slots=True)
class SearchPath:
    """The `sys.path` entries of a project: those inside it, relative; those that stay behind."""

    inside: tuple[str, ...]
    outside: tuple[str, ...]


def search_path(root: Path, entries: list[str] | None = None) -> SearchPath:
    """Sort `sys.path` (or these entries) into what lies in the project and what does not travel.

    The project itself and a `src` folder are always inside; Python's own folders and installed
    packages are neither (an image has its own).
    """
    inside: dict[str, None] = {"": None}
    outside: dict[str, None] = {}
    if (root / "src").is_dir() and not (root / "src" / "__init__.py").exists():
        inside["src"] = None
    for entry in search_entries() if entries is None else entries:
        path = Path(entry or ".").resolve()
        if not path.is_dir() or installed(path) or _holds_argojobs_only(path, root):
            continue
        if path.is_relative_to(root):
            relative = path.relative_to(root).as_posix()
            inside["" if relative == "." else relative] = None
        else:
            outside[str(path)] = None
    return SearchPath(tuple(inside), tuple(outside))


def search_entries() -> list[str]:
    """Return what the user put on `sys.path`, to be asked before we put something on it.

    Without the working directory, which `python -m` and `python -c` put in front: the same files
    are the same bundle wherever the command is given.
    """
    entries = list(sys.path)
    by_name = getattr(sys.modules.get("__main__"), "__spec__", None) is not None
    if entries and (entries[0] == "" or (by_name and Path(entries[0]) == Path.cwd())):
        del entries[0]
    return entries + _editable()


def _editable() -> list[str]:
    """Return the folders of packages that setuptools installed in place by an import hook."""
    places = []
    for name, module in list(sys.modules.items()):
        if name.startswith("__editable__"):
            mapping = getattr(module, "MAPPING", {})
            places += [str(Path(place).parent) for place in mapping.values()]
    return places


@lru_cache(maxsize=1)
def _python_folders() -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    return tuple({Path(sysconfig.get_path(name)).resolve() for name in names})


def installed(path: Path) -> bool:
    """Whether a file or folder belongs to Python itself or to what is installed."""
    if {"site-packages", "dist-packages"} & set(path.parts):
        return True
    return any(path.is_relative_to(folder) for folder in _python_folders())


def _holds_argojobs_only(path: Path, root: Path) -> bool:
    """Whether this is the clone argojobs runs from: its code travels anyhow."""
    ours = Path(__file__).resolve().parents[2]
    return path == ours and not ours.is_relative_to(root)
