"""A workflow whose hand-written steps are told which job they are, as steps of ours are.

A container or script that is not ours gets the variables of the environment contract whose values
its manifest says: the id of the job, the GPUs of its limits, and the input parameters of the names
that mean epochs, a batch's size and a training set's. What a manifest does not say is not made up
(`WORLD_SIZE=1` would be the answer to a script's `${WORLD_SIZE:-4}`); the job library has
defaults for the rest. Nothing is changed that is there: neither variables of a container, nor
those of `templateDefaults`; and where `envFrom` brings variables that are not known here, none is added.

Applied twice it is the same as once. Sidecars, init containers and container sets are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.edits.context_defaults import GPU, GPUS_VARIABLE
from argojobs.edits.debug_defaults import whole_container
from argojobs.edits.debug_program import kind_of
from argojobs.edits.parts import Object, copied, members, templates_in
from argojobs.manifest.own_program import JOB_UUID, is_own_program
from argojobs.manifest.view import spec_of
from argojobs.runtime.environment import VARIABLES
from argojobs.service import Workflow


def with_job_environment(workflow: Workflow) -> Workflow:
    """Return a workflow whose steps know their job; the given one is not changed."""
    spec: Any = copied(spec_of(workflow))
    defaults = spec.get("templateDefaults") or {}
    for template in templates_in(spec):
        kind = kind_of(template)
        if not kind:
            continue
        whole = whole_container(defaults, template)
        if is_own_program(whole) or whole.get("envFrom"):
            continue
        has = {one.get("name") for one in members(whole, "env")}
        told = [
            {"name": name, "value": value}
            for name, value in _said(template, whole)
            if name not in has
        ]
        if told:
            template[kind]["env"] = [*(template[kind].get("env") or ()), *told]
    return {**workflow, "spec": spec}


def _said(template: Object, container: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the variables that a template says the values of, with these."""
    yield "JOB_UUID", JOB_UUID
    limits = (container.get("resources") or {}).get("limits") or {}
    gpus = str(limits.get(GPU, ""))
    if gpus.isdecimal():
        yield GPUS_VARIABLE, gpus
    takes = {
        str(one.get("name")).replace("-", "_"): str(one.get("name"))
        for one in members(template.get("inputs"), "parameters")
    }
    for name, (parameters, _) in VARIABLES.items():
        given = next((takes[one] for one in parameters if one in takes), "")
        if given:
            yield name, f"{{{{inputs.parameters.{given}}}}}"
