"""Rules for the object around the spec: its kind, name, labels, schedule, and what the spec refers to.

Sources: Argo `workflow/validate/validate.go`; Kubernetes docs, names, labels and annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.lint.calls import unknown_reference
from argojobs.lint.cron import check_cron
from argojobs.lint.durations import is_duration, is_go_duration, remedy
from argojobs.lint.subject import NOTHING, Object, Subject, items
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.kinds import API_VERSION
from argojobs.manifest.places import Path

_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
_LONGEST_LABEL = 63
_LONGEST_CRON_NAME = 52
_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_POD_GC = ("OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion", "OnWorkflowSuccess")


def check_object(value: Object, subject: Subject) -> Iterator[Finding]:
    """Everything outside the templates."""
    version = value.get("apiVersion")
    if version != API_VERSION:
        path: Path = ("apiVersion",) if version else ()
        yield error("api-version", path, f"apiVersion is {version!r}", f"write {API_VERSION}")
    yield from _names(subject)
    yield from _labels(subject)
    yield from _spec(subject)
    if subject.kind == "CronWorkflow":
        yield from check_cron(value.get("spec") or NOTHING, subject)


def _names(subject: Subject) -> Iterator[Finding]:
    name, start = subject.metadata.get("name"), subject.metadata.get("generateName")
    if not name and (not start or subject.kind != "Workflow"):
        kinds = "`name:` or `generateName:`" if subject.kind == "Workflow" else "`name:`"
        yield warning("name-missing", ("metadata",), "the object has no name", f"add {kinds}")
    if subject.kind == "CronWorkflow" and name and len(name) > _LONGEST_CRON_NAME:
        yield error(
            "cron-name",
            ("metadata", "name"),
            f"the name has {len(name)} characters",
            "at most 52: its workflows append the time",
        )
    elif subject.kind != "Workflow" and name and not _OBJECT_NAME.fullmatch(name):
        yield error(
            "workflow-name",
            ("metadata", "name"),
            f"{name!r} cannot name an object",
            "lower case letters, digits and `-`, at most 63 characters",
        )


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
                yield from _label(str(key), text, (*path, field, str(key)), field)


def _label(key: str, text: object, path: Path, field: str) -> Iterator[Finding]:
    if "{{" in key:
        return
    if not _LABEL_KEY.fullmatch(key) or len(key.rpartition("/")[2]) > _LONGEST_LABEL:
        yield error(
            "label",
            path,
            f"{key!r} cannot name one of the {field}",
            "letters, digits, `-`, `_` and `.`, at most 63 characters, a domain and `/` in front",
        )
    if field == "annotations" or text is None or "{{" in str(text):
        return
    if not _LABEL_VALUE.fullmatch(str(text)) or len(str(text)) > _LONGEST_LABEL:
        yield error(
            "label",
            path,
            f"{text!r} cannot be the value of a label",
            "letters, digits, `-`, `_` and `.`, at most 63 characters; else make it an annotation",
        )


def _spec(subject: Subject) -> Iterator[Finding]:
    spec, at = subject.spec, subject.at
    yield from _workflow_template(subject)
    strategy = (spec.get("podGC") or NOTHING).get("strategy")
    if strategy and strategy not in _POD_GC:
        yield error(
            "pod-gc",
            (*at, "podGC", "strategy"),
            f"{strategy!r} is not a strategy",
            f"one of {', '.join(_POD_GC)}",
        )
    delay = (spec.get("podGC") or NOTHING).get("deleteDelayDuration")
    if delay and not is_duration(delay):
        yield error(
            "pod-gc",
            (*at, "podGC", "deleteDelayDuration"),
            f"{delay!r} is not a duration",
            remedy(delay, "write seconds, or a number with a unit: 20, 30s, 5m"),
        )
    for field, value in (spec.get("ttlStrategy") or NOTHING).items():
        if isinstance(value, int) and value < 0:
            yield error(
                "ttl", (*at, "ttlStrategy", field), f"{value} is below 0", "a number of seconds"
            )
    patches = [((*at, "podSpecPatch"), spec.get("podSpecPatch"))]
    holders: list[tuple[Path, Object]] = [(at, spec)]
    for place in subject.places:
        holders.append((place.path, place.template))
        patches.append(((*place.path, "podSpecPatch"), place.template.get("podSpecPatch")))
        yield from _memoize(place.template.get("memoize"), (*place.path, "memoize"))
    for path, patch in patches:
        if patch and "{{" not in patch:
            yield from _patch(patch, path)
    for path, holder in holders:
        yield from _locks(holder.get("synchronization"), (*path, "synchronization"))
        yield from _metrics(holder.get("metrics"), (*path, "metrics", "prometheus"))


def _workflow_template(subject: Subject) -> Iterator[Finding]:
    reference = subject.spec.get("workflowTemplateRef")
    if not reference:
        return
    path = (*subject.at, "workflowTemplateRef")
    if subject.spec.get("templates"):
        yield error(
            "workflow-template-ref",
            (*subject.at, "templates"),
            "a workflow with a workflowTemplateRef has no templates of its own",
            "remove one of the two, or call the other's templates by templateRef",
        )
    name, cluster = reference.get("name"), bool(reference.get("clusterScope"))
    if not name:
        yield error("workflow-template-ref", path, "the reference has no name", "add `name:`")
    elif (cluster, name) not in subject.known:
        yield from unknown_reference(subject, cluster, name, "", path)
    else:
        yield from _referred(subject, subject.known[cluster, name], cluster, str(name))


def _referred(subject: Subject, other: Object, cluster: bool, name: str) -> Iterator[Finding]:
    from argojobs.manifest.check_calls import check_supplied, inputs_of

    theirs = other.get("spec") or NOTHING
    given = [one for _, one in items(subject.spec.get("arguments"), "parameters")]
    given += [one for _, one in items(theirs.get("arguments"), "parameters")]
    artifacts = [one for _, one in items(subject.spec.get("arguments"), "artifacts")]
    artifacts += [one for _, one in items(theirs.get("arguments"), "artifacts")]
    arguments = {"parameters": given, "artifacts": artifacts}
    for field in ("entrypoint", "onExit"):
        called = subject.spec.get(field) or theirs.get(field)
        path = (
            (*subject.at, field)
            if subject.spec.get(field)
            else (*subject.at, "workflowTemplateRef")
        )
        if not called:
            if field == "entrypoint":
                what = f"neither the workflow nor {name!r} has an entrypoint"
                yield error("entrypoint-missing", path, what, "name one of its templates")
            continue
        template = subject.library.get((cluster, name, called))
        if template is None:
            yield from unknown_reference(subject, cluster, name, called, path)
        else:
            yield from check_supplied(called, inputs_of(template), arguments, path)


def _patch(text: str, path: Path) -> Iterator[Finding]:
    from argojobs.errors import ManifestError
    from argojobs.manifest.yaml_read import read

    try:
        fits = all(isinstance(one, dict) for one in read(text))
    except ManifestError:
        fits = False
    if not fits:
        yield error(
            "pod-spec-patch",
            path,
            "the patch is not a mapping in YAML or JSON",
            'write fields of a pod: {"terminationGracePeriodSeconds": 60}',
        )


def _memoize(memoize: Object | None, path: Path) -> Iterator[Finding]:
    if memoize is None:
        return
    if not (memoize.get("cache") or NOTHING).get("configMap"):
        yield error(
            "memoize", path, "memoize has no cache", "add `cache: {configMap: {name: ...}}`"
        )
    age = memoize.get("maxAge")
    if age and "{{" not in age and not is_go_duration(age):
        hint = remedy(age, "write a number with a unit: 90s, 24h")
        yield error("memoize", (*path, "maxAge"), f"{age!r} is not a duration", hint)


def _locks(locks: Object | None, path: Path) -> Iterator[Finding]:
    for index, one in items(locks, "semaphores"):
        given = [way for way in ("configMapKeyRef", "database") if one.get(way) is not None]
        if len(given) != 1:
            what = " and ".join(given) or "no limit"
            yield error(
                "semaphore",
                (*path, "semaphores", index),
                f"the semaphore has {what}",
                "give it one of configMapKeyRef and database",
            )


_METRIC = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def _metrics(metrics: Object | None, path: Path) -> Iterator[Finding]:
    for index, one in items(metrics, "prometheus"):
        where = (*path, index)
        name = one.get("name") or ""
        if not _METRIC.fullmatch(name):
            yield error(
                "metric", where, f"{name!r} cannot name a metric", "letters, digits and `_`"
            )
        if not one.get("help"):
            yield error("metric", where, f"the metric {name!r} has no help", "add `help:`")
        if sum(one.get(kind) is not None for kind in ("counter", "gauge", "histogram")) != 1:
            yield error(
                "metric",
                where,
                f"the metric {name!r} has no kind, or several",
                "one of counter, gauge and histogram",
            )
