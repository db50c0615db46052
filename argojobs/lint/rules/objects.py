"""Rules for the object around the templates: name, labels, schedule, settings of the spec."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "api-version",
        "error",
        "Another apiVersion than Argo's",
        "Kubernetes finds the kind of an object by apiVersion and kind together.",
        "Write `apiVersion: argoproj.io/v1alpha1`.",
        ARGO + "fields/#workflow",
        """\
{apiVersion: argoproj.io/v1, kind: Workflow}
""",
        """\
{apiVersion: argoproj.io/v1alpha1, kind: Workflow}
""",
    ),
    Rule(
        "name-missing",
        "warning",
        "No name",
        "Kubernetes refuses an object without a name; `argojobs run` makes one up.",
        "Add `metadata: {generateName: NAME-}`.",
        ARGO + "fields/#objectmeta",
        """\
metadata:
  labels: {team: vision}
""",
        """\
metadata:
  generateName: train-
  labels: {team: vision}
""",
    ),
    Rule(
        "workflow-name",
        "error",
        "A name that Kubernetes does not take",
        "Names of objects have lower case letters, digits and `-`; a workflow's has at "
        "most 63 characters, because it becomes a label.",
        "Choose another name.",
        ARGO + "fields/#objectmeta",
        """\
metadata: {name: Train_Model}
""",
        """\
metadata: {name: train-model}
""",
    ),
    Rule(
        "cron-name",
        "error",
        "A CronWorkflow's name that is too long",
        "Its workflows are called by its name and the time, and must fit into 63 characters.",
        "At most 52 characters.",
        ARGO + "cron-workflows/",
        """\
kind: CronWorkflow
metadata: {name: nightly-training-of-the-segmentation-model-with-all-data}
""",
        """\
kind: CronWorkflow
metadata: {name: nightly-training}
""",
    ),
    Rule(
        "cron-schedule",
        "error",
        "A schedule that is none",
        "The controller cannot read it, and nothing ever runs.",
        "Five fields: minute, hour, day, month, weekday.",
        ARGO + "cron-workflows/",
        """\
kind: CronWorkflow
spec:
  schedules: [61 3 * * *]
""",
        """\
kind: CronWorkflow
spec:
  schedules: [0 3 * * *]
  timezone: Europe/Berlin
""",
    ),
    Rule(
        "cron-policy",
        "error",
        "A CronWorkflow's setting that is none",
        "concurrencyPolicy is Allow, Forbid or Replace; startingDeadlineSeconds is not negative.",
        "Use one of these.",
        ARGO + "cron-workflows/",
        """\
kind: CronWorkflow
spec: {concurrencyPolicy: Queue}
""",
        """\
kind: CronWorkflow
spec: {concurrencyPolicy: Forbid}
""",
    ),
    Rule(
        "label",
        "error",
        "A label or annotation that Kubernetes does not take",
        "Kubernetes refuses the object, or the pod when it is created.",
        "Letters, digits, `-`, `_` and `.`, at most 63 characters; anything else as an "
        "annotation's value.",
        ARGO + "fields/#objectmeta",
        """\
metadata:
  generateName: main-
  labels: {purpose: try it out}
""",
        """\
metadata:
  generateName: main-
  labels: {purpose: try-it-out}
""",
    ),
    Rule(
        "entrypoint-missing",
        "error",
        "No entrypoint",
        "Argo does not know where to begin.",
        "Name one of the templates.",
        ARGO + "fields/#workflowspec",
        """\
{entrypoint: ''}
""",
        """\
{entrypoint: main}
""",
    ),
    Rule(
        "workflow-template-ref",
        "error",
        "A workflowTemplateRef that does not fit",
        "With a workflowTemplateRef, all templates come from the other object; it must be named.",
        "Remove `templates:`, or call the other's templates by templateRef.",
        ARGO + "workflow-templates/",
        """\
spec:
  workflowTemplateRef: {name: shared}
  templates:
  - name: main
    container: {image: 'busybox:1.36'}
""",
        """\
spec:
  workflowTemplateRef: {name: shared}
""",
    ),
    Rule(
        "lint-ignore",
        "warning",
        "What is to be ignored is not a finding, or cannot be",
        "`argojobs.dev/lint-ignore` names codes that lint, run and compile let pass: warnings, and errors "
        "about what Argo's own lint lets pass. Any other code in it means nothing.",
        "Correct the code, or put right what it finds.",
        ARGO + "workflow-concepts/",
        """\
kind: Workflow
metadata: {generateName: a-, annotations: {argojobs.dev/lint-ignore: item-outside-lop}}
""",
        """\
kind: Workflow
metadata: {generateName: a-, annotations: {argojobs.dev/lint-ignore: item-outside-loop}}
""",
    ),
    Rule(
        "pod-gc",
        "error",
        "An unknown podGC strategy",
        "Argo refuses the workflow.",
        "OnPodCompletion, OnPodSuccess, OnWorkflowCompletion or OnWorkflowSuccess.",
        ARGO + "fields/#podgc",
        """\
podGC: {strategy: Always}
""",
        """\
podGC: {strategy: OnPodSuccess}
""",
    ),
    Rule(
        "ttl",
        "error",
        "A negative time to live",
        "Seconds after the end are counted from 0.",
        "Write 0 or more.",
        ARGO + "fields/#ttlstrategy",
        """\
ttlStrategy: {secondsAfterCompletion: -1}
""",
        """\
ttlStrategy: {secondsAfterCompletion: 3600}
""",
    ),
    Rule(
        "pod-spec-patch",
        "error",
        "A podSpecPatch that is not a patch",
        "It is merged into the pod, so it must be a mapping, in YAML or JSON; otherwise "
        "every pod fails to start.",
        "Write fields of a pod's spec.",
        ARGO + "fields/#template",
        """\
container: {image: 'busybox:1.36'}
podSpecPatch: 'containers: ['
""",
        """\
container: {image: 'busybox:1.36'}
podSpecPatch: 'terminationGracePeriodSeconds: 60'
""",
    ),
    Rule(
        "memoize",
        "error",
        "Memoization without a cache, or with a bad age",
        "Argo cannot keep the results.",
        "Name a ConfigMap; an age such as 24h.",
        ARGO + "memoization/",
        """\
container: {image: 'busybox:1.36'}
memoize:
  key: k
  maxAge: soon
  cache:
    configMap: {name: c}
""",
        """\
container: {image: 'busybox:1.36'}
memoize:
  key: k
  maxAge: 24h
  cache:
    configMap: {name: c}
""",
    ),
    Rule(
        "semaphore",
        "error",
        "A semaphore without exactly one limit",
        "Its limit is in a ConfigMap or in the database.",
        "Give it configMapKeyRef or database.",
        ARGO + "synchronization/",
        """\
synchronization:
  semaphores:
  - {namespace: default}
""",
        """\
synchronization:
  semaphores:
  - configMapKeyRef: {name: limits, key: training}
""",
    ),
    Rule(
        "metric",
        "error",
        "A metric that Argo cannot emit",
        "A metric has a name of letters, digits and `_`, a help text, and is one of "
        "counter, gauge and histogram.",
        "Add what is missing.",
        ARGO + "metrics/",
        """\
container: {image: 'busybox:1.36'}
metrics:
  prometheus:
  - name: loss
    counter: {value: '1'}
""",
        """\
container: {image: 'busybox:1.36'}
metrics:
  prometheus:
  - name: loss
    help: How many steps have ended
    counter: {value: '1'}
""",
    ),
    Rule(
        "object-size",
        "warning",
        "An object above 1 MiB",
        "Kubernetes keeps an object of about 1 MiB at most, with the status of all its "
        "nodes; on a laptop there is no such limit.",
        "Loop with withItems or withParam instead of repeating tasks, or split the templates off.",
        ARGO + "offloading-large-workflows/",
        """\
arguments:
  parameters:
  - {name: table, value: "... 1 MiB of text ..."}
""",
        """\
steps:
- - name: each
    template: work
    withSequence: {count: 1000}
""",
    ),
    Rule(
        "parallelism",
        "error",
        "A parallelism of 0 or less",
        "Nothing would ever run.",
        "Write a number above 0, or leave it out.",
        ARGO + "parallelism/",
        """\
{parallelism: 0}
""",
        """\
{parallelism: 4}
""",
    ),
)
