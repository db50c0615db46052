"""What a rule is: a function. Its name is the code of what it finds, its docstring is the page.

    @error("walk-through/dag/")
    def dag_empty(place: Place) -> Faults:
        '''A dag without tasks.

        Argo refuses the template.
        Remedy: Add a task.
        Wrong:
            dag: {tasks: []}
        Right:
            dag: {tasks: [{name: a, template: work}]}
        '''
        if place.template.get("dag") == {"tasks": []}:
            yield Fault((*place.path, "dag"), "the dag has no tasks")

A rule is called by the walk that stands below it in the same file. One whose body only passes on
what it is given is found by a walk that knows more than it; one without a body, elsewhere.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, ParamSpec

from argojobs.manifest.findings import Finding, Level
from argojobs.manifest.places import Path

ARGO = "https://argo-workflows.readthedocs.io/en/latest/"
KUBERNETES = "https://kubernetes.io/docs/"

P = ParamSpec("P")


class Fault(NamedTuple):
    """What a rule finds. hint: None for the rule's remedy. level: None for the rule's own."""

    path: Path
    message: str
    hint: str | None = None
    level: Level | None = None


Faults = Iterator[Fault]


class Page(NamedTuple):
    """What to tell a user who asks for a rule.

    title: one line. explanation: what goes wrong, and why. remedy: what to do. wrong and right: a
    small manifest (YAML) that has the fault, and one that has not; both are shortened to the
    template or spec that they are about.
    """

    title: str
    explanation: str
    remedy: str
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class Rule(Generic[P]):
    """A rule; called, it gives what it finds.

    more: a page of Argo's or Kubernetes' documentation. beyond: whether Argo's own lint is silent
    about it, of some cases at least: the pod, node or object fails later, or the author knows better.
    """

    check: Callable[P, Faults | None]
    code: str
    level: Level
    more: str
    beyond: bool

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Finding]:
        """Return what the rule finds."""
        return [
            Finding(
                one.level or self.level,
                self.code,
                one.path,
                one.message,
                _as_hint(self.page.remedy) if one.hint is None else one.hint,
            )
            for one in self.check(*args, **kwargs) or ()
        ]

    @property
    def page(self) -> Page:
        """What its docstring says."""
        return _page(self.check.__doc__ or "")

    @property
    def own_page(self) -> str:
        """Where our own documentation tells of it."""
        return f"docs/reference/lint.md#{self.code}"


def error(more: str, *, beyond: bool = False) -> Callable[[Callable[P, Faults | None]], Rule[P]]:
    """Make a function a rule that stops a run. more and beyond: as a Rule has them."""
    return functools.partial(_rule, "error", more, beyond)


def warning(more: str) -> Callable[[Callable[P, Faults | None]], Rule[P]]:
    """Make a function a rule whose findings are shown, and the run goes on. more: as a Rule has it."""
    return functools.partial(_rule, "warning", more, False)


def _rule(level: Level, more: str, beyond: bool, check: Callable[P, Faults | None]) -> Rule[P]:
    link = more if "://" in more else ARGO + more
    return Rule(check, check.__name__.replace("_", "-"), level, link, beyond)


@functools.cache
def _page(docstring: str) -> Page:
    title, _, rest = inspect.cleandoc(docstring).partition(".\n\n")
    about, _, examples = rest.partition("\nWrong:\n")
    explanation, _, remedy = about.partition("\nRemedy: ")
    wrong, _, right = examples.partition("\nRight:\n")
    return Page(
        title,
        " ".join(explanation.split()),
        " ".join(remedy.split()),
        textwrap.dedent(wrong) + "\n",
        textwrap.dedent(right) + "\n",
    )


def _as_hint(remedy: str) -> str:
    """Return a remedy as findings have it: `Add one.` becomes `add one`."""
    return re.sub(r"^[A-Z](?=[a-z]*[ ,])", lambda first: first[0].lower(), remedy.removesuffix("."))
