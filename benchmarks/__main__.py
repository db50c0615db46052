"""`make bench`: measure all promises, print the tables, write them to docs/benchmarks.md.

`python -m benchmarks [startup running compiling linting reading moving remote deploying reporting comparing peers]` measures the parts that are named
and writes nothing. The exit status is 1 if a promise is not kept.
"""

from __future__ import annotations

import importlib.metadata
import sys

from benchmarks import (
    cluster,
    comparing,
    compiling,
    deploying,
    linting,
    moving,
    peers,
    reading,
    remote,
    reporting,
    running,
    startup,
)
from benchmarks.measure import ROOT, ROUNDS, Row, machine
from benchmarks.peers import PeerRow

HEAD = f"""# Benchmarks

Written by `make bench`. Each row was measured turn by turn with what stands beside it, in one run on
one machine; the figure is the median of at least {ROUNDS} turns (three for lint, for moving artifacts and for logs). Take ratios and
differences from here, not absolute times.

## What is promised

"""
PEERS = """
## Beside the peers

The same steps by each: a chain, and a fan-out with as many steps at once as there are cores. Each
step reads the file of the one before and writes its own. *a step* is the cost of one more step,
*fixed* what a run takes beyond its steps, *turns* how many the median is of. hera, which runs
nothing itself, stands above: compile.

"""
PARTS = {
    "startup": startup.rows,
    "running": running.rows,
    "compiling": compiling.rows,
    "linting": linting.rows,
    "reading": reading.rows,
    "moving": moving.rows,
    "remote": remote.rows,
    "deploying": deploying.rows,
    "reporting": reporting.rows,
    "comparing": comparing.rows,
}


def table(rows: list[Row]) -> str:
    """Return the promises as a table in Markdown."""
    lines = [
        "| what | ours (ms) | beside it | its (ms) | ratio | more (ms) | promised | kept |",
        "|---|---:|---|---:|---:|---:|---|---|",
    ]
    lines += (
        f"| {row.what} | {row.ours:.1f} | {row.beside} | {row.theirs:.1f} | {row.ratio:.2f} "
        f"| {row.ours - row.theirs:+.1f} | {row.promise} | {_kept(row)} |"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def _kept(row: Row) -> str:
    """Say whether a promise is kept; nothing where none is made."""
    if not row.promise:
        return ""
    return "yes" if row.kept else "**no**"


def peer_table(rows: list[PeerRow]) -> str:
    """Return what a step costs by each runner as a table in Markdown."""
    lines = [
        "| shape | by | a step (ms) | raw (ms) | ratio | more (ms) | fixed (ms) | turns |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += (
        f"| {row.shape} | {row.name} | {row.step:.1f} | {row.raw:.1f} | {row.step / row.raw:.2f} "
        f"| {row.step - row.raw:+.1f} | {row.fixed:.0f} | {row.turns} |"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def main() -> int:
    chosen = set(sys.argv[1:])
    unknown = chosen - {*PARTS, "peers"}
    if unknown:
        print(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}, peers")
        return 2
    rows: list[Row] = []
    for name, part in PARTS.items():
        if not chosen or name in chosen:
            rows += part()
            print(f"measured: {name}", file=sys.stderr, flush=True)
    text = HEAD + table(rows)
    names = ("argojobs", "hera", "typer", "pyyaml")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in names]
    if not chosen or "peers" in chosen:
        others, more, missing = peers.rows()
        text += PEERS + peer_table(others)
        text += "".join(f"\nNot measured: {line}.\n" for line in missing)
        versions += more
    if not chosen or "moving" in chosen:
        versions += moving.versions()
        text += f"\nNot measured: {moving.missing()}.\n" if moving.missing() else ""
    if not chosen or "reporting" in chosen:
        versions += reporting.versions()
        text += f"\nNot measured: {reporting.missing()}.\n" if reporting.missing() else ""
    if (not chosen or "remote" in chosen) and cluster.missing():
        text += f"\nNot measured: {cluster.missing()}.\n"
    text += f"\n{machine()}; {', '.join(versions)}.\n"
    print(text)
    if not chosen:
        (ROOT / "docs" / "benchmarks.md").write_text(text)
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
