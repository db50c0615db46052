"""All rules by code: those of the lint, and those that only the command line has, with no check of theirs."""

from __future__ import annotations

import sys

from argojobs.lint.rule import KUBERNETES, error, warning
from argojobs.lint.rules import RULES, rules_in


@warning("fields/#envvar")
def not_text() -> None:
    """A number or boolean that is taken as its text.

    What `run` and `compile` say where lint says `not-quoted`: text belongs there, and what is sent
    has the text. Argo's own reader refuses it, but for values of parameters.
    Remedy: Put it in quotes; `argojobs lint --fix` does.
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


@error("https://yaml.org/spec/1.2.2/")
def unreadable() -> None:
    """The file is not a manifest.

    The file is not valid YAML or JSON, or holds nothing that can become a Workflow; nothing else in
    it is judged.
    Remedy: Correct the place that the message names.
    Wrong:
        kind: Workflow
        spec: [
    Right:
        kind: Workflow
        spec: {entrypoint: main}
    """


@warning("cli/argo_lint/")
def nothing_to_lint() -> None:
    """A file without a workflow.

    The file was named, and holds only objects of other kinds: nothing in it was judged.
    Remedy: Name the file with the Workflow; folders give the manifests in them by themselves.
    Wrong:
        kind: ConfigMap
        metadata: {name: settings}
    Right:
        kind: Workflow
        metadata: {name: w}
    """


@warning("rest-api/")
def request_field() -> None:
    """A field beside `workflow:` means nothing.

    The body of Argo's create request holds the workflow and a few options; anything else on top is
    dropped in silence.
    Remedy: Move it below `workflow:`, where it belongs, or take it out.
    Wrong:
        annotations: {a: b}
        workflow:
          metadata: {name: w}
    Right:
        workflow:
          metadata: {name: w, annotations: {a: b}}
    """


@warning(KUBERNETES + "concepts/workloads/pods/pod-lifecycle/#restart-policy")
def pod_restart() -> None:
    """The restart of a Pod becomes a retry.

    A bare Pod is run as a Workflow of one step. Kubernetes restarts a pod in its place and without
    end; a Workflow makes a new one, a few times.
    Remedy: Write a Workflow with a retryStrategy to say how often.
    Wrong:
        kind: Pod
        spec:
          restartPolicy: OnFailure
    Right:
        kind: Workflow
        spec:
          retryStrategy: {limit: 3}
    """


ALL = {**RULES, **rules_in(sys.modules[__name__])}
