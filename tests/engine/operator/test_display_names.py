"""`workflows.argoproj.io/display-name` among a template's annotations: what its nodes are shown as.

As Argo 4.0.5 did; it sets the name at its second look, so that very short pods may not get it.
"""

from __future__ import annotations

import pytest
from support.player import Ended, Player, manifest, nodes, play

KEY = "workflows.argoproj.io/display-name"
SHOWN = f"""
- name: e
  annotations: {{{KEY}: "show-{{{{inputs.parameters.x}}}}"}}
  inputs: {{parameters: [{{name: x, default: d}}]}}
  container: {{image: i}}
- name: again
  annotations: {{{KEY}: again.1}}
  retryStrategy: {{limit: 1}}
  container: {{image: i}}
- name: s
  annotations: {{{KEY}: "bye-{{{{workflow.status}}}}"}}
  suspend: {{duration: "1"}}
- name: wrong
  annotations: {{{KEY}: "show me"}}
  container: {{image: i}}
"""
RULE = "displayName must match the regex ^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$"


def test_every_kind_of_node_has_it_but_attempts_groups_and_what_was_skipped() -> None:
    main = f"""
annotations: {{{KEY}: the-main}}
dag:
  tasks:
  - {{name: a, template: e}}
  - name: l
    template: e
    withItems: [p, q]
    arguments: {{parameters: [{{name: x, value: "{{{{item}}}}"}}]}}
  - {{name: k, template: e, when: "false"}}
  - {{name: r, template: again}}
"""
    done = play(manifest(main, spec="{onExit: s}", more=SHOWN), {"wf.r(0)": Ended(code=1)})
    assert {name: node["displayName"] for name, node in nodes(done).items()} == {
        "wf": "the-main",
        "wf.a": "show-d",
        "wf.l": "l",
        "wf.l(0:p)": "show-p",
        "wf.l(1:q)": "show-q",
        "wf.k": "k",
        "wf.r": "again.1",
        "wf.r(0)": "r(0)",
        "wf.r(1)": "r(1)",
        "wf.onExit": "bye-Succeeded",
    }


@pytest.mark.parametrize("reload", [False, True], ids=["", "reloaded"])
def test_a_name_is_no_reason_for_another_course(reload: bool) -> None:
    text = manifest(
        """
steps:
- - {name: a, template: again, hooks: {exit: {template: s}}}
- - name: b
    template: e
    arguments: {parameters: [{name: x, value: "{{steps.a.status}}"}]}
""",
        spec="{onExit: s}",
        more=SHOWN,
    )
    done = play(text, {"wf[0].a(0)": Ended(code=1)}, reload=reload)
    assert done["status"]["phase"] == "Succeeded"
    assert nodes(done)["wf[1].b"]["displayName"] == "show-Succeeded"
    player = Player(text, reload=reload)
    player.begin()
    player.stop()
    assert player.play()["status"]["phase"] == "Failed"
    assert player.node("wf.onExit")["phase"] == "Succeeded"


def test_of_steps_a_hook_knows_the_status_by_the_shown_name_alone() -> None:
    hook = "{template: pod, arguments: {parameters: [{name: x, value: '{{steps.%s.status}}'}]}}"
    text = "steps: [[{name: a, template: e, hooks: {exit: %s}}]]"
    for name, seen in (("a", "{{steps.a.status}}"), ("show-d", "Succeeded")):
        done = play(manifest(text % (hook % name), more=SHOWN))
        assert nodes(done)["wf[0].a.onExit"]["inputs"]["parameters"][0]["value"] == seen


@pytest.mark.parametrize("name", ["show me", "x", "-ab", "a" * 64, "{{retries}}", "ä-b"])
def test_a_name_that_argo_does_not_take_is_an_error(name: str) -> None:
    text = manifest("steps: [[{name: a, template: wrong}]]", more=SHOWN)
    wrong = text["spec"]["templates"][-1]
    assert wrong["name"] == "wrong"
    wrong["annotations"] = {KEY: name}
    done = play(text)
    assert done["status"]["message"] == (
        f"step group deemed errored due to child wf[0].a error: {RULE}"
    )


def test_defaults_of_templates_have_it_too() -> None:
    spec = f"{{templateDefaults: {{annotations: {{{KEY}: all-the-same}}}}}}"
    done = play(manifest("steps: [[{name: a, template: pod}]]", spec=spec))
    assert nodes(done)["wf[0].a"]["displayName"] == "all-the-same"
