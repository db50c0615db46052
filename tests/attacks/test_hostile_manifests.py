"""Runs that would hold up the controller for ever, beside one that just wants to run."""

import pytest
from support.attacking import run, shell

A = "a" * 5000
POISONS = {
    "b1": {"when": "{{=sprig.regexMatch('(a+)+$', '" + A + "!')}}"},
    "govaluate": {"when": f"'{A}!' =~ '(a|a)*$'"},
    "loops": {"when": "{{=len(map(1..100000, map(1..100000, #))) > 0}}"},
    "memory": {"when": "{{=len(map(1..100000, repeat('x', 1000000))) > 0}}"},
    "sequence": {"withSequence": {"count": "100000000"}},
    "items": {"withParam": "{{=toJson(1..500000)}}"},
    "each": {"withSequence": {"count": "300"}, "when": "{{=sum(1..1000000) == {{item}}}}"},
}


def poisoned(name, call):
    step = {"name": "step", "template": "pod", **call}
    pod = shell(name)["spec"]["templates"][0]
    templates = [{"name": "main", "steps": [[step]]}, {**pod, "name": "pod"}]
    return {"metadata": {"name": name}, "spec": {"entrypoint": "main", "templates": templates}}


@pytest.mark.parametrize("name", POISONS)
def test_a_poisoned_run_ends_and_its_neighbour_runs(service, name):
    service.create(poisoned("poison", POISONS[name]))
    assert run(service, "good") == "Succeeded"
    *_, last = service.watch("poison")
    assert last.workflow["status"]["phase"] in {"Succeeded", "Error", "Failed"}
    service.delete("poison")
    assert service.names() == ("good",)
