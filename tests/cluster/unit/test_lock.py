"""The cluster is shared by those who use it at a time, and the last one knows that it is the last."""

from __future__ import annotations

from pathlib import Path

from harness import lock


def test_only_the_last_user_is_alone_at_its_end(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    assert not lock.used(file)
    first, second = lock.Use(file), lock.Use(file)
    assert lock.used(file)
    assert not first.end()
    assert second.end()
    assert not lock.used(file)


def test_the_gate_opens_again(tmp_path: Path) -> None:
    for _ in range(2):
        with lock.gate(tmp_path / "lock"):
            assert not lock.used(tmp_path / "lock")
