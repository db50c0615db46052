"""Where a bucket is, as users write it."""

import pytest

from argojobs.config.contexts import S3
from argojobs.errors import UsageError
from argojobs.storage.s3_place import (
    S3Credentials,
    credentials_of,
    elsewhere,
    from_environment,
    of_context,
    s3_place,
    split_url,
)


@pytest.mark.parametrize(
    ("endpoint", "kind", "address", "tls"),
    [
        ("minio.example.org:9000", "minio", "minio.example.org:9000", True),
        ("http://minio.example.org:9000/", "", "minio.example.org:9000", False),
        ("https://[::1]:9000", "", "[::1]:9000", True),
        ("", "aws", "s3.amazonaws.com", True),
        ("http://gateway:8080", "aistore", "gateway:8080/s3", False),
        ("http://gateway:8080/s3/", "aistore", "gateway:8080/s3", False),
    ],
)
def test_endpoints(endpoint, kind, address, tls):
    place = s3_place(endpoint, "bucket", kind=kind)
    assert (place.endpoint, place.tls) == (address, tls)


@pytest.mark.parametrize(
    "endpoint", ["", "ftp://h", "user:password@h", "h/p?q", "h:port", "http://h/x:9", "h h"]
)
def test_what_is_no_endpoint_is_refused(endpoint):
    with pytest.raises(UsageError, match="endpoint"):
        s3_place(endpoint, "bucket", kind="minio")


@pytest.mark.parametrize(
    "wrong",
    [
        {"bucket": "b"},
        {"bucket": "a/b"},
        {"kind": "gcs"},
        {"style": "vhost"},
        {"prefix": "../x"},
        {"endpoint": "h/path", "kind": "minio"},
    ],
)
def test_other_mistakes_are_refused(wrong):
    with pytest.raises(UsageError):
        s3_place(**{"endpoint": "h", "bucket": "bucket", **wrong})


def test_a_url_has_bucket_prefix_and_key():
    assert s3_place("h", "bucket", prefix="/a/b/").url("k") == "s3://bucket/a/b/k"
    assert s3_place("h", "bucket").url() == "s3://bucket"
    assert split_url("s3://bucket/a/b/") == ("bucket", "a/b")


def test_elsewhere_is_the_same_service():
    place = s3_place("http://g", "bucket", prefix="p", kind="aistore", region="r", insecure=True)
    other = elsewhere(place, "other")
    assert (other.bucket, other.prefix) == ("other", "")
    assert (other.endpoint, other.tls, other.kind) == ("g/s3", False, "aistore")
    assert (other.region, other.insecure) == ("r", True)


def test_a_context_s_keys_come_by_reference(monkeypatch):
    s3 = S3(endpoint="h:1", bucket="bucket", tls=False, secret_key="env:TEST_S3", prefix="p")
    monkeypatch.setenv("TEST_S3", "value")
    assert of_context(s3).url("k") == "s3://bucket/p/k"
    assert credentials_of(s3) == S3Credentials(
        secret_key="value", references=(("secret_key", "env:TEST_S3"),)
    )
    assert credentials_of(S3(endpoint="h")) is None
    assert "value" not in repr(credentials_of(s3))


def test_aws_own_variables_are_understood():
    given = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1"}
    place, credentials = from_environment(given, "bucket")
    assert (place.endpoint, place.kind, place.region) == ("s3.amazonaws.com", "aws", "eu-west-1")
    assert (credentials.access_key, credentials.secret_key) == ("a", "s")
    local = {**given, "AWS_ENDPOINT_URL": "http://x", "AWS_ENDPOINT_URL_S3": "http://h:1"}
    place, _ = from_environment(local, "bucket")
    assert (place.endpoint, place.tls, place.kind) == ("h:1", False, "")
    assert from_environment({"AWS_ACCESS_KEY_ID": "a"}, "bucket") is None
