"""The harness on the command line: up, down, status."""

from __future__ import annotations

import argparse
import sys
import time

from harness import cluster, lock, processes, state
from harness.errors import HarnessError
from harness.places import STATE


def main(words: list[str]) -> int:
    """Do what `words` say; 1 with a line for each thing that is wrong."""
    parser = argparse.ArgumentParser(prog="python tests/cluster", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("up", help="start the cluster and keep it until `down`")
    ending = verbs.add_parser("down", help="end the cluster, or remove what a killed run left")
    ending.add_argument("--force", action="store_true", help="though tests use it now")
    verbs.add_parser("status", help="say how the cluster is")
    chosen = parser.parse_args(words)
    try:
        if chosen.verb == "up":
            return up()
        return down(force=chosen.force) if chosen.verb == "down" else status()
    except HarnessError as error:
        print(error, file=sys.stderr)
        return 1


def up() -> int:
    """Start the cluster, or keep the one that runs."""
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {text}", flush=True)

    with lock.gate():
        running = cluster.up(say, keep=True)
    print(f"Argo        {running.argo_url}, {running.argo_tls_url} (namespace {running.namespace})")
    print(f"kubeconfig  {running.kubeconfig}")
    print(f"programs    {running.programs}")
    print(f"tokens      {running.folder}/tokens")
    print(f"S3          http://{running.s3_endpoint}/{running.s3_bucket}")
    print(f"logs        {running.folder}/log")
    return 0


def down(*, force: bool) -> int:
    """End the cluster; 1 with what stays, if anything does."""
    with lock.gate():
        if lock.used() and not force:
            raise HarnessError("tests use the cluster now: wait for them, or `down --force`")
        left = cluster.down()
    for line in left:
        print(f"stays: {line}", file=sys.stderr)
    return 1 if left else 0


def status() -> int:
    """Say which programs run; 1 if not all do."""
    record = state.load(STATE)
    if record is None:
        print("no cluster")
        return 1
    for process in record.processes:
        print(
            f"{process.name:24} {process.pid:8} {'runs' if processes.alive(process) else 'ENDED'}"
        )
    usable = record.ready and cluster.usable(record)
    print(
        "ready" if usable else "not ready", "(kept)" if record.keep else "(ends with its last user)"
    )
    return 0 if usable else 1
