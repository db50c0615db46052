"""Places of results for the tests of the library: the same for a folder and for S3."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import seaweed
from support.cutting import CuttingProxy
from support.faulty_s3 import FaultyS3
from support.job_places import Place, client, in_bucket, in_folder

BUCKET = "results"
_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def bucket(s3_service: seaweed.Seaweed) -> str:
    """A bucket of the service, for the whole session."""
    client(s3_service).make_bucket(BUCKET)
    return BUCKET


@pytest.fixture
def s3(s3_service: seaweed.Seaweed, bucket: str, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place of its own in S3."""
    mirror = tmp_path_factory.mktemp("mirror")
    return in_bucket(s3_service, bucket, f"run-{next(_NUMBERS)}", mirror)


@pytest.fixture
def proxy(s3_service: seaweed.Seaweed) -> Iterator[CuttingProxy]:
    """A way to the service that can be cut."""
    proxy = CuttingProxy(s3_service.port)
    yield proxy
    proxy.close()


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place of either kind."""
    if request.param == "folder":
        return in_folder(tmp_path / "place")
    found: Place = request.getfixturevalue("s3")
    return found


@pytest.fixture
def faulty(s3_service: seaweed.Seaweed) -> Iterator[FaultyS3]:
    """A way to the service on which answers are replaced or lost."""
    front = FaultyS3(s3_service.port)
    yield front
    front.close()


@pytest.fixture
def behind(s3_service: seaweed.Seaweed, bucket: str, faulty: FaultyS3, tmp_path: Path) -> Place:
    """A place of its own in S3, behind that way."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    return in_bucket(s3_service, bucket, f"run-{next(_NUMBERS)}", mirror, port=faulty.port)
