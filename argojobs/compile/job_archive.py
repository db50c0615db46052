"""The archive that takes the job library to a hand-written step: our own code that travels.

It is stored beside bundles of code, under the hash of its content, and laid out as they are, so
that nothing is built. Where an image has argojobs of its own, what does not travel is still found
there.
"""

from __future__ import annotations

from pathlib import Path

import argojobs
from argojobs.compile.bundle import File, Packed, packed_files
from argojobs.compile.strip import sources, strip

_PACKAGE = "argojobs/__init__.py"
_REST = (
    "import os as _os, sys as _sys\n"
    "__path__ += [_p for _p in (_os.path.join(_f, 'argojobs') for _f in _sys.path)"
    " if _os.path.isdir(_p) and _p not in __path__]\n"
)


def job_archive() -> Packed:
    """Return the archive of the job library."""
    texts = {name: strip(text) for name, text in sources().items()}
    texts[_PACKAGE] += _REST
    files = [File(name, text.encode()) for name, text in texts.items()]
    return packed_files(Path(argojobs.__path__[0]).parent, files)
