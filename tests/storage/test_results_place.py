"""Where the steps of a context report: its S3 with a Secret, or its claim, or nowhere."""

from __future__ import annotations

import pytest

from argojobs.config.contexts import LOCAL, S3, Context
from argojobs.errors import UsageError
from argojobs.storage.results_place import results_of

KEYS = {"access_key": "env:ACCESS", "secret_key": "env:SECRET", "secret_name": "my-keys"}


def place(storage: str = "", **s3: object) -> Context:
    return Context("lab", storage=storage, s3=S3(**s3) if s3 else None)  # type: ignore[arg-type]


def test_a_store_with_a_secret_is_where_they_report_with_keys_by_reference() -> None:
    given = place(
        "/storage", endpoint="minio:9000", bucket="work", prefix="team/a", tls=False,
        region="eu-west-1", style="host", access_key_field="id", **KEYS,
    )  # fmt: skip
    found = results_of(given)
    assert found is not None
    assert found.place == "s3://work/team/a"
    assert found.values == {
        "ARGOJOBS_S3_ENDPOINT": "http://minio:9000",
        "ARGOJOBS_S3_REGION": "eu-west-1",
        "ARGOJOBS_S3_STYLE": "host",
    }
    assert found.secrets == {
        "ARGOJOBS_S3_ACCESS_KEY": ("my-keys", "id"),
        "ARGOJOBS_S3_SECRET_KEY": ("my-keys", "secretkey"),
    }
    assert "SECRET'" not in str(found)
    assert "env:" not in str(found)


@pytest.mark.parametrize(
    ("s3", "endpoint", "style"),
    [
        ({"endpoint": "h:1"}, "https://h:1", None),
        ({"endpoint": "http://h:1"}, "http://h:1", None),
        ({"kind": "aws"}, "https://s3.amazonaws.com", "host"),
        ({"kind": "aws", "region": "eu-west-1"}, "https://s3.eu-west-1.amazonaws.com", "host"),
        ({"kind": "aws", "style": "path"}, "https://s3.amazonaws.com", None),
        ({"kind": "aistore", "endpoint": "ais:80"}, "https://ais:80/s3", None),
    ],
)
def test_each_kind_of_store_has_its_address(
    s3: dict[str, object], endpoint: str, style: str | None
) -> None:
    found = results_of(place(bucket="work", **s3, **KEYS))
    assert found is not None
    assert found.values["ARGOJOBS_S3_ENDPOINT"] == endpoint
    assert found.values.get("ARGOJOBS_S3_STYLE") == style


def test_without_a_secret_the_claim_is_the_place() -> None:
    argos = {"endpoint": "minio:9000", "bucket": "work"}
    for given in (place("/storage/"), place("/storage/", **argos)):
        found = results_of(given)
        assert found is not None
        assert (found.place, found.values, found.secrets) == ("file:///storage/argojobs", {}, {})
    assert results_of(place(**argos)) is None
    assert results_of(LOCAL) is None


def test_a_store_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(UsageError, match="not a name of a bucket"):
        results_of(place(endpoint="h:1", bucket="x", **KEYS))
