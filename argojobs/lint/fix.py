"""`lint --fix`: what Argo would drop or misread is put right in the file's own text.

In Workflows, WorkflowTemplates, ClusterWorkflowTemplates, CronWorkflows and the bodies of requests;
in YAML and JSON.
Misplaced fields move to where they belong, fields of Argo 3 become what 4 has for them, numbers,
booleans, lists and mappings where text belongs get quotes, and so do the words and tags of a `when`.
Comments and layout stay. Every change is checked: the text
is read again, and must give the same objects but for the fix and hold the same comments; a change
that cannot be made so is left out and reported. Pure: text in, text out.
"""

from __future__ import annotations

import bisect
import copy
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from argojobs.errors import ManifestError
from argojobs.lint import layout, moves, replacing
from argojobs.lint.when_quotes import quoted_when
from argojobs.manifest import removed
from argojobs.manifest.documents import PODS, Contents, Document, Other, parse, written_path
from argojobs.manifest.fields import check_fields
from argojobs.manifest.findings import Finding, warning
from argojobs.manifest.kinds import KINDS, spec_path
from argojobs.manifest.nodes import Node, compose
from argojobs.manifest.places import Path


@dataclass(frozen=True, slots=True)
class Change:
    """A finding that is fixed or was not: its place in the file before, and why it was not."""

    line: int
    column: int
    finding: Finding
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The text with all that could be fixed, what was fixed in it, and what was not and why."""

    text: str
    fixed: tuple[Change, ...] = ()
    refused: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class _Repair:
    """One fix to be made: to which object of the file, and how the text and the object change."""

    number: int
    document: Document | Other
    finding: Finding
    edits: Callable[[str, list[Node | None]], list[layout.Edit]]
    expected: Callable[[dict[str, Any]], None]

    @property
    def key(self) -> _Key:
        return (self.number, self.finding.code, self.finding.path)


_Key = tuple[int, str, Path]
_ToText = Callable[[str, Node], tuple[str, layout.Edit]]
_Planned = tuple[_Repair, list[layout.Edit]]


def fix(text: str, file: str = "") -> Fixed:
    """Return the text of a manifest file with what can be fixed in it fixed.

    Raises ManifestError for a text that is not a manifest.
    """
    parse(text, file)
    ended = text.endswith("\n")
    work = text if ended else text + layout.line_break(text)
    fixed: list[Change] = []
    refused: dict[_Key, Change] = {}
    while True:
        repairs = [repair for repair in _repairs(parse(work, file)) if repair.key not in refused]
        if not repairs:
            break
        work, made = _round(work, text, repairs, refused)
        fixed += made
    fixed.sort(key=_place)
    left = tuple(sorted(refused.values(), key=_place))
    if not fixed:
        return Fixed(text, (), left)
    if not ended:
        bare = work.rstrip("\r\n")
        work = bare if _same(parse(bare, file), parse(work, file)) else work
    return Fixed(work, tuple(fixed), left)


def _place(change: Change) -> tuple[int, int]:
    return change.line, change.column


def _round(
    text: str, original: str, repairs: Sequence[_Repair], refused: dict[_Key, Change]
) -> tuple[str, list[Change]]:
    """Make as many repairs as can be at once, and note why others are refused.

    original: the text before the first round, for places.
    """
    nodes = compose(text)
    batch: list[_Planned] = []
    no: list[tuple[_Repair, str]] = []
    taken = _Taken()
    for repair in repairs:
        try:
            edits = repair.edits(text, nodes)
        except ManifestError as error:
            no.append((repair, f"{error.what}: {error.hint}" if error.hint else error.what))
            continue
        if taken.add(edits):
            batch.append((repair, edits))
    made, done = _most(text, batch, no)
    for change, (repair, _) in zip(_changes(original, no), no, strict=True):
        refused[repair.key] = change
    return made, _changes(original, [(repair, "") for repair, _ in done])


def _most(
    text: str, batch: Sequence[_Planned], no: list[tuple[_Repair, str]]
) -> tuple[str, Sequence[_Planned]]:
    """Return the text with all of a batch or, where that is refused, with what half of it gives."""
    made = _tried(text, batch) if batch else None
    if made is not None:
        return made, batch
    if len(batch) <= 1:
        no += [
            (repair, "it cannot be moved without changing something else") for repair, _ in batch
        ]
        return text, ()
    half = len(batch) // 2
    made, done = _most(text, batch[:half], no)
    return (made, done) if done else _most(text, batch[half:], no)


class _Taken:
    """Which stretches of the text are being changed."""

    def __init__(self) -> None:
        self.edits: list[tuple[int, int]] = []

    def add(self, edits: Sequence[layout.Edit]) -> bool:
        """Take stretches, unless one of them is taken already."""
        if not all(self._is_free(edit) for edit in edits):
            return False
        for edit in edits:
            bisect.insort(self.edits, (edit.start, edit.end))
        return True

    def _is_free(self, edit: layout.Edit) -> bool:
        place = bisect.bisect(self.edits, (edit.start, edit.end))
        before = place - 1
        while before >= 0 and self.edits[before][0] == self.edits[before][1] < edit.start:
            before -= 1
        around = self.edits[max(before, 0) : place + 1]
        return not any(layout.overlap(edit, layout.Edit(*one, "")) for one in around)


def _changes(text: str, ended: Sequence[tuple[_Repair, str]]) -> list[Change]:
    """Return repairs with their places in the text."""
    from argojobs.manifest.locate import locate_all

    places: dict[tuple[int, Path], tuple[int, int]] = {}
    for number in {repair.document.document for repair, _ in ended}:
        paths = [
            written_path(repair.document, repair.finding.path)
            for repair, _ in ended
            if repair.document.document == number
        ]
        found = locate_all(text, paths, number)
        places |= {(number, path): place for path, place in found.items()}
    return [
        Change(
            *places[repair.document.document, written_path(repair.document, repair.finding.path)],
            repair.finding,
            reason,
        )
        for repair, reason in ended
    ]


def _tried(text: str, batch: Sequence[_Planned]) -> str | None:
    """Return the text with these fixes, or None where it does not read as they want it."""
    changed = layout.apply(text, [edit for _, edits in batch for edit in edits])
    before = parse(text)
    wanted = [copy.deepcopy(one.value) for one in _objects(before)]
    try:
        for repair, _ in batch:
            repair.expected(wanted[repair.number])
        after = parse(changed)
    except ManifestError:
        return None
    if _values(one.value for one in _objects(after)) != _values(wanted):
        return None
    kept = layout.comments(changed, compose(changed))
    return changed if kept == layout.comments(text, compose(text)) else None


def _objects(contents: Contents) -> list[Document | Other]:
    return [*contents.workflows, *contents.others]


def _same(one: Contents, other: Contents) -> bool:
    return _values(each.value for each in _objects(one)) == _values(
        each.value for each in _objects(other)
    )


def _values(objects: Iterable[Any]) -> str:
    return json.dumps(list(objects), sort_keys=True)


# --- repairs ----------------------------------------------------------------------------------


def _repairs(contents: Contents) -> Iterator[_Repair]:
    """Yield what there is to fix in a file."""
    for number, document in enumerate(_objects(contents)):
        is_pod = document.kind in PODS
        kind = "Workflow" if is_pod else document.kind
        base = spec_path(kind)
        if kind not in KINDS or not isinstance(_part(document.value, base), dict):
            continue
        calls = moves.Calls(document.value, base)
        for finding in check_fields(document.value, kind):
            if finding.code == "misplaced-field" and not is_pod:
                yield _move(number, document, finding, calls)
            elif finding.code == "not-text":
                yield _text(number, document, finding, _as_written)
            elif finding.code == "list-value":
                value = moves.at(document.value, finding.path)
                yield _text(number, document, finding, _as_json(value))
            elif finding.code == "removed-field" and finding.path[-1] in removed.MOVED:
                yield _renew(number, document, finding)
        for path, text in _conditions(document.value, base):
            quoted = quoted_when(text)
            if quoted is not None:
                finding = warning(
                    "when-unquoted",
                    path,
                    "a value with a hyphen, a space or a `#` breaks this condition",
                    f"write {quoted}",
                )
                yield _text(number, document, finding, _as(quoted))


def _part(value: Any, path: Path) -> Any:
    """Return what stands at a path, None where it leads nowhere."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _conditions(value: dict[str, Any], base: Path) -> Iterator[tuple[Path, str]]:
    """Yield the `when` of every task and step, with its path."""
    templates = _part(value, (*base, "templates"))
    for index, template in enumerate(templates if isinstance(templates, list) else ()):
        if isinstance(template, dict):
            for caller, path in moves.callers(template, (*base, "templates", index)):
                if isinstance(caller.get("when"), str):
                    yield (*path, "when"), caller["when"]


def _text(number: int, document: Document | Other, finding: Finding, to: _ToText) -> _Repair:
    """Return the repair that a value becomes a quoted text. to: which text, and the edit."""
    path = written_path(document, finding.path)
    written: list[str] = []

    def edits(text: str, nodes: list[Node | None]) -> list[layout.Edit]:
        made, edit = to(text, layout.node_at(nodes[document.document], path))
        written[:] = [made]
        return [edit]

    def expected(workflow: dict[str, Any]) -> None:
        moves.at(workflow, finding.path[:-1])[finding.path[-1]] = written[0]

    return _Repair(number, document, finding, edits, expected)


def _as_written(text: str, node: Node) -> tuple[str, layout.Edit]:
    return node.value, layout.rewritten(text, node, node.value)


def _as(value: str) -> _ToText:
    return lambda text, node: (value, layout.rewritten(text, node, value))


def _as_json(value: Any) -> _ToText:
    def to(text: str, node: Node) -> tuple[str, layout.Edit]:
        written = layout.json_text(text[node.start : layout.content_end(text, node)], value)
        return written, layout.as_text(text, node, written)

    return to


def _renew(number: int, document: Document | Other, finding: Finding) -> _Repair:
    """Return the repair that a field of an older Argo becomes what stands for it now."""
    holder, field = finding.path[:-1], str(finding.path[-1])
    path = written_path(document, holder)

    def edits(text: str, nodes: list[Node | None]) -> list[layout.Edit]:
        replacing.check_free(moves.at(document.value, holder), field)
        return replacing.edits(text, layout.node_at(nodes[document.document], path), field)

    def expected(workflow: dict[str, Any]) -> None:
        replacing.carry_out(moves.at(workflow, holder), field)

    return _Repair(number, document, finding, edits, expected)


def _move(number: int, document: Document | Other, finding: Finding, calls: moves.Calls) -> _Repair:
    """Return the repair that a misplaced field moves."""

    def edits(text: str, nodes: list[Node | None]) -> list[layout.Edit]:
        move = moves.move_of(document.value, finding.path, calls)
        moves.check_target(document.value, move)
        return moves.edits(text, nodes[document.document], document.prefix, move)

    def expected(workflow: dict[str, Any]) -> None:
        moves.carry_out(workflow, moves.move_of(document.value, finding.path, calls))

    return _Repair(number, document, finding, edits, expected)
