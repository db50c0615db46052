"""A context manager says nothing false of what its caller does inside of it.

`except X` around a `yield` catches what the caller raises: a full disk became "the server closed the
connection" that way. Each place that does it all the same is named here with the reason.
"""

import ast
from pathlib import Path

import argojobs

PACKAGE = Path(argojobs.__file__).parent

#: Only errors of their own kind are caught, or the callers do one call inside.
KNOWN = {
    "cli/follow.py:told_when_left",  # it is raised again as it was, after a line
    "engine/leases.py:_locked",  # all that is done inside is done in that folder
    "convert/dsl/tags.py:of_template",  # an error of this package only
    "engine/store/database.py:_explained",  # SQLite's errors only
}


def translators():
    for path in sorted(PACKAGE.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                "contextmanager" in ast.unparse(one) for one in function.decorator_list
            ):
                for block in ast.walk(function):
                    if isinstance(block, ast.Try) and any(map(translates, block.handlers)):
                        inside = (one for line in block.body for one in ast.walk(line))
                        if any(isinstance(one, ast.Yield) for one in inside):
                            yield f"{path.relative_to(PACKAGE)}:{function.name}"


def translates(handler):
    """Whether a handler lets anything but the exception itself go on."""
    last = handler.body[-1]
    return not (isinstance(last, ast.Raise) and last.exc is None and len(handler.body) == 1) and (
        handler.type is None or ast.unparse(handler.type) != "BaseException"
    )


def test_no_context_manager_translates_what_its_caller_raises():
    assert set(translators()) == KNOWN
