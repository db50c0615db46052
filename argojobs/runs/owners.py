"""Whose a run is: on a shared server mine come first, and others' are not changed by accident.

Every run that we start has its user as a label. Runs that others' programs started have none:
they are nobody's, and may be changed as they are.
"""

from __future__ import annotations

import getpass

from argojobs.errors import UsageError
from argojobs.manifest.names import label_value
from argojobs.manifest.view import labels_of
from argojobs.runs.target import Target
from argojobs.service import USER_LABEL, Service, Workflow


def user_name() -> str:
    """Return who runs this, as a label may hold it; `unknown` where the system does not say."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "unknown"
    return label_value(name) or "unknown"


def owner_of(workflow: Workflow) -> str:
    """Return the user of a run as its label says it; "" where it has none."""
    return str(labels_of(workflow).get(USER_LABEL, ""))


def _others_owner(workflow: Workflow, place: Target) -> str:
    """Return the owner of a run on a server that is another's; "" for mine and nobody's.

    On this machine all runs are of whoever may read them.
    """
    owner = owner_of(workflow)
    return "" if not place.has_owners or owner == user_name() else owner


def check_owner(workflow: Workflow, place: Target, *, force: bool, verb: str) -> str:
    """Return who else's a run is as what follows its name: ` of alex`, or "".

    Args:
        workflow: the run.
        place: where it is; on this machine runs have no owners.
        force: another's will do.
        verb: what is about to be done, for the hint.

    Raises:
        UsageError: it is another's, without force.
    """
    owner = _others_owner(workflow, place)
    if owner and not force:
        raise UsageError(
            f"{workflow['metadata']['name']} is a run of {owner}, not of {user_name()}",
            hint=f"to {verb} it all the same: add --force",
        )
    return f" of {owner}" if owner else ""


def names_and_mine(service: Service, part: str = "") -> tuple[list[str], frozenset[str]]:
    """Return the names of all runs, newest first, and which of them are mine.

    None is where the service does not tell runs of different users apart. part: only names that
    hold this text are needed; there may be none where the service cannot tell which do.
    """
    found = service.names_and_labels(part)
    me = user_name()
    mine = frozenset(name for name, labels in found if labels.get(USER_LABEL) == me)
    return [name for name, _ in found], mine


def latest_name(service: Service) -> str:
    """Return the name of my latest run, of the latest one where none is mine; "" without any."""
    mine = service.names_and_labels(labels={USER_LABEL: user_name()})
    return mine[0][0] if mine else next(iter(service.names()), "")
