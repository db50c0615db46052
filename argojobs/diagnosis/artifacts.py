"""Artifacts that a step cannot get or keep.

Source: Argo's executor (`workflow/artifacts/s3`) around messages of S3 servers, whose error codes
are in the S3 API reference; as recorded with SeaweedFS.
"""

from __future__ import annotations

from argojobs.diagnosis.cause import told

CAUSES = (
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
