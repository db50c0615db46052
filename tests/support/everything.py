"""A workflow with a bit of everything, how its pods end, and its object as comparable text."""

from __future__ import annotations

import json

from support.player import Ended

EVERYTHING = """
metadata: {name: wf}
spec:
  entrypoint: main
  onExit: bye
  parallelism: 3
  activeDeadlineSeconds: 10000
  arguments: {parameters: [{name: n, value: "3"}]}
  templates:
  - name: main
    parallelism: 2
    dag:
      tasks:
      - {name: list, template: echo, arguments: {parameters: [{name: x, value: a}]}}
      - name: each
        depends: list
        template: flaky
        withParam: "{{tasks.list.outputs.result}}"
        arguments: {parameters: [{name: x, value: "{{item}}"}]}
        hooks: {exit: {template: bye}}
      - name: inner
        depends: list
        template: steps
      - name: maybe
        depends: each.Failed
        template: echo
        arguments: {parameters: [{name: x, value: never}]}
      - name: end
        depends: each && inner && !maybe
        template: echo
        arguments: {parameters: [{name: x, value: "{{tasks.each.outputs.parameters.o}}"}]}
  - name: steps
    steps:
    - - name: one
        inline:
          outputs: {parameters: [{name: o, valueFrom: {path: /o}, globalName: g}]}
          retryStrategy: {limit: 2, backoff: {duration: 10s, factor: 2}}
          container: {image: i, args: ["{{retries}}"]}
    - - name: two
        template: echo
        withSequence: {count: "{{workflow.parameters.n}}"}
        when: "{{item}} != 1"
        arguments: {parameters: [{name: x, value: "{{item}}"}]}
    - - name: wait
        template: pause
    outputs: {parameters: [{name: all, valueFrom: {parameter: "{{steps.two.outputs.parameters}}"}}]}
  - name: pause
    suspend: {duration: 1m}
  - name: flaky
    inputs: {parameters: [{name: x}]}
    outputs: {parameters: [{name: o, valueFrom: {path: /o}}]}
    retryStrategy: {limit: 1}
    container: {image: i, args: ["{{inputs.parameters.x}}"]}
  - name: echo
    inputs: {parameters: [{name: x}]}
    outputs: {parameters: [{name: o, valueFrom: {path: /o}}]}
    container: {image: i, args: ["{{inputs.parameters.x}}"]}
  - name: bye
    container: {image: i, args: ["{{workflow.status}}"]}
"""


def script(start, name):
    if name == "wf.list":
        return Ended(result='["p","q","r","s"]', parameters={"o": "L"})
    if name.endswith(("(1:q)(0)", "one(0)", "one(1)")):
        return Ended(code=2)
    return Ended(parameters={"o": name[-6:]})


def plain(workflow: dict) -> str:
    return json.dumps(workflow, sort_keys=True, indent=1)
