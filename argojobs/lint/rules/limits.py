"""Rules for retries, deadlines, timeouts and other limits of templates."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "suspend-duration",
        "error",
        "A pause of no duration",
        "Argo cannot read how long, and the node errors.",
        "Seconds, or a number with a unit: 20, 5m.",
        ARGO + "walk-through/suspending/",
        """\
suspend: {duration: soon}
""",
        """\
suspend: {duration: 5m}
""",
    ),
    Rule(
        "deadline",
        "error",
        "A deadline that cannot be kept",
        "activeDeadlineSeconds is a whole number above 0, for templates that run pods and "
        "for the whole workflow.",
        "Write seconds, or move it.",
        ARGO + "fields/#template",
        """\
container: {image: 'busybox:1.36'}
activeDeadlineSeconds: -5
""",
        """\
container: {image: 'busybox:1.36'}
activeDeadlineSeconds: 3600
""",
    ),
    Rule(
        "timeout",
        "error",
        "A timeout that cannot be kept",
        "A timeout is a number with a unit, for templates that are no steps or dag.",
        "Write 30s, 5m or 2h, or move it.",
        ARGO + "walk-through/timeouts/",
        """\
container: {image: 'busybox:1.36'}
timeout: soon
""",
        """\
container: {image: 'busybox:1.36'}
timeout: 2h
""",
    ),
    Rule(
        "template-parallelism",
        "error",
        "A parallelism on a template without tasks",
        "It limits how many tasks or steps of a template run at once.",
        "Move it to the steps or dag.",
        ARGO + "parallelism/",
        """\
container: {image: 'busybox:1.36'}
parallelism: 2
""",
        """\
steps:
- - {name: a, template: work}
  - {name: b, template: work}
parallelism: 1
""",
    ),
    Rule(
        "retry-policy",
        "error",
        "An unknown retry policy",
        "Argo refuses the template.",
        "Always, OnFailure, OnError or OnTransientError.",
        ARGO + "retries/",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: 2, retryPolicy: Sometimes}
""",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: 2, retryPolicy: Always}
""",
    ),
    Rule(
        "retry-limit",
        "error",
        "A retry limit that is not a number",
        "The step errors when Argo reads it.",
        "A whole number from 0: how many further attempts.",
        ARGO + "retries/",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: many}
""",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: 3}
""",
    ),
    Rule(
        "retry-unlimited",
        "warning",
        "Retries without end",
        "A retryStrategy without limit, expression or maxDuration retries for ever.",
        "Add `limit:`.",
        ARGO + "retries/",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {retryPolicy: Always}
""",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {retryPolicy: Always, limit: 3}
""",
    ),
    Rule(
        "backoff",
        "error",
        "A backoff that Argo cannot read",
        "duration, maxDuration and cap are durations, factor is a number.",
        "Write 10, 30s or 5m.",
        ARGO + "retries/",
        """\
container: {image: 'busybox:1.36'}
retryStrategy:
  limit: 2
  backoff: {duration: soon}
""",
        """\
container: {image: 'busybox:1.36'}
retryStrategy:
  limit: 2
  backoff: {duration: 30s, factor: 2}
""",
    ),
    Rule(
        "expression-syntax",
        "error",
        "An expression that does not parse",
        "The node errors when it is evaluated.",
        "Correct it: the finding says where it ends to make sense.",
        ARGO + "variables/#expression",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: 2, expression: lastRetry.exitCode ==}
""",
        """\
container: {image: 'busybox:1.36'}
retryStrategy: {limit: 2, expression: lastRetry.exitCode != '78'}
""",
    ),
)
