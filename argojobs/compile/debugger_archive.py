"""The archive that takes the debugger to a step: debugpy as it is installed here, and what waits.

It is stored beside bundles of code, under the hash of its content, and laid out as they are, so
that nothing is built and no image needs debugpy. What debugpy has compiled travels with it for
those images whose Python is this one; it does without it elsewhere.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from argojobs.compile.bundle import File, Packed, packed_files
from argojobs.compile.strip import strip
from argojobs.errors import UsageError
from argojobs.runtime import debugger

#: What of debugpy is needed: its Python, what is compiled, its notices; nothing of its own tests
#: and of Windows.
_NEEDED = re.compile(r".*\.(py|so)|ThirdPartyNotices\.txt")
_NOT_NEEDED = frozenset({"tests", "winappdbg"})


def debugger_archive() -> Packed:
    """Return the archive of the debugger. Raises UsageError where debugpy is not installed here."""
    found = find_spec("debugpy")
    if found is None or not found.submodule_search_locations:
        raise UsageError(
            "debugpy is not installed beside argojobs, so no step can get it",
            hint="pip install debugpy, or run without --debug",
        )
    root = Path(found.submodule_search_locations[0])
    inside = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    files = [
        File(f"debugpy/{path.as_posix()}", (root / path).read_bytes())
        for path in inside
        if _NEEDED.fullmatch(path.name) and _NOT_NEEDED.isdisjoint(path.parts)
    ]
    return packed_files(root, [*files, File(debugger.PROGRAM, debugger_program().encode())])


def debugger_program() -> str:
    """Return the source of the program that waits, as it travels."""
    return strip(Path(str(debugger.__file__)).read_text("utf-8"))
