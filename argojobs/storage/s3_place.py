"""Where objects lie in S3 and who asks for them, as plain values.

Places are MinIO, AWS, AIStore and whatever else speaks S3. AIStore has its S3 interface below a
path (`host:port/s3`), which no other kind has; so an endpoint may carry one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from argojobs.errors import UsageError
from argojobs.storage.repository import check_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.config.contexts import S3

Style = Literal["auto", "path", "host"]
Kind = Literal["", "minio", "aws", "aistore"]

AWS_ENDPOINT = "s3.amazonaws.com"
USUAL_REGION = "us-east-1"  # what stores without regions sign with
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{1,61}[A-Za-z0-9]")
_ENDPOINT = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[^?#]*)?")


@dataclass(frozen=True, slots=True)
class S3Place:
    """A bucket at an endpoint (`host[:port]`), and the prefix that is put before each key.

    style: whether the bucket stands in the path or in the host's name. ca_file: authorities to
    trust beside the usual ones. insecure: trust any certificate. label: the context whose store it
    is, for messages. Make it with `s3_place`.
    """

    endpoint: str
    bucket: str
    prefix: str = ""
    region: str = ""
    style: Style = "auto"
    tls: bool = True
    ca_file: str = ""
    insecure: bool = False
    kind: Kind = ""
    label: str = field(default="", compare=False)

    @property
    def where(self) -> str:
        """What a message says of it: the context, where there is one, and the endpoint."""
        return f"{self.label} ({self.endpoint})" if self.label else self.endpoint

    def url(self, key: str = "") -> str:
        """The object as people write it: `s3://bucket/prefix/key`."""
        return "s3://" + "/".join(part for part in (self.bucket, self.prefix, key) if part)


@dataclass(frozen=True, slots=True)
class S3Credentials:
    """Keys as values, and the references they came from, by the field's name.

    The values are never shown; `describe` of a repository passes the references on.
    """

    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    references: tuple[tuple[str, str], ...] = ()


class RetryPolicy(NamedTuple):
    """How long a request may take (seconds), how often it is repeated, how long in between."""

    connect: float = 10
    read: float = 60
    retries: int = 5
    pause: float = 0.2


def s3_place(
    endpoint: str,
    bucket: str,
    *,
    prefix: str = "",
    region: str = "",
    style: str = "auto",
    tls: bool = True,
    ca_file: str = "",
    insecure: bool = False,
    kind: str = "",
) -> S3Place:
    """Return a checked place.

    Args:
        endpoint: host, host:port or a URL; AWS needs none, AIStore's gets its path `/s3`.
        bucket: its name.
        prefix: of all keys, "" for none.
        region: "" to ask AWS for it, and for the usual one elsewhere.
        style: where a URL has the bucket: path, host or auto.
        tls: whether it is HTTPS where the endpoint has no scheme that says so.
        ca_file: the CAs that are trusted, as PEM; "" for the usual ones.
        insecure: whether certificates are not checked.
        kind: minio, aws, aistore or "".

    Raises:
        UsageError: there can be no such place.
    """
    if kind not in ("", "minio", "aws", "aistore"):
        raise UsageError(f"unknown kind of S3 {kind!r}", hint="it is minio, aws or aistore")
    if style not in ("", "auto", "path", "host"):
        raise UsageError(f"unknown style of S3 {style!r}", hint="it is path, host or auto")
    scheme, separator, rest = endpoint.strip().rpartition("://")
    if separator and scheme not in ("http", "https"):
        raise UsageError(
            f"{endpoint!r} is not an S3 endpoint", hint="write host, host:port or a URL"
        )
    address = rest.rstrip("/") or (AWS_ENDPOINT if kind == "aws" else "")
    if not _ENDPOINT.fullmatch(address):
        raise UsageError(
            f"{endpoint!r} is not an S3 endpoint",
            hint="write host:port, such as minio.example.org:9000; keys do not belong there",
        )
    if kind == "aistore" and "/" not in address:
        address += "/s3"
    if "/" in address and kind not in ("", "aistore"):
        raise UsageError(
            f"the S3 endpoint {address} has a path, which {kind} has not",
            hint="leave it out: the bucket and the prefix are settings of their own",
        )
    if not _BUCKET.fullmatch(bucket):
        raise UsageError(f"{bucket!r} is not a name of a bucket", hint="3 to 63 letters and digits")
    return S3Place(
        endpoint=address,
        bucket=bucket,
        prefix=check_key(prefix.lstrip("/")) if prefix.strip("/") else "",
        region=region,
        style=style or "auto",  # type: ignore[arg-type] # checked above
        tls=scheme == "https" if separator else tls,
        ca_file=ca_file,
        insecure=insecure,
        kind=kind,  # type: ignore[arg-type] # checked above
    )


def elsewhere(place: S3Place, bucket: str) -> S3Place:
    """The same service, another bucket, whole keys: what an `s3://bucket/key` means."""
    return replace(
        s3_place(place.endpoint, bucket, tls=place.tls),
        kind=place.kind,
        region=place.region,
        style=place.style,
        ca_file=place.ca_file,
        insecure=place.insecure,
        label=place.label,
    )


def split_url(text: str) -> tuple[str, str]:
    """Bucket and key of `s3://bucket/key`. Raises UsageError."""
    bucket, _, key = text.removeprefix("s3://").partition("/")
    if not text.startswith("s3://") or not bucket or not key.strip("/"):
        raise UsageError(f"{text!r} is not an S3 address", hint="write s3://bucket/key")
    return bucket, check_key(key)


def from_environment(
    variables: Mapping[str, str], bucket: str
) -> tuple[S3Place, S3Credentials] | None:
    """What the variables of AWS' own programs say; None when they hold no keys.

    Source: AWS SDKs and tools, environment variables (`AWS_ENDPOINT_URL_S3` before
    `AWS_ENDPOINT_URL`; without either it is AWS itself).
    """
    names = {
        "access_key": "AWS_ACCESS_KEY_ID",
        "secret_key": "AWS_SECRET_ACCESS_KEY",
        "session_token": "AWS_SESSION_TOKEN",
    }
    given = {name: variables.get(variable, "") for name, variable in names.items()}
    if not given["access_key"] or not given["secret_key"]:
        return None
    endpoint = variables.get("AWS_ENDPOINT_URL_S3") or variables.get("AWS_ENDPOINT_URL") or ""
    place = s3_place(
        endpoint,
        bucket,
        kind="" if endpoint else "aws",
        region=variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION") or "",
        ca_file=variables.get("AWS_CA_BUNDLE", ""),
    )
    references = tuple((name, f"env:{names[name]}") for name, value in given.items() if value)
    return place, S3Credentials(**given, references=references)


def of_context(s3: S3, *, ca_file: str = "", insecure: bool = False) -> S3Place:
    """The place that a context's S3 says.

    Args:
        s3: of the context.
        ca_file: the CAs that are trusted, as PEM; "" for the usual ones.
        insecure: whether certificates are not checked.

    Raises:
        UsageError: there can be no such place.
    """
    return s3_place(
        s3.endpoint,
        s3.bucket,
        prefix=s3.prefix,
        region=s3.region,
        style=s3.style,
        tls=s3.tls,
        ca_file=ca_file,
        insecure=insecure,
        kind=s3.kind,
    )


def credentials_of(s3: S3) -> S3Credentials | None:
    """The keys of a context's S3, its references resolved; None where it has none.

    Raises UsageError and HostError, which name the reference and never the value.
    """
    names = ("access_key", "secret_key", "session_token")
    return resolved({name: getattr(s3, name) for name in names if getattr(s3, name)})


def resolved(references: Mapping[str, str]) -> S3Credentials | None:
    """Credentials from references by the field's name; None from none. Raises as above."""
    if not references:
        return None
    from argojobs.config.secret_references import resolve

    values = {name: resolve(reference) for name, reference in references.items()}
    return S3Credentials(**values, references=tuple(references.items()))


def described(place: S3Place, credentials: S3Credentials) -> dict[str, Any]:
    """The JSON of a place, with the references of its keys and no values."""
    fields = {name: getattr(place, name) for name in S3Place.__slots__}
    return {"kind": "s3", "place": fields, "credentials": dict(credentials.references)}
