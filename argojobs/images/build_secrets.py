"""What `RUN --mount=type=secret,id=...` gets: files that a build sees and no layer keeps.

`creds` is the project's creds.yaml, `pip` pip's settings on this machine; others stand in
`argojobs.toml`, `[images.secrets]`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from argojobs.config.choosing import CREDS_FILE
from argojobs.images.described.generated import CERTIFICATES_SECRET, PIP_SECRET
from argojobs.images.recipe import Recipe

CREDS_SECRET = "creds"  # noqa: S105 - an id


def secret_files(
    recipe: Recipe, folder: Path, project: Path, references: Mapping[str, str]
) -> dict[str, Path]:
    """Return the file of each secret that a build mounts, by its id; those that are known.

    Args:
        recipe: with the ids that the build asks for.
        folder: a private one, for secrets that are not files.
        project: the folder whose creds.yaml may be one of them.
        references: of the settings, by id: `file:PATH`, `env:VARIABLE` and so on.

    Raises:
        UsageError, HostError: as `resolve`.
    """
    found: dict[str, Path] = {}
    for name in recipe.secrets:
        kind, _, place = references.get(name, "").partition(":")
        if kind == "file":
            found[name] = Path(place)
        elif kind:
            found[name] = _written(folder / f"secret-{len(found)}", references[name])
        elif name == CREDS_SECRET and (project / CREDS_FILE).is_file():
            found[name] = project / CREDS_FILE
    if {PIP_SECRET, CERTIFICATES_SECRET} & (set(recipe.secrets) - found.keys()):
        from argojobs.images.described.pip_settings import pip_settings, written

        found = {**written(pip_settings(os.environ, Path.home()), folder), **found}
    return {name: path for name, path in found.items() if name in recipe.secrets}


def unknown_secrets(recipe: Recipe, project: Path, references: Mapping[str, str]) -> list[str]:
    """Return a note for each secret that a build mounts and that is nowhere said.

    A build goes on without it, unless its Dockerfile says `required=true`.

    Args:
        recipe: with the ids that the build asks for.
        project: the folder whose creds.yaml may be one of them.
        references: of the settings, by id.
    """
    known = {*references, PIP_SECRET, CERTIFICATES_SECRET}
    if (project / CREDS_FILE).is_file():
        known.add(CREDS_SECRET)
    return [
        f"{recipe.build.name} mounts the secret {name}, and nothing says what it is: "
        f'[images.secrets] {name} = "env:VARIABLE" or "file:PATH" in argojobs.toml'
        for name in recipe.secrets
        if name not in known
    ]


def _written(path: Path, reference: str) -> Path:
    from argojobs.config.secret_references import resolve

    path.touch(mode=0o600)
    path.write_text(resolve(reference), encoding="utf-8")
    return path
