"""Rules beyond Argo's own: what passes its validation and is unwise or fails later."""

from __future__ import annotations

from .rule import ARGO, KUBERNETES, Rule

RULES = (
    Rule(
        "gathered-artifact",
        "error",
        "An artifact gathered from a loop",
        "Argo gathers the parameters of a loop's items into a list, but no artifacts: its "
        "lint passes this, its controller errors.",
        "Let each item write below one key, and take that key as one artifact.",
        ARGO + "walk-through/loops/",
        """\
templates:
- name: main
  dag:
    tasks:
    - name: a
      template: make
      withItems: [1, 2]
    - name: b
      depends: a
      template: use
      arguments:
        artifacts:
        - {name: m, from: '{{tasks.a.outputs.artifacts.m}}'}
- name: make
  container: {image: 'busybox:1.36'}
  outputs:
    artifacts:
    - {name: m, path: /m}
- name: use
  inputs:
    artifacts:
    - {name: m, path: /m}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "value-altered",
        "warning",
        "A value that Kubernetes changes",
        "In env, command and args, `$(NAME)` becomes a variable's value and `$$` becomes `$`.",
        "Pass it as an artifact, or encoded.",
        KUBERNETES + "tasks/inject-data-application/define-interdependent-environment-variables/",
        """\
arguments:
  parameters:
  - {name: price, value: 5$$}
""",
    ),
    Rule(
        "argument-size",
        "error",
        "A value of 128 KiB or more",
        "Linux takes no longer argument or environment variable; a long script is copied "
        "into every node.",
        "Pass it as an artifact.",
        ARGO + "walk-through/artifacts/",
        """\
arguments:
  parameters:
  - {name: text, value: "... 128 KiB of text ..."}
""",
    ),
    Rule(
        "secret-literal",
        "warning",
        "A secret as a literal",
        "Everyone who can see the workflow, its logs or its archive sees it.",
        "Keep it in a Secret, and use secretKeyRef.",
        ARGO + "walk-through/secrets/",
        """\
container:
  image: busybox:1.36
  env:
  - {name: AWS_SECRET_ACCESS_KEY, value: abc}
""",
    ),
    Rule(
        "image-latest",
        "warning",
        "An image without a fixed tag",
        "Tomorrow it may be another image, and a retry may run other code than the first attempt.",
        "Name a tag or a digest.",
        KUBERNETES + "concepts/containers/images/",
        """\
container: {image: busybox}
""",
    ),
)
