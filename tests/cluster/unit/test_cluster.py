"""The cache keeps one of each: what a newer one replaced is removed, other things stay."""

from __future__ import annotations

from pathlib import Path

from harness.cluster import forget_older


def test_only_what_was_replaced_goes(tmp_path: Path) -> None:
    for name in ("argo-1", "argo-2", "kubernetes-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "program").touch()
    for name in ("demo-1.tar", "demo-2.tar", "python-1.tar", "debian-python.tar"):
        (tmp_path / name).touch()
    forget_older([tmp_path / "argo-2", tmp_path / "demo-2.tar", tmp_path / "python-1.tar"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("argo-2", "debian-python.tar", "demo-2.tar", "kubernetes-1", "python-1.tar"),
    ]
