"""Which of hera's own classes says a part of a manifest: Container, Task, Parameter, Env, ...

Each candidate is built and compared with the model it stands for; where no class of hera's DSL
says exactly the same, the generated model (`m.Volume`, `m.Template`) is used as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from argojobs.convert.source_text import Call, Name

if TYPE_CHECKING:
    from pydantic import BaseModel

#: hera's class for a template, by the field that holds it.
_TEMPLATES = {
    "container": "Container",
    "container_set": "ContainerSet",
    "script": "Script",
    "suspend": "Suspend",
    "http": "HTTP",
    "resource": "Resource",
}
#: Fields that hera's template classes call otherwise.
_RENAMED = {"security_context": "pod_security_context"}
_ARTIFACTS = {
    "s3": "S3Artifact",
    "gcs": "GCSArtifact",
    "git": "GitArtifact",
    "http": "HTTPArtifact",
    "oss": "OSSArtifact",
    "azure": "AzureArtifact",
    "raw": "RawArtifact",
}
_ARCHIVES = {
    "none": "NoneArchiveStrategy",
    "tar": "TarArchiveStrategy",
    "zip": "ZipArchiveStrategy",
}
_VOLUMES = {
    "empty_dir": "EmptyDirVolume",
    "persistent_volume_claim": "ExistingVolume",
    "secret": "SecretVolume",
    "config_map": "ConfigMapVolume",
    "host_path": "HostPathVolume",
}
_ENVIRONMENT = {
    "secret_key_ref": ("SecretEnv", {"name": "secret_name", "key": "secret_key"}),
    "config_map_key_ref": ("ConfigMapEnv", {"name": "config_map_name", "key": "config_map_key"}),
    "field_ref": ("FieldEnv", {}),
    "resource_field_ref": ("ResourceEnv", {}),
}


def template_call(template: BaseModel) -> Call | None:
    """Return the call that makes a template without children, None where only a model says it."""
    for field, cls in _TEMPLATES.items():
        if getattr(template, field) is not None:
            fields = _set_fields(template)
            inner = fields.pop(field)
            call = Call(cls, _in_order({**_common(fields), **_container(inner, fields)}))
            return call if _makes(call, template, "_build_template") else None
    return None


def graph_call(template: BaseModel) -> tuple[Call, list[list[Call]]] | None:
    """Return the call of a `DAG` or `Steps` and its tasks or groups of steps, or None.

    A DAG has a single group. Its tasks carry their `depends`.
    """
    fields = _set_fields(template)
    if fields.get("dag") is not None:
        dag = _set_fields(fields.pop("dag"))
        tasks = dag.pop("tasks", None) or []
        call = Call("DAG", _in_order({**_common(fields), **_described_fields(dag)}))
        groups = [[_invocation("Task", task) for task in tasks]]
    elif fields.get("steps") is not None:
        steps = fields.pop("steps")
        call = Call("Steps", _in_order(_common(fields)))
        groups = [[_invocation("Step", step) for step in group.root] for group in steps]
    else:
        return None
    return (call, groups) if groups and all(groups) and _is_graph(call, groups, template) else None


def _is_graph(call: Call, groups: list[list[Call]], template: BaseModel) -> bool:
    """Whether hera, entering this graph and making its tasks, builds the template."""
    from hera.workflows import Parallel

    def build() -> Any:
        graph = built(call)
        with graph:
            for group in groups:
                if len(group) == 1 or call.name == "DAG":
                    for each in group:
                        built(each)
                else:
                    with Parallel():
                        for each in group:
                            built(each)
        return graph._build_template()  # noqa: SLF001 - hera has no public way

    return _same(build, template)


def _invocation(cls: str, task: BaseModel) -> Call:
    """Return the call of a Task or Step."""
    fields = _set_fields(task)
    arguments = _arguments(fields.pop("arguments", None))
    made = {**_described_fields(fields)}
    if arguments is not None:
        made["arguments"] = arguments
    order = ("name", "template", "arguments")
    return Call(cls, {key: made[key] for key in sorted(made, key=lambda key: _rank(key, order))})


def _arguments(arguments: Any) -> Any:
    """Return arguments as a dict of texts, or a list of Parameter and Artifact."""
    if arguments is None:
        return None
    parameters, artifacts = arguments.parameters or [], arguments.artifacts or []
    plain = all(_set_fields(each).keys() == {"name", "value"} for each in parameters)
    names = {each.name for each in parameters}
    if parameters and plain and len(names) == len(parameters):
        texts = {each.name: each.value for each in parameters}
        return [texts, *map(_artifact_call, artifacts)] if artifacts else texts
    made = [_parameter_call(each, "as_argument") for each in parameters]
    return [*made, *map(_artifact_call, artifacts)] or described(arguments)


def workflow_arguments(arguments: Any) -> Any:
    """Return a workflow's arguments as a list; its `default` is kept by `hera_in`."""
    parameters = [
        _first(each, (Call("Parameter", _described_fields(_set_fields(each))),), "as_input")
        for each in arguments.parameters or []
    ]
    return [*parameters, *map(_artifact_call, arguments.artifacts or [])] or described(arguments)


def _parameter_call(parameter: BaseModel, build: str) -> Call:
    """Return a Parameter that `build` makes this model of, or the model."""
    return _first(parameter, (Call("Parameter", _described_fields(_set_fields(parameter))),), build)


def _artifact_call(artifact: BaseModel) -> Call:
    """Return an Artifact of the class that its source names, or the model."""
    fields = _set_fields(artifact)
    candidates = [Call("Artifact", _artifact_fields(fields))]
    for source, cls in _ARTIFACTS.items():
        if source in fields:
            inner = _described_fields(_set_fields(fields[source]))
            rest = {key: value for key, value in fields.items() if key != source}
            candidates.insert(0, Call(cls, {**_artifact_fields(rest), **inner}))
    return _first(artifact, candidates, "_build_artifact")


def _artifact_fields(fields: dict[str, Any]) -> dict[str, Any]:
    made = _described_fields(fields)
    archive = fields.get("archive")
    for kind, cls in _ARCHIVES.items():
        value = getattr(archive, kind, None)
        if archive is not None and value is not None:
            call = Call(cls, _described_fields(_set_fields(value)))
            if _makes(call, archive, "_build_archive_strategy"):
                made["archive"] = call
    return made


def _environment(variable: BaseModel) -> Call:
    fields = _set_fields(variable)
    candidates = [Call("Env", _described_fields(fields))]
    for source, (cls, names) in _ENVIRONMENT.items():
        value = getattr(fields.get("value_from"), source, None)
        if value is not None:
            inner = {
                names.get(key, key): described(each) for key, each in _set_fields(value).items()
            }
            candidates.insert(0, Call(cls, {"name": fields["name"], **inner}))
    return _first(variable, candidates, "build")


def _container(inner: BaseModel, outer: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a container, script, ...; volumes are taken out of `outer`."""
    fields = _set_fields(inner)
    made: dict[str, Any] = {}
    if type(inner).__name__ == "ScriptTemplate" and "name" in fields:
        made["container_name"] = fields.pop("name")
    env = fields.pop("env", None)
    if env:
        made["env"] = _env(env)
    volumes = _mounted(outer.get("volumes"), fields.get("volume_mounts"))
    if volumes is not None:
        fields.pop("volume_mounts")
        made["volumes"] = volumes
    return {**_described_fields(fields), **made}


def _env(env: list[Any]) -> Any:
    plain = all(_set_fields(each).keys() == {"name", "value"} for each in env)
    if plain and len({each.name for each in env}) == len(env):
        return {each.name: each.value for each in env}
    return [_environment(each) for each in env]


def _mounted(volumes: Any, mounts: Any) -> list[Call] | None:
    """Return volumes with their places, where each volume is mounted once and in order."""
    names = [each.name for each in volumes or ()]
    if not names or names != [each.name for each in mounts or ()]:
        return None
    made = []
    for volume, mount in zip(volumes, mounts, strict=True):
        fields = _set_fields(volume)
        source = next((each for each in _VOLUMES if each in fields), None)
        if source is None:
            return None
        inner = {
            **_described_fields(_set_fields(fields[source])),
            **_described_fields(_set_fields(mount)),
        }
        if source == "config_map" and inner.get("name") != fields[source].name:
            return None
        call = Call(_VOLUMES[source], _in_order(inner))
        if not _makes(call, volume, "_build_volume") or not _makes(
            call, mount, "_build_volume_mount"
        ):
            return None
        made.append(call)
    return made


def _common(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that all templates have, under hera's names."""
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "metadata":
            made.update(_described_fields(_set_fields(value)))
        elif name == "inputs":
            made["inputs"] = _in_and_out(value, "as_input")
        elif name == "outputs":
            made["outputs"] = _in_and_out(value, "as_output")
        elif name == "retry_strategy":
            call = Call("RetryStrategy", _described_fields(_set_fields(value)))
            made[name] = call if _makes(call, value, "build") else described(value)
        else:
            made[_RENAMED.get(name, name)] = described(value)
    return made


def _in_and_out(value: Any, build: str) -> Any:
    rest = _set_fields(value).keys() - {"parameters", "artifacts"}
    parts = [
        *(_parameter_call(each, build) for each in value.parameters or []),
        *(_artifact_call(each) for each in value.artifacts or []),
    ]
    return described(value) if rest or not parts else parts


def _first(model: BaseModel, candidates: Iterable[Call], build: str) -> Call:
    """Return the first candidate that builds the model, else the model itself as a call."""
    for call in candidates:
        if _makes(call, model, build):
            return call
    made = described(model)
    assert isinstance(made, Call)
    return made


def _makes(call: Call, model: BaseModel, build: str) -> bool:
    def make() -> Any:
        return getattr(built(call), build)()

    return _same(make, model)


def _same(build: Any, model: BaseModel) -> bool:
    """Whether hera builds this model; what it refuses (by any error) is not the same."""
    try:
        made = build()
    except Exception:  # noqa: BLE001 - a candidate that hera refuses, in whatever way, is none
        return False
    return bool(_dumped(made) == _dumped(model))


def _dumped(model: Any) -> Any:
    return model.model_dump(exclude_none=True, by_alias=True, mode="json")


def built(value: Any) -> Any:
    """Make what a call says, as the program that is written would."""
    if isinstance(value, Call):
        return _class(value.name)(**{name: built(each) for name, each in value.arguments.items()})
    if isinstance(value, Name):
        return value.value
    if isinstance(value, list):
        return [built(each) for each in value]
    if isinstance(value, dict):
        return {key: built(each) for key, each in value.items()}
    return value


@cache
def _class(name: str) -> Any:
    import hera.workflows
    from hera.workflows import models

    return getattr(models, name[2:]) if name.startswith("m.") else getattr(hera.workflows, name)


def _set_fields(model: Any) -> dict[str, Any]:
    """Return the fields of a hera model that were set, its name first, then by its class."""
    names = [name for name in type(model).model_fields if name in model.model_fields_set]
    names.sort(key=lambda name: name != "name")
    return {name: value for name in names if (value := getattr(model, name)) is not None}


def _described_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with hera's objects turned into calls."""
    return {name: described(value) for name, value in fields.items()}


def described(value: Any) -> Any:
    """Turn hera's objects into calls of their models, all else stays."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        if list(type(value).model_fields) == ["root"]:
            return described(value.root)  # type: ignore[attr-defined]
        return Call(f"m.{_model_name(type(value))}", _described_fields(_set_fields(value)))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [described(each) for each in value]
    if isinstance(value, dict):
        return {key: described(each) for key, each in value.items()}
    return value


@cache
def _model_name(model: type) -> str:
    """Return what hera's models call a class: one name of Argo's and Kubernetes' has the version."""
    from hera.workflows import models

    name = model.__name__
    if getattr(models, name, None) is model:
        return name
    version = model.__module__.rpartition(".")[2]
    return f"{version.capitalize()}{name}"


_ORDER = ("name", "mount_path", "inputs", "outputs", "image", "command", "args", "source", "env")


def _rank(key: str, order: tuple[str, ...]) -> int:
    return order.index(key) if key in order else len(order)


def _in_order(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: fields[key] for key in sorted(fields, key=lambda key: _rank(key, _ORDER))}
