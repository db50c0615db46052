"""`make bench`: measure all promises, print the table, write it to docs/benchmarks.md."""

from __future__ import annotations

import importlib.metadata
import sys

from benchmarks import compiling, running, startup
from benchmarks.measure import ROOT, Row, machine

HEAD = """# Benchmarks

Written by `make bench`. Each row was measured turn by turn with what stands beside it, in one run on one machine; the figure is the
median. Take ratios and differences from here, not absolute times.

"""


def table(rows: list[Row]) -> str:
    lines = [
        "| what | ours (ms) | beside it | its (ms) | ratio | more (ms) | promised | kept |",
        "|---|---:|---|---:|---:|---:|---|---|",
    ]
    lines += (
        f"| {row.what} | {row.ours:.1f} | {row.beside} | {row.theirs:.1f} | {row.ratio:.2f} "
        f"| {row.ours - row.theirs:+.1f} | {row.promise} | {'yes' if row.kept else '**no**'} |"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def main() -> int:
    chosen = set(sys.argv[1:])
    parts = {"startup": startup.rows, "running": running.rows, "compiling": compiling.rows}
    rows = [row for name, part in parts.items() if not chosen or name in chosen for row in part()]
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("argojobs", "hera", "typer")
    )
    text = table(rows)
    print(text)
    print(f"{machine()}; {versions}")
    if not chosen:
        page = f"{HEAD}{text}\n{machine()}; {versions}.\n"
        (ROOT / "docs" / "benchmarks.md").write_text(page)
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
