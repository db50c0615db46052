"""The file that a user names: that it is there, and one that can be loaded."""

from __future__ import annotations

import codecs
import difflib
import os
import shlex
from pathlib import Path

from argojobs.errors import UsageError

MANIFESTS = (".yaml", ".yml", ".json")
_SUFFIXES = (".py", *MANIFESTS)
#: A system reads no more of a program's first line (Linux: BINPRM_BUF_SIZE).
_FIRST_LINE = 256


def check_file(file: Path) -> None:
    """Raise UsageError, with what may be meant, unless this is a file we can read."""
    if file.is_dir():
        inside = sorted(each.name for each in file.iterdir() if each.suffix in _SUFFIXES)
        raise UsageError(
            f"{file} is a folder",
            hint=f"name one of its files: {', '.join(inside[:10])}"
            if inside
            else "name a .py file with a pipeline, or a manifest (.yaml, .json).",
        )
    if not file.exists():
        raise UsageError(f"there is no file {file}", hint=_nearest(file))
    if file.suffix in _SUFFIXES:
        return
    with file.open("rb") as stream:
        first = stream.read(_FIRST_LINE).partition(b"\n")[0]
    if first.endswith(b"\r") and first.startswith(b"#!"):
        name = shlex.quote(str(file))
        raise UsageError(
            f"the lines of {file} end with a carriage return, as on Windows: no system has the "
            f"program {os.fsdecode(first[2:]).strip(' ')!r}",
            hint=f"take them out: sed -i 's/\\r$//' {name}; git keeps them out with a line "
            "* text=auto eol=lf in .gitattributes",
        )
    if first.startswith(codecs.BOM_UTF8):
        raise UsageError(
            f"{file} begins with a byte order mark, so no system sees its #!",
            hint="save it as UTF-8 without one",
        )
    if not first.startswith(b"#!"):
        raise UsageError(
            f"{file} is neither Python nor a manifest, nor a program that begins with #!",
            hint="a name ends in .py, .yaml, .yml or .json; a shell script's first line is "
            "#!/bin/sh or the like.",
        )
    if not os.access(file, os.X_OK):
        raise UsageError(f"{file} may not be executed", hint=f"chmod +x {shlex.quote(str(file))}")


def _nearest(file: Path) -> str:
    """Return a hint that names files of this or a similar name, here and one folder below."""
    places = [place for place in (file.parent, Path()) if place.is_dir()]
    known = [
        each
        for place in places
        for pattern in ("*", "*/*")
        for each in place.glob(pattern)
        if each.suffix in _SUFFIXES
    ]
    same = [str(each) for each in known if each.name == file.name]
    by_stem = {each.stem: str(each) for each in known}  # endings are alike, and say nothing
    near = difflib.get_close_matches(file.stem, by_stem, 3)
    found = list(dict.fromkeys(same + [by_stem[stem] for stem in near]))
    if found:
        return f"did you mean {' or '.join(found[:3])}?"
    return f"the working directory is {Path.cwd()}; `argojobs new` makes a first pipeline."
