"""What is sent to an S3 service: where a bucket stands, for which region it is signed, with what."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "attacks"))  # a server, by its name

from support.hostile_server import hostile, whole

from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, s3_place

KEYS = S3Credentials("the-access-key", "the-secret-key", "the-session-token")
EMPTY = whole(b"<ListBucketResult><Name>bucket</Name></ListBucketResult>", "application/xml")


def opened(server, credentials=KEYS, **place):
    made = s3_place(server.url, "bucket", style="path", **place)
    return S3Repository(made, credentials, retry_policy=RetryPolicy(connect=2, read=2, retries=0))


@pytest.mark.parametrize("found", ["eu-central-1", ""])
def test_aws_is_asked_for_the_region_of_a_bucket_once(found):
    location = f"<LocationConstraint>{found}</LocationConstraint>".encode()

    def answer(request):
        yield whole(location, "application/xml") if b"location" in request else EMPTY

    with hostile(answer) as server:
        repository = opened(server, kind="aws")
        assert [list(repository.list()), list(repository.list())] == [[], []]
    asked = [b"location" in request.split(b"\r\n")[0] for request in server.requests]
    assert asked == [True, False, False]
    assert f"/{found or 'us-east-1'}/s3/aws4_request".encode() in server.requests[1]


@pytest.mark.parametrize("place", [{"kind": "minio"}, {"region": "eu-west-3"}])
def test_another_service_is_not_asked(place):
    with hostile(lambda _: iter([EMPTY])) as server:
        list(opened(server, **place).list())
    assert len(server.requests) == 1


def test_an_interface_below_a_path_is_asked_and_signed_for_there():
    with hostile(lambda _: iter([EMPTY])) as server:
        list(opened(server, kind="aistore").list())
    assert server.requests[0].startswith(b"GET /s3/bucket?")


def test_who_has_a_session_token_shows_it_and_signs_it():
    with hostile(lambda _: iter([EMPTY])) as server:
        list(opened(server).list())
    head = server.requests[0].lower()
    assert b"x-amz-security-token: the-session-token\r\n" in head
    assert b"x-amz-security-token" in head.partition(b"signedheaders=")[2].partition(b",")[0]


def test_who_has_no_keys_signs_nothing():
    with hostile(lambda _: iter([EMPTY])) as server:
        list(opened(server, None).list())
    assert b"authorization" not in server.requests[0].lower()
    assert b"x-amz-" not in server.requests[0].lower()
