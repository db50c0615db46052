"""Names of images as values: `registry/repository:tag@digest`.

The grammar is that of the distribution project (`reference`, "Grammar") and of the OCI
distribution specification ("Pulling manifests"). Nothing is added to a name: `train` stays
`train`, and is not made `docker.io/library/train`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from argojobs.errors import UsageError

#: The longest name, registry included, and the longest tag.
_MOST_LETTERS = 255
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_PART}(?:/{_PART})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
#: What a registry's URL may end in that belongs to its protocol, not to its names.
_PROTOCOL = frozenset({"v1", "v2"})
#: What the first users write where there is no registry.
_NOTHING = frozenset({"", "null", "none", "~"})


@dataclass(frozen=True, slots=True)
class Reference:
    """One image's name: registry is a host with port, or ""; tag and digest may be ""."""

    registry: str
    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def name(self) -> str:
        """Registry and repository, without tag and digest."""
        return f"{self.registry}/{self.repository}" if self.registry else self.repository

    @property
    def text(self) -> str:
        """The reference as programs take it."""
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.name}{tag}{digest}"


def parse(text: str) -> Reference:
    """Return the parts of an image's name. Raises UsageError for what is none.

    The first part is a registry where it has a dot, a colon or an upper-case letter, or is
    `localhost`, as docker decides it.
    """
    rest, at, digest = text.partition("@")
    if at and not _is_digest(digest):
        raise _wrong(text, f"{digest!r} is not a digest", "a digest is sha256: and 64 of 0-9a-f")
    head, slash, last = rest.rpartition("/")
    last, colon, tag = last.partition(":")
    if colon and not _TAG.fullmatch(tag):
        raise _wrong(
            text, f"{tag!r} is not a tag", "a tag is up to 128 of A-Z, a-z, 0-9, '_', '.' and '-'"
        )
    registry, repository = _split(f"{head}{slash}{last}")
    if registry and not _HOST.fullmatch(registry):
        raise _wrong(text, f"{registry!r} is not a registry", "write host or host:port")
    if not _REPOSITORY.fullmatch(repository):
        raise _wrong(text, _what_is_wrong(repository), _rule(repository))
    reference = Reference(registry, repository, tag, digest)
    if len(reference.name) > _MOST_LETTERS:
        raise _wrong(text, f"it is longer than {_MOST_LETTERS} letters", "give it a shorter name")
    return reference


def within(registry: str, name: str, *, tag: str = "", digest: str = "") -> Reference:
    """Return the reference of a bare name in a registry.

    Args:
        registry: what `registry_host` returned, which may have a path, or "".
        name: of the image, without a registry.
        tag: without its colon, "" for none.
        digest: without its @, "" for none.

    Raises:
        UsageError: no image can have that name.
    """
    check_name(name)
    whole = f"{registry}/{name}" if registry else name
    return parse(whole + (f":{tag}" if tag else "") + (f"@{digest}" if digest else ""))


def registry_host(url: str) -> str:
    """Return what stands before the name of an image for a registry's URL.

    `https://jfrog.com/team/` is `jfrog.com/team`: scheme, user, password and trailing slashes never
    enter a name, nor does the `/v2/` of the protocol. "" for none. Raises UsageError for a URL
    that has a query or is not a host, without its password.
    """
    text = url.strip()
    if text.casefold() in _NOTHING:
        return ""
    rest = _SCHEME.sub("", text, count=1)
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2].lower()
    parts = [part for part in path.split("/") if part]
    if parts and parts[-1] in _PROTOCOL:
        parts.pop()
    shown = f"{host}{slash}{path}"
    if not _HOST.fullmatch(host):
        raise UsageError(
            f"{shown!r} is not a registry",
            hint="write its host, with a port and a path where it has them: localhost:32000, "
            "https://registry.lab/team",
        )
    if parts and not _REPOSITORY.fullmatch("/".join(parts)):
        raise UsageError(
            f"the path of the registry {shown!r} cannot stand in an image's name",
            hint=_rule("/".join(parts)),
        )
    return "/".join([host, *parts])


def check_name(name: str, where: str = "") -> str:
    """Return an image's name without registry and tag. Raises UsageError for what is none."""
    if not _REPOSITORY.fullmatch(name):
        raise UsageError(_what_is_wrong(name), where=where, hint=_rule(name))
    if len(name) > _MOST_LETTERS:
        raise UsageError(
            f"the name of an image is longer than {_MOST_LETTERS} letters",
            where=where,
            hint="give it a shorter one",
        )
    return name


def _is_digest(text: str) -> bool:
    """Whether this is a digest: `sha256:` and 64 digits, or one of another algorithm."""
    if text.startswith("sha256:"):
        return _SHA256.fullmatch(text) is not None
    return _DIGEST.fullmatch(text) is not None


def _split(name: str) -> tuple[str, str]:
    """Return registry and repository (distribution `reference`, splitDockerDomain)."""
    first, slash, rest = name.partition("/")
    if slash and (first == "localhost" or set(".:") & set(first) or first != first.lower()):
        return first, rest
    return "", name


def _wrong(text: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{text!r} is not a name of an image: {what}", hint=hint)


def _what_is_wrong(name: str) -> str:
    return f"{name!r} cannot be the name of an image" if name else "the name of an image is empty"


def _rule(name: str) -> str:
    rule = "it is a-z and 0-9, single '.', '_' or '-' between them, parts divided by '/'"
    better = "/".join(
        re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in name.split("/")
    ).strip("/")
    if better != name and _REPOSITORY.fullmatch(better):
        return f"{rule}: {better}"
    return rule
