"""One real S3 service for all tests of this folder, a bucket for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from minio import Minio
from support import seaweed
from support.cutting import CuttingProxy

from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, s3_place

_NUMBERS = itertools.count()


@pytest.fixture
def service(s3_service: seaweed.Seaweed) -> seaweed.Seaweed:
    """The running SeaweedFS."""
    return s3_service


@pytest.fixture
def client(service: seaweed.Seaweed) -> Minio:
    """minio's own client, to look at what is there by another way than ours."""
    return Minio(f"127.0.0.1:{service.port}", *seaweed.ADMIN, secure=False, region="us-east-1")


@pytest.fixture
def bucket(client: Minio) -> str:
    """A new bucket."""
    name = f"bucket-{next(_NUMBERS)}"
    client.make_bucket(name)
    return name


@pytest.fixture
def proxy(service: seaweed.Seaweed) -> Iterator[CuttingProxy]:
    """A way to the service that can be cut."""
    proxy = CuttingProxy(service.port)
    yield proxy
    proxy.close()


Open = Callable[..., S3Repository]


@pytest.fixture
def open_s3(service: seaweed.Seaweed, bucket: str) -> Open:
    """Open a repository in the test's bucket; no pause between tries."""

    def open_(
        *,
        port: int = 0,
        keys: tuple[str, str] = seaweed.ADMIN,
        retries: int = 2,
        workers: int = 4,
        **place: object,
    ) -> S3Repository:
        given = {"prefix": "some/prefix", "bucket": bucket, **place}
        return S3Repository(
            s3_place(f"http://127.0.0.1:{port or service.port}", **given),  # type: ignore[arg-type]
            S3Credentials(*keys),
            workers=workers,
            retry_policy=RetryPolicy(connect=5, read=10, retries=retries, pause=0),
        )

    return open_


@pytest.fixture
def repository(open_s3: Open) -> S3Repository:
    """A repository in the test's bucket, below a prefix."""
    return open_s3()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree of two files, one of them deep."""
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_text("one")
    (folder / "deep" / "b").write_text("two")
    return folder
