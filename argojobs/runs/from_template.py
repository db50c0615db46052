"""`run --from workflowtemplate/NAME`: a run of a template that a server has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.compile.load import Loaded
from argojobs.compile.project import project_root
from argojobs.errors import ServerError, UsageError
from argojobs.manifest.kinds import inside, referring
from argojobs.manifest.parameters import require, resolve
from argojobs.runs.request import overrides_of

if TYPE_CHECKING:
    from argojobs.runs.request import RunRequest
    from argojobs.runs.target import Target


#: What Argo's own command line calls the kinds.
_CLUSTER = {"workflowtemplate": False, "clusterworkflowtemplate": True}


def loaded_from(text: str) -> Loaded:
    """Return the Workflow that refers to a template: KIND/NAME. Raises UsageError."""
    kind, _, name = text.partition("/")
    if kind not in _CLUSTER or not name or "/" in name:
        raise UsageError(
            f"--from {text} names no template",
            hint=" or ".join(f"--from {kind}/NAME" for kind in _CLUSTER)
            + "; a CronWorkflow is run from its file: argojobs run FILE",
        )
    manifest = referring(name, _CLUSTER[kind])
    return Loaded("manifest", Path(text), project_root(Path.cwd()), name, manifest=manifest)


def require_server(place: Target) -> None:
    """Raise UsageError where the context is this machine, which keeps no templates."""
    if place.local is not None:
        raise UsageError(
            "--from names a template on a server, and this machine keeps none",
            hint="name its context: --context NAME; or run the template's file: argojobs run FILE",
        )


def check_given(place: Target, loaded: Loaded, request: RunRequest) -> None:
    """Ask the server for the template, and raise ParameterError for what it does not take or lacks.

    Raises NotFoundError where there is no such template, and UsageError for one without an
    entrypoint.
    """
    from argojobs.client.rest import ArgoService

    assert isinstance(place.service, ArgoService)
    assert loaded.manifest is not None
    reference = loaded.manifest["spec"]["workflowTemplateRef"]
    template = place.service.template(reference["name"], cluster=reference["clusterScope"])
    workflow = inside(template if isinstance(template, dict) else {})
    if not isinstance(workflow["spec"], dict):
        raise ServerError(
            f"the server's answer for {reference['name']} is not a template",
            where=place.context.name,
            hint="argojobs doctor looks at the server",
        )
    if not workflow["spec"].get("entrypoint"):
        raise UsageError(
            f"the template {reference['name']} has no entrypoint: others call its templates",
            hint="run a workflow that calls them, by templateRef",
        )
    applied = resolve(workflow, overrides_of(request))
    require(applied.workflow, applied.artifacts)
