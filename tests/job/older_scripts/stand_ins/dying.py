"""Ends the process at a named place, once: DIE is `SIGNAL PLACE`, and the file DIED remembers it."""

import os
import signal


def here(place: str) -> None:
    name, _, where = os.environ.get("DIE", "").partition(" ")
    if where != place or os.path.exists(os.environ["DIED"]):
        return
    with open(os.environ["DIED"], "w"):
        pass
    os.kill(os.getpid(), getattr(signal, name))
