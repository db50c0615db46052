"""Rules beyond Argo's own: what passes its validation and is unwise or fails later."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, KUBERNETES, Rule

RULES = (
    Rule(
        "inline-loop",
        "error",
        "A loop's inline template",
        "Argo's lint passes it and the loop runs, but what follows it, or the end of the steps, "
        "looks for the template by its name: `failed to get a template`, after all the work.",
        "Give the template a name.",
        ARGO + "walk-through/loops/",
        """\
steps:
- - name: a
    withItems: [1, 2]
    inline:
      container: {image: 'busybox:1.36', args: ['{{item}}']}
""",
        """\
templates:
- name: main
  steps:
  - - name: a
      withItems: [1, 2]
      template: work
      arguments:
        parameters:
        - {name: item, value: '{{item}}'}
- name: work
  inputs:
    parameters:
    - {name: item}
  container: {image: 'busybox:1.36', args: ['{{inputs.parameters.item}}']}
""",
    ),
    Rule(
        "global-name-of-dag",
        "warning",
        "A global name on a dag's own output",
        "Argo gives it out when a dag around it has ended. Of an entrypoint, and below steps, it "
        "never does: `{{workflow.outputs.parameters...}}` stays as text.",
        "Give the output of the task that makes it the globalName.",
        ARGO + "variables/#global",
        """\
dag:
  tasks:
  - {name: a, template: work}
outputs:
  parameters:
  - name: best
    globalName: best
    valueFrom: {parameter: '{{tasks.a.outputs.result}}'}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: work}
- name: work
  container: {image: 'busybox:1.36', command: [sh, -c, 'echo 1 > /tmp/best']}
  outputs:
    parameters:
    - name: best
      globalName: best
      valueFrom: {path: /tmp/best}
""",
    ),
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
        """\
templates:
- name: main
  dag:
    tasks:
    - name: a
      template: make
      withItems: [1, 2]
      arguments:
        parameters:
        - {name: item, value: '{{item}}'}
    - name: b
      depends: a
      template: use
      arguments:
        artifacts:
        - {name: m, s3: {key: '{{workflow.name}}/a'}}
- name: make
  inputs:
    parameters:
    - {name: item}
  container: {image: 'busybox:1.36'}
  outputs:
    artifacts:
    - {name: m, path: /m, s3: {key: '{{workflow.name}}/a/{{inputs.parameters.item}}'}}
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
        """\
container:
  image: busybox:1.36
  command: [cat, /tmp/price]
inputs:
  artifacts:
  - {name: price, path: /tmp/price, raw: {data: 5$$}}
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
        """\
container:
  image: busybox:1.36
  command: [cat, /tmp/text]
inputs:
  artifacts:
  - {name: text, path: /tmp/text, s3: {key: text.txt}}
""",
    ),
    Rule(
        "secret-literal",
        "warning",
        "A secret as a literal",
        "Everyone who can see the workflow, its logs or its archive sees it. By a name such as "
        "`password` this is a warning; a text that has the form of a known key or token is an error.",
        "Keep it in a Secret, and use secretKeyRef.",
        ARGO + "walk-through/secrets/",
        """\
container:
  image: busybox:1.36
  env:
  - {name: AWS_SECRET_ACCESS_KEY, value: abc}
""",
        """\
container:
  image: busybox:1.36
  env:
  - name: AWS_SECRET_ACCESS_KEY
    valueFrom:
      secretKeyRef: {name: s3, key: secret}
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
        """\
container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "bucket-without-endpoint",
        "warning",
        "A bucket without an endpoint",
        "Argo takes a location in S3 as it is only with endpoint, bucket and key. Where one lacks, "
        "all but the key come from its own repository: another bucket is read or written.",
        "Write the whole location, or the key alone.",
        ARGO + "configure-artifact-repository/",
        """\
container: {image: 'busybox:1.36'}
inputs:
  artifacts:
  - {name: data, path: /data, s3: {bucket: datasets, key: mnist}}
""",
        """\
container: {image: 'busybox:1.36'}
inputs:
  artifacts:
  - name: data
    path: /data
    s3:
      endpoint: s3.example.org
      bucket: datasets
      accessKeySecret: {name: s3, key: accesskey}
      secretKeySecret: {name: s3, key: secretkey}
      key: mnist
""",
    ),
)
