"""`argojobs init`: pack the project's code, store it, and show what goes in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import argument
from argojobs.cli.text import Line, columns, show, warn
from argojobs.runs.wording import plural
from argojobs.units import size_text

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed

#: So many of the largest files are named.
LARGEST_SHOWN = 5


def command(
    folder: Annotated[
        Path, argument(metavar="FOLDER", help="The project, or a folder or file in it.")
    ] = Path(),
    max_code_size: options.MaxCodeSize = "",
    allow_secret_files: options.AllowSecretFiles = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Pack and store the project's code; show what goes in.

    A run does this by itself; `argojobs run FILE --code latest` takes what is stored here.
    """
    from argojobs.cli.formats import print_data
    from argojobs.cli.place import target
    from argojobs.compile.project import project_root
    from argojobs.config.settings import load_settings
    from argojobs.runs.packing import code_in, packed_project
    from argojobs.runs.stores import shared_folder
    from argojobs.runs.uploads import Upload, store

    root = project_root(folder)
    packed = packed_project(
        root,
        load_settings(root),
        max_code_size=max_code_size,
        allow_secret_files=allow_secret_files,
    )
    warn(packed.warnings)
    place = target(context, server, root)
    repository = place.repository()
    key = code_in(shared_folder(place.context, "code"), packed).key
    stored = repository.kind(key) is not None
    if not dry_run and not stored:
        store(Upload(key, "code", packed=packed), repository)
    facts = {
        "hash": packed.hash,
        "size": packed.size,
        "files": len(packed.files),
        "root": str(packed.root),
        "key": key,
        "stored": stored or not dry_run,
    }
    if output is not None:
        print_data(facts, output, packed.hash)
    else:
        does = "stored before" if stored else "would be stored" if dry_run else "stored"
        show(packed_lines(packed, does))
    return 0


def packed_lines(packed: "Packed", does: str) -> list[Line]:
    """Say what is in a bundle: hash, size, number of files, and the largest of them."""
    sizes = {name: (packed.root / name).lstat().st_size for name in packed.files}
    largest = sorted(sizes, key=lambda name: (-sizes[name], name))[:LARGEST_SHOWN]
    files = f"{size_text(sum(sizes.values()))} in {plural(len(sizes), 'file')}"
    revision = packed.revision
    rows: list[Line] = [
        [("code", "dim"), (f"{packed.hash[:12]} ({does})", "bold")],
        [("from", "dim"), (str(packed.root), "")],
        [
            ("size", "dim"),
            (f"{size_text(packed.size)} packed, {files}", ""),
        ],
    ]
    if revision is not None and revision.commit:
        dirty = " with changes" if revision.dirty else ""
        rows.append([("commit", "dim"), (f"{revision.commit[:12]}{dirty}", "")])
    lines: list[Line] = list(columns(rows))
    if largest:
        lines.append([("largest", "dim")])
        table = columns(
            [[(size_text(sizes[n]), ""), (n, "")] for n in largest], right=frozenset({0})
        )
        lines.extend([("  ", ""), *row] for row in table)
    return lines
