"""`argojobs version`: what to put into a report of a bug."""

import platform

from argojobs.cli import options
from argojobs.cli.door import put
from argojobs.cli.formats import Format


def command(output: options.Output = None, verbose: options.Verbose = False) -> int:
    """Show versions."""
    from argojobs.cli.formats import print_json, print_text, print_yaml

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


def versions() -> dict[str, str]:
    """Return the versions that matter."""
    return {
        "argojobs": own_version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def own_version() -> str:
    """Return the version of argojobs."""
    from argojobs import __version__

    return __version__
