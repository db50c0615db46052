"""Images that a node cannot get, or cannot run.

Source: Kubernetes docs, images; the messages are kubelet's and containerd's, as recorded; those of
registries with a login are as containerd writes them (`core/remotes/docker`, `pull access denied`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.diagnosis.cause import Cause, Look, told, words_of
from argojobs.diagnosis.evidence import Subject
from argojobs.diagnosis.finding import Answer

_PULLING = re.compile(
    r"ErrImagePull|ImagePullBackOff|[Ff]ailed to pull|InvalidImageName|pull access"
)
_PULL_SECRET = re.compile(r"[Uu]nable to retrieve some image pull secrets \((?P<name>[^)]*)\)")


def _waiting_image(subject: Subject) -> str:
    """Return the image that a container of the pod waits for; else the step's own."""
    waits = {name for name, state in subject.states("waiting") if _is_pull(state.get("reason"))}
    for container in subject.containers:
        if container.get("name") in waits:
            return str(container.get("image", ""))
    return str(subject.main.get("image") or "")


def _is_pull(reason: object) -> bool:
    return "Image" in str(reason)


def _pull_texts(subject: Subject) -> Iterator[str]:
    return (text for text in subject.texts if _PULLING.search(text))


def _pull(pattern: str, what: str, remedy: str, command: str = "") -> Look:
    """Return how to see why an image cannot be pulled; `{image}` in the words is that image."""
    compiled = re.compile(pattern)

    def look(subject: Subject) -> Answer | None:
        found = next(filter(None, map(compiled.search, _pull_texts(subject))), None)
        if found is None:
            return None
        image = _waiting_image(subject)
        words = {
            **words_of(subject),
            "image": image,
            "registry": _registry(image),
            **{key: value or "" for key, value in found.groupdict().items()},
        }
        return Answer(what.format(**words), remedy.format(**words), command.format(**words))

    return look


def pull_secret(subject: Subject) -> Answer | None:
    """The image cannot be pulled, and a secret that was to open the registry is not there."""
    found = subject.search(_PULL_SECRET)
    if found is None or not any(_pull_texts(subject)):
        return None
    image, words = _waiting_image(subject), words_of(subject)
    name = found["name"] or "of the step"
    return Answer(
        f"the image {image} cannot be pulled, and the pull secret {name} does not exist in the "
        f"namespace {words['namespace']}",
        "make it with the registry's user and password",
        f"{words['kubectl']} create secret docker-registry {name} "
        f"--docker-server={_registry(image)} --docker-username=USER --docker-password=PASSWORD",
    )


def _registry(image: str) -> str:
    """Return the registry in an image's name. Source: distribution/reference, the familiar names."""
    first, slash, _ = image.partition("/")
    return first if slash and (set(first) & set(".:") or first == "localhost") else "docker.io"


CAUSES = (
    Cause(
        "image-name",
        _pull(
            r"InvalidImageName|couldn't parse image|invalid reference format",
            "{image} is not a name that an image can have",
            "write it as REGISTRY/PATH:TAG, lower case",
        ),
    ),
    Cause("pull-secret", pull_secret),
    Cause(
        "image-unauthorized",
        _pull(
            r"(?i)pull access denied|unauthorized|authorization failed|no basic auth|\b401\b|\b403\b",
            "the registry {registry} does not let this cluster pull {image}: it wants a login, or "
            "there is no such repository",
            "name a pull secret in the context (registry.pull_secret), and make it",
            "{kubectl} create secret docker-registry NAME --docker-server={registry} "
            "--docker-username=USER --docker-password=PASSWORD",
        ),
    ),
    Cause(
        "image-platform",
        _pull(
            r"no match for platform|no matching manifest",
            "the image {image} does not exist for the nodes' kind of CPU",
            "build it for the cluster's platform; argojobs deploy asks the nodes which one that is",
            "argojobs deploy",
        ),
    ),
    Cause(
        "image-missing",
        _pull(
            r"(?i)manifest unknown|: not found|name unknown|NotFound",
            "the registry {registry} has no image {image}",
            "check its name and tag; images of the project are built and pushed by argojobs deploy",
            "argojobs deploy",
        ),
    ),
    Cause(
        "registry-out-of-reach",
        _pull(
            r"no such host|connection refused|i/o timeout|no route to host|dial tcp|TLS handshake"
            r"|x509|server gave HTTP response|network is unreachable",
            "the nodes do not reach the registry {registry}, where {image} should be",
            "check the registry's name, and from a node that it answers; doctor asks it from here",
            "argojobs doctor{options}",
        ),
    ),
    told(
        "image-never",
        r"ErrImageNeverPull|is not present with pull policy of Never",
        "the image {image} is not on the node, and imagePullPolicy Never forbids to pull it",
        "leave imagePullPolicy out, or load the image into the nodes",
    ),
    told(
        "wrong-architecture",
        r"(?:fork/exec (?P<path>\S+): )?exec format error",
        "the program {path} ({place}) is not for this node's CPU, or a script without its first line #!",
        "build the image for the cluster's platform (argojobs deploy does), or begin the script "
        "with #!/bin/sh",
    ),
    told(
        "wrong-architecture",
        r"exec format error",
        "a program ({place}) is not for this node's CPU, or a script without its first line #!",
        "build the image for the cluster's platform (argojobs deploy does)",
        where="log",
    ),
    Cause(
        "image-pull",
        _pull(
            r"",
            "the image {image} cannot be pulled",
            "argojobs diagnose --raw shows the node's own words",
            "argojobs diagnose {run} --raw{options}",
        ),
    ),
)
