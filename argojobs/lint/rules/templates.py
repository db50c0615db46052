"""Rules for templates: names, inputs, outputs and what they run."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "template-name",
        "error",
        "A template without a legal name",
        "Names of templates have letters, digits and `-`, at most 128 characters.",
        "Rename it.",
        ARGO + "fields/#template",
        """\
entrypoint: do_it
templates:
- name: do_it
  container: {image: 'busybox:1.36'}
""",
        """\
entrypoint: do-it
templates:
- name: do-it
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "duplicate-template",
        "error",
        "Two templates of one name",
        "Argo would not know which is meant.",
        "Rename one.",
        ARGO + "fields/#template",
        """\
templates:
- name: main
  suspend: {}
- name: main
  suspend: {}
""",
        """\
templates:
- name: main
  steps:
  - - {name: wait, template: wait}
- name: wait
  suspend: {}
""",
    ),
    Rule(
        "template-type",
        "error",
        "A template that does nothing",
        "A template has exactly one of container, script, dag, steps and so on.",
        "Say what it does.",
        ARGO + "workflow-concepts/",
        """\
templates:
- {name: main}
""",
        """\
templates:
- name: main
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "template-types",
        "error",
        "A template that is two things at once",
        "A template has exactly one of container, script, dag, steps and so on.",
        "Make a template of each.",
        ARGO + "workflow-concepts/",
        """\
container: {image: 'busybox:1.36'}
suspend: {}
""",
        """\
container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "template-unused",
        "warning",
        "A template that nothing calls",
        "It is checked and stored, and never runs.",
        "Remove it, or call it.",
        ARGO + "workflow-concepts/",
        """\
templates:
- name: main
  suspend: {}
- name: old
  suspend: {}
""",
        """\
templates:
- name: main
  steps:
  - - {name: wait, template: wait}
- name: wait
  suspend: {}
""",
    ),
    Rule(
        "parameter-name",
        "error",
        "A parameter or artifact without a legal name",
        "Names of parameters and artifacts have letters, digits, `-` and `_`.",
        "Rename it.",
        ARGO + "walk-through/parameters/",
        """\
arguments:
  parameters:
  - {name: learning.rate, value: '1'}
""",
        """\
arguments:
  parameters:
  - {name: learning_rate, value: '1'}
""",
    ),
    Rule(
        "duplicate-name",
        "error",
        "Two parameters or artifacts of one name",
        "Argo refuses the workflow.",
        "Keep one.",
        ARGO + "walk-through/parameters/",
        """\
arguments:
  parameters:
  - {name: a, value: '1'}
  - {name: a, value: '2'}
""",
        """\
arguments:
  parameters:
  - {name: a, value: '1'}
  - {name: b, value: '2'}
""",
    ),
    Rule(
        "enum",
        "error",
        "A value that its enum does not allow",
        "A parameter with an enum takes the values that it lists, and it lists at least one. "
        "Argo looks at the values of arguments alone: in a default, or a template's input, it is a "
        "warning.",
        "Choose one of them.",
        ARGO + "fields/#parameter",
        """\
arguments:
  parameters:
  - name: size
    value: big
    enum: [small, large]
""",
        """\
arguments:
  parameters:
  - name: size
    value: large
    enum: [small, large]
""",
    ),
    Rule(
        "image-missing",
        "error",
        "No image",
        "Without an image there is no container.",
        "Add `image:`, with a fixed tag.",
        ARGO + "fields/#container",
        """\
container:
  command: [ls]
""",
        """\
container:
  image: busybox:1.36
  command: [ls]
""",
    ),
    Rule(
        "script-command",
        "warning",
        "A script without a command",
        "Nothing says which program reads the script: the entrypoint of the image gets it as its "
        "argument, and most images have one that does something else, or none.",
        "Add `command: [python]` or `command: [sh]`.",
        ARGO + "walk-through/scripts-and-results/",
        """\
script: {image: 'busybox:1.36', source: ls}
""",
        """\
script: {image: 'busybox:1.36', command: [sh], source: ls}
""",
    ),
    Rule(
        "script-source",
        "warning",
        "An empty script",
        "The command starts without a script.",
        "Write `source: |`, or make it a container.",
        ARGO + "walk-through/scripts-and-results/",
        """\
script:
  image: busybox:1.36
  command: [sh]
""",
        """\
script:
  image: busybox:1.36
  command: [sh]
  source: |
    ls
""",
    ),
    Rule(
        "container-set",
        "error",
        "A containerSet that does not fit together",
        "Its containers have names of their own and wait only for each other, without going round.",
        "Correct the names or dependencies.",
        ARGO + "container-set-template/",
        """\
containerSet:
  containers:
  - name: a
    image: busybox:1.36
    dependencies: [b]
""",
        """\
containerSet:
  containers:
  - name: b
    image: busybox:1.36
  - name: a
    image: busybox:1.36
    dependencies: [b]
""",
    ),
    Rule(
        "container-set-main",
        "error",
        "A containerSet with outputs and no `main`",
        "Inputs and outputs belong to the container called `main`.",
        "Call one of the containers `main`.",
        ARGO + "container-set-template/",
        """\
containerSet:
  containers:
  - {name: a, image: 'busybox:1.36'}
outputs:
  parameters:
  - name: o
    valueFrom: {path: /o}
""",
        """\
containerSet:
  containers:
  - {name: main, image: 'busybox:1.36'}
outputs:
  parameters:
  - name: o
    valueFrom: {path: /o}
""",
    ),
    Rule(
        "resource-action",
        "error",
        "An unknown action on a resource",
        "Argo passes it to kubectl.",
        "get, create, apply, delete, replace or patch.",
        ARGO + "walk-through/kubernetes-resources/",
        """\
resource: {action: make, manifest: 'kind: Job'}
""",
        """\
resource: {action: create, manifest: 'kind: Job'}
""",
    ),
    Rule(
        "resource-manifest",
        "error",
        "A resource without a readable manifest",
        "A manifest, or a manifestFrom with a declared artifact, is what the action works on.",
        "Give exactly one of them.",
        ARGO + "walk-through/kubernetes-resources/",
        """\
resource: {action: create}
""",
        """\
resource:
  action: create
  manifest: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {generateName: made-}
""",
    ),
    Rule(
        "http-url",
        "error",
        "A request without a url",
        "There is nowhere to send it.",
        "Add `url:`.",
        ARGO + "http-template/",
        """\
http: {method: GET}
""",
        """\
http: {method: GET, url: 'https://example.com'}
""",
    ),
    Rule(
        "init-container-name",
        "error",
        "An init container without a name",
        "Argo refuses the template.",
        "Add `name:`.",
        ARGO + "fields/#usercontainer",
        """\
container: {image: 'busybox:1.36'}
initContainers:
- {image: 'busybox:1.36'}
""",
        """\
container: {image: 'busybox:1.36'}
initContainers:
- {name: prepare, image: 'busybox:1.36'}
""",
    ),
    Rule(
        "artifact-path",
        "error",
        "An artifact without a path, or with one that means nothing",
        "A container finds and leaves artifacts at paths; steps and dags have no files.",
        "Add or remove `path:`.",
        ARGO + "walk-through/artifacts/",
        """\
container: {image: 'busybox:1.36'}
outputs:
  artifacts:
  - {name: model}
""",
        """\
container: {image: 'busybox:1.36'}
outputs:
  artifacts:
  - {name: model, path: /tmp/model}
""",
    ),
    Rule(
        "artifact-location",
        "error",
        "An artifact's source that does not fit",
        "An artifact comes from one place, and git needs a repo.",
        "Keep one source, complete.",
        ARGO + "walk-through/hardwired-artifacts/",
        """\
container: {image: 'busybox:1.36'}
inputs:
  artifacts:
  - name: code
    path: /code
    git: {revision: main}
""",
        """\
container: {image: 'busybox:1.36'}
inputs:
  artifacts:
  - name: code
    path: /code
    git: {repo: 'https://example.com/code.git', revision: main}
""",
    ),
    Rule(
        "input-from",
        "error",
        "`from` in a template's inputs",
        "Where an artifact comes from is said by the task or step that calls the template.",
        "Move it to the caller's arguments.",
        ARGO + "walk-through/artifacts/",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: make}
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
    - {name: m, path: /m, from: '{{inputs.artifacts.m}}'}
  container: {image: 'busybox:1.36'}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: make}
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
        "output-value",
        "error",
        "An output that comes from nowhere",
        "An output parameter has a value or exactly one valueFrom that its template can "
        "give: a path in containers, a parameter or expression in steps and dags.",
        "Add `valueFrom:`.",
        ARGO + "walk-through/output-parameters/",
        """\
container: {image: 'busybox:1.36'}
outputs:
  parameters:
  - {name: loss}
""",
        """\
container: {image: 'busybox:1.36'}
outputs:
  parameters:
  - name: loss
    valueFrom: {path: /tmp/loss}
""",
    ),
    Rule(
        "global-name",
        "error",
        "A globalName that is not a name",
        "It becomes part of `workflow.outputs.parameters.NAME`.",
        "Letters, digits, `-` and `_`.",
        ARGO + "variables/",
        """\
container: {image: 'busybox:1.36'}
outputs:
  parameters:
  - name: loss
    globalName: the loss
    valueFrom: {path: /loss}
""",
        """\
container: {image: 'busybox:1.36'}
outputs:
  parameters:
  - name: loss
    globalName: the-loss
    valueFrom: {path: /loss}
""",
    ),
    Rule(
        "argument-source",
        "error",
        "An argument's valueFrom that Argo does not take",
        "A workflow's argument comes from its value or from a ConfigMap; outputs have the "
        "other sources.",
        "Write `value:`, or configMapKeyRef.",
        ARGO + "fields/#valuefrom",
        """\
arguments:
  parameters:
  - name: a
    valueFrom: {path: /tmp/a}
""",
        """\
arguments:
  parameters:
  - name: a
    valueFrom:
      configMapKeyRef: {name: settings, key: a}
""",
    ),
)
