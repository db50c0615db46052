"""Settings: what the user's config file and the project's `argojobs.toml` say, checked.

Both files have the same tables; a value of the project wins over the user's, claims and images
merge by name. Nothing here writes a file.

    [local]
    environment = ["HF_TOKEN"]       # more variables that steps on this machine get
    max_pods = 4                     # at most so many steps of a run at once
    [local.claims]
    datasets = "/data/sets"          # claim -> folder, relative to the file that says so
    [local.secrets.hub]
    token = "env:HF_TOKEN"           # where the key of a secret is: env:VARIABLE or file:PATH
    [local.images."train:1.2"]       # an image's stand-in on this machine
    command = ["python3", "-m", "train"]
    entrypoint = ["/opt/env/bin/entry"]
    root = "/opt/train-root"
    [code]
    max_size = "20MiB"               # a larger code bundle is refused
    allow = ["tests/fixtures/key.pem"]  # files that only look like secrets
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.errors import UsageError

CONFIG_VARIABLE = "ARGOJOBS_CONFIG"
PROJECT_FILE = "argojobs.toml"

_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What stands for an image on this machine: its CMD, its ENTRYPOINT, its root folder."""

    command: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    root: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings that hold for a submission; an absent one has the value shown here."""

    claims: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, ImageSettings] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    environment: tuple[str, ...] = ()
    max_pods: int = 0
    code_max_size: int | None = None
    code_allow: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def config_file() -> Path:
    """Return the user's config file: `ARGOJOBS_CONFIG`, else the platform's place for it."""
    given = os.environ.get(CONFIG_VARIABLE, "")
    if given:
        return Path(given).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_config_dir("argojobs", appauthor=False)) / "config.toml"


def load_settings(project: Path | None = None) -> Settings:
    """Return the settings of the user's config file and of the project folder.

    Raises `UsageError` with file and line for a file that is no TOML, an unknown key (with the
    nearest known one) or a value of the wrong type. A missing file says nothing, except one that
    `ARGOJOBS_CONFIG` names.
    """
    user = config_file()
    if os.environ.get(CONFIG_VARIABLE) and not user.is_file():
        raise UsageError(
            f"there is no file {user}", where=CONFIG_VARIABLE, hint="correct or unset the variable"
        )
    files = [user] if project is None else [user, project / PROJECT_FILE]
    settings = Settings()
    for path in files:
        if path.is_file():
            settings = merge(settings, parse_settings(path.read_text(encoding="utf-8"), path))
    return settings


def parse_settings(text: str, path: Path) -> Settings:
    """Return what one file says; `path` is its name in errors and the base of its folders."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else str(path)
        raise UsageError(f"this is no TOML: {error}", where=where) from error
    return _Reader(text, path).settings(document)


def merge(below: Settings, above: Settings) -> Settings:
    """Return `below` with all that `above` says put over it."""
    return Settings(
        claims={**below.claims, **above.claims},
        images={**below.images, **above.images},
        secrets={**below.secrets, **above.secrets},
        environment=tuple(dict.fromkeys((*below.environment, *above.environment))),
        max_pods=above.max_pods or below.max_pods,
        code_max_size=below.code_max_size if above.code_max_size is None else above.code_max_size,
        code_allow=tuple(dict.fromkeys((*below.code_allow, *above.code_allow))),
        files=(*below.files, *above.files),
    )


class _Reader:
    """Reads one parsed file; knows its text, so that an error can name the line."""

    def __init__(self, text: str, path: Path) -> None:
        self._lines = text.splitlines()
        self._path = path

    def settings(self, document: dict[str, Any]) -> Settings:
        """Return the checked settings of the file."""
        top = self._table(document, "", {"local", "code"})
        local = self._table(
            top.get("local", {}),
            "local",
            {"claims", "images", "secrets", "environment", "max_pods"},
        )
        code = self._table(top.get("code", {}), "code", {"max_size", "allow"})
        claims = self._table(local.get("claims", {}), "local.claims", None)
        images = self._table(local.get("images", {}), "local.images", None)
        secrets = self._table(local.get("secrets", {}), "local.secrets", None)
        return Settings(
            claims={name: self._folder(value, name) for name, value in claims.items()},
            images={name: self._image(value, name) for name, value in images.items()},
            secrets={name: self._secret(value, name) for name, value in secrets.items()},
            environment=self._texts(local.get("environment", []), "environment"),
            max_pods=self._count(local.get("max_pods", 0), "max_pods"),
            code_max_size=self._size(code["max_size"], "max_size") if "max_size" in code else None,
            code_allow=self._texts(code.get("allow", []), "allow"),
            files=(self._path,),
        )

    def _image(self, value: Any, name: str) -> ImageSettings:
        table = self._table(value, f'local.images."{name}"', {"command", "entrypoint", "root"})
        return ImageSettings(
            command=self._texts(table.get("command", []), "command"),
            entrypoint=self._texts(table.get("entrypoint", []), "entrypoint"),
            root=self._folder(table["root"], "root") if "root" in table else "",
        )

    def _secret(self, value: Any, name: str) -> dict[str, str]:
        table = self._table(value, f"local.secrets.{name}", None)
        return {key: self._reference(reference, key) for key, reference in table.items()}

    def _reference(self, value: Any, key: str) -> str:
        kind, colon, place = value.partition(":") if isinstance(value, str) else ("", "", "")
        if kind not in {"env", "file"} or not colon or not place:
            raise self._error(
                f"{key} must say where the secret is, not what it is",
                key,
                'write "env:VARIABLE" or "file:PATH"',
            )
        return f"file:{self._folder(place, key)}" if kind == "file" else value

    def _table(self, value: Any, name: str, known: set[str] | None) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._error(f"[{name}] must be a table", name.rsplit(".", 1)[-1].strip('"'))
        for key in value:
            if known is not None and key not in known:
                raise self._unknown(key, name, known)
        return value

    def _unknown(self, key: str, table: str, known: set[str]) -> UsageError:
        import difflib

        near = difflib.get_close_matches(key, sorted(known), n=1)
        place = f" in [{table}]" if table else ""
        hint = f"did you mean {near[0]!r}? " if near else ""
        return self._error(
            f"unknown key {key!r}{place}", key, f"{hint}known: {', '.join(sorted(known))}"
        )

    def _folder(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not value:
            raise self._error(f"{key} must be a folder, as text", key)
        return str(self._path.parent / Path(value).expanduser())

    def _texts(self, value: Any, key: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(f'{key} must be a list of texts: ["...", "..."]', key)
        return tuple(value)

    def _count(self, value: Any, key: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._error(f"{key} must be a whole number, 0 or more", key)
        return value

    def _size(self, value: Any, key: str) -> int:
        """Read a size: a number of bytes, or text with a unit such as "20MiB"."""
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        match = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", value) if isinstance(value, str) else None
        if match is None or match[2] not in _UNITS:
            units = ", ".join(unit for unit in _UNITS if unit)
            raise self._error(f'{key} must be bytes or a size such as "20MiB" ({units})', key)
        return int(match[1]) * _UNITS[match[2]]

    def _error(self, what: str, key: str, hint: str = "") -> UsageError:
        return UsageError(what, where=f"{self._path}{self._line_of(key)}", hint=hint)

    def _line_of(self, key: str) -> str:
        """Return ":LINE" of the line that names the key: as `key =`, or in a table's header."""
        quoted = rf"[\"']?{re.escape(key)}[\"']?"
        patterns = (rf"\s*{quoted}\s*=", rf"\s*\[.*{quoted}\s*\]", rf".*{quoted}")
        finders: list[Callable[[str], Any]] = [re.compile(pattern).match for pattern in patterns]
        for find in finders:
            for number, line in enumerate(self._lines, start=1):
                if find(line):
                    return f":{number}"
        return ""
