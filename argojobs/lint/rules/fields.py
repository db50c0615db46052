"""Rules for fields and their types."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "unknown-field",
        "error",
        "A field that Argo does not know",
        "Argo's strict reader refuses the file; over REST the field is dropped without a "
        "word, and what it was meant to do does not happen.",
        "Correct the name: the nearest known one is in the finding.",
        ARGO + "fields/",
        """\
container:
  image: busybox:1.36
  comand: [ls]
""",
        """\
container:
  image: busybox:1.36
  command: [ls]
""",
    ),
    Rule(
        "misplaced-field",
        "warning",
        "A known field in a wrong place",
        "Argo knows the field, but elsewhere. Here it is dropped (or refused, by `argo "
        "lint`), so a retryStrategy inside the container never retries anything.",
        "Move it to the place that the finding names; `argojobs lint --fix` does.",
        ARGO + "fields/",
        """\
container:
  image: busybox:1.36
  retryStrategy: {limit: 2}
""",
        """\
container:
  image: busybox:1.36
retryStrategy: {limit: 2}
""",
    ),
    Rule(
        "removed-field",
        "error",
        "A field of Argo 3 that 4 does not have",
        "Argo 4 took out what it had called deprecated. Its strict reader refuses the file; over REST "
        "the field is dropped without a word: a mutex no longer excludes anything.",
        "Write what the finding names; `argojobs lint --fix` does, where the value can stay.",
        ARGO + "deprecations/",
        """\
synchronization: {mutex: {name: one}}
""",
        """\
synchronization: {mutexes: [{name: one}]}
""",
    ),
    Rule(
        "newer-field",
        "warning",
        "A field that only a newer Argo has",
        "A server of an older version refuses the file or, over REST, drops the field without a word.",
        "Look at the server's version (`argojobs doctor`); leave the field out for an older one.",
        ARGO + "fields/",
        """\
container: {image: 'busybox:1.36'}
pendingTimeout: 10m
""",
        """\
container: {image: 'busybox:1.36'}
timeout: 10m
""",
    ),
    Rule(
        "list-value",
        "error",
        "A list or mapping as a parameter's value",
        "Parameters are texts. Argo's reader takes a list or mapping as an empty text, without a word; "
        "over REST the request is refused.",
        "Put it in quotes, as JSON text; `argojobs lint --fix` does.",
        ARGO + "fields/#parameter",
        """\
{arguments: {parameters: [{name: rates, value: [0.1, 0.2]}]}}
""",
        """\
{arguments: {parameters: [{name: rates, value: '[0.1, 0.2]'}]}}
""",
    ),
    Rule(
        "wrong-type",
        "error",
        "A value of the wrong type",
        "A list where a mapping belongs, or text where a number belongs: Argo's reader "
        "refuses the whole file.",
        "Write the type that the finding names.",
        ARGO + "fields/",
        """\
{parallelism: many}
""",
        """\
{parallelism: 2}
""",
    ),
    Rule(
        "not-quoted",
        "error",
        "A number or boolean where only text belongs",
        "Argo's reader refuses numbers in environment variables, labels and other texts.",
        "Put it in quotes.",
        ARGO + "fields/#envvar",
        """\
container:
  image: busybox:1.36
  env:
  - {name: LEVEL, value: 5}
""",
        """\
container:
  image: busybox:1.36
  env:
  - {name: LEVEL, value: '5'}
""",
    ),
)
