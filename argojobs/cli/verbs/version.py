"""`argojobs version`: what to put into a report of a bug."""

from argojobs.cli import options
from argojobs.cli.door import put


def command(output: options.Output = None, verbose: options.Verbose = False) -> int:
    """Show versions."""
    from argojobs.cli.formats import print_data
    from argojobs.runs.versions import versions

    facts = versions()
    if output is not None:
        print_data(facts, output, facts["argojobs"])
    else:
        for name, value in facts.items():
            put(f"{name:<9} {value}\n")
    return 0
