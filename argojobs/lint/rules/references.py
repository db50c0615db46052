"""Rules for tags and conditions: what they name, and whether it is there in time."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "unresolved-reference",
        "error",
        "A tag that names nothing",
        "Argo refuses it, or waits for it for ever.",
        "Correct the name; pass values from templates to templates as arguments.",
        ARGO + "variables/",
        """\
container:
  image: busybox:1.36
  args: ['{{inputs.parameters.x}}']
""",
        """\
container:
  image: busybox:1.36
  args: ['{{inputs.parameters.x}}']
inputs:
  parameters:
  - {name: x, default: '1'}
""",
    ),
    Rule(
        "reference-not-before",
        "error",
        "The output of something that has not ended",
        "What a task uses must end before it begins.",
        "Add it to `depends`, or move the step to a later group.",
        ARGO + "variables/",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: work}
    - name: b
      template: t
      arguments:
        parameters:
        - {name: x, value: '{{tasks.a.outputs.result}}'}
- name: t
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: work}
    - name: b
      depends: a
      template: t
      arguments:
        parameters:
        - {name: x, value: '{{tasks.a.outputs.result}}'}
- name: t
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "item-outside-loop",
        "error",
        "`{{item}}` outside a loop",
        "It stays as it is: only the task or step that loops knows it.",
        "Pass it as an argument.",
        ARGO + "walk-through/loops/",
        """\
container:
  image: busybox:1.36
  args: ['{{item}}']
""",
        """\
templates:
- name: main
  steps:
  - - name: each
      template: one
      withItems: [a, b]
      arguments:
        parameters:
        - {name: x, value: '{{item}}'}
- name: one
  inputs:
    parameters:
    - {name: x}
  container:
    image: busybox:1.36
    args: ['{{inputs.parameters.x}}']
""",
    ),
    Rule(
        "function-not-here",
        "warning",
        "A function that only a cluster has",
        "Argo's expressions have it, the local engine has not: what makes keys and certificates, "
        "hashes passwords and looks up hosts. A run on this machine ends in an Error there.",
        "Let a step of its own do it, with a program of its image.",
        ARGO + "variables/#expression",
        """\
container:
  image: busybox:1.36
  args: ["{{=sprig.genPrivateKey('ed25519')}}"]
""",
        """\
container:
  image: busybox:1.36
  args: ["{{=sprig.sha256sum(workflow.name)}}"]
""",
    ),
    Rule(
        "skipped-output",
        "warning",
        "The output of something that may be skipped",
        "With a `when` that does not hold there is no output, and what needs it errors. Before 4.1 Argo "
        "knows no default of it either; `run --context` says so where the server is older.",
        "Give the output a valueFrom.default, or both the same `when`.",
        ARGO + "conditional-artifacts-parameters/",
        """\
templates:
- name: main
  inputs:
    parameters:
    - {name: go, default: 'no'}
  steps:
  - - {name: a, template: work, when: '''{{inputs.parameters.go}}'' == ''yes'''}
  - - name: b
      template: t
      arguments:
        parameters:
        - {name: x, value: '{{steps.a.outputs.result}}'}
- name: t
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
        """\
templates:
- name: main
  inputs:
    parameters:
    - {name: go, default: 'no'}
  steps:
  - - {name: a, template: make, when: "'{{inputs.parameters.go}}' == 'yes'"}
  - - name: b
      template: t
      arguments:
        parameters:
        - {name: x, value: '{{steps.a.outputs.parameters.o}}'}
- name: make
  container: {image: 'busybox:1.36'}
  outputs:
    parameters:
    - name: o
      valueFrom: {path: /tmp/o, default: none}
- name: t
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "unknown-variable",
        "warning",
        "A tag that is none of Argo's",
        "It stays as it is. If it was meant for Argo, it misses its first part.",
        "Begin it with inputs., workflow., tasks. or steps.",
        ARGO + "variables/",
        """\
container:
  image: busybox:1.36
  args: ['{{epochs}}']
""",
        """\
container:
  image: busybox:1.36
  args: ['{{inputs.parameters.epochs}}']
inputs:
  parameters:
  - {name: epochs, default: '2'}
""",
    ),
    Rule(
        "unclosed-tag",
        "error",
        "A tag without an end",
        "Argo takes the rest of the template for the tag's name, and refuses it. Where what follows "
        "is none of Argo's names, the text stays as it is, and this is a warning.",
        "Close it with `}}`.",
        ARGO + "variables/",
        """\
container:
  image: busybox:1.36
  args: ['{{workflow.name']
""",
        """\
container:
  image: busybox:1.36
  args: ['{{workflow.name}}']
""",
    ),
    Rule(
        "when-syntax",
        "error",
        "A condition that does not parse",
        "Words with hyphens, several words and `#` are no text without quotes, and the "
        "step errors.",
        "Put both sides in quotes.",
        ARGO + "walk-through/conditionals/",
        """\
steps:
- - {name: a, template: work, when: '{{workflow.name}} == not-this'}
""",
        """\
steps:
- - {name: a, template: work, when: "'{{workflow.name}}' == 'not-this'"}
""",
    ),
    Rule(
        "when-in",
        "error",
        "`in` with one item",
        "In parentheses, one item is not a list, and the step errors.",
        "Compare with ==.",
        ARGO + "walk-through/conditionals/",
        """\
steps:
- - {name: a, template: work, when: '''{{workflow.name}}'' in (''x'')'}
""",
        """\
steps:
- - {name: a, template: work, when: "'{{workflow.name}}' == 'x'"}
""",
    ),
    Rule(
        "when-unquoted",
        "warning",
        "A condition that depends on what its values look like",
        "Values are put in as text: one with a hyphen, a space or a `#` breaks the condition.",
        "Put both sides in quotes.",
        ARGO + "walk-through/conditionals/",
        """\
steps:
- - {name: a, template: work, when: '{{workflow.name}} == heads'}
""",
        """\
steps:
- - {name: a, template: work, when: "'{{workflow.name}}' == 'heads'"}
""",
    ),
)
