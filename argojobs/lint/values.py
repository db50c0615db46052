"""Rules for values: what Kubernetes or Argo would alter, what is too large, what is secret.

Sources: Kubernetes API reference, Container (env, args: expansion of `$(X)` and `$$`) and limits of
Linux and etcd (128 KiB for one argument, 1 MiB for one object).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.dsl.tokens import token_in
from argojobs.lint.pods import Container, containers
from argojobs.lint.subject import Object, Subject, callers, items
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.places import Path

LARGEST_OBJECT = 1024 * 1024
LARGEST_ARGUMENT = 128 * 1024
_SHORTEST_TOKEN = 20
_DOUBLED = "`$$` becomes `$`: write `$$$$` for two"

_EXPANDED = re.compile(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)|\$\$")
_SECRET = re.compile(
    r"(^|[-_.])(password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key(?![-_]?id)"
    r"|secret[-_]?access[-_]?key|private[-_]?key|credentials?)$",
    re.IGNORECASE,
)
#: Tokens of a vocabulary, which no one hides.
_OF_VOCABULARY = re.compile(
    r"(bos|cls|end|eos|image|mask|pad|sep|special|start|stop|unk)[-_.]?token$", re.IGNORECASE
)
_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)=(?![$/]|env:|file:)(.+)", re.DOTALL)


def check_values(subject: Subject) -> Iterator[Finding]:
    """Values of parameters, environment variables and arguments."""
    path = (*subject.at, "arguments", "parameters")
    for index, one in items(subject.spec.get("arguments"), "parameters"):
        yield from _parameter(one, (*path, index))
    for place in subject.places:
        for index, one in items(place.template.get("inputs"), "parameters"):
            yield from _parameter(one, (*place.path, "inputs", "parameters", index))
        for caller in callers(place.template, place.path):
            arguments = caller.value.get("arguments")
            if arguments:
                for index, one in items(arguments, "parameters"):
                    where = (*caller.path, "arguments", "parameters", index)
                    yield from _parameter(one, where)
    given = {
        f"{{{{workflow.parameters.{one.get('name')}}}}}": one.get("value")
        for _, one in items(subject.spec.get("arguments"), "parameters")
    }
    for container in containers(subject):
        yield from _container(container)
        yield from _image(container, given)


def _parameter(one: Object, path: Path) -> Iterator[Finding]:
    for field in ("value", "default"):
        value = one.get(field)
        if type(value) is not str:
            continue
        if "$" in value:
            yield from _altered(value, (*path, field))
        if len(value) > 32:
            yield from _too_long(value, (*path, field))
        token = token_in(value) if len(value) >= _SHORTEST_TOKEN else ""
        if token:
            yield _token(token, (*path, field))
        elif value and _is_secret(one.get("name") or ""):
            yield from _secret(one["name"], value, (*path, field), _OF_A_PARAMETER)


def _altered(
    value: str, path: Path, hint: str = "pass it as an artifact, or encoded"
) -> Iterator[Finding]:
    match = _EXPANDED.search(value)
    if match:
        yield warning(
            "value-altered",
            path,
            f"Kubernetes reads {match[0]!r} in env, command and args, and changes the value",
            hint,
        )


def _too_long(value: str, path: Path) -> Iterator[Finding]:
    if len(value.encode("utf-8", "surrogatepass")) >= LARGEST_ARGUMENT:
        yield error(
            "argument-size",
            path,
            "a value of 128 KiB or more fits in no argument or environment variable",
            "pass it as an artifact",
        )


def _token(what: str, path: Path) -> Finding:
    return error(
        "secret-literal",
        path,
        f"{what} stands here, and everyone who sees the workflow sees it",
        "revoke it, keep a new one in a Secret, and let the container's env take it from there",
    )


_OF_ENV = "keep it in a Secret: `valueFrom: {secretKeyRef: {name: ..., key: ...}}`"
_OF_A_PARAMETER = (
    "no parameter: let the container's env take it from a Secret, "
    "`valueFrom: {secretKeyRef: {name: ..., key: ...}}`"
)


_OF_AN_OPTION = (
    "take it from an env with a secretKeyRef: `$(NAME)` in args is that variable's value"
)


def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None and _OF_VOCABULARY.search(name) is None


def _hides_nothing(name: str, value: str) -> bool:
    """Whether what looks like a secret by its name cannot be one: a mark, a path, a setting."""
    text = value.strip()
    if not any(sign.isalnum() for sign in text) or "{{" in text or text.startswith(("/", "$(")):
        return True
    is_setting = text in ("true", "false") or (text[:1] in "<[{" and text[-1:] in ">]}")
    return is_setting or (text.isdecimal() and name.lower().endswith("token"))


def _secret(name: str, value: str, path: Path, hint: str) -> Iterator[Finding]:
    if not _hides_nothing(name, value):
        yield warning(
            "secret-literal",
            path,
            f"{name} looks like a secret, and everyone who sees the workflow sees it",
            hint,
        )


def _container(container: Container) -> Iterator[Finding]:
    value = container.value
    for index, one in items(value, "env"):
        text = one.get("value")
        path = (*container.path, "env", index, "value")
        if type(text) is str and text:
            if "$$" in text:
                yield from _altered(text, path, _DOUBLED)
            yield from _too_long(text, path)
            token = token_in(text)
            if token:
                yield _token(token, path)
            elif _is_secret(one.get("name") or ""):
                yield from _secret(one["name"], text, path, _OF_ENV)
    for field in ("command", "args"):
        for number, text in enumerate(value.get(field) or ()):
            if type(text) is str:
                if "$$" in text:
                    yield from _altered(text, (*container.path, field, number), _DOUBLED)
                yield from _too_long(text, (*container.path, field, number))
                if token := token_in(text):
                    yield _token(token, (*container.path, field, number))
                elif (option := _OPTION.fullmatch(text)) and _is_secret(option[1]):
                    where = (*container.path, field, number)
                    yield from _secret(f"--{option[1]}", option[2], where, _OF_AN_OPTION)
    source = value.get("source")
    if source:
        yield from _source(source, (*container.path, "source"))


def _image(container: Container, given: Mapping[str, Any]) -> Iterator[Finding]:
    """The image, or the parameter's value that is the image. given: values by their tags."""
    image = container.value.get("image") or ""
    image = str(given.get(image, image) or "")
    if image and "{{" not in image and _is_latest(image):
        yield warning(
            "image-latest",
            (*container.path, "image"),
            f"{image!r} may be another image tomorrow",
            "name a fixed tag or a digest",
        )


def _source(source: str, path: Path) -> Iterator[Finding]:
    if token := token_in(source):
        yield _token(token, path)
    if len(source.encode("utf-8", "surrogatepass")) >= LARGEST_ARGUMENT * 2:
        yield warning(
            "argument-size",
            path,
            "the script is very long: it is copied into every node of the workflow",
            "put the code into the image, or into an artifact",
        )


def _is_latest(image: str) -> bool:
    if "@" in image:
        return False
    name, _, tag = image.rpartition("/")[2].partition(":")
    return bool(name) and tag in ("", "latest")


def check_size(value: Object, largest: int = LARGEST_OBJECT) -> Iterator[Finding]:
    """That the object fits into etcd."""
    size = _size(value)
    if size > largest:
        yield warning(
            "object-size",
            (),
            f"the object is about {size / 1024 / 1024:.1f} MiB, and a cluster takes about 1 MiB",
            "loop with withItems instead of repeating tasks, or split it into WorkflowTemplates",
        )


def _size(value: Any) -> int:
    import json

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode("utf-8", "surrogatepass"))
