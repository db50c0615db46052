"""A real Argo: submitting, listing and following logs, beside the server itself and Argo's program.

Both sides talk to the server of the test cluster (`python tests/cluster up`), which is joined if it
runs and not started here. `ARGOJOBS_BENCH_REMOTE=RUNS,LINES` makes it smaller for a try.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cluster import CONTEXT, LABEL, RealArgo, missing
from benchmarks.measure import ROUNDS, Row, command, interleaved, milliseconds, python

RUNS, LINES = (int(n) for n in os.environ.get("ARGOJOBS_BENCH_REMOTE", "1000,100000").split(","))
LOG_ROUNDS = 3
#: What our client may add to the server's answer, in ms.
ADDED = 120
LIST_RATIO, LOG_RATIO = 1.6, 1.1
STEPS = 3  # of a run that is listed
FEW = 10  # runs, as a person has them on one screen

#: What `argojobs run` does once its plan is ready: the client, imported and connected, and the
#: workflow created. In a process of its own, as a command is.
_SUBMIT = """
import json, sys, time
import argojobs.cli.main, argojobs.cli.group, argojobs.cli.options
from argojobs.runs.target import Target
from argojobs.config.choosing import choose
from argojobs.service import Service
context = choose(sys.argv[2], "", None)
workflow = json.load(open(sys.argv[1]))
workflow["metadata"]["name"] = sys.argv[3]
start = time.perf_counter()
from argojobs.runs.remote import remote_service
created = remote_service(context).create(workflow)
print((time.perf_counter() - start) * 1000)
assert created["metadata"]["uid"]
"""


def rows() -> list[Row]:
    """Return what was measured; without a cluster nothing, and a line says so."""
    if reason := missing():
        print(f"not measured: {reason}", file=sys.stderr)
        return []
    mark = f"bench-{uuid.uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as folder:
        argo = RealArgo(Path(folder))
        try:
            return [
                *_submit(argo, Path(folder), mark),
                *_lists(argo, mark),
                *_short_names(argo, mark),
                _logs(argo, mark),
            ]
        finally:
            argo.delete(mark)


def _submit(argo: RealArgo, folder: Path, mark: str) -> list[Row]:
    """Time a submission, then the whole commands; what is submitted is suspended: no pod starts."""
    workflow = {**_workflow(f"{mark}-submit-", mark, ["true"]), "kind": "Workflow"}
    workflow["apiVersion"] = "argoproj.io/v1alpha1"
    workflow["spec"]["suspend"] = True
    file = folder / "submit.json"
    file.write_text(json.dumps(workflow))
    numbers = count()
    ours, theirs = [], []
    for turn in range(2 * ROUNDS + 1):
        times = (
            _client_ms(argo, file, f"{mark}-client-{next(numbers)}"),
            _answer_ms(argo, workflow, f"{mark}-raw-{next(numbers)}"),
        )
        if turn:  # the first warms up
            ours.append(times[0])
            theirs.append(times[1])
    added = Row(
        "submit: our client", median(ours), "the server's own answer", median(theirs),
        f"at most {ADDED} ms more", median(ours) - median(theirs) <= ADDED,
    )  # fmt: skip
    manifest = folder / "whole.json"
    workflow["metadata"] = {"generateName": f"{mark}-whole-", "labels": {LABEL: mark}}
    manifest.write_text(json.dumps(workflow))
    us, them = interleaved(
        command(_ours("run", str(manifest), "--detach", "-o", "name"), **argo.variables),
        command([argo.argo, "submit", str(manifest), "-o", "name"], **argo.variables),
    )
    return [added, Row("`argojobs run -d` on it", us, "`argo submit`", them, "", kept=True)]


def _client_ms(argo: RealArgo, file: Path, name: str) -> float:
    done = subprocess.run(
        python("-c", _SUBMIT, str(file), CONTEXT, name),
        env={**os.environ, **argo.variables}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(done.stdout)


def _answer_ms(argo: RealArgo, workflow: dict[str, Any], name: str) -> float:
    named = {
        **workflow,
        "metadata": {"name": name, "labels": {LABEL: workflow["metadata"]["labels"][LABEL]}},
    }
    body = {"namespace": argo.namespace, "workflow": named}
    return milliseconds(lambda: argo.ask("POST", argo.path, body))


def _lists(argo: RealArgo, mark: str) -> list[Row]:
    """List few runs, which is what a look costs at the least, then many."""
    argo.create(_ended(f"{mark}-{number:05}", mark) for number in range(FEW))
    few = _list(argo)
    argo.create(_ended(f"{mark}-{number:05}", mark) for number in range(FEW, RUNS))
    many = _list(argo)
    return [
        Row(f"`argojobs list` of {FEW} runs", few[0], "`argo list`", few[1], "", kept=True),
        Row(
            f"`argojobs list` of {RUNS:,} runs", many[0], "`argo list`", many[1],
            f"at most {LIST_RATIO} x", many[0] <= LIST_RATIO * many[1],
        ),
    ]  # fmt: skip


def _list(argo: RealArgo) -> tuple[float, float]:
    return interleaved(
        command(_ours("list", "--all-users"), **argo.variables),
        command([argo.argo, "list"], **argo.variables),
        rounds=2 * ROUNDS,
    )


def _short_names(argo: RealArgo, mark: str) -> list[Row]:
    """Look at one run of many, by its name and by the end of it, which only we look up."""
    name = f"{mark}-{RUNS // 2:05}"
    found = []
    for what, given in (("name", name), ("ending", name[-5:])):
        ours, theirs = interleaved(
            command(_ours("get", given), **argo.variables),
            command([argo.argo, "get", name], **argo.variables),
        )
        what = f"`argojobs get` by its {what} among {RUNS:,} runs"
        found.append(Row(what, ours, "`argo get NAME`", theirs, "", kept=True))
    return found


def _logs(argo: RealArgo, mark: str) -> Row:
    """Follow runs that write many lines at once: from the first line to the last one."""
    sides = {
        "ours": _ours("logs", "--follow"),
        "theirs": [argo.argo, "logs", "--follow", "--no-color"],
    }
    times: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(LOG_ROUNDS):
        for side, argv in sides.items():
            name = f"{mark}-logs-{side}-{turn}"
            script = f'BEGIN {{ for (i = 1; i <= {LINES}; i++) print "line " i " of the training: loss 0.25" }}'
            waits = 'sleep 3; exec awk "$0"'  # until somebody follows
            argo.create([_workflow(name, mark, ["sh", "-c", waits, script])])
            times[side].append(_followed([*argv, name], argo.variables))
    ours, theirs = median(times["ours"]), median(times["theirs"])
    return Row(
        f"{LINES:,} log lines followed", ours, "`argo logs -f`", theirs,
        f"at most {LOG_RATIO} x", ours <= LOG_RATIO * theirs,
    )  # fmt: skip


def _followed(argv: Sequence[str], variables: dict[str, str]) -> float:
    """Return the ms from the first line of the step to the last one; all of them must come."""
    pieces: list[tuple[float, bytes]] = []
    environment = {**os.environ, **variables}
    with subprocess.Popen(
        argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while piece := os.read(process.stdout.fileno(), 1 << 20):
            pieces.append((time.perf_counter(), piece))
        said = process.stderr.read()
    whole = b"".join(piece for _, piece in pieces)
    numbers = [int(number) for number in re.findall(rb"line (\d+) of", whole)]
    if process.returncode or numbers != list(range(1, LINES + 1)):
        raise RuntimeError(f"{argv}: {len(numbers)} of {LINES} lines came; {said[-500:]!r}")
    first = next(moment for moment, piece in pieces if b"line " in piece)
    last = next(moment for moment, piece in reversed(pieces) if b"line " in piece)
    return (last - first) * 1000


def _ours(*words: str) -> list[str]:
    return python("-m", "argojobs", *words, "--context", CONTEXT)


def _workflow(name: str, mark: str, argv: list[str]) -> dict[str, Any]:
    container = {"image": "busybox:1.36", "command": argv}
    return {
        "metadata": {"name": name, "labels": {LABEL: mark}},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "container": container}]},
    }


def _ended(name: str, mark: str) -> dict[str, Any]:
    """Return a run that ended, with the nodes of its steps; the controller leaves it alone."""
    ended = {
        "phase": "Succeeded",
        "startedAt": "2026-01-31T10:00:00Z",
        "finishedAt": "2026-01-31T10:01:00Z",
        "progress": f"{STEPS}/{STEPS}",
        "resourcesDuration": {"cpu": 12, "memory": 80},
    }
    nodes = {
        f"{name}-{number}": {
            **ended,
            "id": f"{name}-{number}",
            "name": f"{name}.train({number})",
            "displayName": f"train({number})",
            "type": "Pod",
            "templateName": "main",
            "templateScope": f"local/{name}",
            "hostNodeName": "node",
            "outputs": {"exitCode": "0", "parameters": [{"name": "accuracy", "value": "0.5"}]},
        }
        for number in range(STEPS)
    }
    labels = {
        LABEL: mark,
        "workflows.argoproj.io/completed": "true",
        "workflows.argoproj.io/phase": "Succeeded",
    }
    workflow = _workflow(name, mark, ["true"])
    workflow["metadata"]["labels"] = labels
    return {**workflow, "status": {**ended, "nodes": nodes}}
