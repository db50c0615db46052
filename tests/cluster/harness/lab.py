"""argojobs at work on the cluster: its command line with a config file of a test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.cluster import Cluster

CONTEXT = "lab"

#: Variables of the tests' own shell that would say something else.
_OTHERS = ("ARGO", "AWS_", "KUBE", "XDG_")


@dataclass
class Answer:
    """What a command line answered."""

    code: int
    out: str
    err: str


@dataclass
class Lab:
    """A folder to work in, a config file with the context `lab`, and the runs started from it.

    label: at the beginning of names, so that tests do not meet one another's.
    """

    cluster: Cluster
    folder: Path
    label: str = field(default_factory=lambda: f"lab-{uuid.uuid4().hex[:6]}")
    runs: list[str] = field(default_factory=list)
    buckets: list[str] = field(default_factory=list)

    def configure(
        self, text: str = "", s3: str = "", *, store: bool = True, token: bool = True
    ) -> None:
        """Write the context: where the cluster is, and TOML lines of the test beside.

        text: keys of the context, and tables below it. s3: keys of its store in place of the cluster's own; without
        store there is none. token: show the submitter's, else nothing.
        """
        own = f'bucket = "{self.cluster.s3_bucket}"\nprefix = "{self.label}"'
        lines = [
            f"[contexts.{CONTEXT}]",
            f'server = "{self.cluster.argo_url}"',
            f'namespace = "{self.cluster.namespace}"',
            *(['token = "env:LAB_TOKEN"'] if token else []),
            text,
        ]
        if store:
            lines += [
                f"[contexts.{CONTEXT}.s3]",
                f'endpoint = "{self.cluster.s3_endpoint}"',
                "tls = false",
                'style = "path"',
                'access_key = "env:LAB_ACCESS_KEY"',
                'secret_key = "env:LAB_SECRET_KEY"',
                s3 or own,
            ]
        (self.folder / "config.toml").write_text("\n".join(lines) + "\n")

    def environment(self) -> dict[str, str]:
        """The environment of a command: the config file, and what its references name."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith(_OTHERS)}
        return {
            **kept,
            "ARGOJOBS_CONFIG": str(self.folder / "config.toml"),
            "ARGOJOBS_HOME": str(self.folder / "home"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "LAB_TOKEN": self.cluster.token("submitter"),
            "LAB_ACCESS_KEY": self.cluster.s3_access_key,
            "LAB_SECRET_KEY": self.cluster.s3_secret_key,
            "NO_COLOR": "1",
        }

    def ask(
        self, *words: str, context: str = CONTEXT, more: dict[str, str] | None = None
    ) -> Answer:
        """What `argojobs WORDS --context CONTEXT` answers; more: further variables."""
        where = ["--context", context] if context else []
        done = subprocess.run(
            [sys.executable, "-m", "argojobs", *words, *where],
            cwd=self.folder, env={**self.environment(), **(more or {})},
            capture_output=True, text=True, check=False, timeout=900,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout, done.stderr)

    def argojobs(self, *words: str, code: int = 0) -> str:
        """What `argojobs WORDS` prints in the context; it must end with the code."""
        answer = self.ask(*words)
        assert answer.code == code, f"{words}: {answer.code}\n{answer.out}\n{answer.err}"
        return answer.out

    def run(self, file: str, *words: str, wait: bool = True) -> dict[str, Any]:
        """Start a run, to its end unless told otherwise, and return its object."""
        how = "--wait" if wait else "--detach"
        made: dict[str, Any] = json.loads(self.argojobs("run", file, how, "-o", "json", *words))
        self.runs.append(str(made["metadata"]["name"]))
        return made

    def get(self, name: str) -> dict[str, Any]:
        """A run's object as Kubernetes has it."""
        found: dict[str, Any] = json.loads(
            self.cluster.kubectl("get", "workflow", name, "-o", "json")
        )
        return found

    def stored(self, bucket: str = "", *, everything: bool = False) -> list[str]:
        """The keys in the cluster's bucket below the label, all of them, or those of another."""
        below = "" if bucket or everything else f"{self.label}/"
        found = self._store().list_objects(bucket or self.cluster.s3_bucket, below, recursive=True)
        return sorted(str(one.object_name) for one in found)

    def make_bucket(self) -> str:
        """Make a bucket that only this lab has, and return its name."""
        self._store().make_bucket(self.label)
        self.buckets.append(self.label)
        return self.label

    def make_secret(self) -> str:
        """Make a Kubernetes Secret with the keys of the store, and return its name."""
        keys = {"accesskey": self.cluster.s3_access_key, "secretkey": self.cluster.s3_secret_key}
        manifest = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": self.label, "labels": {"lab": self.label}},
            "stringData": keys,
        }
        self.cluster.kubectl("apply", "-f", "-", text=json.dumps(manifest))
        return self.label

    def _store(self) -> Any:
        from minio import Minio

        return Minio(
            self.cluster.s3_endpoint,
            access_key=self.cluster.s3_access_key,
            secret_key=self.cluster.s3_secret_key,
            secure=False,
        )

    def write(self, name: str, text: str) -> str:
        """Write a file of the folder and return its name."""
        (self.folder / name).write_text(text)
        return name

    def claim(self, name: str) -> str:
        """Make a claim of a name that only this lab has, and return the name."""
        whole = f"{self.label}-{name}"
        manifest = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": whole, "labels": {"lab": self.label}},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "40Gi"}},
            },
        }
        self.cluster.kubectl("apply", "-f", "-", text=json.dumps(manifest))
        return whole

    def close(self) -> None:
        """Delete the runs, the secrets, what is in the store, and the claims with content."""
        if self.runs:
            self.cluster.kubectl("delete", "workflow", "--ignore-not-found", *self.runs)
        volumes = self.cluster.kubectl(
            "get", "pvc", "-l", f"lab={self.label}", "-o", "jsonpath={.items[*].spec.volumeName}"
        )
        self.cluster.kubectl("delete", "pvc,secret", "-l", f"lab={self.label}")
        store = self._store()
        for key in self.stored():
            store.remove_object(self.cluster.s3_bucket, key)
        for bucket in self.buckets:
            for key in self.stored(bucket):
                store.remove_object(bucket, key)
            store.remove_bucket(bucket)
        for volume in volumes.split():
            self._give_back(volume)

    def _give_back(self, volume: str) -> None:
        """Empty a volume and offer it to the next claim."""
        folder = self.cluster.folder / "volumes" / volume.removeprefix("volume-")
        subprocess.run(["find", folder, "-mindepth", "1", "-delete"], check=True)
        change = json.dumps([{"op": "remove", "path": "/spec/claimRef"}])
        self.cluster.kubectl("patch", "pv", volume, "--type=json", "-p", change)
