"""A registry of images, asked over its own protocol what it has and what we may do there.

Source: the OCI distribution specification 1.1 (`/v2/`), "Pulling manifests", "Pushing".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from argojobs.errors import ServerError, UsageError
from argojobs.images.logins.credentials import Credentials
from argojobs.images.registry.digests import sha256, told_digest
from argojobs.images.registry.http import Channel, open_channel

if TYPE_CHECKING:
    import requests

#: What an image may be described by; without these names a registry gives an old form of it.
MANIFEST_TYPES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_ACCEPT = {"Accept": ", ".join(MANIFEST_TYPES)}
#: A manifest is small; the specification asks registries to take 4 MiB.
_LARGEST_MANIFEST = 8 << 20


@dataclass(frozen=True, slots=True)
class Registry:
    """An open registry. prefix: the path that stands before each repository, often ""."""

    channel: Channel
    prefix: str

    @property
    def host(self) -> str:
        """The registry's name as images have it: `HOST[:PORT]`."""
        return self.channel.host

    @property
    def plain_http(self) -> bool:
        """Whether it is spoken to without TLS."""
        return self.channel.plain_http

    @property
    def credentials(self) -> Credentials | None:
        """Whom it is told; None for nobody, also where a password may not go over the line."""
        return self.channel.credentials

    def digest(self, repository: str, reference: str) -> str | None:
        """Return the digest of what a tag (or digest) names, None where the registry has none."""
        path = f"{self.path(repository)}/manifests/{quote(reference, safe=':')}"
        answer = self.channel.send("HEAD", path, self.pull(repository), headers=_ACCEPT)
        if answer.status_code == 404:
            return None
        if answer.status_code == 200:
            told = told_digest(answer.headers)
            if told:
                return told
        return self._digest_of_content(path, repository)

    def manifest(self, repository: str, reference: str) -> bytes | None:
        """Return the description of an image as it is stored, None where there is none."""
        path = f"{self.path(repository)}/manifests/{quote(reference, safe=':')}"
        answer = self.channel.send("GET", path, self.pull(repository), headers=_ACCEPT)
        if answer.status_code == 404:
            return None
        self.expect(answer, 200, repository)
        if len(answer.content) > _LARGEST_MANIFEST:
            raise ServerError(f"{self.host} gave no manifest for {repository}")
        return answer.content

    def blob(self, repository: str, digest: str) -> bytes | None:
        """Return a small blob, None where there is none."""
        path = f"{self.path(repository)}/blobs/{digest}"
        answer = self.channel.send("GET", path, self.pull(repository))
        if answer.status_code == 404:
            return None
        self.expect(answer, 200, repository)
        return answer.content

    def try_push(self, repository: str) -> str:
        """Push a small image under a tag of ours and return its digest; `trial.py`."""
        from argojobs.images.registry.trial import try_push

        return try_push(self, repository)

    def try_pull(self, repository: str, digest: str) -> None:
        """Pull that image, and compare it with what was pushed."""
        from argojobs.images.registry.trial import try_pull

        try_pull(self, repository, digest)

    def delete(self, repository: str, digest: str) -> bool:
        """Delete an image; False where the registry, or what we may do there, does not allow it."""
        path = f"{self.path(repository)}/manifests/{digest}"
        answer = self.channel.send("DELETE", path, self._scope(repository, "pull,delete"), ask=True)
        return answer.status_code in (202, 404)

    def ping(self) -> None:
        """Ask whether it is a registry that takes us. Raises UsageError and ServerError."""
        answer = self.channel.send("GET", "/v2/", "")
        if answer.status_code != 200:
            raise UsageError(
                f"{self.channel.base}/v2/ answers {answer.status_code}: it is not a registry of images",
                hint=self.channel.remedy_of("url", "HOST[:PORT]"),
            )

    # For the neighbours of this file

    def path(self, repository: str) -> str:
        """Return the path of a repository."""
        return f"/v2/{self.full_name(repository)}"

    def full_name(self, repository: str) -> str:
        """Return a repository's name as the registry has it."""
        return f"{self.prefix}/{repository}" if self.prefix else repository

    def pull(self, repository: str) -> str:
        """Return the scope of reading."""
        return self._scope(repository, "pull")

    def push(self, repository: str) -> str:
        """Return the scope of writing."""
        return self._scope(repository, "pull,push")

    def expect(self, answer: requests.Response, status: int, repository: str) -> None:
        """Raise what an answer means if it is not the one that is wanted."""
        if answer.status_code != status:
            raise self.channel.refusal(answer, self.full_name(repository))

    def _scope(self, repository: str, actions: str) -> str:
        return f"repository:{self.full_name(repository)}:{actions}"

    def _digest_of_content(self, path: str, repository: str) -> str | None:
        """Return the digest that a registry did not tell: some know no HEAD, some no header."""
        answer = self.channel.send("GET", path, self.pull(repository), headers=_ACCEPT)
        if answer.status_code == 404:
            return None
        self.expect(answer, 200, repository)
        return told_digest(answer.headers) or sha256(answer.content)


def open_registry(
    url: str, credentials: Credentials | None = None, *, context: str = ""
) -> Registry:
    """Return the registry at `[SCHEME://]HOST[:PORT][/PREFIX]`; asked once, to see how it speaks.

    Without a scheme it is https, and http where that does not answer on this machine or in a private
    network. A password goes over http only where the address says `http://`. context: whose registry
    it is, for remedies. Raises ServerError where it is out of reach, UsageError where it is not
    trusted.
    """
    rest = url.partition("://")[2] or url
    prefix = rest.rpartition("@")[2].partition("/")[2].strip("/")
    return Registry(open_channel(url, credentials, context), prefix)
