"""The fields of a container template as options of a step. All or nothing: no field is lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from argojobs.convert.dsl.tags import CannotSayError
from argojobs.convert.source_text import Call

if TYPE_CHECKING:
    from argojobs.manifest.objects import EnvVar, RetryStrategy

_TEMPLATE = frozenset(
    {"name", "inputs", "outputs", "container", "volumes", "retryStrategy", "activeDeadlineSeconds"}
    | {"nodeSelector", "tolerations", "priorityClassName", "serviceAccountName"}
)
_CONTAINER = frozenset(
    {"name", "image", "command", "args", "env", "ports", "resources", "volumeMounts"}
)
_PLAIN = {
    "activeDeadlineSeconds": "timeout",
    "nodeSelector": "node_selector",
    "priorityClassName": "priority",
    "serviceAccountName": "service_account",
}
_GPU = "nvidia.com/gpu"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - not a file of ours
_WORKFLOW_TAG = re.compile(r"\{\{workflow\.parameters\.\w+\}\}")


def options(template: dict[str, Any], volumes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the options of a step that runs this container.

    volumes: those of the whole workflow by name. Raises CannotSayError for what has no option.
    """
    container = template["container"]
    _only(template, _TEMPLATE, "")
    _only(container, _CONTAINER, "container.")
    found: dict[str, Any] = {"image": _text(container.get("image", ""), "the image")}
    found.update(_resources(container.get("resources") or {}))
    if "retryStrategy" in template:
        found["retry"] = _retry(template["retryStrategy"])
    for field, option in _PLAIN.items():
        if field in template:
            found[option] = template[field]
    if template.get("tolerations"):
        found["tolerations"] = [_toleration(each) for each in template["tolerations"]]
    if container.get("ports"):
        found["ports"] = dict(_port(each) for each in container["ports"])
    if container.get("env"):
        found["env"] = dict(_variable(each) for each in container["env"])
    own = {each["name"]: each for each in template.get("volumes") or ()}
    mounts = container.get("volumeMounts") or ()
    found_volumes = dict(_volume(each, {**volumes, **own}) for each in mounts)
    if found_volumes:
        found["volumes"] = found_volumes
    if "gpu" in found and _SHARED_MEMORY not in found_volumes:
        found["shm"] = False
    return found


def _only(value: dict[str, Any], known: frozenset[str], where: str) -> None:
    for name, item in value.items():
        if name not in known and item not in (None, {}, []):
            raise CannotSayError(f"`{where}{name}` has no option")


def _text(value: Any, what: str) -> str:
    """Return a text whose only tags are parameters of the workflow, which reach all templates."""
    if not isinstance(value, str) or not value or "{{" in _WORKFLOW_TAG.sub("", value):
        raise CannotSayError(f"{what} is {value!r}")
    return value


def _resources(resources: dict[str, Any]) -> dict[str, Any]:
    requests, limits = dict(resources.get("requests") or {}), dict(resources.get("limits") or {})
    found: dict[str, Any] = {}
    if "cpu" in requests and "cpu" not in limits:
        found["cpu"] = str(requests.pop("cpu"))
    names = {"memory": "memory", "ephemeral-storage": "ephemeral_storage", _GPU: "gpu"}
    for name, value in limits.items():
        if name not in names or str(requests.pop(name, value)) != str(value):
            raise CannotSayError(f"resources of {name} with a request other than its limit")
        text = str(value)
        if "{{" in text:
            raise CannotSayError(f"resources of {name} by a tag")
        found[names[name]] = int(text) if name == _GPU else text
    if requests:
        raise CannotSayError(f"a request of {', '.join(requests)} without a limit")
    return found


def _retry(strategy: RetryStrategy) -> Any:
    """Return a Retry, which repeats errors and failures alike: policy Always."""
    rest = {key: value for key, value in strategy.items() if key not in ("limit", "backoff")}
    if rest != {"retryPolicy": "Always"} or not str(strategy.get("limit")).isdigit():
        raise CannotSayError("a retryStrategy other than a limit with the policy Always")
    limit = int(strategy["limit"])
    backoff = strategy.get("backoff") or {}
    if not backoff:
        return limit
    if "duration" not in backoff or backoff.keys() - {"duration", "factor", "cap"}:
        raise CannotSayError("a backoff with other fields than duration, factor and cap")
    arguments = {"backoff": str(backoff["duration"]), "factor": int(backoff.get("factor") or 1)}
    if "cap" in backoff:
        arguments["cap"] = str(backoff["cap"])
    return Call("Retry", arguments, (limit,))


def _toleration(toleration: dict[str, Any]) -> Call:
    if toleration.keys() - {"key", "operator", "value", "effect"} or "key" not in toleration:
        raise CannotSayError("a toleration with other fields than key, value and effect")
    fields: dict[str, Any] = {
        key: toleration[key] for key in ("value", "effect") if key in toleration
    }
    return Call("Toleration", fields, (toleration["key"],))


def _port(port: dict[str, Any]) -> tuple[str, Any]:
    if port.keys() - {"name", "containerPort", "hostPort", "protocol"} or "name" not in port:
        raise CannotSayError("a port without a name, or with an address")
    if port.get("protocol", "TCP") != "TCP":
        raise CannotSayError("a port that is not TCP")
    number = int(port["containerPort"])
    host = {"host": int(port["hostPort"])} if "hostPort" in port else {}
    return port["name"], Call("Port", host, (number,)) if host else number


def _variable(variable: EnvVar) -> tuple[str, Any]:
    name = variable["name"]
    if "value" in variable:
        text = variable["value"]
        if not isinstance(text, str) or "{{" in text:
            raise CannotSayError(f"the variable {name} by a tag")
        if "$(" in text or "$$" in text:  # the DSL's own values reach the program as they stand
            raise CannotSayError(f"the variable {name}, whose value Kubernetes puts together")
        return name, text
    source = variable.get("valueFrom") or {}
    reference = source.get("secretKeyRef") or {}
    if source.keys() != {"secretKeyRef"} or reference.keys() != {"name", "key"}:
        raise CannotSayError(f"the variable {name} from something else than a secret")
    return name, Call("Secret", {}, (reference["name"], reference["key"]))


def _volume(mount: dict[str, Any], volumes: dict[str, dict[str, Any]]) -> tuple[str, Call]:
    if mount.keys() - {"name", "mountPath", "readOnly", "subPath"}:
        raise CannotSayError("a volumeMount with further fields")
    source = {key: value for key, value in volumes.get(mount["name"], {}).items() if key != "name"}
    if len(source) != 1:
        raise CannotSayError(f"the volume {mount['name']}, which has no single source")
    ((kind, fields),) = source.items()
    call = _SOURCES.get(kind, _unknown)(fields or {})
    extra = {
        **({"read_only": True} if mount.get("readOnly") else {}),
        **({"sub_path": mount["subPath"]} if mount.get("subPath") else {}),
    }
    allowed = {"Claim": {"read_only", "sub_path"}, "HostPath": {"read_only"}}
    if extra.keys() - allowed.get(call.name, set()):
        raise CannotSayError(f"{', '.join(extra)} of a {call.name}")
    path = _text(mount["mountPath"], "a mountPath")
    return path, Call(call.name, {**call.arguments, **extra}, call.positional)


def _unknown(_: dict[str, Any]) -> Call:
    raise CannotSayError("a volume that is not a claim, emptyDir, hostPath, secret or configMap")


def _with(cls: str, fields: dict[str, Any], name: str, *others: str) -> Call:
    if fields.keys() - {name, *others} or not isinstance(fields.get(name), str):
        raise CannotSayError(f"a volume of the kind {cls} with further fields")
    return Call(cls, {}, (_text(fields[name], f"the {name} of a volume"),))


def _empty(fields: dict[str, Any]) -> Call:
    if fields.keys() - {"medium", "sizeLimit"} or fields.get("medium", "") not in ("", "Memory"):
        raise CannotSayError("an emptyDir with further fields")
    size = (str(fields["sizeLimit"]),) if "sizeLimit" in fields else ()
    return Call("EmptyDir", {"memory": True} if fields.get("medium") else {}, size)


def _host(fields: dict[str, Any]) -> Call:
    kind = {"kind": fields["type"]} if fields.get("type") else {}
    return Call("HostPath", kind, _with("HostPath", fields, "path", "type").positional)


_SOURCES: dict[str, Any] = {
    "persistentVolumeClaim": lambda fields: _with("Claim", fields, "claimName"),
    "emptyDir": _empty,
    "hostPath": _host,
    "secret": lambda fields: _with("SecretFiles", fields, "secretName"),
    "configMap": lambda fields: _with("ConfigFiles", fields, "name"),
}
