"""The test cluster as the benchmarks use it: joined if one runs, never started here."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from benchmarks.measure import ROOT

#: Whatever is made here has this label, by which it is removed again.
LABEL = "argojobs.dev/bench"
CONTEXT = "bench"
_TOKEN = "ARGOJOBS_BENCH_TOKEN"
_WORKERS = 4

_CONFIG = """[contexts.{name}]
server = "{server}"
namespace = "{namespace}"
token = "env:{token}"
"""


def missing() -> str:
    """Say why there is no cluster to measure on, "" if there is one."""
    sys.path.insert(0, str(ROOT / "tests" / "cluster"))  # what builds it
    try:
        from harness import cluster, state
        from harness.places import STATE

        record = state.load(STATE)
        running = record is not None and record.ready and cluster.usable(record)
    except (ImportError, OSError, ValueError) as error:
        return f"the real Argo: {error}"
    return "" if running else "the real Argo: none runs here (python tests/cluster up)"


class RealArgo:
    """The Argo server of the running cluster, its own program, and ours for it.

    folder: where the config of ours is written.
    """

    def __init__(self, folder: Path) -> None:
        from harness.cluster import Cluster

        self._cluster = Cluster()
        self.url: str = self._cluster.argo_url
        self.namespace: str = self._cluster.namespace
        self.token: str = self._cluster.token("submitter").strip()
        self.path = f"/api/v1/workflows/{self.namespace}"
        self._config = folder / "config.toml"
        self._config.write_text(
            _CONFIG.format(name=CONTEXT, server=self.url, namespace=self.namespace, token=_TOKEN)
        )

    @property
    def argo(self) -> str:
        """Argo's own program."""
        return str(self._cluster.programs / "argo")

    @cached_property
    def variables(self) -> dict[str, str]:
        """What Argo's program and ours are told by the environment: the same server and token."""
        return {
            "ARGO_SERVER": urlsplit(self.url).netloc,
            "ARGO_SECURE": "false",
            "ARGO_NAMESPACE": self.namespace,
            "ARGO_TOKEN": f"Bearer {self.token}",
            "KUBECONFIG": os.devnull,
            "ARGOJOBS_CONFIG": str(self._config),
            _TOKEN: self.token,
        }

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Make one request over a connection of its own, and return its JSON."""
        return self._ask(self._connection(), method, path, body)

    def create(self, workflows: Iterable[dict[str, Any]]) -> None:
        """Create workflows, several at once."""
        several = list(workflows)

        def some(number: int) -> None:
            connection = self._connection()
            for workflow in several[number::_WORKERS]:
                body = {"namespace": self.namespace, "workflow": workflow}
                self._ask(connection, "POST", self.path, body)
            connection.close()

        self._together(some)

    def delete(self, label: str) -> None:
        """Delete all runs whose label LABEL has this value."""
        query = f"listOptions.labelSelector={quote(f'{LABEL}={label}')}&fields=items.metadata.name"
        names = [
            run["metadata"]["name"]
            for run in self.ask("GET", f"{self.path}?{query}").get("items") or []
        ]

        def some(number: int) -> None:
            connection = self._connection()
            for name in names[number::_WORKERS]:
                self._ask(connection, "DELETE", f"{self.path}/{name}?force=true")
            connection.close()

        self._together(some)

    @staticmethod
    def _together(some: Any) -> None:
        with ThreadPoolExecutor(_WORKERS) as pool:
            list(pool.map(some, range(_WORKERS)))

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)

    def _ask(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Any = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]!r}")
        return json.loads(text)
