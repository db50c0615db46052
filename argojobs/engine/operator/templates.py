"""Which template a step, task or hook means, with the workflow's `templateDefaults` merged in.

Source: Argo docs, fields: templateDefaults, retryStrategy (workflow level), inline templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.engine.model import Template
from argojobs.errors import ManifestError

#: In the order in which Argo looks for a template's type.
TYPES = (
    "container", "containerSet", "steps", "dag", "script", "resource", "data", "suspend", "http",
    "plugin",
)  # fmt: skip
POD_TYPES = frozenset({"container", "containerSet", "script", "resource", "data"})

#: Lists that merge element by element, and the field that tells their elements apart.
_MERGE_KEYS = {
    "volumes": "name", "volumeMounts": "mountPath", "env": "name", "ports": "containerPort",
    "initContainers": "name", "sidecars": "name", "tolerations": None, "parameters": "name",
    "artifacts": "name",
}  # fmt: skip


def kind_of(template: Template) -> str:
    """The template's type, "" when it has none."""
    return next((kind for kind in TYPES if template.get(kind) is not None), "")


class Templates:
    """The templates of one workflow, looked up by what a step, task or hook says."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._defaults: Template = spec.get("templateDefaults") or {}
        self._retry = spec.get("retryStrategy")
        self._by_name = {t.get("name", ""): t for t in spec.get("templates") or ()}
        self._merged: dict[str, Template] = {}

    def find(self, holder: dict[str, Any]) -> Template:
        """The template that `holder` (a step, task or hook) names or carries inline.

        Its retryStrategy is the workflow's where it has none of its own. Raises ManifestError
        when there is no such template.
        """
        if holder.get("inline") is not None:
            return self._complete(holder["inline"])
        name = holder.get("template", "")
        if name not in self._merged:
            if name not in self._by_name:
                raise ManifestError(
                    f"template {name} not found",
                    hint="templates: " + ", ".join(sorted(self._by_name)),
                )
            self._merged[name] = self._complete(self._by_name[name])
        return self._merged[name]

    def _complete(self, template: Template) -> Template:
        if self._defaults:
            kind = kind_of(template)
            defaults = {k: v for k, v in self._defaults.items() if k not in TYPES or k == kind}
            template = _merge(defaults, template)
        if self._retry is not None and template.get("retryStrategy") is None:
            template = {**template, "retryStrategy": self._retry}
        return template


def _merge(default: Any, own: Any, field: str = "") -> Any:
    """`own` over `default`: maps merge, lists with a merge key merge by it, all else is own."""
    if isinstance(default, dict) and isinstance(own, dict):
        merged = dict(default)
        for key, value in own.items():
            merged[key] = _merge(default[key], value, key) if key in default else value
        return merged
    key = _MERGE_KEYS.get(field)
    if key and isinstance(default, list) and isinstance(own, list):
        by_key = {item.get(key): item for item in default}
        mine = [_merge(by_key.pop(item.get(key), {}), item) for item in own]
        return mine + list(by_key.values())
    return own
