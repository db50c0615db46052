"""What the log of a step that failed ends with: a Python error, or what our runtime reported."""

from __future__ import annotations

import re
from collections.abc import Sequence

TRACEBACK = "Traceback (most recent call last):"
#: What our runtime's own lines begin with; a hint follows in lines that are indented.
OURS = "argojobs: "

_ERROR = re.compile(r"[A-Za-z_][\w.]*(?::|$)")


def last_error(log: Sequence[str]) -> str:
    """Return the error that a log ends with, "" for none.

    It is what the last Python traceback ends with, `KeyError: 'key'`; or, where no traceback stands
    right before it, what our runtime reported last: `train set loss: expected a number, got 'x'`.
    """
    plain = [line for line in log if line.strip() and not line[0].isspace()]
    ours = ""
    while plain and plain[-1].startswith(OURS):
        ours = plain.pop()
    starts = [at for at, line in enumerate(plain) if line.strip() == TRACEBACK]
    ends = plain[starts[-1] + 1 :] if starts else []
    if ours and len(ends) != 1:
        return ours.removeprefix(OURS).strip()
    return next((line.strip() for line in ends if _ERROR.match(line)), "")
