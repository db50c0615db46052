"""Rules for tasks and steps: calls, loops and dependencies."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, Rule

RULES = (
    Rule(
        "step-name",
        "error",
        "A step without a legal name",
        "Names have letters, digits and `-`.",
        "Rename it.",
        ARGO + "walk-through/steps/",
        """\
steps:
- - {name: do_it, template: work}
""",
        """\
steps:
- - {name: do-it, template: work}
""",
    ),
    Rule(
        "task-name",
        "error",
        "A task without a legal name",
        "Names have letters, digits and `-`, and no digit first where tasks depend on each other.",
        "Rename it.",
        ARGO + "walk-through/dag/",
        """\
dag:
  tasks:
  - {name: do_it, template: work}
""",
        """\
dag:
  tasks:
  - {name: do-it, template: work}
""",
    ),
    Rule(
        "duplicate-step",
        "error",
        "Two steps of one name",
        "Their outputs could not be told apart.",
        "Rename one.",
        ARGO + "walk-through/steps/",
        """\
steps:
- - {name: a, template: work}
- - {name: a, template: work}
""",
        """\
steps:
- - {name: a, template: work}
- - {name: b, template: work}
""",
    ),
    Rule(
        "duplicate-task",
        "error",
        "Two tasks of one name",
        "Dependencies could not tell them apart.",
        "Rename one.",
        ARGO + "walk-through/dag/",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: a, template: work}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work}
""",
    ),
    Rule(
        "dag-empty",
        "error",
        "A dag without tasks",
        "Argo refuses the template.",
        "Add a task.",
        ARGO + "walk-through/dag/",
        """\
dag:
  tasks: []
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
""",
    ),
    Rule(
        "template-reference",
        "error",
        "A task or step that calls nothing, or two things",
        "It has exactly one of template, templateRef and inline.",
        "Keep one.",
        ARGO + "workflow-concepts/",
        """\
dag:
  tasks:
  - {name: a}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
""",
    ),
    Rule(
        "template-unknown",
        "error",
        "A call of a template that is not there",
        "Argo refuses the workflow.",
        "Correct the name.",
        ARGO + "workflow-concepts/",
        """\
dag:
  tasks:
  - {name: a, template: missing}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
""",
    ),
    Rule(
        "template-ref",
        "error",
        "An incomplete templateRef",
        "It needs the name of the object and of the template in it.",
        "Add both.",
        ARGO + "workflow-templates/",
        """\
dag:
  tasks:
  - name: a
    templateRef: {name: shared}
""",
        """\
dag:
  tasks:
  - name: a
    templateRef: {name: shared, template: train}
""",
    ),
    Rule(
        "template-ref-unknown",
        "error",
        "A reference to a template that is nowhere to be seen",
        "The object is not among the files that are checked, or has no such template. It "
        "may be on the server: `--refs off` says nothing, `--refs strict` makes it an "
        "error.",
        "Give its file with --templates, or correct the name.",
        ARGO + "workflow-templates/",
        """\
dag:
  tasks:
  - name: a
    templateRef: {name: shared, template: train}
""",
        """\
dag:
  tasks:
  - {name: a, template: train}
""",
    ),
    Rule(
        "input-missing",
        "error",
        "A call that leaves out an input",
        "The template has an input without a default.",
        "Add the argument, or a default.",
        ARGO + "walk-through/parameters/",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: t}
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
    - name: a
      template: t
      arguments:
        parameters:
        - {name: x, value: '1'}
- name: t
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "argument-value",
        "error",
        "An argument without a value",
        "Argo refuses the call; an argument's artifact takes no fromExpression.",
        "Add `value:` or `from:`, or leave it out.",
        ARGO + "walk-through/parameters/",
        """\
templates:
- name: main
  dag:
    tasks:
    - name: a
      template: t
      arguments:
        parameters:
        - {name: x}
- name: t
  inputs:
    parameters:
    - {name: x, default: '1'}
  container: {image: 'busybox:1.36'}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - name: a
      template: t
      arguments:
        parameters:
        - {name: x, value: '2'}
- name: t
  inputs:
    parameters:
    - {name: x, default: '1'}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "argument-unknown",
        "warning",
        "An argument that the template does not take",
        "Argo drops it without a word.",
        "Correct its name, or declare the input.",
        ARGO + "walk-through/parameters/",
        """\
dag:
  tasks:
  - name: a
    template: work
    arguments:
      parameters:
      - {name: x, value: '1'}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - name: a
      template: work
      arguments:
        parameters:
        - {name: x, value: '1'}
- name: work
  inputs:
    parameters:
    - {name: x}
  container: {image: 'busybox:1.36'}
""",
    ),
    Rule(
        "hook-expression",
        "error",
        "A hook that does not say when",
        "Only the hook `exit` needs no expression.",
        "Add `expression:`.",
        ARGO + "lifecyclehook/",
        """\
hooks:
  running: {template: note}
templates:
- name: main
  suspend: {}
- name: note
  suspend: {}
""",
        """\
hooks:
  running:
    template: note
    expression: workflow.status == 'Running'
templates:
- name: main
  suspend: {}
- name: note
  suspend: {}
""",
    ),
    Rule(
        "depends-and-dependencies",
        "error",
        "`depends` and `dependencies` in one dag",
        "Argo refuses the mixture.",
        "Use `depends` everywhere.",
        ARGO + "enhanced-depends-logic/",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a}
  - name: c
    template: work
    dependencies: [a]
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a}
  - {name: c, template: work, depends: a}
""",
    ),
    Rule(
        "depends-syntax",
        "error",
        "A `depends` that does not parse",
        "Argo's lint may pass it, and the dag errors when it runs.",
        "Names with .Succeeded, .Failed and so on, joined by && and ||.",
        ARGO + "enhanced-depends-logic/",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a &&}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a.Succeeded || a.Failed}
""",
    ),
    Rule(
        "depends-items",
        "error",
        "AnySucceeded or AllFailed of a task without items",
        "They ask about the items of a loop.",
        "Use .Succeeded or .Failed.",
        ARGO + "enhanced-depends-logic/",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a.AnySucceeded}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a.Succeeded}
""",
    ),
    Rule(
        "dependency-unknown",
        "error",
        "A dependency that is not a task",
        "Argo refuses the dag.",
        "Correct the name.",
        ARGO + "walk-through/dag/",
        """\
dag:
  tasks:
  - {name: a, template: work, depends: zz}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a}
""",
    ),
    Rule(
        "continue-on-depends",
        "error",
        "A continueOn in a dag with `depends`",
        "Argo refuses it: `depends` says the same more precisely.",
        "Write NAME.Succeeded || NAME.Failed.",
        ARGO + "enhanced-depends-logic/",
        """\
dag:
  tasks:
  - name: a
    template: work
    continueOn: {failed: true}
  - {name: b, template: work, depends: a}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a.Succeeded || a.Failed}
""",
    ),
    Rule(
        "cycle",
        "error",
        "Tasks that wait for each other",
        "None of them could begin.",
        "Remove one of the dependencies.",
        ARGO + "walk-through/dag/",
        """\
dag:
  tasks:
  - {name: a, template: work, depends: b}
  - {name: b, template: work, depends: a}
""",
        """\
dag:
  tasks:
  - {name: a, template: work}
  - {name: b, template: work, depends: a}
""",
    ),
    Rule(
        "template-recursion",
        "warning",
        "Templates that call each other without end",
        "A template may call itself, but something must end it: Argo stops a workflow that goes "
        "too deep, with an error.",
        "Give one of the calls a `when`.",
        ARGO + "walk-through/recursion/",
        """\
dag:
  tasks:
  - {name: again, template: main}
""",
        """\
steps:
- - {name: flip, template: work}
- - name: again
    template: main
    when: "'{{steps.flip.outputs.result}}' == 'tails'"
""",
    ),
    Rule(
        "target-unknown",
        "error",
        "A target that is not a task",
        "Argo refuses the dag.",
        "Correct the name.",
        ARGO + "walk-through/dag/",
        """\
dag:
  target: zz
  tasks:
  - {name: a, template: work}
""",
        """\
dag:
  target: a
  tasks:
  - {name: a, template: work}
""",
    ),
    Rule(
        "loop-several",
        "error",
        "Two loops on one task",
        "Argo takes one of withItems, withParam and withSequence.",
        "Keep one.",
        ARGO + "walk-through/loops/",
        """\
dag:
  tasks:
  - name: a
    template: work
    withItems: [a]
    withParam: '[1]'
""",
        """\
dag:
  tasks:
  - name: a
    template: work
    withItems: [a, b]
""",
    ),
    Rule(
        "loop-empty",
        "warning",
        "A loop over nothing",
        "It never runs, and outputs of it never are.",
        "Add an item, or remove the task.",
        ARGO + "walk-through/loops/",
        """\
dag:
  tasks:
  - name: a
    template: work
    withItems: []
""",
        """\
dag:
  tasks:
  - name: a
    template: work
    withItems: [a]
""",
    ),
    Rule(
        "loop-parameter",
        "error",
        "A withParam that is not a JSON list",
        "The node errors when Argo reads it.",
        "A JSON list, or a tag that becomes one.",
        ARGO + "walk-through/loops/",
        """\
dag:
  tasks:
  - {name: a, template: work, withParam: 'a, b'}
""",
        """\
dag:
  tasks:
  - {name: a, template: work, withParam: '["a", "b"]'}
""",
    ),
    Rule(
        "sequence",
        "error",
        "A sequence without one end",
        "It has a count or an end, in whole numbers.",
        "Give it one of them.",
        ARGO + "walk-through/loops/",
        """\
dag:
  tasks:
  - name: a
    template: work
    withSequence: {count: 2, end: 5}
""",
        """\
dag:
  tasks:
  - name: a
    template: work
    withSequence: {count: 2}
""",
    ),
)
