"""Rules for values: what Kubernetes or Argo would alter, what is too large, what is secret.

Sources: Kubernetes API reference, Container (env, args: expansion of `$(X)` and `$$`) and the limit
of Linux (128 KiB for one argument).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.dsl.tokens import token_in
from argojobs.lint.pods import Container, containers
from argojobs.lint.rule import KUBERNETES, Fault, Faults, error, warning
from argojobs.lint.subject import Object, Subject, callers, items
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path

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


_OF_ENV = "keep it in a Secret: `valueFrom: {secretKeyRef: {name: ..., key: ...}}`"
_OF_A_PARAMETER = (
    "no parameter: let the container's env take it from a Secret, "
    "`valueFrom: {secretKeyRef: {name: ..., key: ...}}`"
)
_OF_AN_OPTION = (
    "take it from an env with a secretKeyRef: `$(NAME)` in args is that variable's value"
)


@warning(KUBERNETES + "tasks/inject-data-application/define-interdependent-environment-variables/")
def value_altered(value: str, path: Path, hint: str | None = None) -> Faults:
    """A value that Kubernetes changes.

    In env, command and args, `$(NAME)` becomes a variable's value and `$$` becomes `$`.
    Remedy: Pass it as an artifact, or encoded.
    Wrong:
        arguments:
          parameters:
          - {name: price, value: 5$$}
    Right:
        container:
          image: busybox:1.36
          command: [cat, /tmp/price]
        inputs:
          artifacts:
          - {name: price, path: /tmp/price, raw: {data: 5$$}}
    """
    match = _EXPANDED.search(value)
    if match:
        what = f"Kubernetes reads {match[0]!r} in env, command and args, and changes the value"
        yield Fault(path, what, hint)


@error("walk-through/artifacts/")
def argument_size(value: str, path: Path) -> Faults:
    """A value of 128 KiB or more.

    Linux takes no longer argument or environment variable; a long script is copied into every node.
    Remedy: Pass it as an artifact.
    Wrong:
        arguments:
          parameters:
          - {name: text, value: "... 128 KiB of text ..."}
    Right:
        container:
          image: busybox:1.36
          command: [cat, /tmp/text]
        inputs:
          artifacts:
          - {name: text, path: /tmp/text, s3: {key: text.txt}}
    """
    size = len(value.encode("utf-8", "surrogatepass"))
    if path[-1] == "source":
        if size >= LARGEST_ARGUMENT * 2:
            what = "the script is very long: it is copied into every node of the workflow"
            yield Fault(path, what, "put the code into the image, or into an artifact", "warning")
    elif size >= LARGEST_ARGUMENT:
        yield Fault(path, "a value of 128 KiB or more fits in no argument or environment variable")


@warning("walk-through/secrets/")
def secret_literal(text: str, path: Path, name: str, value: str, hint: str) -> Faults:
    """A secret as a literal.

    Everyone who can see the workflow, its logs or its archive sees it. By a name such as `password`
    this is a warning; a text that has the form of a known key or token is an error.
    Remedy: Keep it in a Secret, and use secretKeyRef.
    Wrong:
        container:
          image: busybox:1.36
          env:
          - {name: AWS_SECRET_ACCESS_KEY, value: abc}
    Right:
        container:
          image: busybox:1.36
          env:
          - name: AWS_SECRET_ACCESS_KEY
            valueFrom:
              secretKeyRef: {name: s3, key: secret}
    """
    if len(text) >= _SHORTEST_TOKEN and (token := token_in(text)):
        what = f"{token} stands here, and everyone who sees the workflow sees it"
        hint = (
            "revoke it, keep a new one in a Secret, and let the container's env take it from there"
        )
        yield Fault(path, what, hint, "error")
    elif value and _is_secret(name) and not _hides_nothing(name, value):
        what = f"{name} looks like a secret, and everyone who sees the workflow sees it"
        yield Fault(path, what, hint)


def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None and _OF_VOCABULARY.search(name) is None


def _hides_nothing(name: str, value: str) -> bool:
    """Whether what looks like a secret by its name cannot be one: a mark, a path, a setting."""
    text = value.strip()
    if not any(sign.isalnum() for sign in text) or "{{" in text or text.startswith(("/", "$(")):
        return True
    is_setting = text in ("true", "false") or (text[:1] in "<[{" and text[-1:] in ">]}")
    return is_setting or (text.isdecimal() and name.lower().endswith("token"))


@warning(KUBERNETES + "concepts/containers/images/")
def image_latest(image: str, path: Path) -> Faults:
    """An image without a fixed tag.

    Tomorrow it may be another image, and a retry may run other code than the first attempt.
    Remedy: Name a tag or a digest.
    Wrong:
        container: {image: busybox}
    Right:
        container: {image: 'busybox:1.36'}
    """
    name, _, tag = image.rpartition("/")[2].partition(":")
    if "{{" not in image and "@" not in image and name and tag in ("", "latest"):
        yield Fault(
            path, f"{image!r} may be another image tomorrow", "name a fixed tag or a digest"
        )


def check_values(subject: Subject) -> Iterator[Finding]:
    """Values of parameters, environment variables and arguments."""
    yield from _parameters(subject.spec.get("arguments"), (*subject.at, "arguments"))
    for place in subject.places:
        yield from _parameters(place.template.get("inputs"), (*place.path, "inputs"))
        for caller in callers(place.template, place.path):
            if arguments := caller.value.get("arguments"):
                yield from _parameters(arguments, (*caller.path, "arguments"))
    given = {
        f"{{{{workflow.parameters.{one.get('name')}}}}}": one.get("value")
        for _, one in items(subject.spec.get("arguments"), "parameters")
    }
    for container in containers(subject):
        yield from _container(container)
        image = container.value.get("image") or ""
        yield from image_latest(str(given.get(image, image) or ""), (*container.path, "image"))


def _parameters(holder: Object | None, path: Path) -> Iterator[Finding]:
    for index, one in items(holder, "parameters"):
        for field in ("value", "default"):
            value = one.get(field)
            if type(value) is str:
                where: Path = (*path, "parameters", index, field)
                if "$" in value:
                    yield from value_altered(value, where)
                if len(value) > 32:
                    yield from argument_size(value, where)
                name = one.get("name") or ""
                yield from secret_literal(value, where, name, value, _OF_A_PARAMETER)


def _container(container: Container) -> Iterator[Finding]:
    value = container.value
    for index, one in items(value, "env"):
        if text := one.get("value"):
            path: Path = (*container.path, "env", index, "value")
            yield from _text(text, path, one.get("name") or "", text, _OF_ENV)
    for field in ("command", "args"):
        for number, word in enumerate(value.get(field) or ()):
            option = _OPTION.fullmatch(word)
            name, hidden = (f"--{option[1]}", option[2]) if option else ("", "")
            yield from _text(word, (*container.path, field, number), name, hidden, _OF_AN_OPTION)
    if source := value.get("source"):
        path = (*container.path, "source")
        yield from secret_literal(source, path, "", "", "")
        yield from argument_size(source, path)


def _text(text: str, path: Path, name: str, value: str, hint: str) -> Iterator[Finding]:
    """A text of a container, whose name and value may be those of a secret. hint: for one."""
    if "$$" in text:
        yield from value_altered(text, path, _DOUBLED)
    yield from argument_size(text, path)
    yield from secret_literal(text, path, name, value, hint)
