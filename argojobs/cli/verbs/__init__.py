"""The verbs, one a file: a function `command`, or a `GROUP` of commands.

A verb imports only the standard library and click at its top, so that `argojobs --help` and the
verbs that read start fast; what it needs more it imports inside.
"""
