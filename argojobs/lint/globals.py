"""The names that every template of a workflow knows: `workflow.*`.

Source: Argo docs, variables, global.
"""

from __future__ import annotations

from argojobs.lint.subject import NOTHING, Object, Subject, callers, items
from argojobs.lint.texts import unresolved_reference
from argojobs.manifest.findings import Finding
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.places import Path

_PLAIN = frozenset(
    f"workflow.{name}"
    for name in (
        "name",
        "namespace",
        "mainEntrypoint",
        "serviceAccountName",
        "uid",
        "annotations",
        "annotations.json",
        "labels",
        "labels.json",
        "status",
        "failures",
        "duration",
    )
)
_BEGINNINGS = ("workflow.creationTimestamp", "workflow.scheduledTime", "workflow.duration")


class Globals:
    """What `workflow.*` names there are."""

    def __init__(self, subject: Subject) -> None:
        spec = subject.spec
        self.open = subject.kind in ("WorkflowTemplate", "ClusterWorkflowTemplate")
        reference = spec.get("workflowTemplateRef") or NOTHING
        other = subject.known.get(
            (bool(reference.get("clusterScope")), reference.get("name") or "")
        )
        self.unseen = bool(reference) and other is None
        specs: list[Object] = [spec]
        metadata: list[Object] = [subject.metadata]
        if other is not None:
            specs.append(other.get("spec") or NOTHING)
        metadata += [one["workflowMetadata"] for one in specs if one.get("workflowMetadata")]
        self.names = set(_PLAIN)
        if self.open or self.unseen or any(one.get("priority") is not None for one in specs):
            self.names.add("workflow.priority")
        if any((one.get("arguments") or NOTHING).get("parameters") for one in specs):
            self.names |= {"workflow.parameters", "workflow.parameters.json"}
        for one in specs:
            for _, parameter in items(one.get("arguments"), "parameters"):
                self.names.add(f"workflow.parameters.{parameter.get('name')}")
        for one in metadata:
            for field in ("labels", "annotations"):
                self.names.update(f"workflow.{field}.{key}" for key in one.get(field) or ())
            self.names.update(f"workflow.labels.{key}" for key in one.get("labelsFrom") or ())
        # What templates of other objects give out under a global name is not seen here.
        self.outputs_open = self.open or self.unseen or _calls_others(subject)
        templates = [place.template for place in subject.places] + list(subject.library.values())
        for template in templates:
            self._outputs(template)

    def _outputs(self, template: Object) -> None:
        for kind in ("parameters", "artifacts"):
            for _, one in items(template.get("outputs"), kind):
                name = one.get("globalName")
                if name and "{{" in name:
                    self.outputs_open = True
                elif name:
                    self.names.add(f"workflow.outputs.{kind}.{name}")

    def fault(self, name: str, path: Path) -> list[Finding]:
        """Return what is wrong with a name that begins with `workflow.`."""
        if name in self.names or name.startswith(_BEGINNINGS):
            return []
        if name.startswith("workflow.parameters") and (self.open or self.unseen):
            return []
        if name.startswith("workflow.outputs.") and self.outputs_open:
            return []
        if name.startswith(("workflow.labels.", "workflow.annotations.")):
            if self.unseen:
                return []
            if self.open:
                hint = f"{self.hint(name)}; Argo's own lint refuses the template"
                message = f"the workflow that uses it must bring {{{{{name}}}}}"
                return unresolved_reference(path, message, hint, "warning")
        return unresolved_reference(path, f"there is no {{{{{name}}}}}", self.hint(name))

    def hint(self, name: str) -> str:
        """Return what may be meant, and where it is declared."""
        if name == "workflow.priority":
            return "give the workflow's spec a priority"
        _, kind, *rest = name.split(".", 2)
        beginning = f"workflow.{kind}."
        known = sorted(one for one in self.names - _PLAIN if one.startswith(beginning))
        if kind == "parameters":
            what = "the workflow's parameters are" if known else "the workflow has no parameters"
            said = suggestion(name, known, what=what) if known else what
            return f"{said}; declare it in spec.arguments.parameters"
        if rest and known:
            return suggestion(name, known, what="there are")
        if rest and kind in ("labels", "annotations"):
            return f"the workflow has no {kind}: add it to metadata.{kind}"
        near = nearest(name, _PLAIN)
        return f"did you mean {near!r}?" if near else "see Argo's list of variables"


def _calls_others(subject: Subject) -> bool:
    return any(
        caller.value.get("templateRef")
        for place in subject.places
        for caller in callers(place.template, place.path)
    )
