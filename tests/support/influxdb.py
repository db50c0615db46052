"""A real InfluxDB 1.6 for tests: Debian's package `influxdb`, on free ports of this machine."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WITHIN = 60  # seconds until it answers
ADMIN, PASSWORD = "admin", "swordfish, and more"

_SETTINGS = """
reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
  index-version = "inmem"
  series-id-set-cache-size = 0
  query-log-enabled = false
  max-series-per-database = 0
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:{http}"
  auth-enabled = true
  log-enabled = false
  max-row-limit = 0
[[udp]]
  enabled = true
  bind-address = "127.0.0.1:{udp}"
  database = "training"
  batch-size = 1
"""


@dataclass(frozen=True)
class InfluxDB:
    """The running database: its ports, and questions to it."""

    port: int
    udp_port: int

    def query(self, text: str, database: str = "") -> list[dict[str, Any]]:
        """Return the series that a query finds, with their rows. Raises RuntimeError."""
        fields = urllib.parse.urlencode({"q": text, "db": database, "epoch": "ns"})
        token = b64encode(f"{ADMIN}:{PASSWORD}".encode()).decode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/query",
            fields.encode(),
            {"Authorization": f"Basic {token}"},
        )
        with urllib.request.urlopen(request, timeout=WITHIN) as answer:
            (result,) = json.load(answer)["results"]
        if "error" in result:
            raise RuntimeError(result["error"])
        found: list[dict[str, Any]] = result.get("series", [])
        return found


def why_not() -> str:
    """Say why it cannot run here, "" where it can."""
    return "" if shutil.which("influxd") else "Debian's package influxdb is not installed"


@contextmanager
def running(folder: Path) -> Iterator[InfluxDB]:
    """Start it with its files in a folder and the database `training`; it is ended by its pid."""
    rpc, http, udp = _free_ports(3)
    settings = folder / "influxdb.conf"
    settings.write_text(_SETTINGS.format(folder=folder, rpc=rpc, http=http, udp=udp))
    with (folder / "influxd.log").open("wb") as log:
        process = subprocess.Popen(
            ["influxd", "-config", str(settings)], stdout=log, stderr=log, start_new_session=True
        )
    found = InfluxDB(http, udp)
    try:
        _wait(process, found, folder / "influxd.log")
        yield found
    finally:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _wait(process: subprocess.Popen[bytes], database: InfluxDB, log: Path) -> None:
    """Wait until it has its first user, without whom it answers nothing, and a database."""
    first = f"CREATE USER {ADMIN} WITH PASSWORD '{PASSWORD}' WITH ALL PRIVILEGES"
    end = time.monotonic() + WITHIN
    while time.monotonic() < end and process.poll() is None:
        try:
            database.query(first)
            database.query("CREATE DATABASE training")
        except (OSError, urllib.error.URLError):
            time.sleep(0.1)  # another program starts up: nothing else tells when
        else:
            return
    raise RuntimeError(f"InfluxDB did not start: {log.read_text(errors='replace')[-2000:]}")
