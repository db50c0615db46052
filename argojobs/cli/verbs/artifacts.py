"""`argojobs artifacts`: what runs stored, and things stored for runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from argojobs.cli import door, options
from argojobs.cli.command import argument, group_of

if TYPE_CHECKING:
    from argojobs.cli.formats import Format
    from argojobs.runs.target import Target


def ls(
    run: options.RunName,
    step: Annotated[str, argument(metavar="STEP", help="Only this step's.")] = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """List the output artifacts of a run, with sizes and where they lie.

    Of s3://bucket/key and claim://name/path: what that folder holds.
    """
    from argojobs.cli.formats import Format, print_data, print_text
    from argojobs.cli.place import target as target_of
    from argojobs.cli.text import show
    from argojobs.runs.artifacts import facts_of
    from argojobs.runs.names import find_run, step_named
    from argojobs.runs.stores import LOGS, stored_by
    from argojobs.runs.view.steps import leaves, steps_of

    target = target_of(context, server)
    if run.startswith(("claim://", "s3://")):
        return _list_folder(run, target, output)
    workflow = find_run(target.service, run, options=target.options)
    tops = [step_named(workflow, step)] if step else steps_of(workflow)
    stored = stored_by(workflow, target, list(leaves(tops)))
    found = [one for one in stored if one.name != LOGS]  # that is what `argojobs logs` shows
    name = str(workflow["metadata"]["name"])
    if output is Format.name:
        for one in found:
            print_text(f"{name}/{one.step}/{one.name}")
        return 0
    rows = facts_of(found, target)
    if output is not None:
        print_data(rows, output)
    elif not rows:
        print_text(f"{name} has no output artifacts{f' in {step}' if step else ''}")
    else:
        show(table(rows))
    return 0


def get(
    artifact: Annotated[
        str,
        argument(metavar="ARTIFACT", help="RUN/STEP/NAME, s3://bucket/key or claim://name/path."),
    ],
    to: Annotated[
        str, argument(metavar="TARGET", help="A new path, or a folder to put it in.")
    ] = ".",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Copy an artifact to this machine.

    An output of a step is unpacked, as another step would get it. Of a fan-out all items' outputs
    are copied, into folders STEP-0, STEP-1 and so on.
    """
    from argojobs.cli.formats import print_data
    from argojobs.cli.place import target as target_of
    from argojobs.cli.transfer import bar
    from argojobs.runs.artifacts import fetched

    target = target_of(context, server)
    done = fetched(artifact, target, to, bar)
    if output is None:
        door.put(f"{done}\n")
    else:
        print_data({"path": str(done)}, output, str(done))
    return 0


def put(
    path: Annotated[str, argument(metavar="PATH", help="A file or folder.")],
    to: Annotated[
        str,
        argument(
            metavar="TARGET",
            help="s3://bucket/key, or a key in the context's store; uploads/NAME unless given.",
        ),
    ] = "",
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Store a file or folder in S3.

    Runs take it as -p NAME=s3://bucket/key. An object store keeps files: empty folders and modes are lost, links become what they name.
    What is there already is not sent again.
    """
    from argojobs.cli.formats import print_data
    from argojobs.cli.place import target as target_of
    from argojobs.cli.transfer import bar
    from argojobs.errors import NotFoundError
    from argojobs.runs.artifacts import destination
    from argojobs.runs.transfer import sizes_below
    from argojobs.runs.wording import plural
    from argojobs.units import size_text

    source = Path(path).expanduser()
    if not source.exists():
        raise NotFoundError(f"there is no file or folder {path}", where=str(source.absolute()))
    repository, key = destination(to, source, target_of(context, server))
    url = repository.place.url(key)
    count, size = sizes_below(source)
    if not dry_run:
        with bar(f"storing {source.name}") as progress:
            repository.put(str(source), key, progress=progress)
    if output is None:
        verb = "would store" if dry_run else "stored"
        door.put(f"{verb} {plural(count, 'file')}, {size_text(size)}, as {url}\n")
    else:
        facts = {"url": url, "files": count, "size": size, "stored": not dry_run}
        print_data(facts, output, url)
    return 0


def _list_folder(text: str, target: "Target", output: "Format | None") -> int:
    """Print what a folder of a claim or a bucket holds, one a line."""
    from argojobs.cli.formats import print_data, print_text
    from argojobs.cli.text import columns, show
    from argojobs.runs.artifacts import listed
    from argojobs.runs.wording import plain
    from argojobs.units import size_text

    found = listed(text, target)
    if output is not None:
        rows = [{"name": one.name, "size": one.size, "kind": one.kind} for one in found]
        print_data(rows, output, *(one.name for one in found))
    elif not found:
        print_text(f"{text} is empty")
    else:
        sizes = [size_text(one.size) if one.kind == "file" else one.kind for one in found]
        lines = [
            [(size, "dim"), (plain(one.name), "")] for one, size in zip(found, sizes, strict=True)
        ]
        show(columns(lines, right=frozenset({0})))
    return 0


def table(rows: list[dict[str, Any]]) -> Any:
    """Lay artifacts out, one a line; what is gone says so, and what a step need not have saved."""
    from argojobs.cli.text import columns
    from argojobs.runs.wording import plain
    from argojobs.units import size_text

    lines = [[("STEP", "dim"), ("ARTIFACT", "dim"), ("SIZE", "dim"), ("WHERE", "dim")]]
    for row in rows:
        size = "?" if row["size"] is None else size_text(row["size"])
        if row["files"] == 0:
            size = "none" if row.get("optional") else "gone"
        lines.append(
            [
                (plain(row["step"]), ""),
                (row["name"], "bold"),
                (size, "red" if size == "gone" else ""),
                (row["where"], "dim"),
            ]
        )
    return columns(lines, right=frozenset({2}))


GROUP = group_of(
    "artifacts",
    "List, download and upload the artifacts of runs.\n\n"
    "They are named RUN/STEP/NAME, s3://bucket/key or claim://name/path. A transfer that broke off "
    "is resumed when you run the command again.",
    {"ls": ls, "get": get, "put": put},
)
