"""What a folder loses in an object store, and keeps between our steps."""

from __future__ import annotations

import os
import stat

from argojobs import Dataset, Directory, Outputs, pipeline, step


class Made(Outputs):
    tree: Directory
    uid: int


@step
def make() -> Made:
    out = Made(uid=os.getuid())
    tree = out.tree.path
    (tree / "empty" / "inside").mkdir(parents=True)
    (tree / "empty-file").touch()
    (tree / "program").write_text("#!/bin/sh\necho it runs\n")
    (tree / "program").chmod(0o750)
    (tree / "secret").write_text("x")
    (tree / "secret").chmod(0o600)
    (tree / "link").symlink_to("program")
    (tree / "folder-link").symlink_to("empty")
    (tree / "ä b").write_text("é\n")
    for name in ("empty-file", "ä b"):
        (tree / name).chmod(0o644)
    for name in ("empty", "empty/inside"):
        (tree / name).chmod(0o755)
    return out


@step
def look(made: Made) -> list[str]:
    """Say what arrived, and let the program run."""
    import subprocess

    found = []
    for folder, folders, files in os.walk(made.tree.path):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            mode = stat.filemode(os.lstat(path).st_mode)
            target = f" -> {os.readlink(path)}" if os.path.islink(path) else ""
            found.append(f"{mode} {os.path.relpath(path, made.tree.path)}{target}")
    printed = subprocess.run([made.tree.path / "program"], capture_output=True, text=True)
    return [*sorted(found), printed.stdout, f"uid {made.uid} {os.getuid()}"]


@pipeline
def keeps() -> list[str]:
    return look(make())


@step
def there(data: Dataset | None = None) -> str:
    """Say whether the data came; its path is not there if it did not."""
    return f"{data} {os.path.lexists('/argojobs/in/data')}"


@pipeline
def maybe(data: Dataset | None = None) -> str:
    return there(data)
