"""What `run --dry-run` shows: what a plan would do, in lines."""

from __future__ import annotations

from argojobs.cli.text import Line, columns
from argojobs.edits.debug_program import told_when
from argojobs.manifest.view import (
    arguments_of,
    artifacts_of,
    every_template,
    parameters_of,
    shown_name,
)
from argojobs.runs.plan import Plan
from argojobs.runs.view.steps import progress, steps_of
from argojobs.runs.wording import one_line
from argojobs.runtime.debugger import AT_ERROR
from argojobs.service import Workflow


def plan_lines(plan: Plan) -> list[Line]:
    """Say what would be done: what is stored, what is created, with which arguments."""
    arguments = arguments_of(plan.workflow["spec"])
    lines: list[Line] = [
        [("would build and push ", ""), (one.tagged, "bold"), (f"  ({one.build.words})", "dim")]
        for one in plan.images
    ]
    lines += [
        [("would store ", ""), (upload.what, "bold"), (f"  as {upload.key}", "dim")]
        for upload in plan.uploads
    ]
    count = progress(steps_of(plan.workflow))[1]
    steps = f"  ({count} step{'' if count == 1 else 's'} known so far)"
    lines.append([("would run ", ""), (plan.name, "bold"), (steps, "dim")])
    lines += _waiting_lines(plan.workflow)
    rows = [
        [(str(p["name"]), ""), (one_line(p.get("value", "")), "")]
        for p in parameters_of(arguments)
        if not str(p["name"]).startswith("argojobs-")
    ]
    rows += [
        [(str(a["name"]), ""), (str((a.get("s3") or {}).get("key", "")), "dim")]
        for a in artifacts_of(arguments)
        if a["name"] != "code"
    ]
    lines.extend([("  ", ""), *row] for row in columns(rows))
    lines.append([("the whole manifest: add -o yaml", "dim")])
    return lines


def _waiting_lines(workflow: Workflow) -> list[Line]:
    """Say which steps would wait for a debugger, and when."""
    found: dict[str, list[str]] = {}
    for key, template in every_template(workflow).items():
        found.setdefault(told_when(template), []).append(shown_name(key))
    found.pop("", None)
    return [
        [
            ("would wait for a debugger", ""),
            (" when they fail: " if when == AT_ERROR else ": ", ""),
            (", ".join(names), "bold"),
        ]
        for when, names in found.items()
    ]
