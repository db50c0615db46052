"""What `templateDefaults` say of steps that wait for a debugger, and of those that do not.

A default can be overruled by a template, but not taken away from it. So what would end a step that
waits is taken out of the defaults, and given to all other templates. Those of the server get less.

Source: Argo docs, template defaults (they are merged as Kubernetes merges a patch: maps by their
keys, variables by their names, other lists not at all; and only the part of a template's own type).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from argojobs.edits.debug_program import kind_of

Object = dict[str, Any]

#: Lists that merge element by element, and what tells their elements apart.
_MERGED_BY = {"env": "name", "ports": "containerPort"}
_RETRIES = "retryStrategy"


def whole_container(defaults: Mapping[str, Any], template: Mapping[str, Any]) -> Object:
    """Return the container or script of a template with what the defaults add to it."""
    kind = kind_of(template)
    whole: Object = _merged(defaults.get(kind) or {}, template.get(kind) or {})
    return whole


def without_defaults(
    spec: Object, templates: Mapping[str, Object], held: Collection[str], fields: Collection[str]
) -> None:
    """Take fields of templates, and their attempts, out of the defaults, for the templates held.

    The others get them; all get the attempts.

    Args:
        spec: of the workflow; changed.
        templates: all of the spec, by their keys; changed.
        held: keys of those that lose the fields.
        fields: names of fields of templates.
    """
    defaults = dict(spec.get("templateDefaults") or {})
    for field in fields:
        if (value := defaults.pop(field, None)) is not None:
            for key, template in templates.items():
                if key not in held:
                    template[field] = _merged(value, template.get(field))
    attempts = defaults.pop(_RETRIES, None)
    if attempts is not None:
        for template in templates.values():
            template[_RETRIES] = _merged(attempts, template.get(_RETRIES))
    if "templateDefaults" in spec:
        spec["templateDefaults"] = defaults


def without_probes(
    spec: Object,
    templates: Mapping[str, Object],
    waiting: Collection[str],
    probes: Collection[str],
) -> None:
    """Take probes out of the defaults of containers and scripts, for templates that wait.

    The others get them.

    Args:
        spec: of the workflow; changed.
        templates: all of the spec, by their keys; changed.
        waiting: keys of those that wait.
        probes: names of fields of containers.
    """
    defaults = dict(spec.get("templateDefaults") or {})
    for kind in ("container", "script"):
        common = dict(defaults.get(kind) or {})
        taken = {name: common.pop(name) for name in probes if name in common}
        if not taken:
            continue
        defaults[kind] = common
        if not common:
            del defaults[kind]
        for key, template in templates.items():
            if key not in waiting and kind_of(template) == kind:
                template[kind] = _merged(taken, template[kind])
        spec["templateDefaults"] = defaults


def _merged(default: Any, own: Any, field: str = "") -> Any:
    """Return a value over its default, which may be None.

    field: the name of a list, for those whose elements are merged.
    """
    if not own and not isinstance(own, (bool, int)):  # Argo takes what is empty as not given
        return default if default is not None else own
    if isinstance(default, Mapping) and isinstance(own, Mapping):
        both = {key: _merged(default[key], own.get(key), key) for key in default}
        return {**both, **{key: value for key, value in own.items() if key not in both}}
    by = _MERGED_BY.get(field)
    if by and isinstance(default, list) and isinstance(own, list):
        has = {one.get(by) for one in own}
        return [*own, *(one for one in default if one.get(by) not in has)]
    return own
