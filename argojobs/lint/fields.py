"""Rules for fields and their types, of which `manifest.fields` finds all in one walk.

A run is checked by the same walk: these are the pages, and what lint says otherwise.
"""

from __future__ import annotations

from argojobs.lint.rule import KUBERNETES, Fault, Faults, error, warning
from argojobs.manifest.findings import Finding

#: Fields of parameters that Argo takes as text, number or boolean. Source: Argo
#: `workflow_types.go`, AnyString.
_ANY_STRING = frozenset({"value", "default", "enum"})


@error("fields/")
def unknown_field() -> None:
    """A field that Argo does not know.

    Argo's strict reader refuses the file; over REST the field is dropped without a word, and what
    it was meant to do does not happen.
    Remedy: Correct the name: the nearest known one is in the finding.
    Wrong:
        container:
          image: busybox:1.36
          comand: [ls]
    Right:
        container:
          image: busybox:1.36
          command: [ls]
    """


@warning("fields/")
def misplaced_field() -> None:
    """A known field in a wrong place.

    Argo knows the field, but elsewhere. Here it is dropped (or refused, by `argo lint`), so a
    retryStrategy inside the container never retries anything.
    Remedy: Move it to the place that the finding names; `argojobs lint --fix` does.
    Wrong:
        container:
          image: busybox:1.36
          retryStrategy: {limit: 2}
    Right:
        container:
          image: busybox:1.36
        retryStrategy: {limit: 2}
    """


@error("deprecations/")
def removed_field() -> None:
    """A field of Argo 3 that 4 does not have.

    Argo 4 took out what it had called deprecated. Its strict reader refuses the file; over REST the
    field is dropped without a word: a mutex no longer excludes anything.
    Remedy: Write what the finding names; `argojobs lint --fix` does, where the value can stay.
    Wrong:
        synchronization: {mutex: {name: one}}
    Right:
        synchronization: {mutexes: [{name: one}]}
    """


@warning("fields/")
def newer_field() -> None:
    """A field that only a newer Argo has.

    A server of an older version refuses the file or, over REST, drops the field without a word.
    Remedy: Look at the server's version (`argojobs doctor`); leave the field out for an older one.
    Wrong:
        container: {image: 'busybox:1.36'}
        pendingTimeout: 10m
    Right:
        container: {image: 'busybox:1.36'}
        timeout: 10m
    """


@error("fields/#parameter", beyond=True)
def list_value() -> None:
    """A list or mapping as a parameter's value.

    Parameters are texts. Argo's reader takes a list or mapping as an empty text, without a word;
    over REST the request is refused.
    Remedy: Put it in quotes, as JSON text; `argojobs lint --fix` does.
    Wrong:
        {arguments: {parameters: [{name: rates, value: [0.1, 0.2]}]}}
    Right:
        {arguments: {parameters: [{name: rates, value: '[0.1, 0.2]'}]}}
    """


@error("fields/")
def wrong_type() -> None:
    """A value of the wrong type.

    A list where a mapping belongs, or text where a number belongs: Argo's reader refuses the whole
    file.
    Remedy: Write the type that the finding names.
    Wrong:
        {parallelism: many}
    Right:
        {parallelism: 2}
    """


@error(KUBERNETES + "reference/kubernetes-api/common-definitions/quantity/")
def quantity() -> None:
    """A value that is not a quantity.

    Kubernetes refuses the pod.
    Remedy: A number with a unit: 500m, 2, 40Gi.
    Wrong:
        container:
          image: busybox:1.36
          resources:
            limits: {memory: 40GB}
    Right:
        container:
          image: busybox:1.36
          resources:
            limits: {memory: 40Gi}
    """


@error("fields/#envvar")
def not_quoted(found: Finding) -> Faults:
    """A number or boolean where only text belongs.

    Argo's reader refuses numbers in environment variables, labels and other texts.
    Remedy: Put it in quotes.
    Wrong:
        container:
          image: busybox:1.36
          env:
          - {name: LEVEL, value: 5}
    Right:
        container:
          image: busybox:1.36
          env:
          - {name: LEVEL, value: '5'}
    """
    at_value = any(step in _ANY_STRING for step in found.path[-2:])
    if not (at_value and "parameters" in found.path):
        yield Fault(found.path, found.message)


def as_lint(found: list[Finding]) -> list[Finding]:
    """Return findings of `check_fields`, and not-quoted where a run takes a number as its text."""
    made: list[Finding] = []
    for one in found:
        made += not_quoted(one) if one.code == "not-text" else [one]
    return made
