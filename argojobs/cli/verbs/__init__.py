"""The verbs, one a file; each has a function `command` that typer turns into a command.

A verb imports only the standard library and typer at its top, so that `argojobs --help` and the
verbs that read start fast; what it needs more it imports inside.
"""
