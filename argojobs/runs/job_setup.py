"""What hand-written steps get to know their job: variables, and the library where they ask for it."""

from __future__ import annotations

from typing import NamedTuple

from argojobs.edits.job_environment import with_job_environment
from argojobs.edits.job_library import asks_for_library, with_job_library
from argojobs.runs.stores import shared_folder
from argojobs.runs.target import Target
from argojobs.runs.uploads import Upload
from argojobs.service import Workflow

_NOT_BROUGHT = (
    "nothing is stored for this run, so argojobs.job does not travel: "
    "the images of steps that import it must have argojobs"
)


class Equipped(NamedTuple):
    """A workflow whose steps know their job, what is to be stored for it, and what is to be said."""

    workflow: Workflow
    archives: tuple[Upload, ...] = ()
    warnings: tuple[str, ...] = ()


def equipped(workflow: Workflow, target: Target) -> Equipped:
    """Return a workflow as its steps are to get it, if they run on a target.

    Where there are no images a step's Python is the submitter's, and has argojobs: there only an
    artifact asks for the library.
    """
    workflow, by_import = with_job_environment(workflow), target.has_images
    if not asks_for_library(workflow, by_import=by_import):
        return Equipped(workflow)
    if not target.keeps_code_in_store:
        return Equipped(workflow, warnings=(_NOT_BROUGHT,))

    from argojobs.compile.job_archive import job_archive

    packed = job_archive()
    key = f"{shared_folder(target.context, 'job')}/{packed.hash}.tgz"
    brought = Upload(key, "the job library", packed=packed)
    return Equipped(with_job_library(workflow, key, by_import=by_import), (brought,))
