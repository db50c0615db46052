# travels with: foreign
"""Templates from elsewhere as steps: a hera template, or a template of a manifest as a dict.

    scan = use(hera_container, outputs={"score": float})
    report = scan(path="data")          # parameters and artifacts by name
    publish(report.score)               # outputs by name, `-` as `_`
    both = use(dag, calls={"scan": scan})   # a `dag` or `steps` with the templates that it calls

Such a template reads plain text. A value that argojobs encodes on its way (one with `$`, `{{` or
control characters, or None) is refused where it is known: a constant, a default, a `-p`. What
another step writes at run time reaches it encoded.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..runtime.wire import MARK, guard, readable
from .artifacts import Artifact
from .current import recorder
from .fields import Field
from .names import check_name, label
from .placeholders import (
    ArtifactReference,
    NothingReference,
    OutputsReference,
    Parameter,
    reference,
)
from .refusing import Placeholder
from .where import here, mistake, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .graph import Call
    from .trace import Tracer

_TEXT = {"type": "str"}
#: Templates whose standard output Argo keeps, and what it calls it (Argo docs: variables).
_PRINTS = ("container", "script", "containerSet", "http", "data")
RESULT = "result"


def use(
    template: object,
    *,
    name: str | None = None,
    outputs: Mapping[str, Any] | None = None,
    calls: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Return an existing template as something that a pipeline can call.

    Args:
        template: A hera template (Container, Script, a function with hera's @script, ...), a
            model with `to_dict`, or a dict as in a manifest.
        name: Instead of the template's own.
        outputs: Types of outputs by name, as in `{"score": float, "weights": Model}`; others are
            text, or any kind of artifact. What a container or script prints is the output
            `result`, if its type is given.
        calls: The templates that a `dag` or `steps` calls, by their names in it, each from `use`.

    Raises:
        DefinitionError: The template is not one of these.
    """
    return Foreign(template, name, outputs, calls)


class Foreign:
    """A template that argojobs did not make; called with its inputs by name."""

    kind = "template"
    call_name: str | None = None
    call_after: tuple[Any, ...] = ()

    def __init__(
        self,
        template: object,
        name: str | None,
        types: Mapping[str, Any] | None = None,
        calls: Mapping[str, Any] | None = None,
    ) -> None:
        self.where = here()
        self.template = _plain(template)
        self.full_name = check_name(name or self.template.get("name"))
        self.name = label(self.full_name)
        inputs = self.template.get("inputs") or {}
        outputs = self.template.get("outputs") or {}
        self._parameters = {one["name"]: one for one in inputs.get("parameters") or ()}
        self._artifacts = {one["name"]: one for one in inputs.get("artifacts") or ()}
        self._outputs = {
            one["name"].replace("-", "_"): (one["name"], kind)
            for kind in ("parameters", "artifacts")
            for one in outputs.get(kind) or ()
        }
        if "result" in (types or {}) and any(kind in self.template for kind in _PRINTS):
            self._outputs.setdefault(RESULT, (RESULT, "result"))
        self.prints = self._outputs.get(RESULT, ("", ""))[1] == "result"
        self.calls: dict[str, Foreign] = dict(calls or {})
        for callee in self.calls.values():
            if not isinstance(callee, Foreign):
                raise mistake(
                    f"{self.name} calls {callee!r}, which is not a template from elsewhere",
                    "write calls={'scan': use(...)}; of our own steps make a @pipeline",
                )
        self._fields = _fields(self.name, self._outputs, dict(types or {}))
        self._any_kind = self._fields.keys() - {key.replace("-", "_") for key in types or {}}
        self.settings: dict[str, Any] = {}

    def options(self, *, name: str | None = None, after: list[Any] | None = None) -> Foreign:
        """Return the template with a name, or something to wait for, for one call."""
        twin = object.__new__(Foreign)
        twin.__dict__.update(self.__dict__)
        twin.call_name = None if name is None else check_name(name)
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
        """Return the arguments of a call. Raises DefinitionError for what the template lacks.

        Args:
            tracer: Of the pipeline that makes the call.
            arguments: By position, which is refused.
            keywords: By name.
        """
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
                found[name] = _artifact(value, what, bool(self._artifacts[name].get("optional")))
            elif name in self._parameters:
                found[name] = _text(value, what)
            else:
                raise mistake(
                    f"{self.name} has no input {key!r}", nearest(key, known, "its inputs")
                )
        for name in self.needs():
            if name not in found:
                raise mistake(f"{self.name} lacks the input {name!r}", f"give {name}=...")
        return found

    def needs(self) -> list[str]:
        """Return the inputs that must be given."""
        known = [*self._parameters, *self._artifacts]
        return [name for name in known if not self._has_default(name)]

    def _has_default(self, name: str) -> bool:
        one = self._parameters.get(name) or self._artifacts[name]
        if name in self._parameters:
            return any(key in one for key in ("value", "default", "valueFrom"))
        return bool(one.get("optional")) or len(one.keys() - {"name", "path", "mode"}) > 0

    def stand_for(self, call: Call) -> Any:
        """Return what stands for the outputs of a call."""
        if not self._outputs:
            return NothingReference(call)
        values: dict[str, Any] = {}
        for name, field in self._fields.items():
            values[name] = reference(call, self._outputs[name][0], field)
            if field.kind == "artifact":
                values[name].any_kind_ = name in self._any_kind
        return OutputsReference(call, None, self._fields, values=values)


def _fields(
    template: str, outputs: Mapping[str, tuple[str, str]], types: dict[str, Any]
) -> dict[str, Field]:
    """Return the outputs as fields of the given types. Raises DefinitionError."""
    found: dict[str, Field] = {}
    given = {key.replace("-", "_"): kind for key, kind in types.items()}
    for name in given:
        if name not in outputs:
            raise mistake(f"{template} has no output {name!r}", nearest(name, outputs, "outputs"))
    for name, (_, kind) in outputs.items():
        if name not in given:
            found[name] = (
                Field.of_schema(name, _TEXT)
                if kind != "artifacts"
                else Field.of_artifact(name, Artifact)
            )
            continue
        found[name] = Field(name, given[name], f"the output {name!r} of {template}", here())
        if (found[name].kind == "artifact") != (kind == "artifacts"):
            raise mistake(
                f"the output {name!r} of {template} is one of its {kind}, not {given[name]!r}",
                "give an artifact class for an artifact, a type such as float for a parameter",
            )
    return found


def _plain(template: object) -> dict[str, Any]:
    """Return a template as a dict."""
    template = _script(template)
    if hasattr(template, "_build_template"):  # a hera template
        try:
            template = template._build_template()  # noqa: SLF001 - hera has no public way
        except Exception as error:
            raise mistake(
                f"hera cannot build this template: {type(error).__name__}: {error}",
                "it reads no annotations that are text: put the function into a file without "
                "`from __future__ import annotations`",
            ) from error
    if hasattr(template, "model_dump"):  # its pydantic model
        template = template.model_dump(mode="json", exclude_none=True, by_alias=True)
    elif hasattr(template, "to_dict"):
        template = template.to_dict()
    if not isinstance(template, dict):
        raise mistake(
            f"use({template!r}) is not a template",
            "hand over a hera template, or a dict as in a manifest's spec.templates",
        )
    return template


def _script(template: object) -> object:
    """Return hera's Script of a function below its @script, which keeps it to itself."""
    if not hasattr(template, "wrapped_function"):
        return template
    for cell in getattr(template, "__closure__", None) or ():
        if hasattr(cell.cell_contents, "_build_template"):
            return cell.cell_contents
    return template


def _artifact(value: Any, what: str, optional: bool) -> Any:
    if isinstance(value, ArtifactReference):
        if value.optional_ and not optional:
            raise mistake(
                f"{what} takes an artifact that is always there, and {value!r} may be left out",
                "mark the template's artifact as optional, or let the pipeline demand it",
            )
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
    # A `$` goes there as it stands: the template's own program may want it.
    if guard(value.replace("$", "")).startswith(MARK):
        raise mistake(
            f"{what} holds a control character, which Argo alters",
            "write the value into a file in a step",
        )
    return value


def refuse_encoded(text: str, what: str, where: str | None = None) -> None:
    """Raise DefinitionError for a wire text that a template from elsewhere would get encoded.

    Args:
        text: The wire text.
        what: Names it in messages.
        where: The place of a mistake; the user's line now if left out.
    """
    if text.startswith(MARK):
        raise mistake(
            f"{what} is {readable(text)!r}, which would reach a template from elsewhere encoded",
            "leave out what Argo or Kubernetes alters ('$', '{{', control characters), or write "
            "the value into a file in a step",
            where,
        )
