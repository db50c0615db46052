"""Reads YAML manifests.

Values of parameters keep the text they have in the file (`0.0`, `1e-4`, `007`, `yes`): they are
text to Argo and must reach the program as written. All other scalars are typed as Kubernetes'
reader types them (`scalars.py`), so `parallelism: 2` is a number and `limit: "3"` is text. The name
of a parameter keeps its text, too, marked as what Argo would refuse (`WrittenText`).

The reader works on the parser's events, one at a time, with bounds on size, depth and what
aliases expand to, so that hostile input costs bounded time and memory. Every error is a
ManifestError with `file:line:column`. Aliases and merge keys are expanded: the result is a tree
without shared parts. Where something stands in the file is asked for afterwards (`locate.py`),
which costs a second pass only when there is something to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ..errors import ManifestError
from .places import place_text
from .scalars import NOT_FINITE, WORDS, Scalar, WrittenText, exact, key_text, typed
from .source_text import MAX_BYTES, check_text

#: The deepest nesting read; real manifests stay below thirty.
MAX_DEPTH = 100
_EVENT_WEIGHT = 16

# Roles of a collection: which of its scalars are values of parameters.
_PLAIN, _PARAMETERS, _PARAMETER, _CHOICES, _VALUE_FROM, _DATA = range(6)

_NO_KEY = object()
_MERGE = object()

_TAG = "tag:yaml.org,2002:"


def read_yaml(text: str, file: str = "") -> list[Any]:
    """Return the documents of a YAML text; see `reading.read`, which has looked at its size."""
    return list(_Reader(text, file, typed).documents())


def read_values(text: str, file: str = "") -> list[tuple[str, Any, bool]]:
    """Return the values of a YAML mapping of parameters as (name, value, quoted).

    A plain scalar keeps its text; in lists and maps, numbers keep their digits (`NumberText`).
    """
    check_text(text, file)
    reader = _Reader(text, file, exact)
    reader.keep_top = True
    documents = [document for document in reader.documents() if document is not None]
    if len(documents) > 1 or (documents and not isinstance(documents[0], dict)):
        raise ManifestError(
            "the file holds no mapping of parameters",
            where=file,
            hint="write one `name: value` a line",
        )
    values: dict[str, Any] = documents[0] if documents else {}
    return [(name, value, name in reader.quoted) for name, value in values.items()]


def parser_of(text: str) -> Any:
    """Return libyaml's parser where PyYAML has it, else the one in Python."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    return loader(text)


class _Span:
    """What an alias stands for: a stretch of the recorded events."""

    __slots__ = ("end", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = -1  # still open: an alias to it here would contain itself


class _Reader:
    """Builds plain values from a text's events."""

    def __init__(self, text: str, file: str, resolve: Callable[[str], Scalar]) -> None:
        self.file = file
        self.text = text
        self.resolve = resolve
        self.parser = parser_of(text)
        self.keep_top = False  # top values are parameters (read_values)
        self.quoted: set[str] = set()
        self.anchors: dict[str, _Span] = {}
        self.recorded: list[Any] = []
        self.open_anchors: list[tuple[int, _Span]] = []  # depth at which each began
        self.expanded = 0

    def documents(self) -> Iterator[Any]:
        """Yield the documents one after the other."""
        try:
            while True:
                event = self.parser.get_event()
                if event is None:
                    return
                if type(event) is DocumentStartEvent:
                    self.anchors.clear()
                    self.recorded.clear()
                    yield self._document()
        except yaml.MarkedYAMLError as error:
            raise _syntax_error(error, self.text, self.file) from error
        except yaml.reader.ReaderError as error:
            raise ManifestError(
                f"cannot be read as YAML: {error.reason}", where=self.file, hint="save it as UTF-8"
            ) from error
        finally:
            self.parser.dispose()

    def _fail(self, what: str, event: Any, hint: str) -> NoReturn:
        mark = event.start_mark
        where = place_text(self.file, mark.line + 1, mark.column + 1)
        raise ManifestError(what, where=where, hint=hint)

    def _events(self) -> Iterator[Any]:
        """Yield the events of one document with its aliases expanded."""
        next_event = self.parser.get_event
        depth = 0
        while True:
            event = next_event()
            kind = type(event)
            if kind is DocumentEndEvent:
                return
            if kind is AliasEvent:
                span = self._span_of(event)
                if self.open_anchors:
                    self.recorded.append(span)
                yield from self._replay(span, event)
                continue
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                depth -= 1
                if self.open_anchors:
                    self.recorded.append(event)
                    self._close_anchors(depth)
            else:
                if event.anchor is not None:
                    self.anchors[event.anchor] = span = _Span(len(self.recorded))
                    self.open_anchors.append((depth, span))
                if self.open_anchors:
                    self.recorded.append(event)
                    if kind is ScalarEvent:
                        self._close_anchors(depth)
                if kind is not ScalarEvent:
                    depth += 1
            yield event

    def _close_anchors(self, depth: int) -> None:
        while self.open_anchors and self.open_anchors[-1][0] == depth:
            self.open_anchors.pop()[1].end = len(self.recorded)

    def _span_of(self, event: Any) -> _Span:
        name = getattr(event, "anchor", "")
        span = self.anchors.get(name)
        if span is None:
            self._fail(f"the alias *{name} has no anchor", event, f"write &{name} before it")
        if span.end < 0:
            self._fail(f"the anchor &{name} contains itself", event, "write the value out")
        return span

    def _replay(self, span: _Span, alias: Any) -> Iterator[Any]:
        pending = [(span.start, span.end)]
        while pending:
            position, end = pending.pop()
            while position < end:
                event = self.recorded[position]
                position += 1
                if type(event) is _Span:
                    pending.append((position, end))
                    position, end = event.start, event.end
                    self.expanded += _EVENT_WEIGHT
                    continue
                self.expanded += _EVENT_WEIGHT + len(getattr(event, "value", ""))
                if self.expanded > MAX_BYTES:
                    self._fail(
                        f"the aliases expand to more than {MAX_BYTES // 1048576} MiB",
                        alias,
                        "write the repeated parts as a template and call it",
                    )
                yield event

    def _document(self) -> Any:
        resolve = self.resolve
        stack: list[tuple[Any, Any, int, set[str] | None]] = []
        top: list[Any] = []
        container: Any = top
        key: Any = None  # in a list; _NO_KEY where a mapping waits for its next key
        role = _PLAIN
        merged: set[str] | None = None  # keys that came from a merge and may be overridden
        for event in self._events():
            kind = type(event)
            if kind is ScalarEvent:
                text = event.value
                plain = event.implicit[0]
                if key is _NO_KEY:
                    key = self._key(event)
                    if key in container and (merged is None or key not in merged):
                        self._fail(f"the key {key!r} stands here twice", event, "keep one of them")
                    continue
                value: Any
                if role and _is_text(role, key):
                    value = _parameter_text(event)
                    if value is None and key is not None:
                        key = _NO_KEY  # null is the same as no value to Argo
                        continue
                elif self.keep_top and len(stack) == 1:
                    value = _parameter_text(event)
                    if not plain:
                        self.quoted.add(key)
                elif not plain:
                    value = text if event.tag is None else self._tagged(event)
                elif text in NOT_FINITE:
                    self._fail(f"{text} is not a JSON number", event, "write it in quotes")
                else:
                    value = resolve(text)
                    if role == _PARAMETER and key == "name" and isinstance(value, (int, float)):
                        value = WrittenText(text)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if key is _NO_KEY:
                    self._fail(
                        "a list or mapping stands as a key",
                        event,
                        "keys are text; put `{{...}}` in quotes",
                    )
                if len(stack) >= MAX_DEPTH:
                    self._fail(f"nested deeper than {MAX_DEPTH} levels", event, "nest it less deep")
                self._check_tag(event)
                stack.append((container, key, role, merged))
                is_map = kind is MappingStartEvent
                role = _role_of(role, key, is_map)
                container = {} if is_map else []
                key = _NO_KEY if is_map else None
                merged = None
                continue
            else:
                value = container
                container, key, role, merged = stack.pop()
            if key is None:
                container.append(value)
            elif key is _MERGE:
                merged = self._merge(container, value, merged, event)
                key = _NO_KEY
            else:
                container[key] = value
                if merged is not None:
                    merged.discard(key)
                key = _NO_KEY
        return top[0]

    def _key(self, event: Any) -> Any:
        text: str = event.value
        if not event.implicit[0]:
            return text
        if text == "<<":
            return _MERGE
        if text[:1].isalpha() and text not in WORDS:
            return text
        key = key_text(text)
        if key is None:
            self._fail("null stands as a key", event, "give the key a name, or put it in quotes")
        return key

    def _check_tag(self, event: Any) -> None:
        tag = event.tag
        if tag is not None and tag not in (_TAG + "map", _TAG + "seq"):
            self._fail(f"the tag {_short_tag(tag)} is not known", event, "leave the tag out")

    def _tagged(self, event: Any) -> Scalar:
        """Return the value of a scalar with an explicit tag such as `!!str`."""
        tag, text = event.tag, event.value
        if tag == _TAG + "str":
            return str(text)
        value = self.resolve(text)
        fits = {
            _TAG + "int": isinstance(value, int) and not isinstance(value, bool),
            _TAG + "float": isinstance(value, (int, float)) and not isinstance(value, bool),
            _TAG + "bool": isinstance(value, bool),
            _TAG + "null": value is None,
        }
        if tag not in fits:
            self._fail(f"the tag {_short_tag(tag)} is not known", event, "leave the tag out")
        if not fits[tag]:
            self._fail(f"{text!r} is not a {_short_tag(tag)}", event, "leave the tag out")
        return value

    def _merge(
        self, container: dict[str, Any], value: Any, merged: set[str] | None, event: Any
    ) -> set[str]:
        merged = set() if merged is None else merged
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(part, dict):
                self._fail("`<<` merges mappings only", event, "put `<<` in quotes if it is a key")
            for key, item in part.items():
                if key not in container:
                    container[key] = item
                    merged.add(key)
        return merged


def _parameter_text(event: Any) -> str | None:
    text: str = event.value
    if event.implicit[0] and text in WORDS and WORDS[text] is None:
        return None
    return text


def _is_text(role: int, key: object) -> bool:
    """Whether a scalar is the value of a parameter: text, as it stands in the file."""
    if role == _PARAMETER:
        return key in ("value", "default")
    return role == _CHOICES or (role == _VALUE_FROM and key == "default")


def _role_of(role: int, key: Any, is_map: bool) -> int:
    if role == _PLAIN:
        if key == "parameters" and not is_map:
            return _PARAMETERS
        return _DATA if key == "withItems" else _PLAIN
    if role == _PARAMETERS:
        return _PARAMETER if is_map else _PLAIN
    if role in (_PARAMETER, _VALUE_FROM) and _is_text(role, key):
        return _DATA  # in place of a text: check says so
    if role == _PARAMETER:
        if key == "valueFrom" and is_map:
            return _VALUE_FROM
        return _CHOICES if key == "enum" and not is_map else _PLAIN
    return _DATA if role == _DATA else _PLAIN


def _short_tag(tag: str) -> str:
    return "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag


def _syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> ManifestError:
    mark = error.problem_mark or error.context_mark
    if error.context_mark and "end of stream" in (error.problem or ""):
        mark = error.context_mark  # where the quote begins that has no end
    where = place_text(file, mark.line + 1, mark.column + 1) if mark else file
    problem = error.problem or "malformed YAML"
    if mark and "cannot start any token" in problem and text[mark.index : mark.index + 1] == "\t":
        problem += " (a tab character)"  # PyYAML's own parser names it, libyaml does not
    return ManifestError(f"not valid YAML: {problem}", where=where, hint=_syntax_hint(problem))


def _syntax_hint(problem: str) -> str:
    if "nesting" in problem:
        return "nest it less deep"
    if "'\\t'" in problem or "tab character" in problem:
        return "indent with spaces: YAML allows no tabs there"
    if "cannot start any token" in problem:
        return "put the value in quotes"
    if "mapping values are not allowed" in problem:
        return "check the indentation, and put a value with `: ` in quotes"
    if "end of stream" in problem or "unexpected end" in problem:
        return "a quote is not closed"
    if "did not find expected" in problem:
        return "check indentation and brackets here and on the line before"
    return "check this line; a value with special characters goes in quotes"
