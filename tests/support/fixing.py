"""Manifests before and after --fix, as tests write them."""

from __future__ import annotations

from textwrap import dedent

from argojobs.lint.fix import fix

HEAD = "kind: Workflow\nmetadata: {generateName: w-}\nspec:\n  entrypoint: main\n  templates:\n"


def fixed(text: str) -> str:
    return fix(text).text


def template(block: str) -> str:
    """A workflow with one more template, from its lines."""
    return HEAD + "".join(f"  {line}\n" if line else "\n" for line in dedent(block).split("\n"))


def check_fix(before: str, after: str) -> None:
    assert fixed(template(before)) == template(after)
    assert fixed(template(after)) == template(after)
