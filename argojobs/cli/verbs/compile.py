"""`argojobs compile`: the manifest of a pipeline, and nothing else happens."""

import sys
from enum import Enum
from typing import Annotated

import typer

from argojobs.cli import options
from argojobs.cli.door import put_data
from argojobs.cli.formats import Format
from argojobs.cli.words import TakesWords

COMMAND = TakesWords


class Target(str, Enum):
    """What a manifest can be written as besides YAML and JSON."""

    hera = "hera"
    dsl = "dsl"


def command(
    ctx: typer.Context,
    file: options.File = "",
    params: options.Params = "",
    assignments: options.Param = None,
    pipeline: options.PipelineName = "",
    to: Annotated[
        Target | None,
        typer.Option(
            "--to",
            help="Write a program instead: of hera, or of argojobs' own DSL.",
            show_default=False,
        ),
    ] = None,
    upload: Annotated[
        bool,
        typer.Option("--upload", help="Store the code in the context's repository, not inline."),
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
    from argojobs.cli.words import loaded_by
    from argojobs.config.choosing import choose
    from argojobs.config.contexts import LOCAL_NAME
    from argojobs.manifest.kinds import around
    from argojobs.manifest.parameters import require_artifacts
    from argojobs.runs.images import PipelineImages
    from argojobs.runs.prepare import wish_of, with_bucket_artifacts
    from argojobs.runs.submit import bucket_of, in_store, prepared_for
    from argojobs.runs.uploads import store

    wish = wish_of(ctx.params, keep_names=to is not None)
    loaded = loaded_by(ctx, retries=retries)
    # Without a word, the manifest is for no context: not even for the one in use.
    where = (context or ("" if server else LOCAL_NAME), server, loaded.root)
    chosen = choose(*where)
    images = PipelineImages(chosen, loaded.root, here=False)
    prepared = prepared_for(
        wish, loaded, images, lambda: target(*where).repository(), stored=upload
    )
    if to is None and (loaded.manifest is None or loaded.manifest["kind"] == "Workflow"):
        require_artifacts(prepared.workflow, prepared.artifacts)
    prepared = with_bucket_artifacts(prepared, bucket_of(chosen))
    warn(prepared.warnings)
    warn([f"{one} is built by argojobs run, not by compile" for one in images.wanted], "note")
    for archive in prepared.archives:
        store(archive, target(*where).repository())
    made = in_store(prepared.workflow, chosen)
    if loaded.manifest is not None:
        made = around(loaded.manifest, made)
    put_data(written(made, to, output))
    sys.stdout.flush()
    return 0


def written(workflow: dict[str, object], to: Target | None, output: Format | None) -> str:
    """Return a manifest as text: YAML unless told otherwise."""
    from argojobs.manifest.yaml_write import write_json, write_yaml

    if to is Target.hera:
        from argojobs.compile.hera_source import to_hera_source

        return to_hera_source(workflow)
    if to is Target.dsl:
        from argojobs.compile.dsl_source import to_dsl_source

        return to_dsl_source(workflow)
    if output is Format.json:
        return write_json(workflow)
    if output is Format.name:
        metadata = workflow.get("metadata")
        assert isinstance(metadata, dict)
        return str(metadata.get("name") or metadata.get("generateName", "")) + "\n"
    return write_yaml(workflow)
