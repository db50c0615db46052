"""From what a user has to an Argo manifest, and from the user's folder to a bundle of code.

What the command line calls, in this order:

    loaded = load.load(path, pipeline="")            # a file: our DSL, plain hera, YAML or JSON
    packed = bundle.pack(loaded.root)                # the project's files, hashed; or None of it
    code = bundle.inline_code(packed)                # or bundle.stored_code(packed), IMAGE_CODE
    workflow = compile_loaded(loaded, code)          # the manifest, a plain dict

`hera_in.from_hera(hera_workflow)` reads a workflow of hera's; the way back is in `convert`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.manifest.words import RUNS
from argojobs.service import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.compile.code import Code
    from argojobs.compile.loaded import Loaded
    from argojobs.dsl.images import Image


def compile_loaded(
    loaded: Loaded,
    code: Code | None = None,
    *,
    python: str = "python3",
    image: str | Image = "",
    image_reference: Callable[[Image], str] | None = None,
) -> Workflow:
    """Return the manifest of what `load` found, with parameters at their defaults.

    Args:
        loaded: A manifest that was loaded is returned as it is.
        code: Needed for a pipeline of ours.
        python: The program that runs its steps.
        image: What steps that name none run in.
        image_reference: Gives the name of an `Image`.
    """
    if loaded.pipeline is not None:
        from argojobs.compile.pipeline.workflow import compile_pipeline

        assert code is not None, "a pipeline's steps need their code"
        workflow = compile_pipeline(
            loaded.pipeline,
            code=code,
            python=python,
            root=loaded.root,
            image=image,
            image_reference=image_reference,
        )
        if loaded.source is not None:
            workflow["metadata"]["annotations"][RUNS] = loaded.source.runs
        return workflow
    assert loaded.manifest is not None
    return loaded.manifest
