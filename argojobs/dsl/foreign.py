"""Templates from elsewhere as steps: a hera template, or a template of a manifest as a dict.

    scan = use(hera_container)
    report = scan(path="data")          # parameters and artifacts by name
    publish(report.summary)             # outputs by name, `-` as `_`

Such a template reads plain text: a value that argojobs encodes on its way (one with `$`, `{{` or
control characters, or None) reaches it encoded.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .artifacts import Artifact
from .current import recorder
from .names import check_label
from .placeholders import (
    ArtifactReference,
    NothingReference,
    OutputsReference,
    Parameter,
    Placeholder,
)
from .where import here, mistake, nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .graph import Call
    from .trace import Tracer

_TEXT = {"type": "str"}


def use(template: object, *, name: str | None = None) -> Callable[..., Any]:
    """Return a template from elsewhere as something to call in a pipeline.

    template: a hera template (Container, Script, ...), a model with `to_dict`, or a dict as in a
    manifest. Raises DefinitionError for anything else.
    """
    return Foreign(template, name)


class Foreign:
    """A template that argojobs did not make; called with its inputs by name."""

    kind = "template"
    call_name: str | None = None
    call_after: tuple[Any, ...] = ()

    def __init__(self, template: object, name: str | None) -> None:
        self.where = here()
        self.template = _plain(template)
        self.name = check_label(name or self.template.get("name") or "")
        inputs = self.template.get("inputs") or {}
        outputs = self.template.get("outputs") or {}
        self._parameters = {one["name"]: one for one in inputs.get("parameters") or ()}
        self._artifacts = {one["name"]: one for one in inputs.get("artifacts") or ()}
        self._outputs = {
            one["name"].replace("-", "_"): (one["name"], kind)
            for kind in ("parameters", "artifacts")
            for one in outputs.get(kind) or ()
        }
        self.settings: dict[str, Any] = {}

    def options(self, *, name: str | None = None, after: list[Any] | None = None) -> Foreign:
        """Return the template with a name, or something to wait for, for one call."""
        twin = object.__new__(Foreign)
        twin.__dict__.update(self.__dict__)
        twin.call_name = None if name is None else check_label(name)
        twin.call_after = tuple(after or ())
        return twin

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it in a pipeline, with its inputs by name."""
        now = recorder.get()
        if now is None:
            raise mistake(
                f"the template {self.name} is called outside of a pipeline",
                "it runs in its container only: argojobs run the pipeline that uses it",
            )
        return now.call(self, arguments, keywords)

    def bind(
        self, tracer: Tracer, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments of a call. Raises DefinitionError for what the template lacks."""
        if arguments:
            raise mistake(f"{self.name} gets arguments by position", "give them by name")
        known = [*self._parameters, *self._artifacts]
        found: dict[str, Any] = {}
        for key, value in keywords.items():
            name = key if key in known else key.replace("_", "-")
            what = f"the argument {key!r} of {self.name}"
            if isinstance(value, Placeholder):
                tracer.check_visible(value, what)
            if name in self._artifacts:
                found[name] = _artifact(value, what)
            elif name in self._parameters:
                found[name] = _text(value, what)
            else:
                raise mistake(
                    f"{self.name} has no input {key!r}", nearest(key, known, "its inputs")
                )
        for name in known:
            if name not in found and not self._has_default(name):
                raise mistake(f"{self.name} lacks the input {name!r}", f"give {name}=...")
        return found

    def _has_default(self, name: str) -> bool:
        one = self._parameters.get(name) or self._artifacts[name]
        if name in self._parameters:
            return any(key in one for key in ("value", "default", "valueFrom"))
        return bool(one.get("optional")) or len(one.keys() - {"name", "path", "mode"}) > 0

    def stand_for(self, call: Call) -> Any:
        """Return what stands for the outputs of a call."""
        if not self._outputs:
            return NothingReference(call)
        values: dict[str, Any] = {
            field: Parameter(call, name, _TEXT)
            if kind == "parameters"
            else ArtifactReference(call, name, Artifact)
            for field, (name, kind) in self._outputs.items()
        }
        return OutputsReference(call, None, dict.fromkeys(values), values=values)  # type: ignore[arg-type]


def _plain(template: object) -> dict[str, Any]:
    """Return a template as a dict."""
    if hasattr(template, "_build_template"):  # a hera template
        template = template._build_template()  # noqa: SLF001 - hera has no public way
    if hasattr(template, "model_dump"):  # its pydantic model
        template = template.model_dump(mode="json", exclude_none=True, by_alias=True)
    elif hasattr(template, "to_dict"):
        template = template.to_dict()
    if not isinstance(template, dict):
        raise mistake(
            f"use({template!r}) is no template",
            "hand over a hera template, or a dict as in a manifest's spec.templates",
        )
    return template


def _artifact(value: Any, what: str) -> Any:
    if isinstance(value, ArtifactReference):
        return value
    raise mistake(f"{what} takes an artifact, not {value!r}", "hand over an artifact of a step")


def _text(value: Any, what: str) -> Any:
    if isinstance(value, Parameter):
        return value
    if isinstance(value, Placeholder) or value is None:
        raise mistake(f"{what} takes a parameter, not {value!r}", "hand over a single value")
    if not isinstance(value, str):
        try:
            value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise mistake(f"{what}: {error}", "hand over text, a number or JSON") from error
    if "{{" in value:
        raise mistake(f"{what} holds '{{{{', which Argo replaces", "hand over a placeholder")
    return value
