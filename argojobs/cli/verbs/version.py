"""`argojobs version`: what to put into a report of a bug."""

from argojobs.cli import options
from argojobs.cli.door import put
from argojobs.cli.formats import Format


def command(output: options.Output = None, verbose: options.Verbose = False) -> int:
    """Show versions."""
    from argojobs.cli.formats import print_json, print_text, print_yaml
    from argojobs.runs.versions import versions

    facts = versions()
    if output is Format.json:
        print_json(facts)
    elif output is Format.yaml:
        print_yaml(facts)
    elif output is Format.name:
        print_text(facts["argojobs"])
    else:
        for name, value in facts.items():
            put(f"{name:<9} {value}\n")
    return 0
