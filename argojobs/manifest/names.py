"""Names of runs, nodes and pods, exactly as Argo makes them; and names cut to what it takes.

Sources: Argo `pkg/apis/workflow/v1alpha1/workflow_types.go` (NodeID), `workflow/util/pod_name.go`
(names of pods), `workflow/validate` (a workflow's name: 63 letters), Kubernetes
`apimachinery/pkg/util/rand` (the alphabet of suffixes) and RFC 1123 (labels).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..dsl.names import digest
from .view import metadata_of

if TYPE_CHECKING:
    import random

    from .objects import Workflow

#: Annotations of a workflow: the name that its own was cut from, and as a JSON object those of
#: its steps and templates that were cut.
FULL_NAME = "argojobs.dev/full-name"
FULL_NAMES = "argojobs.dev/full-names"
#: Argo's annotation of how pods are named: `v1` by the node's id, `v2` (and else) as below.
POD_NAMES = "workflows.argoproj.io/pod-name-format"

_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
# 253 characters of a Kubernetes name, less a "-" and the ten digits that a hash may have.
_LONGEST_POD_PREFIX = 242
_LONGEST_LABEL = 63
#: Of a generated name: Kubernetes keeps so much in front of its suffix.
_LONGEST_START = _LONGEST_LABEL - _SUFFIX_LENGTH
_HASH_LENGTH = 8

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619

_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?")
_DNS_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_OBJECT_NAME = re.compile(rf"{_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})*")


def fnv1a_32(text: str) -> int:
    """Return the 32-bit FNV-1a hash of a text's UTF-8 bytes, as Go's `fnv.New32a`."""
    value = _FNV_OFFSET
    for byte in text.encode("utf-8"):
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return value


def node_id(workflow: str, node_name: str) -> str:
    """Return the id of a node: the workflow's name for the root, else with the name's hash."""
    return workflow if node_name == workflow else f"{workflow}-{fnv1a_32(node_name)}"


def pod_name(workflow: str, template: str, node_name: str, node_id: str = "") -> str:
    """Return the name of a node's pod: `<workflow>-<template>-<hash>`, cut in front of the hash.

    Args:
        workflow: its name.
        template: the template's name (of a templateRef, its `template`); "" for an inline one.
        node_name: the node's name.
        node_id: the node's id, which holds the same hash (it saves computing it); "" if not known.
    """
    if node_name == workflow:
        return workflow
    start = f"{workflow}-"
    known = node_id.startswith(start) and node_id[len(start) :].isdecimal()
    hashed = node_id[len(start) :] if known else str(fnv1a_32(node_name))
    prefix = f"{workflow}-{template}" if template else workflow
    return f"{prefix[:_LONGEST_POD_PREFIX]}-{hashed}"


def pod_of_node(workflow: Workflow, node: Mapping[str, Any]) -> str:
    """Return the name of the pod that a node of a workflow object has."""
    metadata = metadata_of(workflow)
    name, own_id = str(metadata.get("name") or ""), str(node.get("id") or "")
    if (metadata.get("annotations") or {}).get(POD_NAMES) == "v1":
        return own_id or node_id(name, node["name"])
    return pod_name(name, template_of_node(node), node["name"], own_id)


def template_of_node(node: Mapping[str, Any]) -> str:
    """Return the template that a node's pod is named after: of a templateRef, the one it names."""
    reference = node.get("templateRef")
    named = reference.get("template") if reference else node.get("templateName")
    return str(named or "")


def random_suffix(rng: random.Random) -> str:
    """Return five characters of Kubernetes' alphabet, as `generateName` appends them."""
    return "".join(rng.choice(_SUFFIX_ALPHABET) for _ in range(_SUFFIX_LENGTH))


def is_dns_label(text: str) -> bool:
    """Whether a text is a DNS label: lower case letters, digits and "-", at most 63 characters."""
    return len(text) <= _LONGEST_LABEL and _DNS_LABEL.fullmatch(text) is not None


def object_name(text: str) -> str:
    """Return a name that Argo takes for a workflow: at most 63 characters, as RFC 1123 has them.

    A good one is returned as it is. Anything else is put into small letters, digits and "-", with a
    hash of the whole, so that two names stay two.
    """
    if len(text) <= _LONGEST_LABEL and _OBJECT_NAME.fullmatch(text):
        return text
    return _hashed(re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"), text)


def label_value(text: str) -> str:
    """Return a text as the value of a label may be: itself, or cut to one with a hash of the whole.

    Source: Kubernetes docs, labels and selectors, syntax.
    """
    if len(text) <= _LONGEST_LABEL and _LABEL_VALUE.fullmatch(text):
        return text
    return _hashed(re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._"), text)


def name_start(text: str) -> str:
    """Return what the names of runs begin with that are called so; a suffix of five is added.

    A good one is returned as it is. In another one what Kubernetes refuses becomes `-`, which
    also ends it; one that is too long is cut, with a hash of the whole.
    """
    if len(text) <= _LONGEST_START and _OBJECT_NAME.fullmatch(f"{text}x"):
        return text
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not plain:
        return f"x-{digest(text)}-"
    return f"{shorten(plain, _LONGEST_START - 1)}-"


def _hashed(start: str, whole: str) -> str:
    start = start[: _LONGEST_LABEL - _HASH_LENGTH - 1].rstrip("-._")
    return f"{start}-{digest(whole)}" if start else f"x-{digest(whole)}"


def shorten(text: str, limit: int) -> str:
    """Return a name of at most `limit` characters, cut with a hash of the whole where it is longer.

    The same text gives the same name; two texts give two names. limit: at least ten.
    """
    if len(text) <= limit:
        return text
    return f"{text[: limit - _HASH_LENGTH - 1].rstrip('-._')}-{digest(text)}"
