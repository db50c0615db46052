"""Two hundred steps side by side, and one that gathers what they stored."""

from __future__ import annotations

import json

from as_user import User, messages, nodes_of, phase, result

COUNT = 200
#: So many pods at a time, for the one node that there is.
AT_ONCE = 10


def test_two_hundred_steps_and_their_artifacts_in_order(user: User) -> None:
    source = user.project / "wide.py"
    manifest = json.loads(user.there("compile", source, "--upload", "-o", "json").stdout)
    manifest["spec"]["parallelism"] = AT_ONCE
    file = user.folder / "wide.json"
    file.write_text(json.dumps(manifest))
    name = user.started(file, "-p", f"count={COUNT}")
    # looked at seldom: with two hundred nodes a look costs the server as much as a step
    workflow = user.ended(name, seconds=1200, pause=5)
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": str(sum(number**2 for number in range(COUNT)))}
    squares = [node for node in nodes_of(workflow) if node["displayName"].startswith("square(")]
    assert len(squares) == COUNT
    assert {node["phase"] for node in squares} == {"Succeeded"}
