"""--fix on every file that there is: loading before and after gives the same but for the fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argojobs.errors import ManifestError
from argojobs.lint.fix import fix
from argojobs.lint.when_quotes import quoted_when
from argojobs.manifest.documents import parse
from argojobs.manifest.json_read import scalar_text

NOW = {"schedule": "schedules", "mutex": "mutexes", "semaphore": "semaphores"}
CORPUS = Path(__file__).parent / "corpus"


def objects(text: str) -> list:
    contents = parse(text)
    return [one.value for one in (*contents.workflows, *contents.others)]


def leaves(value, path=()) -> dict:
    """Every scalar and every empty collection with its path."""
    if isinstance(value, dict) and value:
        return {p: v for key, one in value.items() for p, v in leaves(one, (*path, key)).items()}
    if isinstance(value, list) and value:
        return {
            p: v for index, one in enumerate(value) for p, v in leaves(one, (*path, index)).items()
        }
    return {path: value}


def behind(path, moved):
    """The moved field's own name and what stands below it."""
    return next((path[len(one) - 1 :] for one in moved if path[: len(one)] == one), None)


def at(value, path):
    """What stands at a path, None where it leads nowhere."""
    for step in path:
        there = step < len(value) if isinstance(value, list) else step in (value or ())
        value = value[step] if there else None
    return value


def check_is_its_text(before, after, path):
    """That a list became a text that means it; then both have the text."""
    if isinstance(at(before, path), (list, dict)):
        text = at(after, path)
        assert json.loads(text) == at(before, path)
        at(before, path[:-1])[path[-1]] = text


def renew(before, path):
    """Put the value of a field of Argo 3 where 4 has it."""
    holder = at(before, path[:-1])
    if path[-1] in (holder or ()):
        value = holder.pop(path[-1])
        if path[-1] == "ttlSecondsAfterFinished":
            holder["ttlStrategy"] = {"secondsAfterCompletion": value}
        else:
            holder[NOW[path[-1]]] = [value]


def check_same_but_for_the_fix(text: str) -> None:
    result = fix(text)
    paths = {code: [] for code in ("misplaced-field", "removed-field", "list-value")}
    for one in result.fixed:
        paths.setdefault(one.finding.code, []).append(one.finding.path)
    moved = paths.pop("misplaced-field")
    renewed, lists = paths.pop("removed-field"), paths.pop("list-value")
    rewritten = {path for several in paths.values() for path in several}
    for before, after in zip(objects(text), objects(result.text), strict=True):
        for path in lists:
            check_is_its_text(before, after, path)
        for path in renewed:
            renew(before, path)
        old, new = leaves(before), leaves(after)
        gone = {behind(path, moved): value for path, value in old.items() if path not in new}
        come = {path: value for path, value in new.items() if path not in old}
        assert None not in gone  # nothing is gone but what has moved
        assert len(gone) == len(come)
        for rest, value in gone.items():
            assert value in [v for path, v in come.items() if path[-len(rest) :] == rest]
        for path in old.keys() & new.keys():
            if path in rewritten:
                assert new[path] in (scalar_text(old[path]), quoted_when(str(old[path])))
            else:
                assert new[path] == old[path]
    assert fix(result.text).text == result.text


def files(shared: Path) -> list[Path]:
    folders = [shared / "argo" / "examples", shared / "argo" / "lint", shared / "cases", CORPUS]
    return [file for folder in folders for file in sorted(folder.rglob("*.yaml"))]


def test_every_example_and_every_wrong_manifest(shared: Path):
    fixed = 0
    for file in files(shared):
        text = file.read_text(encoding="utf-8")
        try:
            parse(text)
        except ManifestError:
            with pytest.raises(ManifestError):
                fix(text)
            continue
        check_same_but_for_the_fix(text)
        fixed += bool(fix(text).fixed)
    assert fixed >= 15


def test_a_fix_that_loses_something_would_be_seen(monkeypatch):
    text = (CORPUS / "misplaced-field.yaml").read_text(encoding="utf-8")
    check_same_but_for_the_fix(text)
    whole = fix(text)
    lossy = type(whole)(whole.text.replace("limit: 2", "limit: 3"), whole.fixed)
    monkeypatch.setitem(globals(), "fix", lambda text: lossy)
    with pytest.raises(AssertionError):
        check_same_but_for_the_fix(text)
