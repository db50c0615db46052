"""The code of a run: the project as a bundle, code that was stored before, and where both lie."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from argojobs.compile.bundle import IMAGE_CODE, LARGEST, Packed, inline_code, pack, stored_code
from argojobs.compile.code import Code
from argojobs.compile.imports import imported_files
from argojobs.compile.loaded import Loaded, Script
from argojobs.compile.project import (
    IGNORE_FILE,
    RESERVED,
    installed,
    is_common,
    modules_left_out,
    why_left_out,
)
from argojobs.compile.travelling import installed_steps
from argojobs.config.choosing import creds_files
from argojobs.config.context_files import load_contexts
from argojobs.config.contexts import Context
from argojobs.config.secret_references import file_of
from argojobs.config.settings import Settings
from argojobs.errors import BundleError, NotFoundError, UsageError
from argojobs.runs.request import RunRequest
from argojobs.runs.stores import shared_folder
from argojobs.storage.repository import Repository
from argojobs.units import size


def code_of(
    request: RunRequest,
    loaded: Loaded,
    settings: Settings,
    context: Context,
    repository: Callable[[], Repository],
    *,
    stored: bool,
) -> tuple[Code, Packed | None]:
    """Return the code of a pipeline of ours, and the bundle if one was packed.

    Args:
        request: names code that is there already, in the image or the store, if it is to be that.
        loaded: the pipeline.
        settings: of its project.
        context: where the code goes.
        repository: opens the context's store.
        stored: whether packed code goes there, rather than into the manifest.

    Raises:
        BundleError: for code that cannot travel, or is too large for a manifest.
        NotFoundError: for code that was not stored before.
    """
    folder = shared_folder(context, "code")
    if request.code == "image":
        return IMAGE_CODE, None
    if request.code:
        return _earlier_code(repository(), request.code, folder), None

    packed = packed_project(
        loaded.root,
        settings,
        max_code_size=request.max_code_size,
        allow_secret_files=request.allow_secret_files,
        entries=loaded.entries,
    )
    _check_travels(loaded, packed)
    packed = replace(
        packed,
        script=loaded.kind == "script",
        whole=installed_steps(),
        warnings=(*packed.warnings, *_modules_that_stay(loaded, packed)),
    )
    return code_in(folder, packed) if stored else _code_inside(context, packed), packed


def _check_travels(loaded: Loaded, packed: Packed) -> None:
    """Raise BundleError where the bundle lacks the pipeline's own file: each step would fail."""
    if isinstance(loaded.source, Script) and loaded.source.file is None:
        return
    file = loaded.path.resolve()
    name = file.relative_to(packed.root).as_posix() if file.is_relative_to(packed.root) else ""
    if name in packed.files:
        return
    if name.startswith(f"{RESERVED}/"):
        hint = f"move it out of {RESERVED}/, where a bundle has argojobs itself."
    elif is_common(packed.root):
        hint = f"put it into a folder of its own: of {packed.root} only Python files are packed."
    else:
        hint = (
            f"look for a pattern that matches it in {IGNORE_FILE}, .gitignore and "
            f".git/info/exclude: take it out, or add a line !/{name} below it."
        )
    raise BundleError(
        f"the {'script' if loaded.kind == 'script' else 'pipeline'}'s own file is ignored: "
        "no step would find it",
        where=str(file),
        hint=hint,
    )


def _modules_that_stay(loaded: Loaded, packed: Packed) -> list[str]:
    """Say which modules of the project a step may import and will not find, one line each.

    Raises BundleError for those that it always imports.
    """
    names = modules_left_out(packed.root, packed.left)
    mentioned = re.compile(rb"\b(%s)\b" % b"|".join(re.escape(os.fsencode(one)) for one in names))
    texts = (file.content for file in packed.entries if file.name in packed.files)
    if not names or loaded.path.suffix != ".py" or not any(map(mentioned.search, texts)):
        return []
    files = set(packed.files)
    said: list[str] = []
    for found, (importer, always) in imported_files(loaded.path, packed.root).items():
        if not found.is_relative_to(packed.root) or installed(found):
            continue
        name = found.relative_to(packed.root).as_posix()
        if name in files or name.startswith("argojobs/"):
            continue
        what = f"{importer.name} imports {name}, which does not travel"
        why = why_left_out(packed.root, name)
        hint = f"a line !/{name} in {IGNORE_FILE} takes it along"
        if always:
            raise BundleError(f"{what}: {why}", where=str(importer), hint=f"{hint}.")
        said.append(f"{what} ({why}); where a step needs it, {hint}")
    return said


def packed_project(
    root: Path,
    settings: Settings,
    *,
    max_code_size: str,
    allow_secret_files: bool,
    entries: Sequence[str] | None = None,
) -> Packed:
    """Pack the project in a folder, within the limits of options and settings.

    Args:
        root: the folder.
        settings: the project's.
        max_code_size: bytes or a size with its unit; "" for that of the settings, else `LARGEST`.
        allow_secret_files: files that look like secrets travel, too.
        entries: what was on `sys.path` before the user's file was imported, None if none was.

    Raises:
        UsageError: the size is not one.
        BundleError: as `pack`.
    """
    largest = settings.code_max_size if settings.code_max_size is not None else LARGEST
    if max_code_size:
        given = size(max_code_size)
        if given is None:
            what = f"--max-code-size {max_code_size!r} is not a size"
            raise UsageError(what, hint="write bytes, or 100MiB, 1GiB, 500MB")
        largest = given
    return pack(
        root,
        allow_secrets=allow_secret_files,
        not_secret=settings.code_allow,
        own=list(_own_secrets(root, settings)),
        largest=largest,
        entries=None if entries is None else list(entries),
    )


def _own_secrets(root: Path, settings: Settings) -> Iterator[str]:
    """Yield the files of a project in which argojobs itself finds secrets, relative to it."""
    root = root.resolve()
    references = [reference for one in settings.secrets.values() for reference in one.values()]
    references += settings.build_secrets.values()
    for context in load_contexts(root).by_name.values():
        references += context.references().values()
    named = [path for reference in references if (path := file_of(reference)) is not None]
    for path in (*creds_files(root, Path.cwd()), *named):
        place = path.parent.resolve() / path.name  # of a link: the link, which is what would travel
        if place.is_relative_to(root):
            yield place.relative_to(root).as_posix()


def code_in(folder: str, packed: Packed) -> Code:
    """Return packed code as a manifest names it in the folder of a store."""
    code = stored_code(packed)
    return replace(code, key=f"{folder}/{code.key.rpartition('/')[2]}")


def _code_inside(context: Context, packed: Packed) -> Code:
    """Return packed code that travels in the manifest. Raises BundleError where it is too large."""
    if context.has_store:
        return inline_code(packed)
    return inline_code(packed, f"give the context {context.name} an S3, where code is stored")


def _earlier_code(repository: Repository, wanted: str, folder: str) -> Code:
    """Return code that was stored before: the newest (`latest`), or the one of a hash's beginning.

    folder: the beginning of the keys of code. Raises NotFoundError when there is none, or several.
    """
    known = {
        entry.key.removeprefix(f"{folder}/").removesuffix(".tgz"): entry.key
        for entry in repository.list(folder)
    }
    if not known:
        raise NotFoundError(
            f"--code {wanted}: no code is stored here yet",
            hint="leave the option out to pack the project, or: argojobs init",
        )
    if wanted == "latest":
        matches = [max(known, key=lambda one: repository.modified(known[one]))]
    else:
        matches = [one for one in known if one.startswith(wanted)]
    if len(matches) != 1:
        listed = ", ".join(one[:12] for one in (matches or known))
        count = f"{len(matches)} bundles begin" if matches else "no bundle begins"
        raise NotFoundError(f"--code: {count} with {wanted!r}", hint=f"stored are: {listed}")
    digest = matches[0]
    return Code("stored", digest, known[digest], labels={"argojobs.dev/code": digest[:16]})
