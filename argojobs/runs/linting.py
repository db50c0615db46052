"""From files and folders to findings with their places: what `lint` does, and how files are fixed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from argojobs.compile import compile_loaded
from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.load import load_all
from argojobs.compile.origins import origin_of
from argojobs.compile.project import project_root
from argojobs.config.contexts import LOCAL
from argojobs.errors import ManifestError, UsageError
from argojobs.lint import KINDS, lint
from argojobs.lint.fix import Change, fix
from argojobs.manifest import documents
from argojobs.manifest.documents import PODS, Contents, Document, Other, written_path
from argojobs.manifest.findings import Finding, warning
from argojobs.manifest.findings import error as found
from argojobs.manifest.locate import locate_all
from argojobs.manifest.pods import path_in_pod
from argojobs.manifest.source_text import decode, read_text
from argojobs.runs.images import PipelineImages, linted

MANIFESTS = (".yaml", ".yml", ".json")
#: What stands for a manifest that comes on standard input, asked for by "-".
STDIN = Path("<stdin>")

#: Objects of a folder's files that are linted; the files of other kinds there are none of ours.
_OURS = re.compile(
    r"""\bkind["']?\s*:\s*["']?(?:Workflow|WorkflowTemplate|ClusterWorkflowTemplate|CronWorkflow"""
    r"""|WorkflowList|Pod|Job)\b|^["'{\s]*workflow["']?\s*:""",
    re.MULTILINE,
)
_TEMPLATES = ("WorkflowTemplate", "ClusterWorkflowTemplate")


@dataclass(frozen=True, slots=True)
class Report:
    """One finding of a file. line: 0 where that is not known; column: 0 in a program."""

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

    "-" is STDIN. Raises UsageError for what is not there or is neither Python nor a manifest.
    """
    files: list[Path] = []
    for text in given:
        path = Path(text)
        if text == "-":
            files.append(STDIN)
        elif path.is_dir():
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

    A file that cannot be read is a finding too (`unreadable`). Findings come file by file, in the
    order of their lines.

    Args:
        files: manifests and programs.
        refs: what a reference to a template that cannot be found is: an error, a warning, or
            nothing.
        libraries: more files or folders with WorkflowTemplates, linted behind the others.

    Raises:
        UserCodeError: a program cannot be imported.
    """
    every = list(dict.fromkeys([*files, *(files_of(libraries) if libraries else ())]))
    contents: dict[Path, Contents] = {}
    found: dict[Path, list[Report]] = {}
    for file in every:
        if file.suffix == ".py":
            continue
        try:
            contents[file] = _read(file)
        except ManifestError as error:
            found[file] = [_unreadable(file, error)]
    known = _templates(contents.values())
    for file, one in contents.items():
        found[file] = _of_contents(one, refs, known)
    for file in every:
        if file.suffix == ".py":
            found[file] = _of_program(file, refs, known)
    reports = [
        report
        for file in every
        for report in sorted(found[file], key=lambda one: (one.file, one.line, one.column))
    ]
    return Linted(tuple(map(str, every)), tuple(reports))


def _read(file: Path) -> Contents:
    if file == STDIN:
        return documents.parse(decode(sys.stdin.buffer.read(), str(file)), str(file))
    return documents.load(file)


def _unreadable(file: Path, error: ManifestError) -> Report:
    place = re.search(r":(\d+):(\d+)$", error.where)
    line, column = (int(place[1]), int(place[2])) if place else (1, 1)
    return Report(str(file), line, column, found("unreadable", (), error.what, error.hint))


def _templates(contents: Iterable[Contents]) -> list[Mapping[str, Any]]:
    return [other.value for one in contents for other in one.others if other.kind in _TEMPLATES]


def _of_contents(
    contents: Contents, refs: Literal["strict", "warn", "off"], known: Sequence[Mapping[str, Any]]
) -> list[Report]:
    """Lint each object of a manifest file, and find the places in one pass a document."""
    found: list[_Found] = []
    for document in contents.workflows:
        root = partial(project_root, Path(contents.file))
        findings = linted(document.workflow, root, refs=refs, templates=known)
        findings += [warning("pod-restart", (), note) for note in document.notes]
        found += _placed(document, findings)
        beside = [(*document.prefix[:-1], name) for name in document.ignored]
        found += [(document, _request_field(str(path[-1])), path) for path in beside]
    for other in contents.others:
        if other.kind in KINDS:
            found += _placed(other, lint(other.value, refs=refs, templates=known, kind=other.kind))
    if not contents.workflows and not any(other.kind in KINDS for other in contents.others):
        kinds = ", ".join(sorted({other.kind for other in contents.others}))
        what = f"the file holds nothing to lint, only {kinds}"
        found += _placed(contents.others[0], [warning("nothing-to-lint", (), what, "leave it out")])
    reports: list[Report] = []
    for number in dict.fromkeys(document.document for document, _, _ in found):
        inside = [one for one in found if one[0].document == number]
        places = locate_all(contents.text, [path for _, _, path in inside], number)
        reports += [
            Report(contents.file, *places[path], _as_written(document, finding))
            for document, finding, path in inside
        ]
    return reports


#: An object, what was found in it, and the path of that in the object's YAML document.
_Found = tuple["Document | Other", "Finding", tuple[str | int, ...]]


def _placed(document: Document | Other, findings: Iterable[Finding]) -> list[_Found]:
    return [(document, one, written_path(document, one.path)) for one in findings]


def _request_field(name: str) -> Finding:
    what = f"`{name}` beside `workflow:` means nothing: Argo drops it"
    return warning("request-field", (), what, "move it below `workflow:`, or take it out")


def _as_written(document: Document | Other, finding: Finding) -> Finding:
    """Return a finding with the path that its place has in a Pod or Job, which is not a Workflow."""
    if document.kind not in PODS:
        return finding
    return replace(finding, path=path_in_pod(document.kind, finding.path))


def _of_program(
    file: Path, refs: Literal["strict", "warn", "off"], known: Sequence[Mapping[str, Any]]
) -> list[Report]:
    """Lint what each pipeline of a program compiles to; nothing is packed."""
    reports: list[Report] = []
    for loaded in load_all(file):
        code = IMAGE_CODE if loaded.pipeline is not None else None
        images = PipelineImages(LOCAL, loaded.root, here=True)
        workflow = compile_loaded(loaded, code, image_reference=images.reference)
        root = partial(Path, loaded.root)
        found = linted(workflow, root, refs=refs, templates=known, kind=workflow["kind"])
        place = origin_of(loaded) if found else None
        reports += [_in_program(file, place(one.path) if place else "", one) for one in found]
    return list(dict.fromkeys(reports))


def _in_program(file: Path, place: str, finding: Finding) -> Report:
    """Return the report of a finding in a program. place: `file:line`, "" where it is unknown."""
    where, _, line = place.rpartition(":")
    if not line.isdecimal():
        return Report(str(file), 0, 0, finding)
    same = Path(where).resolve() == file.resolve()
    return Report(str(file) if same else where, int(line), 0, finding)


@dataclass(frozen=True, slots=True)
class FileFix:
    """What was fixed in a file, and what could not be."""

    file: str
    fixed: tuple[Change, ...]
    refused: tuple[Change, ...]


def fix_files(files: Sequence[Path]) -> list[FileFix]:
    """Fix manifest files in place; a file with nothing to fix is not written.

    A file that cannot be read is left to the lint that follows. Raises UsageError for STDIN.
    """
    if STDIN in files:
        raise UsageError(
            "--fix puts files right, and standard input is none",
            hint="name the file, or leave --fix out",
        )

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
    import tempfile

    target = file.resolve()
    mark = b"\xef\xbb\xbf" if target.read_bytes()[:3] == b"\xef\xbb\xbf" else b""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    with os.fdopen(handle, "wb") as made:
        made.write(mark + text.encode("utf-8"))
    Path(name).chmod(target.stat().st_mode & 0o7777)
    Path(name).replace(target)
