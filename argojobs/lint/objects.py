"""Rules for the object around the templates: its name, labels and settings.

Sources: Argo `workflow/validate/validate.go`; Kubernetes docs, names, labels and annotations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from argojobs.errors import ManifestError
from argojobs.lint.durations import is_duration, is_go_duration, remedy
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Subject, items
from argojobs.manifest.findings import Finding
from argojobs.manifest.kinds import API_VERSION
from argojobs.manifest.places import Path
from argojobs.manifest.reading import read

LARGEST_OBJECT = 1024 * 1024
_LONGEST_LABEL = 63
_LONGEST_WORKFLOW_NAME = 63
_GENERATED_SUFFIX = 5
_WORKFLOW_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
_METRIC = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_POD_GC = ("OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion", "OnWorkflowSuccess")


@error("fields/#workflow", beyond=True)
def api_version(value: Object) -> Faults:
    """An apiVersion that is not Argo's.

    Kubernetes finds the kind of an object by apiVersion and kind together.
    Remedy: Write `apiVersion: argoproj.io/v1alpha1`.
    Wrong:
        {apiVersion: argoproj.io/v1, kind: Workflow}
    Right:
        {apiVersion: argoproj.io/v1alpha1, kind: Workflow}
    """
    version = value.get("apiVersion")
    if version != API_VERSION:
        path: Path = ("apiVersion",) if version else ()
        yield Fault(path, f"apiVersion is {version!r}", f"write {API_VERSION}")


@warning("fields/#objectmeta")
def name_missing(subject: Subject) -> Faults:
    """No name.

    Kubernetes refuses an object without a name; `argojobs run` makes one up.
    Remedy: Add `metadata: {generateName: NAME-}`.
    Wrong:
        metadata:
          labels: {team: vision}
    Right:
        metadata:
          generateName: train-
          labels: {team: vision}
    """
    name, start = subject.metadata.get("name"), subject.metadata.get("generateName")
    if not name and (not start or subject.kind != "Workflow"):
        kinds = "`name:` or `generateName:`" if subject.kind == "Workflow" else "`name:`"
        yield Fault(("metadata",), "the object has no name", f"add {kinds}")


@error("fields/#objectmeta", beyond=True)
def workflow_name(subject: Subject) -> Faults:
    """A name that Kubernetes does not take.

    Names of objects have lower case letters, digits and `-`; a workflow's has at most 63
    characters, because it becomes a label.
    Remedy: Choose another name.
    Wrong:
        metadata: {name: Train_Model}
    Right:
        metadata: {name: train-model}
    """
    hint = "lower case letters, digits and `-`, at most 63 characters"
    name, start = subject.metadata.get("name"), subject.metadata.get("generateName")
    where: Path = ("metadata", "name")
    if subject.kind != "Workflow":
        if name and not _OBJECT_NAME.fullmatch(name):
            yield Fault(where, f"{name!r} cannot name an object", hint)
    elif name:
        if len(name) > _LONGEST_WORKFLOW_NAME or not _WORKFLOW_NAME.fullmatch(name):
            yield Fault(where, f"{name!r} cannot name a workflow", hint)
    elif start and not _WORKFLOW_NAME.fullmatch(start[:57] + "x" * _GENERATED_SUFFIX):
        what = f"{start!r} cannot begin the name of a workflow"
        yield Fault(("metadata", "generateName"), what, "lower case letters, digits and `-`")


@error("fields/#objectmeta", beyond=True)
def label(key: str, text: object, path: Path, field: str) -> Faults:
    """A label or annotation that Kubernetes does not take.

    Kubernetes refuses the object, or the pod when it is created.
    Remedy: Letters, digits, `-`, `_` and `.`, at most 63 characters; anything else as an
    annotation's value.
    Wrong:
        metadata:
          generateName: main-
          labels: {purpose: try it out}
    Right:
        metadata:
          generateName: main-
          labels: {purpose: try-it-out}
    """
    if "{{" in key:
        return
    hint = "letters, digits, `-`, `_` and `.`, at most 63 characters"
    if not _LABEL_KEY.fullmatch(key) or len(key.rpartition("/")[2]) > _LONGEST_LABEL:
        what = f"{key!r} cannot name one of the {field}"
        yield Fault(path, what, f"{hint}, a domain and `/` in front")
    if field == "annotations" or text is None or "{{" in str(text):
        return
    if not _LABEL_VALUE.fullmatch(str(text)) or len(str(text)) > _LONGEST_LABEL:
        what = f"{text!r} cannot be the value of a label"
        yield Fault(path, what, f"{hint}; else make it an annotation")


def _labels(subject: Subject) -> Iterator[Finding]:
    holders: list[tuple[Path, Object | None]] = [
        (("metadata",), subject.metadata),
        ((*subject.at, "podMetadata"), subject.spec.get("podMetadata")),
        ((*subject.at, "workflowMetadata"), subject.spec.get("workflowMetadata")),
    ]
    holders += [((*one.path, "metadata"), one.template.get("metadata")) for one in subject.places]
    for path, holder in holders:
        for field in ("labels", "annotations"):
            for key, text in ((holder or NOTHING).get(field) or NOTHING).items():
                yield from label(str(key), text, (*path, field, str(key)), field)


@error("fields/#podgc")
def pod_gc(subject: Subject) -> Faults:
    """An unknown podGC strategy.

    Argo refuses the workflow.
    Remedy: OnPodCompletion, OnPodSuccess, OnWorkflowCompletion or OnWorkflowSuccess.
    Wrong:
        podGC: {strategy: Always}
    Right:
        podGC: {strategy: OnPodSuccess}
    """
    path = (*subject.at, "podGC")
    settings = subject.spec.get("podGC") or NOTHING
    strategy, delay = settings.get("strategy"), settings.get("deleteDelayDuration")
    if strategy and strategy not in _POD_GC:
        what = f"{strategy!r} is not a strategy"
        yield Fault((*path, "strategy"), what, f"one of {', '.join(_POD_GC)}")
    if delay and not is_duration(delay):
        hint = remedy(delay, "write seconds, or a number with a unit: 20, 30s, 5m")
        yield Fault((*path, "deleteDelayDuration"), f"{delay!r} is not a duration", hint)


@error("fields/#ttlstrategy", beyond=True)
def ttl(subject: Subject) -> Faults:
    """A negative time to live.

    Seconds after the end are counted from 0.
    Remedy: Write 0 or more.
    Wrong:
        ttlStrategy: {secondsAfterCompletion: -1}
    Right:
        ttlStrategy: {secondsAfterCompletion: 3600}
    """
    for field, value in (subject.spec.get("ttlStrategy") or NOTHING).items():
        if isinstance(value, int) and value < 0:
            yield Fault((*subject.at, "ttlStrategy", field), f"{value} is below 0")


@error("fields/#template", beyond=True)
def pod_spec_patch(text: str | None, path: Path) -> Faults:
    """A podSpecPatch that is not a patch.

    It is merged into the pod, so it must be a mapping, in YAML or JSON; otherwise every pod fails
    to start.
    Remedy: Write fields of a pod's spec.
    Wrong:
        container: {image: 'busybox:1.36'}
        podSpecPatch: 'containers: ['
    Right:
        container: {image: 'busybox:1.36'}
        podSpecPatch: 'terminationGracePeriodSeconds: 60'
    """
    if not text or "{{" in text:
        return
    try:
        fits = all(isinstance(one, dict) for one in read(text))
    except ManifestError:
        fits = False
    if not fits:
        hint = 'write fields of a pod: {"terminationGracePeriodSeconds": 60}'
        yield Fault(path, "the patch is not a mapping in YAML or JSON", hint)


@error("memoization/", beyond=True)
def memoize(settings: Object, path: Path) -> Faults:
    """Memoization without a cache, or with a bad age.

    Argo cannot keep the results.
    Remedy: Name a ConfigMap; an age such as 24h.
    Wrong:
        container: {image: 'busybox:1.36'}
        memoize:
          key: k
          maxAge: soon
          cache:
            configMap: {name: c}
    Right:
        container: {image: 'busybox:1.36'}
        memoize:
          key: k
          maxAge: 24h
          cache:
            configMap: {name: c}
    """
    if not (settings.get("cache") or NOTHING).get("configMap"):
        yield Fault(path, "memoize has no cache", "add `cache: {configMap: {name: ...}}`")
    age = settings.get("maxAge")
    if age and "{{" not in age and not is_go_duration(age):
        hint = remedy(age, "write a number with a unit: 90s, 24h")
        yield Fault((*path, "maxAge"), f"{age!r} is not a duration", hint)


@error("synchronization/", beyond=True)
def semaphore(locks: Object | None, path: Path) -> Faults:
    """A semaphore without exactly one limit.

    Its limit is in a ConfigMap or in the database.
    Remedy: Give it configMapKeyRef or database.
    Wrong:
        synchronization:
          semaphores:
          - {namespace: default}
    Right:
        synchronization:
          semaphores:
          - configMapKeyRef: {name: limits, key: training}
    """
    for index, one in items(locks, "semaphores"):
        given = [way for way in ("configMapKeyRef", "database") if one.get(way) is not None]
        if len(given) != 1:
            what = f"the semaphore has {' and '.join(given) or 'no limit'}"
            yield Fault((*path, "semaphores", index), what)


@error("metrics/")
def metric(metrics: Object | None, path: Path) -> Faults:
    """A metric that Argo cannot emit.

    A metric has a name of letters, digits and `_`, a help text, and is one of counter, gauge and
    histogram.
    Remedy: Add what is missing.
    Wrong:
        container: {image: 'busybox:1.36'}
        metrics:
          prometheus:
          - name: loss
            counter: {value: '1'}
    Right:
        container: {image: 'busybox:1.36'}
        metrics:
          prometheus:
          - name: loss
            help: How many steps have ended
            counter: {value: '1'}
    """
    for index, one in items(metrics, "prometheus"):
        where = (*path, index)
        name = one.get("name") or ""
        if not _METRIC.fullmatch(name):
            yield Fault(where, f"{name!r} cannot name a metric", "letters, digits and `_`")
        if not one.get("help"):
            yield Fault(where, f"the metric {name!r} has no help", "add `help:`")
        if sum(one.get(kind) is not None for kind in ("counter", "gauge", "histogram")) != 1:
            what = f"the metric {name!r} has no kind, or several"
            yield Fault(where, what, "one of counter, gauge and histogram")


@warning("offloading-large-workflows/")
def object_size(value: Object) -> Faults:
    """An object above 1 MiB.

    Kubernetes keeps an object of about 1 MiB at most, with the status of all its nodes; on a laptop
    there is no such limit.
    Remedy: Loop with withItems or withParam instead of repeating tasks, or split the templates off.
    Wrong:
        arguments:
          parameters:
          - {name: table, value: "... 1 MiB of text ..."}
    Right:
        steps:
        - - name: each
            template: work
            withSequence: {count: 1000}
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LARGEST_OBJECT:
        shown = f"{size / 1024 / 1024:.1f} MiB"
        yield Fault((), f"the object is about {shown}, and a cluster takes about 1 MiB")


def check_object(value: Object, subject: Subject) -> Iterator[Finding]:
    """What stands around the templates, and what they have in common with it."""
    yield from api_version(value)
    yield from name_missing(subject)
    yield from workflow_name(subject)
    yield from _labels(subject)
    yield from pod_gc(subject)
    yield from ttl(subject)
    holders: list[tuple[Path, Object]] = [(subject.at, subject.spec)]
    holders += [(place.path, place.template) for place in subject.places]
    for path, holder in holders:
        yield from pod_spec_patch(holder.get("podSpecPatch"), (*path, "podSpecPatch"))
        if holder.get("memoize") is not None:
            yield from memoize(holder["memoize"], (*path, "memoize"))
        yield from semaphore(holder.get("synchronization"), (*path, "synchronization"))
        yield from metric(holder.get("metrics"), (*path, "metrics", "prometheus"))
