"""Write docs/reference/ from the code: the DSL's names, the command line's verbs, lint's rules.

`make docs` runs it; `python scripts/reference.py --check` fails where a page is out of date.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
#: A section of a docstring in Google's style, with its indented lines.
_SECTION = re.compile(r"^(Args|Options|Returns|Raises):\n((?: {4}.*\n?)+)", re.MULTILINE)


def dsl_page() -> str:
    """The page of every name that `from argojobs import ...` offers."""
    import argojobs

    parts = [
        "# The DSL\n\nMade from the code by `make docs`. Every name below is imported from `argojobs`.\n"
    ]
    for name in argojobs.__all__:
        thing = getattr(argojobs, name)
        parts.append(f"\n## `{name}`\n\n{_signature(name, thing)}{_doc(thing)}\n")
        if inspect.isclass(thing):
            parts.extend(_members(thing))
    return "".join(parts)


def _signature(name: str, thing: object) -> str:
    try:
        signature = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    return f"```text\n{name}{_unquoted(signature)}\n```\n\n"


def _unquoted(signature: str) -> str:
    """Take the quotes off annotations, which are texts when they are evaluated late."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)


def _doc(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    return _shaped(_SECTION.sub(_listed, text))


def _listed(section: re.Match[str]) -> str:
    """Turn a section of a docstring into a list of Markdown, its names as code."""
    title, body = section[1], textwrap.dedent(section[2])
    items = re.sub(r"\n {4}", " ", body).splitlines()
    if title != "Returns":
        items = [
            re.sub(r"\w+(?=[\w, ]*:)", r"`\g<0>`", name + colon) + rest
            for name, colon, rest in (item.partition(":") for item in items)
        ]
    return f"{title}:\n\n" + "".join(f"- {item}\n" for item in items)


def _shaped(text: str) -> str:
    """Return a docstring with its indented parts as blocks of text."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        indented = line.startswith("    ")
        if indented and not inside and (not lines or not lines[-1]):
            lines.append("```text")
            inside = True
        elif inside and line and not indented:
            while lines[-1] == "":
                lines.pop()
            lines += ["```", ""]
            inside = False
        lines.append(line[4:] if inside else line)
    while lines and not lines[-1]:
        lines.pop()
    if inside:
        lines.append("```")
    return "\n".join(lines)


def _members(cls: type) -> list[str]:
    parts = []
    for name, member in vars(cls).items():
        function = member.__func__ if isinstance(member, classmethod) else member
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        signature = _unquoted(str(inspect.signature(function)))
        parts.append(f"\n**`.{name}{signature}`**\n\n{_doc(function)}\n")
    return parts


def job_page() -> str:
    """The page of what `from argojobs import job` offers."""
    from argojobs import job

    source = Path(job.__file__).read_text()
    kinds = re.findall(r"^    ([A-Z_]+): (.+)$", source, re.MULTILINE)
    parts = [
        "# The job library\n\nMade from the code by `make docs`.\n\n" + _doc(job) + "\n",
        *(f"\n## `job.{name}`\n\n{_of_job(name, getattr(job, name))}\n" for name in job.__all__),
        (
            "\n## The environment, typed\n\nEach is read when it is asked for; "
            "[what a step sees](../concepts/what-a-step-sees.md).\n\n| | |\n|---|---|\n"
        ),
        *(f"| `job.{name}` | `{kind}` |\n".replace(" | None", " or None") for name, kind in kinds),
    ]
    return "".join(parts)


def _of_job(name: str, thing: object) -> str:
    return _signature(f"job.{name}", thing) + _doc(thing)


def cli_page() -> str:
    """The page of every verb, as `--help` shows it."""
    import os

    os.environ["COLUMNS"] = "100"
    from argojobs.cli.group import VERBS, command_of, root

    parts = [
        """# The command line

Made from the code by `make docs`; each block is what `argojobs VERB --help` prints in a window of 100 columns.

Exit codes: 0 done; 1 the run failed (`run`, `watch`, `wait`); 2 wrong usage or input; 3 out of reach or
state unknown; 130 interrupted.
"""
    ]
    program = root().make_context("argojobs", [], resilient_parsing=True)
    for verb in VERBS:
        command = command_of(verb)
        parts.append(f"\n## `{verb.name}`\n\n{verb.summary}\n")
        if verb.aliases:
            parts.append("\nAlso: " + ", ".join(f"`{alias}`" for alias in verb.aliases) + "\n")
        own = command.make_context(verb.name, [], parent=program, resilient_parsing=True)
        contexts = [own]
        for name, inner in getattr(command, "commands", {}).items():
            contexts.append(inner.make_context(name, [], parent=own, resilient_parsing=True))
        parts += [f"\n```text\n{one.get_help().rstrip()}\n```\n" for one in contexts]
    return "".join(parts)


def lint_page() -> str:
    """The page of every finding's code; `argojobs lint --explain CODE` says the same."""
    from argojobs.cli.lint_rules import ALL

    parts = [
        """# Lint's findings

Made from the code by `make docs`; `argojobs lint --explain CODE` shows the same. Examples are shortened
to the template or spec that they are about. How lint is used: [lint](../howto/lint.md).

| Code | | |
|---|---|---|
"""
    ]
    parts += [
        f"| [`{code}`](#{code}) | {rule.level} | {rule.page.title} |\n"
        for code, rule in ALL.items()
    ]
    for code, rule in ALL.items():
        page = rule.page
        parts.append(f"\n## {code}\n\n{page.title} ({rule.level}). {page.explanation}\n")
        parts.append(f"\n{page.remedy} [More]({rule.more})\n")
        parts.append(
            f"\nWrong:\n\n```text\n{page.wrong}```\n\nRight:\n\n```text\n{page.right}```\n"
        )
    return "".join(parts)


def main() -> int:
    """Write the pages, or with `--check` say which are out of date."""
    stale = []
    PAGES.mkdir(exist_ok=True)
    pages = {
        "dsl.md": dsl_page(),
        "job.md": job_page(),
        "cli.md": cli_page(),
        "lint.md": lint_page(),
    }
    for name, text in pages.items():
        page = PAGES / name
        if not page.exists() or page.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                page.write_text(text)
    if stale and "--check" in sys.argv:
        print("out of date: " + ", ".join(stale) + "; run: make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
