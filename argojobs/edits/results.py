"""Where steps of ours report on a cluster, put into their workflow as variables.

- a store with a Kubernetes Secret: its place, and its keys from that Secret. A missing one keeps no
  pod from starting: the step then says that nothing is stored.
- a claim: its path as a URL, so that each job has a folder of its own there.

Only containers that run our own program get them, with the names that they do not have themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from argojobs.edits.parts import copied, templates_in
from argojobs.manifest.own_program import is_own_program
from argojobs.manifest.view import spec_of
from argojobs.service import Workflow

Object = dict[str, Any]

PLACE = "ARGOJOBS_RESULTS"
#: The folder of all results, and that of a run in it; each job's is the library's affair, which
#: knows it by JOB_UUID.
FOLDER = "results/{{workflow.name}}"


@dataclass(frozen=True, slots=True)
class Results:
    """Where results go: `s3://BUCKET/PREFIX` or `file:///PATH`.

    values: further variables. secrets: by variable, the name and the key of a Kubernetes Secret.
    """

    place: str
    values: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def with_results(workflow: Workflow, results: Results) -> Workflow:
    """Return a Workflow whose steps of ours know where to report; the given one is not changed."""
    spec: Any = copied(spec_of(workflow))
    variables = _variables(results)
    for template in templates_in(spec):
        for kind in ("container", "script"):
            container = template.get(kind)
            if isinstance(container, dict) and is_own_program(container):
                has = {variable.get("name") for variable in container.get("env") or ()}
                new = [{**one} for one in variables if one["name"] not in has]
                container["env"] = [*(container.get("env") or ()), *new]
    return {**workflow, "spec": spec}


def _variables(results: Results) -> list[Object]:
    literal = {PLACE: f"{results.place.rstrip('/')}/{FOLDER}", **results.values}
    secret = {
        name: {"name": owner, "key": key, "optional": True}
        for name, (owner, key) in results.secrets.items()
    }
    return [
        *({"name": name, "value": text} for name, text in literal.items()),
        *({"name": name, "valueFrom": {"secretKeyRef": one}} for name, one in secret.items()),
    ]
