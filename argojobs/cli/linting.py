"""From files and folders to findings with their places: what `lint` does, and how files are fixed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from argojobs.errors import ManifestError, UsageError

if TYPE_CHECKING:
    from argojobs.manifest.documents import Contents, Document, Other
    from argojobs.manifest.findings import Finding
    from argojobs.manifest.fix import Change

MANIFESTS = (".yaml", ".yml", ".json")

#: Objects of a folder's files that are linted; the files of other kinds there are none of ours.
_OURS = re.compile(
    r"""\bkind["']?\s*:\s*["']?(?:Workflow|WorkflowTemplate|ClusterWorkflowTemplate|CronWorkflow"""
    r"""|WorkflowList|Pod|Job)\b|^["'{\s]*workflow["']?\s*:""",
    re.MULTILINE,
)
_TEMPLATES = ("WorkflowTemplate", "ClusterWorkflowTemplate")


@dataclass(frozen=True, slots=True)
class Report:
    """One finding of a file. line: 0 where the file is a program and has no such place."""

    file: str
    line: int
    column: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class Linted:
    """What was linted, what was found, and which files hold nothing that is linted."""

    files: tuple[str, ...]
    reports: tuple[Report, ...]


def files_of(given: Sequence[str]) -> list[Path]:
    """Return the files that are meant, each once: folders give the manifests below them.

    Raises UsageError for what is not there or is neither Python nor a manifest.
    """
    files: list[Path] = []
    for text in given:
        path = Path(text)
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in MANIFESTS and p.is_file())
            files += [one for one in inside if _is_ours(one)]
        elif not path.exists():
            raise UsageError(f"there is no file {path}", hint="check the path")
        elif path.suffix not in (*MANIFESTS, ".py"):
            raise UsageError(
                f"{path} is neither Python nor a manifest",
                hint="its name must end in .py, .yaml, .yml or .json",
            )
        else:
            files.append(path)
    if not files:
        raise UsageError(
            f"there is no manifest in {', '.join(given)}",
            hint="a manifest says `kind: Workflow`, or has `workflow:` on top",
        )
    return list(dict.fromkeys(files))


def _is_ours(path: Path) -> bool:
    """Whether a file of a folder is a manifest of Argo's; hidden folders hold none."""
    if any(part.startswith(".") and part not in (".", "..") for part in path.parts):
        return False
    return _OURS.search(path.read_text(encoding="utf-8", errors="replace")) is not None


def lint_files(
    files: Sequence[Path], refs: Literal["strict", "warn", "off"], libraries: Sequence[str] = ()
) -> Linted:
    """Lint files together: templates of one are known to the others.

    libraries: more files or folders with WorkflowTemplates. A file that cannot be read is a
    finding too (`unreadable`); a program that cannot be imported raises UserCodeError.
    """
    reports: list[Report] = []
    contents: list[Contents] = []
    for file in files:
        if file.suffix == ".py":
            continue
        try:
            contents.append(_read(file))
        except ManifestError as error:
            reports.append(_unreadable(file, error))
    known = [*_templates(contents), *_templates(_libraries(libraries))]
    for one in contents:
        reports += _of_contents(one, refs, known)
    for file in files:
        if file.suffix == ".py":
            reports += _of_program(file, refs, known)
    order = {str(file): number for number, file in enumerate(files)}
    reports.sort(key=lambda report: (order[report.file], report.line, report.column))
    return Linted(tuple(map(str, files)), tuple(reports))


def _read(file: Path) -> Contents:
    from argojobs.manifest import documents

    return documents.load(file)


def _unreadable(file: Path, error: ManifestError) -> Report:
    from argojobs.manifest.findings import error as found

    place = re.search(r":(\d+):(\d+)$", error.where)
    line, column = (int(place[1]), int(place[2])) if place else (1, 1)
    return Report(str(file), line, column, found("unreadable", (), error.what, error.hint))


def _libraries(given: Sequence[str]) -> list[Contents]:
    return [_read(file) for file in files_of(given) if file.suffix != ".py"] if given else []


def _templates(contents: Iterable[Contents]) -> list[Mapping[str, Any]]:
    return [other.value for one in contents for other in one.others if other.kind in _TEMPLATES]


def _of_contents(
    contents: Contents, refs: Literal["strict", "warn", "off"], known: Sequence[Mapping[str, Any]]
) -> list[Report]:
    """Lint each object of a manifest file, and find the places in one pass a document."""
    from argojobs.manifest.documents import written_path
    from argojobs.manifest.findings import warning
    from argojobs.manifest.lint import KINDS, lint
    from argojobs.manifest.locate import locate_all

    found: list[tuple[Document | Other, Finding]] = []
    for document in contents.workflows:
        found += [(document, one) for one in lint(document.workflow, refs=refs, templates=known)]
        found += [
            (document, warning("request-field", (), f"`{name}` beside `workflow:` means nothing"))
            for name in document.ignored
        ]
        found += [(document, warning("pod-restart", (), note)) for note in document.notes]
    for other in contents.others:
        if other.kind in KINDS:
            others = lint(other.value, refs=refs, templates=known, kind=other.kind)
            found += [(other, one) for one in others]
    reports: list[Report] = []
    for number in dict.fromkeys(document.document for document, _ in found):
        paths = [written_path(d, f.path) for d, f in found if d.document == number]
        places = locate_all(contents.text, paths, number)
        reports += [
            Report(
                contents.file,
                *places[written_path(document, finding.path)],
                _as_written(document, finding),
            )
            for document, finding in found
            if document.document == number
        ]
    return reports


def _as_written(document: Document | Other, finding: Finding) -> Finding:
    """Return a finding with the path that its place has in a Pod or Job, which is no Workflow."""
    from argojobs.manifest.documents import PODS
    from argojobs.manifest.pods import path_in_pod

    if document.kind not in PODS:
        return finding
    return replace(finding, path=path_in_pod(document.kind, finding.path))


def _of_program(
    file: Path, refs: Literal["strict", "warn", "off"], known: Sequence[Mapping[str, Any]]
) -> list[Report]:
    """Lint what each pipeline of a program compiles to; nothing is packed."""
    from argojobs.compile import compile_loaded
    from argojobs.compile.bundle import IMAGE_CODE
    from argojobs.compile.load import load_all
    from argojobs.manifest.lint import lint

    reports: list[Report] = []
    for loaded in load_all(file):
        code = IMAGE_CODE if loaded.pipeline is not None else None
        workflow = compile_loaded(loaded, code)
        found = lint(workflow, refs=refs, templates=known)
        reports += [Report(str(file), 0, 0, finding) for finding in found]
    return reports


@dataclass(frozen=True, slots=True)
class FileFix:
    """What was fixed in a file, and what could not be."""

    file: str
    fixed: tuple[Change, ...]
    refused: tuple[Change, ...]


def fix_files(files: Sequence[Path]) -> list[FileFix]:
    """Fix manifest files in place; a file with nothing to fix is not written.

    A file that cannot be read is left to the lint that follows.
    """
    from argojobs.manifest.fix import fix
    from argojobs.manifest.source_text import read_text

    done: list[FileFix] = []
    for file in files:
        if file.suffix not in MANIFESTS:
            continue
        try:
            result = fix(read_text(file), str(file))
        except ManifestError:
            continue  # lint reports it, with its place
        if result.fixed:
            _write(file, result.text)
        done.append(FileFix(str(file), result.fixed, result.refused))
    return done


def _write(file: Path, text: str) -> None:
    """Replace a file's text in one step; a byte order mark, its mode and a link to it stay."""
    import os
    import tempfile

    target = file.resolve()
    mark = b"\xef\xbb\xbf" if target.read_bytes()[:3] == b"\xef\xbb\xbf" else b""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    with os.fdopen(handle, "wb") as made:
        made.write(mark + text.encode("utf-8"))
    Path(name).chmod(target.stat().st_mode & 0o7777)
    Path(name).replace(target)
