"""Artifacts that a step cannot get or keep.

Source: Argo's executor (`workflow/artifacts/s3`) around messages of S3 servers, whose error codes
are in the S3 API reference; as recorded with SeaweedFS.
"""

from __future__ import annotations

import re
from dataclasses import replace

from argojobs.diagnosis.cause import Cause, told
from argojobs.diagnosis.evidence import Object, Subject
from argojobs.diagnosis.finding import Answer

_NAMED = re.compile(
    r"artifact '?(?P<name>[\w.-]+)'? (?:failed to load|to )|save artifact '(?P<out>[^']+)'"
)

_ALL = (
    told(
        "no-such-bucket",
        r"(?i)NoSuchBucket|the specified bucket does not exist",
        "the store has no such bucket as the artifact names",
        "make the bucket, or correct it in the context; doctor checks it",
        "argojobs doctor{options}",
    ),
    told(
        "store-secret-wrong",
        r"SignatureDoesNotMatch|signature we calculated does not match",
        "the store refuses the secret key: it is not the one of this access key",
        "correct the secret that the manifest names (secretKeySecret)",
        "argojobs doctor{options}",
    ),
    told(
        "store-access-key",
        r"(?i)InvalidAccessKeyId|access key id you provided does not exist",
        "the store does not know the access key",
        "correct the secret that the manifest names (accessKeySecret)",
        "argojobs doctor{options}",
    ),
    told(
        "store-denied",
        r"(?i)artifact.*Access ?Denied|Access ?Denied.*artifact|(?i:s3|bucket|object).*Access ?Denied",
        "the store does not let these keys do this: AccessDenied",
        "give the keys the right to read and write the bucket, or use others",
        "argojobs doctor{options}",
    ),
    told(
        "no-such-key",
        r"(?i)NoSuchKey|specified key does not exist|failed to load artifact [^\n]*there is nothing at",
        "an input artifact is not in the store: nothing lies under its key",
        "check the key, and whether the step before stored it; or mark the artifact optional",
        "argojobs artifacts ls {run}{options}",
    ),
    told(
        "store-out-of-reach",
        r"(?i)(?:artifact|s3|bucket|wait: |init: ).*(?:dial tcp|no such host|connection refused|"
        r"i/o timeout|no route to host)(?P<why>[^\n]*)",
        "the pods do not reach the artifact store",
        "the endpoint must be one that is right inside the cluster, not only here",
        "argojobs doctor{options}",
    ),
    told(
        "ended-early",
        r"open /var/run/argo/outputs/(?:artifacts|parameters)/argojobs/out/\S+: no such file"
        r"|cannot save (?:parameter|artifact) '[^']+': /argojobs/out/\S+: no such file"
        r"|/argojobs/out/\S+: the step ended \(exit code 0\) before it returned",
        "the step ended (exit code 0) before it returned: its outputs were not written",
        "let its function return; os._exit() and os.exec*() end the program at once",
        where="message",
    ),
    told(
        "output-missing",
        r"open /var/run/argo/outputs/(?:artifacts|parameters)(?P<path>/\S+?)(?:\.tgz)?: no such file"
        r"|cannot save (?:parameter|artifact) '[^']+': (?P<other>\S+): no such file",
        "the step ended well, but did not write an output that it declares: {path}{other}",
        "write the file before the step ends, or mark the output optional",
        where="message",
    ),
    told(
        "artifact",
        r"artifact (?P<name>\S+) failed to load: (?P<why>[^\n]+)"
        r"|failed to load artifact '(?P<other>[^']+)'(?: to \S+)?: (?P<because>[^\n]+)",
        "the input artifact {name}{other} cannot be loaded: {why}{because}",
        "doctor checks the store",
        "argojobs doctor{options}",
    ),
    told(
        "artifact",
        r"failed to put file: (?P<why>[^\n;]+)|cannot save artifact '[^']+': (?P<other>[^\n;]+)",
        "an output artifact cannot be stored: {why}{other}",
        "doctor checks the store",
        "argojobs doctor{options}",
    ),
)


def place_of(subject: Subject) -> str:
    """Return where the artifact that the message is about lies: `data: s3://bucket/key`.

    Argo names an input that cannot be loaded; of one output alone it is clear which one it is.
    """
    found = _NAMED.search(subject.message)
    name = (found["name"] or found["out"]) if found else ""
    kind = "inputs" if found and found["name"] else "outputs"
    artifacts = _artifacts(subject, kind)
    chosen = [one for one in artifacts if one.get("name") == name] if name else artifacts
    place = chosen[0].get("s3") or {} if len(chosen) == 1 else {}
    key = str(place.get("key") or "")
    if not key or "{{" in key:
        return ""
    bucket = place.get("bucket") or ""
    return f"{chosen[0]['name']}: {f's3://{bucket}/' if bucket else ''}{key}"


def _artifacts(subject: Subject, kind: str) -> list[Object]:
    """Return a step's artifacts with their places: of the node, where Argo has replaced the tags."""
    given = (subject.node.get(kind) or {}).get("artifacts")
    every = given or (subject.template.get(kind) or {}).get("artifacts") or ()
    return [one for one in every if one.get("name") != "main-logs"]


def _placed(cause: Cause) -> Cause:
    """Return a cause that also says where the artifact lies."""

    def look(subject: Subject) -> Answer | None:
        answer = cause.look(subject)
        place = place_of(subject) if answer is not None else ""
        return (
            answer
            if answer is None or not place
            else replace(answer, what=f"{answer.what} ({place})")
        )

    return Cause(cause.code, look)


CAUSES = tuple(map(_placed, _ALL))
