"""`argojobs lint`: what is wrong or unwise in manifests and pipelines, offline."""

import sys
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.door import put_data
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.manifest.findings import Finding
    from argojobs.runs.linting import FileFix, Linted


class Refs(str, Enum):
    """What a reference to a template that is not among the files is."""

    strict = "strict"
    warn = "warn"
    off = "off"


class LintFormat(str, Enum):
    """How findings are printed for a program."""

    json = "json"
    sarif = "sarif"
    github = "github"


#: The exit code of findings that fail; the table of the program calls it wrong input.
FAILED = 2


def command(
    file: Annotated[
        list[str] | None,
        argument(
            metavar="FILE...",
            help="Manifests, pipelines (.py), or folders of them; - is a manifest on standard input.",
        ),
    ] = None,
    fix: Annotated[
        bool,
        option("--fix", help="Put right in the files what can be; comments and layout stay."),
    ] = False,
    refs: Annotated[
        Refs, option("--refs", help="Templates that are in none of the files.")
    ] = Refs.warn,
    templates: Annotated[
        list[str] | None,
        option("--templates", metavar="DIR|FILE", help="Where more templates are."),
    ] = None,
    strict: Annotated[bool, option("--strict", help="Warnings fail, too.")] = False,
    explain: Annotated[
        str, option("--explain", metavar="CODE", help="Say what a finding's code means.")
    ] = "",
    output: Annotated[
        LintFormat | None,
        option("-o", "--output", help="Print for programs.", show_default=False),
    ] = None,
    verbose: options.Verbose = False,
) -> int:
    """Find what is wrong or unwise in manifests and pipelines, offline.

    Argo's own rules and more. Ends with 0 where nothing fails, and with 2 on errors (with
    --strict on warnings, too).

    \b
      argojobs lint workflow.yaml pipelines/
      argojobs lint --fix workflow.yaml
      argojobs compile train.py | argojobs lint -
      argojobs lint --explain misplaced-field
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.runs.linting import files_of, fix_files, lint_files

    if explain:
        return _explain(explain)
    if not file:
        raise UsageError(
            "lint wants files or folders", hint="argojobs lint FILE..., or --explain CODE"
        )
    files = files_of(file)
    fixes = fix_files(files) if fix else []
    linted = lint_files(files, refs.value, templates or ())
    _show(linted, fixes, output)
    failing = [one for one in linted.reports if strict or one.finding.level == "error"]
    return FAILED if failing else 0


def _explain(code: str) -> int:
    from argojobs.cli.lint_formats import rule_lines
    from argojobs.cli.lint_rules import ALL
    from argojobs.cli.text import show
    from argojobs.manifest.nearest import suggestion

    if code not in ALL:
        hint = suggestion(code, sorted(ALL), what="the codes are")
        raise UsageError(f"no finding has the code {code!r}", hint=hint)
    show(rule_lines(ALL[code]))
    return 0


def _show(linted: "Linted", fixes: "list[FileFix]", output: LintFormat | None) -> None:
    from argojobs.cli import lint_formats
    from argojobs.cli.text import Screen, screen_of, show

    stream = sys.stdout if output is None else sys.stderr
    seen = screen_of(stream)
    screen = Screen(seen.colour, seen.signs, width=0)
    show(_fix_lines(fixes), stream=stream, screen=screen)
    if output is None:
        show(lint_formats.text_lines(linted), screen=screen)
    elif output is LintFormat.github:
        put_data("".join(f"{one}\n" for one in lint_formats.github_lines(linted.reports)))
    else:
        from argojobs import __version__
        from argojobs.cli.formats import print_json

        is_json = output is LintFormat.json
        print_json(
            lint_formats.as_json(linted) if is_json else lint_formats.as_sarif(linted, __version__)
        )


def _done(finding: "Finding") -> str:
    """Return what a fix did, made of what its finding wanted."""
    if finding.code in ("not-text", "list-value"):
        return "put in quotes"
    if finding.code == "removed-field":
        return finding.hint.partition(":")[0]
    if finding.code == "when-unquoted":
        return f"now {finding.hint.removeprefix('write ')}"
    return finding.hint.replace("move it to", "moved to")


def _fix_lines(fixes: "list[FileFix]") -> list[list[tuple[str, str]]]:
    from argojobs.manifest.places import path_text, place_text

    lines: list[list[tuple[str, str]]] = []
    for one in fixes:
        for change in (*one.fixed, *one.refused):
            place = place_text(one.file, change.line, change.column)
            what = path_text(change.finding.path)
            if change.reason:
                lines.append(
                    [(f"{place}: ", ""), ("left", "yellow"), (f" {what}: {change.reason}", "")]
                )
            else:
                lines.append(
                    [
                        (f"{place}: ", ""),
                        ("fixed", "green"),
                        (f" {what}: {_done(change.finding)}", ""),
                    ]
                )
    return lines
