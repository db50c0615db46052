"""A hera Workflow as a manifest.

hera's own `to_dict` is nearly the manifest; three things are put right: the `default` of a
workflow's argument, which it drops; times, which it leaves as Python objects; and values of
parameters, which become text as everywhere here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from argojobs.errors import ManifestError
from argojobs.manifest.json_read import typed_tree
from argojobs.manifest.kinds import inside

if TYPE_CHECKING:
    from hera.workflows import Workflow


def from_hera(workflow: Workflow) -> Any:
    """Return the manifest of a hera Workflow, a plain dict. The workflow is not changed.

    Raises ManifestError where hera cannot build it (a template without a name, say).
    """
    try:
        built = workflow.to_dict()
    except Exception as error:
        raise ManifestError(
            f"hera cannot build the workflow: {error}",
            where=str(workflow.name or workflow.generate_name or ""),
            hint="the same happens in its own to_yaml(): look at the templates and arguments.",
        ) from error
    defaults = _argument_defaults(workflow.arguments)
    for parameter in inside(built)["spec"].get("arguments", {}).get("parameters", ()):
        if parameter["name"] in defaults and "default" not in parameter:
            parameter["default"] = defaults[parameter["name"]]
    manifest: dict[str, Any] = typed_tree(_plain(built))
    return manifest


def _argument_defaults(arguments: Any) -> dict[str, str]:
    """Return the defaults of a workflow's parameters, in any of the forms hera takes them."""
    parameters = getattr(arguments, "parameters", arguments) or ()
    if not isinstance(parameters, Iterable) or isinstance(parameters, dict | str):
        return {}
    found = {}
    for parameter in parameters:
        default = getattr(parameter, "default", None)
        if isinstance(default, str):
            found[parameter.name] = default
    return found


def _plain(value: Any) -> Any:
    """Return the value with times as text, in the form that Kubernetes writes them."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value
