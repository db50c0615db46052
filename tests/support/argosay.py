#!/usr/bin/env python3
"""A stand-in for Argo's image `argosay:v2`: `cat FILE...`, `echo [TEXT [FILE]]`, `exit`, `sleep`.

As in the real one, `echo` prints on standard error and writes a file without a newline.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def say(arguments: list[str]) -> int:
    """Do what the arguments say; the exit code is returned."""
    word, *rest = arguments or ["echo"]
    if word == "cat":
        for file in rest:
            sys.stdout.buffer.write(Path(file).read_bytes())
    elif word == "echo" and len(rest) < 2:
        print(rest[0] if rest else "hello argo", file=sys.stderr)
    elif word == "echo" and len(rest) == 2:
        Path(rest[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(rest[1]).write_text(rest[0])
    elif word == "exit":
        return int(rest[0]) if len(rest) == 1 else 0
    elif word == "sleep" and len(rest) == 1:
        parts = re.findall(r"([\d.]+)(ms|s|m|h)", rest[0])
        time.sleep(sum(float(number) * UNITS[unit] for number, unit in parts))
    else:
        print("usage: argosay [cat [file...]|echo [string] [file]|sleep duration|exit [code]]")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(say(sys.argv[1:]))
