"""Where a job's results may go, for tests: a folder, or a bucket of a real S3; and what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minio import Minio

from argojobs.job.place import folder_of, store_of
from argojobs.job.store import Store
from support import seaweed

JOB = "job"


@dataclass
class Place:
    """A place of results: what a program is told of it, and a way to look that is not the library's.

    results: the value of ARGOJOBS_RESULTS. more: the other variables. mirrored: returns a folder
    with what a job has stored, as a folder has it; given one of
    S3, it may be another job, and another empty folder.
    """

    results: str
    mirrored: Callable[..., Path]
    more: dict[str, str] = field(default_factory=dict)

    def variables(self, **more: str) -> dict[str, str]:
        """Return the environment of a program of this job."""
        told = {"PATH": "/usr/bin:/bin", "JOB_UUID": JOB, "ARGOJOBS_RESULTS": self.results}
        return {**told, **self.more, **more}

    def store(self, **more: str) -> Store:
        """Return the store as the library opens it."""
        found = store_of(self.variables(**more))
        assert found is not None
        return found


def in_folder(folder: Path) -> Place:
    """Return a folder of this job."""
    return Place(str(folder), lambda: folder)


def in_bucket(
    service: seaweed.Seaweed, bucket: str, name: str, mirror: Path, *, port: int = 0
) -> Place:
    """Return a place in a bucket, below `runs/NAME`.

    mirror: an empty folder. port: of what stands in front of the service.
    """
    told = {
        "ENDPOINT": f"http://127.0.0.1:{port or service.port}",
        "ACCESS_KEY": seaweed.ADMIN[0],
        "SECRET_KEY": seaweed.ADMIN[1],
    }
    more = {f"ARGOJOBS_S3_{key}": text for key, text in told.items()}

    def of(job: str = JOB, folder: Path = mirror) -> Path:
        return mirrored(client(service), bucket, f"runs/{name}/{folder_of(job)}/", folder)

    return Place(f"s3://{bucket}/runs/{name}", of, more)


def client(service: seaweed.Seaweed) -> Minio:
    """Return minio's own client, which looks at what is there by another way than ours."""
    return Minio(f"127.0.0.1:{service.port}", *seaweed.ADMIN, secure=False, region="us-east-1")


def mirrored(store: Any, bucket: str, prefix: str, folder: Path) -> Path:
    """Write what lies below a prefix as a folder has it, and return that folder."""
    attempts = folder / "attempts"
    attempts.mkdir(exist_ok=True)
    found: dict[str, bytes] = {}
    for each in store.list_objects(bucket, f"{prefix}attempts/", recursive=True):
        key = str(each.object_name)
        attempt = key[len(prefix) :].split("/")[1]
        found[attempt] = found.get(attempt, b"") + store.get_object(bucket, key).read()
    for attempt, content in found.items():
        (attempts / f"{attempt}.jsonl").write_bytes(content)
    return folder
