# travels with: job
"""Where the results of this process go: what ARGOJOBS_RESULTS says.

- a path: the folder of this job, as the engine mounts it
- `s3://BUCKET/PREFIX` or `file:///PATH`: a place of a whole run, where each job has a folder of its own
"""

from __future__ import annotations

import os

from argojobs.job.variables import job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.job.store import Store

RESULTS = "ARGOJOBS_RESULTS"
_S3, _FILE = "s3://", "file://"


class NoStoreError(Exception):
    """Why nothing can be stored."""


def folder_of(job: str) -> str:
    """Return the name of a job's folder in the place of its run."""
    from hashlib import sha256

    return sha256(job.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def store_of(environment: Mapping[str, str]) -> Store | None:
    """Return where this process stores results; None where nothing is said of it.

    Raises NoStoreError for what cannot be a place.
    """
    place = environment.get(RESULTS)
    if not place:
        return None
    if place.startswith(_S3):
        return _in_s3(place[len(_S3) :], environment)
    from argojobs.job.folder_store import FolderStore

    if place.startswith(_FILE):
        place = os.path.join(place[len(_FILE) :], folder_of(job(environment)))
    return FolderStore(place)


def _in_s3(place: str, environment: Mapping[str, str]) -> Store:
    from urllib.parse import quote

    from argojobs.job.s3_client import Bucket, Client
    from argojobs.job.s3_store import S3Store
    from argojobs.job.sigv4 import Keys

    def told(name: str, default: str | None = None) -> str:
        text = environment.get(f"ARGOJOBS_S3_{name}") or default
        if text is None:
            raise NoStoreError(f"ARGOJOBS_S3_{name} is not set")
        return text

    bucket, _, prefix = place.strip("/").partition("/")
    endpoint = told("ENDPOINT")
    scheme, there, address = endpoint.partition("://")
    host, _, folder = address.rstrip("/").partition("/")
    if not there or scheme not in ("http", "https") or not host or "@" in host:
        raise NoStoreError("ARGOJOBS_S3_ENDPOINT is no http://HOST:PORT or https://HOST:PORT")
    if told("STYLE", "path") == "host":
        host = f"{bucket}.{host}"
    else:
        folder = f"{folder}/{bucket}" if folder else bucket
    client = Client(
        Bucket(
            tls=scheme == "https",
            host=host,
            folder=f"/{quote(folder)}" if folder else "",
            region=told("REGION", "us-east-1"),
            authority=told("CA", ""),
        ),
        Keys(told("ACCESS_KEY"), told("SECRET_KEY"), told("SESSION_TOKEN", "")),
    )
    start = f"{prefix}/" if prefix else ""
    return S3Store(client, f"{start}{folder_of(job(environment))}/")
