"""Lint: reading and checking a manifest of 10,000 tasks, beside PyYAML's C loader reading it."""

from __future__ import annotations

import yaml

from argojobs.lint import lint
from argojobs.manifest import documents
from argojobs.manifest.yaml_write import write_yaml
from benchmarks.measure import Row, interleaved
from benchmarks.running import chain_manifest

SIZE = 10_000


def rows() -> list[Row]:
    text = write_yaml(chain_manifest(SIZE))
    loader = getattr(yaml, "CSafeLoader", None)
    if loader is None:
        raise SystemExit("PyYAML has no C loader here: install a wheel of it")

    def ours() -> None:
        (document,) = documents.parse(text).workflows
        wrong = [one for one in lint(document.workflow) if one.level == "error"]
        assert not wrong, wrong[:3]

    mine, theirs = interleaved(ours, lambda: yaml.load(text, Loader=loader), rounds=3)
    return [
        Row(
            "reading and lint of 10,000 tasks", mine, "the C loader reading it", theirs,
            "at most 2 x", mine <= 2 * theirs,
        )
    ]  # fmt: skip
