"""`argojobs compile`: the manifest of a pipeline, and nothing else happens."""

import sys
from enum import Enum
from typing import Annotated

import click

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put_data
from argojobs.cli.formats import Format
from argojobs.cli.words import TakesWords, words_of
from argojobs.service import Workflow

COMMAND = TakesWords


class Target(str, Enum):
    """What a manifest can be written as besides YAML and JSON."""

    hera = "hera"
    dsl = "dsl"


def command(
    ctx: click.Context,
    file: options.File = "",
    params: options.Params = "",
    assignments: options.Param = None,
    pipeline: options.PipelineName = "",
    to: Annotated[
        Target | None,
        option(
            "--to",
            help="Write a program instead: of hera, or of argojobs' own DSL.",
            show_default=False,
        ),
    ] = None,
    upload: Annotated[
        bool,
        option("--upload", help="Store the code in the context's repository, not inline."),
    ] = False,
    debug: options.Debug = False,
    debug_steps: options.DebugStep = None,
    debug_on_error: options.DebugOnError = False,
    image: options.Image = "",
    base_image: options.BaseImage = "",
    requirements: options.Requirements = "",
    resources: options.Resources = "",
    retries: options.Retries = None,
    code: options.Code = "",
    python: options.Python = "python3",
    max_code_size: options.MaxCodeSize = "",
    allow_secret_files: options.AllowSecretFiles = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Write the Argo manifest of a pipeline.

    A manifest is written as it would be sent: templates and CronWorkflows stay what they are; a
    parameter may be left without a value, an artifact not. The same files give the same bytes.
    Small projects travel inside the manifest; larger ones need --upload or --code image. With
    --context it has what every run there gets.
    """
    from argojobs.cli.place import target
    from argojobs.cli.text import warn
    from argojobs.config.choosing import choose
    from argojobs.config.contexts import LOCAL_NAME
    from argojobs.edits.parameters import require_artifacts
    from argojobs.manifest.kinds import around
    from argojobs.runs.images import PipelineImages
    from argojobs.runs.load import loaded
    from argojobs.runs.prepare import prepared_for, with_bucket_artifacts
    from argojobs.runs.request import RunRequest
    from argojobs.runs.stores import in_store, location_in
    from argojobs.runs.uploads import store

    request = RunRequest(
        file=file,
        pipeline=pipeline,
        words=words_of(ctx),
        retries=retries,
        params=params,
        assignments=assignments or (),
        debug=debug,
        debug_steps=debug_steps or (),
        debug_on_error=debug_on_error,
        image=image,
        base_image=base_image,
        requirements=requirements,
        resources=resources,
        python=python,
        code=code,
        max_code_size=max_code_size,
        allow_secret_files=allow_secret_files,
        keep_names=to is not None,
    )
    what = loaded(request, "compile")
    # Without a word, the manifest is for no context: not even for the one in use.
    where = (context or ("" if server else LOCAL_NAME), server, what.root)
    chosen = choose(*where)
    images = PipelineImages(chosen, what.root, here=False)
    prepared = prepared_for(
        request, what, images, lambda: target(*where).repository(), stored=upload
    )
    if to is None and (what.manifest is None or what.manifest["kind"] == "Workflow"):
        require_artifacts(prepared.workflow, prepared.artifacts)
    prepared = with_bucket_artifacts(prepared, location_in(chosen))
    warn(prepared.warnings)
    warn([f"{one} is built by argojobs run, not by compile" for one in images.wanted], "note")
    for archive in prepared.archives:
        store(archive, target(*where).repository())
    made = in_store(prepared.workflow, chosen)
    if what.manifest is not None:
        made = around(what.manifest, made)
    put_data(_written(made, to, output))
    sys.stdout.flush()
    return 0


def _written(workflow: "Workflow", to: Target | None, output: Format | None) -> str:
    """Return a manifest as text: YAML unless told otherwise."""
    from argojobs.manifest.yaml_write import write_json, write_yaml

    if to is Target.hera:
        from argojobs.convert.hera_source import to_hera_source

        return to_hera_source(workflow)
    if to is Target.dsl:
        from argojobs.convert.dsl_source import to_dsl_source

        return to_dsl_source(workflow)
    if output is Format.json:
        return write_json(workflow)
    if output is Format.name:
        metadata = workflow.get("metadata")
        assert isinstance(metadata, dict)
        return str(metadata.get("name") or metadata.get("generateName", "")) + "\n"
    return write_yaml(workflow)
