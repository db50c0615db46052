"""What S3 and the way to it answer, as errors that say what to do.

Source of the codes: Amazon S3, API reference, error responses; other services keep to them. No
text here holds a key or a signature: only codes, places and what was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

from minio.error import S3Error
from urllib3 import exceptions as transport

from argojobs.errors import ArgojobsError, NotFoundError, ServerError, UsageError
from argojobs.net.bounds import BoundsError
from argojobs.net.known_secrets import masked

if TYPE_CHECKING:
    from argojobs.storage.s3_place import S3Place

#: The permission that an operation of ours takes.
ACTIONS = {
    "read": "s3:GetObject",
    "write": "s3:PutObject",
    "list": "s3:ListBucket",
    "delete": "s3:DeleteObject",
    "list unfinished uploads of": "s3:ListBucketMultipartUploads",
}
_WRONG_KEYS = {
    "InvalidAccessKeyId": "the access key is unknown there",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key",
    "InvalidSecurity": "the keys are not valid there",
    "InvalidToken": "the session token is not valid there",
    "InvalidClientTokenId": "the access key is unknown there",
    "ExpiredToken": "the session token has expired",
    "TokenRefreshRequired": "the session token has expired",
    "MissingSecurityHeader": "no keys were given",
}
_LATER = {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted"}
_FULL = {"QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "EntityTooLarge"}
_CHANGED = "PreconditionFailed"  # the object has another ETag than the one that was asked for
_NO_UPLOAD = frozenset({"NoSuchUpload", "InvalidPart", "InvalidPartOrder"})


class AnswerError(Exception):
    """An answer that is an error, and not one that S3 has a code for.

    text: its body; None where it has none by the nature of the request.
    """

    def __init__(self, status: int, text: str | None) -> None:
        super().__init__(f"status {status}")
        self.status, self.text = status, text


#: What a line to S3 may raise.
RAISED = (S3Error, AnswerError, transport.HTTPError, ParseError, ValueError, BoundsError)


class UploadLostError(ServerError):
    """An unfinished upload is not there any more, or has other parts than ours."""


def translated(error: Exception, place: S3Place, operation: str, key: str = "") -> ArgojobsError:
    """The error of ours for one of the client's.

    Args:
        error: one of `RAISED`.
        place: where it was asked.
        operation: a key of ACTIONS.
        key: the whole key, "" for the bucket itself.
    """
    what = f"{operation} s3://{place.bucket}/{key}".rstrip("/")
    if isinstance(error, S3Error):
        return _refused(error, place, operation, what)
    if isinstance(error, AnswerError):
        return _odd(error, place, what)
    if isinstance(error, BoundsError):
        return ServerError(
            f"cannot {what}: the service is not to be understood: {error}",
            where=place.where,
            hint="is it an S3 service? who runs it can tell",
        )
    if isinstance(error, ParseError):
        return _no_s3(place, what, "")
    if isinstance(error, transport.HTTPError):
        return _out_of_reach(error, place, what)
    return UsageError(f"cannot {what}: {error}", where=place.endpoint)


def _odd(error: AnswerError, place: S3Place, what: str) -> ArgojobsError:
    if 300 <= error.status < 400:
        return _sent_on(place, what)
    if error.text is not None:
        return _no_s3(place, what, error.text)
    return ServerError(
        f"cannot {what}: the S3 service answers {error.status}",
        where=place.where,
        hint="try again later; what was sent before need not be sent again",
    )


def _refused(error: S3Error, place: S3Place, operation: str, what: str) -> ArgojobsError:
    code = str(error.code)
    where = place.where
    if code == "NoSuchBucket":
        return NotFoundError(
            f"there is no bucket {place.bucket!r}",
            where=where,
            hint="correct the bucket of the context's S3, or have it made",
        )
    if code in _NO_UPLOAD:
        return UploadLostError(
            f"cannot {what}: another upload of it came in between ({code})",
            where=where,
            hint="run the same command again",
        )
    if code in ("NoSuchKey", "ResourceNotFound"):
        return NotFoundError(f"cannot {what}: there is no such object", where=where)
    if code in _WRONG_KEYS:
        return UsageError(
            f"cannot {what}: {_WRONG_KEYS[code]} ({code})",
            where=where,
            hint="look at the references of the context's S3 (access_key, secret_key, "
            "session_token), and that they are for this endpoint",
        )
    if code in ("RequestTimeTooSkewed", "RequestExpired"):
        return UsageError(
            f"cannot {what}: this machine's clock and the S3 service's differ too much ({code})",
            where=where,
            hint="set the clock right (as with NTP); S3 allows 15 minutes",
        )
    if code in ("AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden"):
        return UsageError(
            f"cannot {what}: the keys do not allow it ({code}: {ACTIONS[operation]} is needed)",
            where=where,
            hint=f"have {ACTIONS[operation]} on the bucket {place.bucket} allowed, "
            "or use other keys",
        )
    if code in ("Redirect", "TemporaryRedirect"):
        return _sent_on(place, what)
    if code in ("AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraint"):
        return UsageError(
            f"cannot {what}: the bucket is in another region ({_told(error)})",
            where=where,
            hint="set the region of the context's S3",
        )
    if code == _CHANGED:
        return ServerError(
            f"cannot {what}: somebody replaced the object meanwhile",
            where=where,
            hint="run the same command again: it fetches the new one",
        )
    if code in _FULL:
        return UsageError(
            f"cannot {what}: there is no room for it ({code})",
            where=where,
            hint="delete what is no longer needed there, or have the limit raised",
        )
    status = int(getattr(error.response, "status", 0) or 0)
    if code in _LATER or status >= 500:
        return ServerError(
            f"cannot {what}: the S3 service is busy or broken ({code})",
            where=where,
            hint="try again later; what was sent before need not be sent again",
        )
    return UsageError(f"cannot {what}: {_told(error)}", where=where)


def _sent_on(place: S3Place, what: str) -> UsageError:
    """The service sends elsewhere, where keys and bytes must not go."""
    return UsageError(
        f"cannot {what}: the service sends to another address, which is not followed",
        where=place.where,
        hint="give the address that it sends to, if it is the right one; an AIStore cluster of "
        "several hosts has to be its own proxy (its feature S3-Reverse-Proxy)",
    )


def _told(error: S3Error) -> str:
    return masked(f"{error.code}: {error.message}" if error.message else str(error.code))


def _no_s3(place: S3Place, what: str, answer: str) -> ArgojobsError:
    if "HTTP request to an HTTPS server" in answer or "sent to HTTPS port" in answer:
        return _wrong_tls(place, what, "speaks TLS")
    return UsageError(
        f"cannot {what}: what answers there is no S3 service",
        where=place.where,
        hint="give the address of the S3 interface, not that of a console or a login page",
    )


def _wrong_tls(place: S3Place, what: str, speaks: str) -> UsageError:
    wanted = "true" if speaks == "speaks TLS" else "false"
    return UsageError(
        f"cannot {what}: the S3 service {speaks}",
        where=place.where,
        hint=f"set tls = {wanted} for the context's S3",
    )


def _out_of_reach(error: transport.HTTPError, place: S3Place, what: str) -> ArgojobsError:
    reason: Any = getattr(error, "reason", None) or error
    text = str(reason)
    if isinstance(reason, transport.SSLError):
        if "CERTIFICATE_VERIFY_FAILED" in text:
            return UsageError(
                f"cannot {what}: the certificate of the S3 service is not trusted here",
                where=place.where,
                hint="give the file of its authority (ca), or, for a test only, insecure = true",
            )
        return _wrong_tls(place, what, "does not speak TLS")
    if isinstance(reason, transport.NameResolutionError):
        return ServerError(
            f"cannot {what}: the name of {place.endpoint} is not known here",
            hint="correct the endpoint of the context's S3, or connect to its network",
        )
    if isinstance(reason, transport.ResponseError):  # one failure of the service after another
        return ServerError(f"cannot {what}: {text}", where=place.where, hint="try again later")
    connecting = isinstance(reason, (transport.NewConnectionError, transport.ConnectTimeoutError))
    return ServerError(
        f"cannot {what}: {place.endpoint} "
        + ("cannot be reached" if connecting else "breaks the connection off"),
        where=place.where,
        hint="see that it runs and that this network leads there, then run the same command "
        "again: it goes on where it was",
    )
