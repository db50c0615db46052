"""The code bundle: the user's project and our stripped runtime as one content-addressed archive.

`pack` reads, `Packed` is the value, `stored_code` and `inline_code` say how a manifest refers to
it. The archive is a gzip tar with the one root entry `code/` (Argo renames the single root entry
of an input archive to the input's path), holding the project and `.argojobs/`: `__main__.py`
(the program of every step), `argojobs/` and `bundle.json`. Names are sorted, times, owners and
modes are fixed; the hash is that of the content, so equal projects have equal bundles.
"""

from __future__ import annotations

import base64
import bz2
import errno
import gzip
import io
import json
import os
import re
import stat
import sys
import tarfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from argojobs.compile import git
from argojobs.compile.bootstrap import OLDER_SCRIPTS, PLAIN, SPECIAL, START, TIME
from argojobs.compile.code import VERSION, Code
from argojobs.compile.project import IGNORE_FILE, RESERVED, project_files, search_path
from argojobs.compile.secrets import looks_secret
from argojobs.compile.travelling import Words, needed_sources, words_of
from argojobs.errors import BundleError
from argojobs.storage.bundle_digest import Part, digest_of
from argojobs.units import size_text

#: The most that is packed unless told otherwise, in bytes before compression.
LARGEST = 50 * 1024 * 1024
#: The most text that travels inside a manifest.
LARGEST_INLINE = 64 * 1024
_SHOWN = 8
_JOB = re.compile(rb"\bjob\b")
_JOB_MODULE = "argojobs.job"
#: An import of a package that `job/older_scripts` has.
_OLDER = re.compile(rb"^\s*(?:from|import)\s+(kubernetesdlprofile|telegraf)\b", re.MULTILINE)
#: A file from this size on is named: code is smaller.
LARGE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class File:
    """One entry of a bundle: content and whether it is a program, or where a link leads."""

    name: str
    content: bytes = b""
    executable: bool = False
    link: str = ""


@dataclass(frozen=True)
class Packed:
    """A project, read and hashed. `data` is the archive, made when it is first asked for.

    files: what was packed, without our own runtime. warnings: one line each, for the user.
    revision: what git says, None outside of it. left: what was ignored. whole: also in a manifest all of our own code goes
    along. script: so does what runs a plain script.
    """

    root: Path
    hash: str
    entries: tuple[File, ...]
    files: tuple[str, ...]
    warnings: tuple[str, ...]
    revision: git.Revision | None
    left: tuple[str, ...] = ()
    whole: bool = False
    script: bool = False

    @cached_property
    def data(self) -> bytes:
        """The archive, gzip-compressed."""
        return _archive(self.entries)

    @property
    def size(self) -> int:
        """The size of the archive in bytes."""
        return len(self.data)

    @property
    def key(self) -> str:
        """The key of the archive in an artifact repository."""
        return f"code/{self.hash}.tgz"


def pack(
    root: Path,
    *,
    allow_secrets: bool = False,
    not_secret: Collection[str] = (),
    own: Collection[str] = (),
    largest: int = LARGEST,
    entries: list[str] | None = None,
) -> Packed:
    """Read the project in `root` and return it as a bundle.

    Args:
        root: The project's folder.
        allow_secrets: Pack files that look like secrets.
        not_secret: Names of files that only look like secrets, relative to root.
        own: Names of files with secrets that argojobs itself reads; unless secrets are allowed
            they stay here.
        largest: The most bytes before compression.
        entries: What to take for `sys.path`.

    Raises:
        BundleError: Secrets, too much, unreadable files or links that lead outside; it lists the
            files and what to do.
    """
    root = root.resolve()
    listing = project_files(root)
    stay = () if allow_secrets else set(own).intersection(listing.files).difference(not_secret)
    names = tuple(name for name in listing.files if name not in stay)
    _check_size(root, names, largest)
    files = [_read(root, name) for name in names]
    files = [file for file in files if file.name in listing.taken or not _is_compiled(file)]
    if not allow_secrets:
        _check_secrets(root, [file for file in files if file.name not in not_secret])
    places = search_path(root, entries)
    warnings = [
        f"{place} is on sys.path but outside of the project: its modules do not travel"
        for place in places.outside
    ]
    warnings += [
        f"{name} stays here: it holds secrets for argojobs itself" for name in sorted(stay)
    ]
    everything = [*files, *_runtime_files(places.inside, _older_packages(files))]
    digest = _hash([*everything, _bundle_file("", places.inside)])
    everything.append(_bundle_file(digest, places.inside))
    return Packed(
        root=root,
        hash=digest,
        entries=tuple(sorted(everything, key=lambda file: os.fsencode(file.name))),
        files=tuple(file.name for file in files),
        warnings=(*listing.warnings, *warnings, *_large(files)),
        revision=git.revision(root) if git.repository(root) else None,
        left=listing.left,
    )


def packed_files(root: Path, files: Sequence[File]) -> Packed:
    """Return files as an archive under the hash of their content, laid out as a bundle is.

    root: where they are from.
    """
    return Packed(
        root=root,
        hash=_hash(list(files)),
        entries=tuple(sorted(files, key=lambda file: os.fsencode(file.name))),
        files=tuple(file.name for file in files),
        warnings=(),
        revision=None,
    )


def _check_size(root: Path, names: Iterable[str], largest: int) -> None:
    sizes = {name: _size(root / name) for name in names}
    total = sum(sizes.values())
    if total <= largest:
        return
    raise BundleError(
        f"the project has {size_text(total)} in {len(sizes)} files, more than "
        f"{size_text(largest)}; the largest:{_listed(sizes)}",
        where=str(root),
        hint=f"list data and results in {IGNORE_FILE} (its syntax is .gitignore's) and pass them "
        "as artifacts, or allow more with --max-code-size.",
    )


def _listed(sizes: dict[str, int]) -> str:
    biggest = sorted(sizes, key=lambda name: (-sizes[name], name))[:_SHOWN]
    return "".join(f"\n    {size_text(sizes[name]):>9}  {name}" for name in biggest)


def _is_compiled(file: File) -> bool:
    """Whether a file is a manifest that we compiled: it holds the code, and would change its hash."""
    if not file.content.startswith((b"apiVersion:", b"{")):
        return False
    return b"kind" in file.content and VERSION.encode() in file.content


def _large(files: Iterable[File]) -> list[str]:
    """Name the files that are large for code, as one line."""
    sizes = {file.name: len(file.content) for file in files if len(file.content) >= LARGE}
    if not sizes:
        return []
    biggest = sorted(sizes, key=lambda name: (-sizes[name], name))
    listed = ", ".join(f"{name} ({size_text(sizes[name])})" for name in biggest[:_SHOWN])
    more = f" and {len(biggest) - _SHOWN} more" if len(biggest) > _SHOWN else ""
    remedy = f"a line in {IGNORE_FILE} leaves out what no step needs"
    return [f"large files are packed as code: {listed}{more}; {remedy}"]


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> BundleError:
    return BundleError(
        f"cannot read it: {error.strerror}",
        where=str(path),
        hint=f"make it readable, or list it in {IGNORE_FILE}.",
    )


def _read(root: Path, name: str) -> File:
    """Read one file, or where a link leads. Raises BundleError for what cannot travel."""
    path = root / name
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return File(name, link=_link(root, path))
        if not stat.S_ISREG(mode):
            raise BundleError(
                "a socket, pipe or device cannot be packed",
                where=str(path),
                hint=f"remove it, or list it in {IGNORE_FILE}.",
            )
        return File(name, path.read_bytes(), bool(mode & stat.S_IXUSR))
    except OSError as error:
        raise _unreadable(path, error) from error


def _link(root: Path, path: Path) -> str:
    """Return a link's target, relative to the link. Raises BundleError if it leads outside."""
    try:
        path.stat()
    except FileNotFoundError:
        pass  # a link to nothing is one that travels
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise BundleError(
            f"this link leads in a circle, to {path.readlink()}",
            where=str(path),
            hint=f"remove it, or list it in {IGNORE_FILE}.",
        ) from error
    target = Path(os.path.normpath(path.parent / path.readlink()))
    if not target.is_relative_to(root) or not path.resolve().is_relative_to(root):
        raise BundleError(
            f"this link leads outside of the project, to {path.readlink()}",
            where=str(path),
            hint=f"list it in {IGNORE_FILE}; pass data as an artifact or mount it as a volume.",
        )
    return os.path.relpath(target, path.parent)


def _check_secrets(root: Path, files: list[File]) -> None:
    found = [(file.name, why) for file in files if (why := looks_secret(file.name, file.content))]
    if not found:
        return
    listed = "".join(f"\n    {name}  ({why})" for name, why in found[:_SHOWN])
    more = f"\n    and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise BundleError(
        f"what would be packed looks like secrets:{listed}{more}",
        where=str(root),
        hint=f"list them in {IGNORE_FILE} so that they stay here, and pass secrets by reference; "
        "or, if they are not secrets, name them in argojobs.toml ([code] allow = [...]) or give "
        "--allow-secret-files.",
    )


def _older_packages(files: Iterable[File]) -> list[str]:
    """Return the packages of older scripts that a project imports, see `job/older_scripts`."""
    found = {
        name.decode()
        for file in files
        if file.name.endswith(".py")
        for name in _OLDER.findall(file.content)
    }
    return sorted(found)


def _runtime_files(inside: tuple[str, ...], older: list[str]) -> list[File]:
    """Return our own code; the program names the `sys.path` entries, as json costs a step's start.

    older: packages of older scripts that ours stand in for where they are not installed.
    """
    search = OLDER_SCRIPTS % older if older else ""
    program = f"{START}{search}    start(os.path.dirname(here), {list(inside)!r})\n"
    sources = {"__main__.py": program.encode("utf-8", "surrogateescape"), **needed_sources(None)}
    return [File(f"{RESERVED}/{name}", content) for name, content in sources.items()]


def _bundle_file(digest: str, inside: tuple[str, ...]) -> File:
    text = json.dumps({"format": 1, "hash": digest, "sys_path": list(inside)}, sort_keys=True)
    return File(f"{RESERVED}/bundle.json", text.encode() + b"\n")


def _hash(files: list[File]) -> str:
    """Hash names, contents, modes and links; nothing that depends on how they are archived."""
    return digest_of(
        Part(os.fsencode(file.name), b"l", os.fsencode(file.link))
        if file.link
        else Part(os.fsencode(file.name), b"x" if file.executable else b"f", file.content)
        for file in files
    )


def _archive(files: Sequence[File]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8"
    ) as archive:
        for folder in _folders(file.name for file in files):
            archive.addfile(_entry(f"code/{folder}".rstrip("/"), tarfile.DIRTYPE, 0o755))
        for file in files:
            name = f"code/{file.name}"
            if file.link:
                entry = _entry(name, tarfile.SYMTYPE, 0o777)
                entry.linkname = file.link
                archive.addfile(entry)
            else:
                entry = _entry(name, tarfile.REGTYPE, 0o755 if file.executable else 0o644)
                entry.size = len(file.content)
                archive.addfile(entry, io.BytesIO(file.content))
    return gzip.compress(buffer.getvalue(), compresslevel=6, mtime=0)


def _folders(names: Iterable[str]) -> list[str]:
    """Return every folder above these names, each after the one above it, "" first."""
    folders = {""}
    for name in names:
        parent = name.rpartition("/")[0]
        while parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    return sorted(folders, key=os.fsencode)


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, TIME
    return entry


def stored_code(packed: Packed) -> Code:
    """Return the code of a bundle that lies in the artifact repository under `packed.key`."""
    labels, annotations = _origin(packed)
    return Code("stored", packed.hash, packed.key, "", labels, annotations)


def inline_code(packed: Packed, remedy: str = "store it with --upload") -> Code:
    """Return the code of a bundle that travels in the manifest.

    remedy: how it would travel otherwise, for the error. Raises BundleError above 64 KiB: a
    parameter must fit an environment variable, and a workflow object its store.
    """
    data = _inlined(needed(packed))
    if len(data) > LARGEST_INLINE:
        raise BundleError(
            f"the project's code needs {size_text(len(data))} in the manifest, more than "
            f"{size_text(LARGEST_INLINE)}; what takes most of it:{_largest(packed)}",
            where=str(packed.root),
            hint=f"{remedy}, leave out in {IGNORE_FILE} what no step needs, "
            "or use what the image has with --code image.",
        )
    labels, annotations = _origin(packed)
    return Code("inline", packed.hash, packed.key, data, labels, annotations)


def needed(packed: Packed) -> tuple[File, ...]:
    """Return the files of a bundle as they travel in a manifest: of ours, what the project uses."""
    theirs = [file for file in packed.entries if not file.name.startswith(f"{RESERVED}/")]
    program = next(file for file in packed.entries if file.name == f"{RESERVED}/__main__.py")
    words = None if packed.whole else words_of((file.name, file.content) for file in theirs)
    if words is not None and packed.script:
        words |= {"script", "command", "artifacts", "outputs", "TensorBoard"}
    ours = needed_sources(words, _left_out(theirs, words, whole=packed.whole)).items()
    return (*theirs, program, *(File(f"{RESERVED}/{name}", content) for name, content in ours))


def _left_out(theirs: Sequence[File], words: Words, *, whole: bool) -> tuple[str, ...]:
    """Return what never travels in a manifest, by how the paths of our own modules begin.

    Args:
        theirs: the project's files.
        words: what they use of ours; where that is not known, they mention at least what they use
            of the job library, and all of it would be too much.
        whole: whether an installed package has steps; what it imports has been imported by now.
    """
    store = ("argojobs/job/s3_", "argojobs/job/sigv4")  # such code has no store
    if words is not None:
        return store
    if any(_OLDER.search(file.content) for file in theirs):
        return store
    if any(_JOB.search(file.content) for file in theirs) or (whole and _JOB_MODULE in sys.modules):
        return (*store, "argojobs/job/older_scripts/", "argojobs/job/sinks/")
    return ("argojobs/job/",)


def reports(packed: Packed) -> bool:
    """Whether the steps of a project may report by `argojobs.job`: something there imports it."""
    theirs = [file for file in packed.entries if not file.name.startswith(f"{RESERVED}/")]
    some = [one for one in theirs if _JOB.search(one.content) or _OLDER.search(one.content)]
    words = words_of((file.name, file.content) for file in some)
    return packed.whole or words is None or "job" in words


def _inlined(files: Sequence[File]) -> str:
    """Return files as the text that `BOOTSTRAP` unpacks: their names, then one after the other.

    bzip2 makes it a fifth smaller than gzip, and base 85 a sixteenth smaller than base 64.
    """
    contents = [os.fsencode(file.link) if file.link else file.content for file in files]
    names = [
        (file.name, 0 if file.link else 0o755 if file.executable else 0o644, len(content))
        for file, content in zip(files, contents, strict=True)
    ]
    data = bz2.compress(b"\n".join([ascii(names).encode(), b"".join(contents)]))
    return base64.b85encode(data).decode().translate(str.maketrans(SPECIAL, PLAIN))


def _largest(packed: Packed) -> str:
    """List the files of a project that take most of what travels in a manifest, compressed."""
    own = (file for file in packed.entries if file.name in packed.files)
    sizes = {file.name: len(_inlined([file])) for file in own}
    return _listed(sizes)


#: The code that the steps' image has.
IMAGE_CODE = Code("image")


def _origin(packed: Packed) -> tuple[dict[str, str], dict[str, str]]:
    """Say where the code comes from: labels to search by, annotations to read."""
    labels = {"argojobs.dev/code": packed.hash[:16]}
    annotations = {}
    if packed.revision is not None:
        if packed.revision.commit:
            labels["argojobs.dev/commit"] = packed.revision.commit[:40]
        annotations["argojobs.dev/dirty"] = "true" if packed.revision.dirty else "false"
        if packed.revision.branch:
            annotations["argojobs.dev/branch"] = packed.revision.branch
    return labels, annotations
