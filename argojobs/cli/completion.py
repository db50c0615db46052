"""What a shell completes: names of runs, steps, contexts, pipelines, parameters and settings.

A completion has no place for messages: what cannot be found out is left out silently.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import click

from argojobs.manifest.view import artifacts_of, parameters_of
from argojobs.runs.wording import clean


def complete_run(_: click.Context, incomplete: str) -> list[str]:
    """Return the names that begin so, and the short ends of names that do, and `@latest`."""
    from argojobs.errors import ArgojobsError
    from argojobs.runs.names import LATEST
    from argojobs.runs.target import connect

    try:
        names = [clean(name) for name in connect().names()]
    except ArgojobsError:  # a shell's completion has no place for a message
        return []
    ends = [name.rpartition("-")[2] for name in names] if incomplete else []
    found = [name for name in [*names, *ends, LATEST] if name.startswith(incomplete)]
    return list(dict.fromkeys(found))


def complete_context(_: click.Context, incomplete: str) -> list[str]:
    """Return the names of the contexts that begin so."""
    from argojobs.config.context_files import load_contexts
    from argojobs.errors import ArgojobsError

    try:
        names = load_contexts().names()
    except ArgojobsError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def complete_setting(ctx: click.Context, incomplete: str) -> list[str]:
    """Return the keys of settings that begin so; those of contexts for each that there is."""
    from argojobs.config.context_reading import READERS
    from argojobs.config.settings import KEYS

    names = [name for name in complete_context(ctx, "") if name != "local"]
    keys = [*KEYS, *(f"contexts.{name}.{key}" for name in names for key in READERS)]
    return [key for key in keys if key.startswith(incomplete)]


def complete_step(ctx: click.Context, incomplete: str) -> list[str]:
    """Return the steps, which have a log, of the run that stands before."""
    from argojobs.errors import ArgojobsError
    from argojobs.runs.names import find_run
    from argojobs.runs.target import connect
    from argojobs.runs.view.steps import steps_of, walk

    try:
        service = connect()
        workflow = find_run(service, str(ctx.params.get("run") or ""))
    except ArgojobsError:
        return []
    paths = [s.typed for s in walk(steps_of(workflow)) if s.pods]
    return [clean(path) for path in paths if path.startswith(incomplete)]


def complete_metric(ctx: click.Context, incomplete: str) -> list[str]:
    """Return the names of what was logged in the run that stands before, and begins so."""
    from argojobs.errors import ArgojobsError
    from argojobs.runs import target as connecting
    from argojobs.runs.metrics import metrics_of, names_of
    from argojobs.runs.names import find_run

    try:
        place = connecting.target(
            str(ctx.params.get("context") or ""), str(ctx.params.get("server") or "")
        )
        workflow = find_run(place.service, str(ctx.params.get("run") or ""))
        names = names_of(metrics_of(place).read(workflow))
    except ArgojobsError:
        return []
    return [clean(name) for name in names if name.startswith(incomplete)]


def complete_column(ctx: click.Context, incomplete: str) -> list[str]:
    """Return the names of the columns of the comparison that stands before, which begin so."""
    from argojobs.errors import ArgojobsError
    from argojobs.results.comparing import compared
    from argojobs.runs import target as connecting
    from argojobs.runs.compare import gathered

    lead = "-" if incomplete.startswith("-") else ""
    try:
        place = connecting.target(
            str(ctx.params.get("context") or ""), str(ctx.params.get("server") or "")
        )
        names = [str(name) for name in ctx.params.get("runs") or ctx.args]
        found = gathered(place, names, str(ctx.params.get("experiment") or ""))
    except ArgojobsError:
        return []
    columns = [lead + clean(name) for name in compared(found.runs).names]
    return [name for name in columns if name.startswith(incomplete)]


def complete_parameter(ctx: click.Context, incomplete: str) -> list[str]:
    """Return `NAME=` for the parameters and artifacts of the file that stands before."""
    from argojobs.compile import compile_loaded
    from argojobs.compile.code import Code
    from argojobs.compile.load import load
    from argojobs.dsl.images import base_of
    from argojobs.errors import ArgojobsError
    from argojobs.manifest.kinds import inside

    file, chosen = _file_before(ctx), str(ctx.params.get("pipeline") or "")
    if not file:
        return []
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # the file may print while it is imported
            loaded = load(file, chosen)
            code = Code("image") if loaded.pipeline else None
            workflow = compile_loaded(loaded, code, image_reference=base_of)
    except ArgojobsError:
        return []
    arguments = inside(workflow)["spec"].get("arguments") or {}
    given = [*parameters_of(arguments), *artifacts_of(arguments)]
    names = [str(one["name"]) for one in given if not str(one["name"]).startswith("argojobs-")]
    return [f"{name}=" for name in names if name != "code" and name.startswith(incomplete)]


def complete_pipeline(ctx: click.Context, incomplete: str) -> list[str]:
    """Return the names of the pipelines or workflows in the file that stands before."""
    from argojobs.compile.load import load_all
    from argojobs.errors import ArgojobsError
    from argojobs.manifest import documents

    file = _file_before(ctx)
    if not file:
        return []
    try:
        if Path(file).suffix == ".py":
            with contextlib.redirect_stdout(io.StringIO()):
                names = [one.name for one in load_all(file) if one.kind != "script"]
        else:
            names = [str(one.name) for one in documents.candidates(documents.load(file))]
    except ArgojobsError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def _file_before(ctx: click.Context) -> str:
    """Return the file that stands before, "" for none.

    An option that still lacks its value keeps the parser from giving words to arguments: then they
    are all left over.
    """
    return str(ctx.params.get("file") or next(iter(ctx.args), ""))
