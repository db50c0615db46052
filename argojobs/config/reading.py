"""Reads the values of one TOML file and says file and line of every mistake."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any

from argojobs.config.toml_lines import At, lines_of
from argojobs.errors import HostError, UsageError
from argojobs.units import size

#: The largest settings that are read, and the most parts of one dotted key: what `tomllib` needs
#: grows with the square of them.
_MOST_BYTES = 2**20
_MOST_PARTS = 32
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")


def text_of(path: Path) -> str | None:
    """Return the text of a settings file, None where there is none.

    Raises UsageError where something else is there, or it is too large or no text, and HostError
    where it may not be read.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISCHR(mode):  # /dev/null says nothing
            raise UsageError(
                f"this is {'a folder' if stat.S_ISDIR(mode) else 'not a file'}, "
                "and settings stand in a file",
                where=str(path),
                hint="yours is the file that ARGOJOBS_CONFIG names, a project's is argojobs.toml",
            )
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > _MOST_BYTES:
        raise UsageError(
            "the settings are longer than 1 MiB", where=str(path), hint="name the right file"
        )
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            where=str(path),
            hint="save the file as UTF-8",
        ) from error


def text_of_file(path: Path, what: str = "this file", *, as_it_is: bool = False) -> str:
    """Return a file's text.

    Args:
        path: the file.
        what: it is, for messages.
        as_it_is: line ends stay, and bytes that are not UTF-8 as surrogates; else lines end in
            newlines, and such bytes are an error.

    Raises:
        UsageError: it is not text.
        HostError: it cannot be read.
    """
    try:
        if as_it_is:
            return path.read_bytes().decode("utf-8", "surrogateescape")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not text", where=str(path)) from error
    except OSError as error:
        raise _unreadable(path, error, what) from error


def _unreadable(path: Path, error: OSError, what: str = "this file") -> HostError:
    return HostError(
        f"{what} cannot be read: {error.strerror}",
        where=str(path),
        hint="see that it exists and that you may read it",
    )


class Reader:
    """One parsed file; a value's place in it is the tuple of its keys from the top.

    path: its name in errors, and the base of the folders in it. Raises UsageError with its line
    for a text that is not TOML.
    """

    def __init__(self, text: str, path: Path) -> None:
        import tomllib

        self.path = path
        long = _LONG_KEY.search(text)
        if long is not None:
            raise UsageError(
                f"a key has more than {_MOST_PARTS} parts",
                where=f"{path}:{text.count(chr(10), 0, long.start()) + 1}",
                hint="put it in quotes if it is one key, or a text",
            )
        try:
            self.document: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"at line (\d+)", str(error))
            where = f"{path}:{line[1]}" if line else str(path)
            raise UsageError(f"this is not TOML: {error}", where=where) from error
        except RecursionError as error:
            raise UsageError(
                "this is not TOML: nested too deep", where=str(path), hint="nest it less deep"
            ) from error
        self._text = text
        self._lines: dict[At, int] | None = None

    def table(self, value: Any, at: At, known: Collection[str] | None) -> dict[str, Any]:
        """Return a table whose keys are all known.

        Args:
            value: whatever stands there.
            at: its place.
            known: the keys that it may have, None for any.

        Raises:
            UsageError: it is not a table, or a key is unknown.
        """
        if not isinstance(value, dict):
            raise self.error(f"[{dotted(at)}] must be a table", at)
        for key in value:
            if known is not None and key not in known:
                raise self._unknown((*at, key), known)
        return value

    def text(self, value: Any, at: At) -> str:
        """Return a text that is not empty."""
        if not isinstance(value, str) or not value:
            raise self.error(f'{at[-1]} must be a text: {at[-1]} = "..."', at)
        return value

    def texts(self, value: Any, at: At) -> tuple[str, ...]:
        """Return a list of texts."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f'{at[-1]} must be a list of texts: ["...", "..."]', at)
        return tuple(value)

    def flag(self, value: Any, at: At) -> bool:
        """Return true or false."""
        if not isinstance(value, bool):
            raise self.error(f"{at[-1]} must be true or false", at)
        return value

    def count(self, value: Any, at: At) -> int:
        """Return a whole number, 0 or more."""
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(f"{at[-1]} must be a whole number, 0 or more", at)
        return value

    def choice(self, value: Any, at: At, choices: Collection[str]) -> str:
        """Return one of some texts.

        Args:
            value: whatever stands there.
            at: its place.
            choices: the texts.

        Raises:
            UsageError: it is none of them.
        """
        if value not in choices:
            raise self.error(f"{at[-1]} must be one of: {', '.join(sorted(choices))}", at)
        return str(value)

    def folder(self, value: Any, at: At, what: str = "a folder") -> str:
        """Return a path, which is relative to the file that says so.

        Args:
            value: whatever stands there.
            at: its place.
            what: what it has to be, for the message.

        Raises:
            UsageError: it is not a text, or empty.
        """
        if not isinstance(value, str) or not value:
            raise self.error(f"{at[-1]} must be {what}, as text", at)
        return str(self.path.parent / Path(value).expanduser())

    def size(self, value: Any, at: At) -> int:
        """Return a size in bytes: a number, or text with a unit such as "20MiB"."""
        found = size(value)
        if found is None:
            raise self.error(f'{at[-1]} must be bytes or a size such as "20MiB", "1GB"', at)
        return found

    def error(self, what: str, at: At, hint: str = "") -> UsageError:
        """Return an error at a value's place.

        Args:
            what: what is wrong.
            at: the place.
            hint: what to do about it.
        """
        return UsageError(what, where=self.where(at), hint=hint)

    def where(self, at: At) -> str:
        """Return `file:line` of a key, or of the nearest table around it."""
        if self._lines is None:
            self._lines = lines_of(self._text)
        for length in range(len(at), 0, -1):
            if at[:length] in self._lines:
                return f"{self.path}:{self._lines[at[:length]]}"
        return str(self.path)

    def _unknown(self, at: At, known: Collection[str]) -> UsageError:
        from argojobs.manifest.nearest import suggestion

        place = f" in [{dotted(at[:-1])}]" if at[:-1] else ""
        hint = suggestion(at[-1], sorted(known), what="known")
        return self.error(f"unknown key {at[-1]!r}{place}", at, hint)


def dotted(at: At) -> str:
    """Return a place as TOML writes it: `contexts."gke.sandbox".image`."""
    return ".".join(key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else f'"{key}"' for key in at)
