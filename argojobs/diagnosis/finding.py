"""What a diagnosis says: one cause, in plain words, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Why something does not go on, or ended.

    cause: a stable code, for programs. what: plain words with the names and numbers. step, pod:
    where; "" where it is the run as a whole. others: how many more steps have the same. remedy:
    what to do, "" where there is nothing to say. command: a line for a shell, "" for none. file: a
    document that the remedy needs, as YAML; "" for none.
    """

    cause: str
    what: str
    step: str = ""
    pod: str = ""
    remedy: str = ""
    command: str = ""
    others: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a cause says of a subject. See `Finding`."""

    what: str
    remedy: str = ""
    command: str = ""
    file: str = ""
