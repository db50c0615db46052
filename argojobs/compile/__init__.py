"""From what a user has to an Argo manifest, and from the user's folder to a bundle of code.

What the command line calls, in this order:

    loaded = load.load(path, pipeline="")            # a file: our DSL, plain hera, YAML or JSON
    packed = bundle.pack(loaded.root)                # the project's files, hashed; or None of it
    code = bundle.inline_code(packed)                # or bundle.stored_code(packed), IMAGE_CODE
    workflow = compile_loaded(loaded, code)          # the manifest, a plain dict

`hera_out.to_hera(workflow)` and `hera_in.from_hera(hera_workflow)` are the way to hera and back,
`hera_source.to_hera_source(workflow)` is `compile --to hera`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.errors import UsageError
from argojobs.manifest.words import RUNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.compile.code import Code
    from argojobs.compile.load import Loaded
    from argojobs.dsl.images import Image


def compile_loaded(
    loaded: Loaded,
    code: Code | None = None,
    *,
    python: str = "python3",
    debug: bool | frozenset[str] = False,
    image: str | Image = "",
    image_reference: Callable[[Image], str] | None = None,
) -> dict[str, Any]:
    """Return the manifest of what `load` found, with parameters at their defaults.

    code is needed for a pipeline of ours; python, debug, image (what steps that name none run in)
    and image_reference (the name of an `Image`) are for its steps; a manifest that was loaded is
    returned as it is. Raises UsageError for a debug wish that it cannot fulfil.
    """
    if loaded.pipeline is not None:
        from argojobs.compile.pipeline.workflow import compile_pipeline

        assert code is not None, "a pipeline's steps need their code"
        if debug and loaded.kind == "script" and loaded.path.suffix != ".py":
            raise UsageError(
                "only a script in Python can wait for a debugger",
                where=str(loaded.path),
                hint="leave --debug out",
            )
        workflow = compile_pipeline(
            loaded.pipeline,
            code=code,
            python=python,
            debug=debug,
            root=loaded.root,
            image=image,
            image_reference=image_reference,
        )
        if loaded.kind == "script":
            workflow["metadata"]["annotations"][RUNS] = "script"
        return workflow
    if debug:
        raise UsageError(
            "only steps of our own DSL can wait for a debugger",
            where=str(loaded.path),
            hint="this manifest's containers start their own programs: give them a `debug` "
            "parameter and let them start debugpy.",
        )
    assert loaded.manifest is not None
    return loaded.manifest
