"""The files of config/, laid down with the state folder filled in."""

from __future__ import annotations

from pathlib import Path

from harness.state import State

CONFIG = Path(__file__).parent / "config"


def lay(state: State, name: str, target: Path) -> Path:
    """Lay the file `name` of config/ down as `target`, and return that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text((CONFIG / name).read_text().replace("@STATE@", str(state.folder)))
    return target
