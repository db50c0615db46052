"""Where the steps of a context report, as plain values for `edits/results.py`."""

from __future__ import annotations

from argojobs.config.contexts import S3, Context
from argojobs.edits.results import Results
from argojobs.storage.artifact_places import is_own
from argojobs.storage.s3_place import AWS_ENDPOINT, of_context

#: The folder for what is ours on a claim that others use, too.
_OURS = "argojobs"


def results_of(context: Context) -> Results | None:
    """Return where steps report: in the context's S3, or else on its claim; None for neither.

    A step reads S3 with keys of a Secret that the context names. Where it names none, the store is
    Argo's own, whose Secret only its controller knows.

    Raises UsageError for an S3 that cannot be one.
    """
    if context.s3 is not None and is_own(context.s3):
        return _in_s3(context.s3)
    if context.storage:
        return Results(f"file://{context.storage.rstrip('/')}/{_OURS}")
    return None


def _in_s3(s3: S3) -> Results:
    place = of_context(s3)
    endpoint, style = place.endpoint, place.style
    if endpoint == AWS_ENDPOINT:
        endpoint = f"s3.{s3.region}.amazonaws.com" if s3.region else endpoint
        style = "host" if style == "auto" else style
    values = {"ENDPOINT": f"{'https' if place.tls else 'http'}://{endpoint}"}
    if s3.region:
        values["REGION"] = s3.region
    if style == "host":
        values["STYLE"] = style
    secrets = {
        "ACCESS_KEY": (s3.secret_name, s3.access_key_field),
        "SECRET_KEY": (s3.secret_name, s3.secret_key_field),
    }
    return Results(
        place.url(),
        {f"ARGOJOBS_S3_{name}": text for name, text in values.items()},
        {f"ARGOJOBS_S3_{name}": one for name, one in secrets.items()},
    )
