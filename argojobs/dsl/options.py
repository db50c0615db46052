# travels with: options
"""The options of a step: for one step, as a reusable decorator, per call, and for a pipeline.

The nearest counts: a call's over the step's, the step's over the pipeline's. `env`, `volumes`,
`ports` and `node_selector` are merged by their keys.
"""

from __future__ import annotations

from os.path import normpath

from .images import Image
from .mappings import mapping, variables
from .names import check_object_name
from .quantities import cores, seconds, size
from .resources import GPU, Port, Toleration
from .retry import Retry
from .volumes import VOLUMES
from .where import mistake, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypedDict

    from .resources import Secret
    from .volumes import Claim, ConfigFiles, EmptyDir, HostPath, SecretFiles

    Volume = Claim | ConfigFiles | EmptyDir | HostPath | SecretFiles

    class Options(TypedDict, total=False):
        """What a step's container gets and how it is run."""

        image: str | Image
        cpu: float | str
        memory: str
        gpu: int | GPU
        ephemeral_storage: str
        shm: bool | str
        retry: int | Retry
        timeout: float | str
        ports: Mapping[str, int | Port]
        env: Mapping[str, str | float | Secret]
        volumes: Mapping[str, Volume]
        node_selector: Mapping[str, str]
        tolerations: Sequence[Toleration]
        priority: str
        service_account: str

    class StepOptions(Options, total=False):
        """Options of a decorator: a name for the step as well."""

        name: str

    class CallOptions(Options, total=False):
        """Options of one call: a name for the task, and what it waits for besides its data."""

        name: str
        after: Iterable[object]


_PORT_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
#: Options that are merged by key instead of replaced.
_MERGED = frozenset({"env", "node_selector", "ports", "volumes"})


def checked(given: Mapping[str, Any], extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the options in their checked form, those of `extra` left out.

    Raises DefinitionError for an unknown option or a value that cannot be.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in extra:
            continue
        check = _CHECKS.get(name)
        if check is None:
            raise mistake(
                f"there is no option {name!r}", nearest(name, (*_CHECKS, *extra), "options")
            )
        found[name] = check(value)
    return found


def merged(outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """Return the options of both; the inner ones count where both say something."""
    if not outer or not inner:
        return inner or outer
    both = {**outer, **inner}
    for name in _MERGED & outer.keys() & inner.keys():
        both[name] = {**outer[name], **inner[name]}
        if name == "ports":
            _check_numbers(both[name])
    return both


def _text(option: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not value or value != value.strip():
            raise mistake(f"{option}={value!r} is not text", f"write {option}='...'")
        return value

    return check


def _image(value: Any) -> str | Image:
    return value if isinstance(value, Image) else _text("image")(value)


def _object_name(option: str, what: str) -> Callable[[Any], str]:
    is_text = _text(option)
    return lambda value: check_object_name(is_text(value), what)


def _gpu(value: Any) -> GPU:
    return value if isinstance(value, GPU) else GPU(value)


def _shm(value: Any) -> bool | str:
    return value if isinstance(value, bool) else size(value, "shm")


def _retry(value: Any) -> Retry:
    return value if isinstance(value, Retry) else Retry(value)


def _ports(value: Any) -> dict[str, Port]:
    ports = mapping(value, "ports", "ports={'metrics': 9090}")
    for name in ports:
        if (
            len(name) > 15
            or not _PORT_SIGNS.issuperset(name)
            or not any(sign.isalpha() for sign in name)
            or "--" in name
            or name.strip("-") != name
        ):
            raise mistake(
                f"{name!r} is not a valid name for a port",
                "a-z, 0-9 and single '-' between them, at least one letter, at most 15 signs "
                "(Kubernetes)",
            )
    checked_ports = {
        name: port if isinstance(port, Port) else Port(port) for name, port in ports.items()
    }
    _check_numbers(checked_ports)
    return checked_ports


def _check_numbers(ports: dict[str, Port]) -> None:
    """Raise DefinitionError for two ports of one number."""
    names: dict[tuple[str, int], str] = {}
    for name, port in ports.items():
        for kind, number in (("port", port.number), ("port of the machine", port.host)):
            if number is not None and names.setdefault((kind, number), name) != name:
                raise mistake(
                    f"{names[kind, number]!r} and {name!r} are both {kind} {number}",
                    "give each a number of its own",
                )


def _volumes(value: Any) -> dict[str, Any]:
    volumes = mapping(value, "volumes", "volumes={'/data': Claim('datasets')}")
    for path, volume in volumes.items():
        if not path.startswith(("/", "{{workflow.parameters.")):
            raise mistake(f"the mount {path!r} is not an absolute path", "begin it with '/'")
        if path == "/argojobs" or path.startswith("/argojobs/"):
            raise mistake(f"{path} is a place of argojobs itself", "mount it elsewhere")
        if "{{" not in path and (
            path == "/" or normpath(path) != path or "//" in path or ":" in path
        ):
            raise mistake(
                f"the mount {path!r} is not a path that Kubernetes mounts at",
                "write it whole, without '..', '//', ':' or a '/' at its end; not '/' itself",
            )
        if not isinstance(volume, VOLUMES):
            raise mistake(
                f"{volume!r} is not a volume",
                "use " + ", ".join(kind.__name__ for kind in VOLUMES),
            )
    return volumes


def _node_selector(value: Any) -> dict[str, str]:
    labels = mapping(value, "node_selector", "node_selector={'gpu': 'a100'}")
    for key, label in labels.items():
        if not isinstance(label, str):
            raise mistake(
                f"node_selector[{key!r}]={label!r} is not text",
                "labels of Kubernetes are text: 'true', '1'",
            )
    return labels


def _tolerations(value: Any) -> tuple[Toleration, ...]:
    given = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    for toleration in given:
        if not isinstance(toleration, Toleration):
            raise mistake(f"{toleration!r} is not a Toleration", "write [Toleration('gpu')]")
    return given


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "image": _image,
    "cpu": lambda value: cores(value, "cpu"),
    "memory": lambda value: size(value, "memory"),
    "gpu": _gpu,
    "ephemeral_storage": lambda value: size(value, "ephemeral_storage"),
    "shm": _shm,
    "retry": _retry,
    "timeout": lambda value: seconds(value, "timeout"),
    "ports": _ports,
    "env": variables,
    "volumes": _volumes,
    "node_selector": _node_selector,
    "tolerations": _tolerations,
    "priority": _object_name("priority", "a priority class"),
    "service_account": _object_name("service_account", "a service account"),
}
