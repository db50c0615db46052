"""A hint that proposes a command of ours says where it is to go, so that it works when pasted."""

import ast
import re
from pathlib import Path

import pytest
from support.fake_argo import WORKFLOWS, Reply, error

from argojobs import client
from argojobs.errors import ArgojobsError

ONE = f"{WORKFLOWS}/one"
OPTIONS = " --context lab"
COMMAND = re.compile(r"argojobs (list|get|watch|wait|logs|stop|retry|resubmit|delete|doctor)\b")
UNAVAILABLE = error(503, 14, "unavailable")


def hint_of(action):
    with pytest.raises(ArgojobsError) as caught:
        action()
    return caught.value.hint


def test_of_a_run_that_is_not_there(argo, connect):
    assert hint_of(lambda: connect(options=OPTIONS).get("one")) == (
        "argojobs list --context lab shows the runs there are"
    )


def test_of_a_submission_without_an_answer(argo, connect):
    argo.always(f"POST {WORKFLOWS}", Reply("", 503))
    argo.always(f"GET {ONE}", UNAVAILABLE)
    workflow = {"metadata": {"name": "one"}, "spec": {}}
    hint = hint_of(lambda: connect(options=OPTIONS).create(workflow))
    assert "argojobs get one --context lab; " in hint


def test_of_a_watch_without_an_answer(argo, connect):
    argo.add("one", "Running")
    argo.script(f"GET {ONE}", None)
    argo.always(f"GET {ONE}", UNAVAILABLE)
    argo.always("GET /api/v1/workflow-events/argo", UNAVAILABLE)
    hint = hint_of(lambda: list(connect(options=OPTIONS).watch("one")))
    assert hint == "ask once the server answers again: argojobs get one --context lab"


def test_of_a_resubmission_without_an_answer(argo, connect):
    argo.add("one", "Succeeded")
    argo.script(f"PUT {ONE}/resubmit", error(500, 13, "etcd timeout"))
    hint = hint_of(lambda: connect(options=OPTIONS).resubmit("one"))
    assert hint == "argojobs list --context lab shows it"


def test_of_what_is_not_allowed(argo, connect):
    argo.always(f"GET {ONE}", error(403, 7, "permission denied"))
    hint = hint_of(lambda: connect(options=OPTIONS).get("one"))
    assert "argojobs doctor --context lab says" in hint


def test_no_text_of_the_client_proposes_a_command_without_them():
    lacking = []
    for path in Path(client.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {id(one.body[0].value) for one in ast.walk(tree) if _has_docstring(one)}
        inside = {id(p) for s in ast.walk(tree) if isinstance(s, ast.JoinedStr) for p in s.values}
        for node in ast.walk(tree):
            if id(node) in documented | inside:
                continue
            if isinstance(node, ast.JoinedStr):
                text = ast.unparse(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            if COMMAND.search(text) and "options}" not in text:
                lacking.append(f"{path.name}: {text}")
    assert lacking == []


def _has_docstring(node):
    bodies = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return isinstance(node, bodies) and ast.get_docstring(node) is not None
