"""A registry of images, asked over its own protocol what it has and what we may do there.

Source: the OCI distribution specification 1.1 (`/v2/`), "Pulling manifests", "Pushing".
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from argojobs.errors import ServerError, UsageError
from argojobs.images.logins.credentials import Credentials, bare_host
from argojobs.images.registry.connection import Connection, open_connection, open_session

if TYPE_CHECKING:
    import requests

OCI = "application/vnd.oci.image"
#: What an image may be described by; without these names a registry gives an old form of it.
MANIFEST_TYPES = (
    f"{OCI}.index.v1+json",
    f"{OCI}.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_ACCEPT = {"Accept": ", ".join(MANIFEST_TYPES)}
#: A manifest is small; the specification asks registries to take 4 MiB.
_LARGEST_MANIFEST = 8 << 20
#: Source: the OCI image specification, "Digests".
_DIGEST = re.compile(r"[a-z0-9]+([+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}")


@dataclass(frozen=True, slots=True)
class Registry:
    """An open registry. prefix: the path that stands before each repository, often ""."""

    connection: Connection
    prefix: str

    @property
    def host(self) -> str:
        """The registry's name as images have it: `HOST[:PORT]`."""
        return self.connection.host

    @property
    def plain_http(self) -> bool:
        """Whether it is spoken to without TLS."""
        return self.connection.plain_http

    @property
    def credentials(self) -> Credentials | None:
        """Whom it is told; None for nobody, also where a password may not go over the line."""
        return self.connection.credentials

    def digest(self, repository: str, reference: str) -> str | None:
        """Return the digest of what a tag (or digest) names, None where the registry has none.

        Some registries know no HEAD, some do not tell the digest: then the content says it.
        """
        answer = self._read("HEAD", repository, f"manifests/{quote(reference, safe=':')}")
        told = _told_digest(answer) if answer.status_code == 200 else ""
        if told or answer.status_code == 404:
            return told or None
        answer = self._read("GET", repository, f"manifests/{quote(reference, safe=':')}")
        if answer.status_code == 404:
            return None
        self.expect(answer, 200, repository)
        return _told_digest(answer) or sha256(answer.content)

    def manifest(self, repository: str, reference: str) -> bytes | None:
        """Return the description of an image as it is stored, None where there is none."""
        content = self._content(repository, f"manifests/{quote(reference, safe=':')}")
        if content is not None and len(content) > _LARGEST_MANIFEST:
            raise ServerError(f"{self.host} gave no manifest for {repository}")
        return content

    def blob(self, repository: str, digest: str) -> bytes | None:
        """Return a small blob, None where there is none."""
        return self._content(repository, f"blobs/{digest}")

    def put_manifest(self, repository: str, tag: str, content: bytes, media_type: str) -> None:
        """Put a manifest under a tag.

        Source: OCI distribution specification, "Pushing manifests".

        Args:
            repository: the image's name there.
            tag: the new one.
            content: the manifest.
            media_type: of the content.

        Raises:
            UsageError: we may not.
        """
        answer = self.connection.send(
            "PUT",
            f"{self.path(repository)}/manifests/{tag}",
            self.push(repository),
            headers={"Content-Type": media_type},
            data=content,
        )
        self.expect(answer, 201, repository)

    def add_tag(self, repository: str, digest: str, tag: str) -> None:
        """Give an image that the registry has one more tag; nothing is built or pulled for it.

        Args:
            repository: the image's name there.
            digest: of the image.
            tag: the new one.

        Raises:
            UsageError: we may not.
            ServerError: the registry does not have the image.
        """
        content = self.manifest(repository, digest)
        if content is None:
            raise ServerError(
                f"the registry {self.host} does not have {repository}@{digest} any more",
                hint="run it again: what is missing is built again",
            )
        self.put_manifest(repository, tag, content, _type_of(content, self.host))

    def delete(self, repository: str, digest: str) -> bool:
        """Delete an image; False where the registry, or what we may do there, does not allow it."""
        path = f"{self.path(repository)}/manifests/{digest}"
        answer = self.connection.send(
            "DELETE", path, self._scope(repository, "pull,delete"), ask=True
        )
        return answer.status_code in (202, 404)

    def ping(self) -> None:
        """Ask whether it is a registry that takes us. Raises UsageError and ServerError."""
        answer = self.connection.send("GET", "/v2/", "")
        if answer.status_code != 200:
            raise UsageError(
                f"{self.connection.base}/v2/ answers {answer.status_code}: it is not a registry of images",
                hint=self.connection.remedy_of("url", "HOST[:PORT]"),
            )

    # For the neighbours of this file

    def path(self, repository: str) -> str:
        """Return the path of a repository."""
        return f"/v2/{self.full_name(repository)}"

    def full_name(self, repository: str) -> str:
        """Return a repository's name as the registry has it."""
        return f"{self.prefix}/{repository}" if self.prefix else repository

    def push(self, repository: str) -> str:
        """Return the scope of writing."""
        return self._scope(repository, "pull,push")

    def expect(self, answer: requests.Response, status: int, repository: str) -> None:
        """Raise what an answer means if it is not the one that is wanted.

        Args:
            answer: of the registry.
            status: that is wanted.
            repository: which was asked for.

        Raises:
            UsageError: with what was told, and what to do.
        """
        if answer.status_code != status:
            raise self.connection.refusal(answer, self.full_name(repository))

    def _scope(self, repository: str, actions: str) -> str:
        return f"repository:{self.full_name(repository)}:{actions}"

    def _read(self, method: str, repository: str, what: str) -> requests.Response:
        scope = self._scope(repository, "pull")
        path = f"{self.path(repository)}/{what}"
        return self.connection.send(method, path, scope, headers=_ACCEPT)

    def _content(self, repository: str, what: str) -> bytes | None:
        answer = self._read("GET", repository, what)
        if answer.status_code == 404:
            return None
        self.expect(answer, 200, repository)
        return answer.content


@dataclass(frozen=True, slots=True)
class UnaskedRegistry(Registry):
    """A registry as a plan takes it that asks nobody: it has what the lock file says, no more."""

    def digest(self, repository: str, reference: str) -> str | None:  # noqa: ARG002
        """Return a digest as it is: what was pushed is there. Tags are not known."""
        return reference if ":" in reference else None


def open_registry(
    url: str, credentials: Credentials | None = None, *, context: str = ""
) -> Registry:
    """Return a registry; asked once, to see how it speaks.

    Without a scheme it is https, and http where that does not answer on this machine or in a
    private network. A password goes over http only where the address says `http://`.

    Args:
        url: `[SCHEME://]HOST[:PORT][/PREFIX]`.
        credentials: who we are there, None for nobody.
        context: whose registry it is, for remedies.

    Raises:
        ServerError: it is out of reach.
        UsageError: it is not trusted.
    """
    rest = url.partition("://")[2] or url
    prefix = rest.rpartition("@")[2].partition("/")[2].strip("/")
    return Registry(open_connection(url, credentials, context), prefix)


def unasked_registry(url: str) -> Registry:
    """Return the registry of an address (`[SCHEME://]HOST[:PORT][/PREFIX]`), which is not asked."""
    host, _, prefix = bare_host(url).partition("/")
    base = url if "://" in url else f"https://{url}"
    return UnaskedRegistry(Connection(host, base, open_session(host)), prefix)


def sha256(content: bytes) -> str:
    """Return the digest of bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _told_digest(answer: requests.Response) -> str:
    """Return the digest that an answer's headers tell, "" where they tell none that can be."""
    told = answer.headers.get("Docker-Content-Digest", "")
    return told if _DIGEST.fullmatch(told) else ""


def _type_of(content: bytes, host: str) -> str:
    """Return a manifest's media type; OCI's may leave it out."""
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict):
        raise ServerError(
            f"the registry {host} gave no manifest", hint="is it a registry of images?"
        )
    usual = f"{OCI}.index.v1+json" if "manifests" in manifest else f"{OCI}.manifest.v1+json"
    return str(manifest.get("mediaType") or usual)
