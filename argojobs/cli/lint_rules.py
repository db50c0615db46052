"""All rules by code: those of the lint, and those that only the command line has."""

from __future__ import annotations

from argojobs.lint.rules import RULES, Rule
from argojobs.lint.rules.rule import ARGO

_SPEC = "https://kubernetes.io/docs/concepts/workloads/"

_OF_THE_COMMAND_LINE = (
    Rule(
        "not-text",
        "warning",
        "A number or boolean that is taken as its text",
        "What `run` and `compile` say where lint says `not-quoted`: text belongs there, and what is "
        "sent has the text. Argo's own reader refuses it, but for values of parameters.",
        "Put it in quotes; `argojobs lint --fix` does.",
        f"{ARGO}fields/#envvar",
        "container:\n  image: busybox:1.36\n  env:\n  - {name: LEVEL, value: 5}\n",
        "container:\n  image: busybox:1.36\n  env:\n  - {name: LEVEL, value: '5'}\n",
    ),
    Rule(
        "unreadable",
        "error",
        "The file is not a manifest",
        "The file is not valid YAML or JSON, or holds nothing that can become a Workflow; nothing "
        "else in it is judged.",
        "Correct the place that the message names.",
        "https://yaml.org/spec/1.2.2/",
        "kind: Workflow\nspec: [\n",
        "kind: Workflow\nspec: {entrypoint: main}\n",
    ),
    Rule(
        "nothing-to-lint",
        "warning",
        "A file without a workflow",
        "The file was named, and holds only objects of other kinds: nothing in it was judged.",
        "Name the file with the Workflow; folders give the manifests in them by themselves.",
        f"{ARGO}cli/argo_lint/",
        "kind: ConfigMap\nmetadata: {name: settings}\n",
        "kind: Workflow\nmetadata: {name: w}\n",
    ),
    Rule(
        "request-field",
        "warning",
        "A field beside `workflow:` means nothing",
        "The body of Argo's create request holds the workflow and a few options; anything else "
        "on top is dropped in silence.",
        "Move it below `workflow:`, where it belongs, or take it out.",
        f"{ARGO}rest-api/",
        "annotations: {a: b}\nworkflow:\n  metadata: {name: w}\n",
        "workflow:\n  metadata: {name: w, annotations: {a: b}}\n",
    ),
    Rule(
        "pod-restart",
        "warning",
        "The restart of a Pod becomes a retry",
        "A bare Pod is run as a Workflow of one step. Kubernetes restarts a pod in its place and "
        "without end; a Workflow makes a new one, a few times.",
        "Write a Workflow with a retryStrategy to say how often.",
        f"{_SPEC}pods/pod-lifecycle/#restart-policy",
        "kind: Pod\nspec:\n  restartPolicy: OnFailure\n",
        "kind: Workflow\nspec:\n  retryStrategy: {limit: 3}\n",
    ),
)

ALL: dict[str, Rule] = {**RULES, **{rule.code: rule for rule in _OF_THE_COMMAND_LINE}}
