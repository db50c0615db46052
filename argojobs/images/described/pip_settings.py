"""What pip knows of indexes on this machine, for a build: a secret of it, never a layer.

Read as pip reads it for `pip install`: its configuration files, then its variables. Only what
says where packages come from travels; paths of this machine mean nothing in a build, but for the
certificates, which travel beside. Source: pip documentation, Configuration.
"""

from __future__ import annotations

import configparser
import io
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from argojobs.images.described.generated import CERTIFICATES_SECRET, PIP_SECRET

#: Options of pip that a build gets, under the names that its files have.
_TAKEN = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries", "no-index")
#: The sections that count for `pip install`, the last over the others.
_SECTIONS = ("global", "install")


@dataclass(frozen=True, slots=True)
class PipSettings:
    """The text of pip's configuration in a build, and the file of certificates that it needs."""

    text: str = field(default="", repr=False)  # it may hold passwords
    certificates: Path | None = None


def pip_settings(
    environment: Mapping[str, str], home: Path, *, platform: str = sys.platform
) -> PipSettings:
    """Return what pip is told on this machine; empty where it is told nothing.

    A damaged file is passed over: pip itself names it when it is called.

    Args:
        environment: variables, for `PIP_...` and where files are.
        home: the user's folder.
        platform: as `sys.platform`, which says where files are.
    """
    found: dict[str, dict[str, str]] = {name: {} for name in _SECTIONS}
    for file in _files(environment, home, platform):
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        for section in _SECTIONS:
            if parser.has_section(section):
                found[section].update(parser.items(section))
    settings = {
        name.lower().replace("_", "-"): text
        for section in _SECTIONS
        for name, text in found[section].items()
    }
    settings.update(_variables(environment))
    settings.setdefault("timeout", settings.get("default-timeout", ""))
    certificates = Path(settings.get("cert") or os.devnull)
    kept = {name: settings[name] for name in _TAKEN if settings.get(name)}
    links = [one for one in settings.get("find-links", "").split() if "://" in one]
    if links:
        kept["find-links"] = "\n".join(one for one in links if not one.startswith("file:"))
    if certificates.is_file():
        kept["cert"] = f"/run/secrets/{CERTIFICATES_SECRET}"
    return PipSettings(_text(kept), certificates if certificates.is_file() else None)


def _files(environment: Mapping[str, str], home: Path, platform: str) -> Iterator[Path]:
    """Yield pip's configuration files, those that count more behind the others."""
    own = environment.get("PIP_CONFIG_FILE", "")
    if own == os.devnull:
        return
    if platform == "darwin":
        support = Path("Library/Application Support/pip/pip.conf")
        yield Path("/") / support
        yield home / ".pip" / "pip.conf"
        there = (home / support).parent.is_dir()
        yield home / support if there else home / ".config" / "pip" / "pip.conf"
    else:
        for folder in reversed((environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")):
            yield Path(folder) / "pip" / "pip.conf"
        yield Path("/etc/pip.conf")
        yield home / ".pip" / "pip.conf"
        configs = environment.get("XDG_CONFIG_HOME") or str(home / ".config")
        yield Path(configs) / "pip" / "pip.conf"
    yield Path(sys.prefix) / "pip.conf"
    if own:
        yield Path(own)


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name[len("PIP_") :].lower().replace("_", "-"): text
        for name, text in environment.items()
        if name.startswith("PIP_") and text
    }


def _text(settings: Mapping[str, str]) -> str:
    """Return settings as a configuration file; a value of several lines is indented."""
    if not settings:
        return ""
    parser = configparser.RawConfigParser()
    parser["global"] = {name: text.replace("\n", "\n\t") for name, text in settings.items()}
    out = io.StringIO()
    parser.write(out)
    return out.getvalue()


def written(settings: PipSettings, folder: Path) -> dict[str, Path]:
    """Write a build's secrets into a private folder; return their files by the secrets' names."""
    if not settings.text:
        return {}
    file = folder / "pip.conf"
    file.touch(mode=0o600)
    file.write_text(settings.text, encoding="utf-8")
    secrets = {PIP_SECRET: file}
    if settings.certificates is not None:
        secrets[CERTIFICATES_SECRET] = settings.certificates
    return secrets
