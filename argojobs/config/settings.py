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
    workdir = "/app"  # where its containers work, else in their own "/"
    [code]
    max_size = "20MiB"               # a larger code bundle is refused
    allow = ["tests/fixtures/key.pem"]  # files that only look like secrets
    [images]
    allow = ["certs/lab.key"]        # the same for what images are built from
    [images.secrets]
    hub = "env:HF_TOKEN"             # what RUN --mount=type=secret,id=hub gets

The tables of contexts are `contexts.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from argojobs.config.files import PROJECT_FILE, TOP, config_file
from argojobs.config.reading import Reader, text_of
from argojobs.config.toml_lines import At

#: The keys of the user's file that have one value, by their places.
KEYS = (
    "current_context",
    "local.environment",
    "local.max_pods",
    "code.max_size",
    "code.allow",
    "images.allow",
)


class ImageSettings(NamedTuple):
    """What stands for an image on this machine: CMD, ENTRYPOINT, its root folder, WORKDIR."""

    command: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    root: str = ""
    workdir: str = ""


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
    build_allow: tuple[str, ...] = ()
    build_secrets: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()


def load_settings(project: Path | None = None) -> Settings:
    """Return the settings of the user's config file and of the project folder.

    Raises `UsageError` with file and line for a file that is not TOML, an unknown key (with the
    nearest known one) or a value of the wrong type. A missing file says nothing.
    """
    user = config_file()
    files = [user] if project is None else [user, project / PROJECT_FILE]
    settings = Settings()
    for path in files:
        text = text_of(path)
        if text is not None:
            settings = merge(settings, parse_settings(text, path))
    return settings


def parse_settings(text: str, path: Path) -> Settings:
    """Return what one file says; `path` is its name in errors and the base of its folders."""
    return _settings(Reader(text, path))


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
        build_allow=tuple(dict.fromkeys((*below.build_allow, *above.build_allow))),
        build_secrets={**below.build_secrets, **above.build_secrets},
        files=(*below.files, *above.files),
    )


def _settings(reader: Reader) -> Settings:
    """Return the checked settings of one file."""
    top = reader.table(reader.document, (), TOP)
    local = reader.table(
        top.get("local", {}),
        ("local",),
        {"claims", "images", "secrets", "environment", "max_pods"},
    )
    code = reader.table(top.get("code", {}), ("code",), {"max_size", "allow"})
    images = reader.table(top.get("images", {}), ("images",), {"allow", "secrets"})

    def each(name: str, read: Callable[[Reader, Any, At], Any]) -> dict[str, Any]:
        table = reader.table(local.get(name, {}), ("local", name), None)
        return {key: read(reader, value, ("local", name, key)) for key, value in table.items()}

    max_size = code.get("max_size")
    return Settings(
        claims=each("claims", Reader.folder),
        images=each("images", _image),
        secrets=each("secrets", _secret),
        environment=reader.texts(local.get("environment", []), ("local", "environment")),
        max_pods=reader.count(local.get("max_pods", 0), ("local", "max_pods")),
        code_max_size=None if max_size is None else reader.size(max_size, ("code", "max_size")),
        code_allow=reader.texts(code.get("allow", []), ("code", "allow")),
        build_allow=reader.texts(images.get("allow", []), ("images", "allow")),
        build_secrets=_secret(reader, images.get("secrets", {}), ("images", "secrets")),
        files=(reader.path,),
    )


def _image(reader: Reader, value: Any, at: At) -> ImageSettings:
    table = reader.table(value, at, {"command", "entrypoint", "root", "workdir"})
    return ImageSettings(
        command=reader.texts(table.get("command", []), (*at, "command")),
        entrypoint=reader.texts(table.get("entrypoint", []), (*at, "entrypoint")),
        root=reader.folder(table["root"], (*at, "root")) if "root" in table else "",
        workdir=reader.folder(table["workdir"], (*at, "workdir")) if "workdir" in table else "",
    )


def _secret(reader: Reader, value: Any, at: At) -> dict[str, str]:
    table = reader.table(value, at, None)
    return {key: _reference(reader, given, (*at, key)) for key, given in table.items()}


def _reference(reader: Reader, value: Any, at: At) -> str:
    kind, colon, place = value.partition(":") if isinstance(value, str) else ("", "", "")
    if kind not in {"env", "file"} or not colon or not place:
        raise reader.error(
            f"{at[-1]} must say where the secret is, not what it is",
            at,
            'write "env:VARIABLE" or "file:PATH"',
        )
    return f"file:{reader.folder(place, at)}" if kind == "file" else value
