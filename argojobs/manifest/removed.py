"""Fields of Argo 2.x and 3.x that 4.x does not have, and what stands for them there.

Sources: Argo docs, deprecations and upgrading; its schemas of 2.12, 3.7 and 4.0 side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Removed(NamedTuple):
    """What became of a field. name: what it is called now, "" where nothing takes its value as it is.

    inside: the field of the new one that has the value; "" for the first item of a list.
    """

    now: str
    name: str = ""
    inside: str = ""


_PRIORITY = "name a PriorityClass instead: `{}`"
_CALLED = "a template is called by a step or task of another one"
_NOTHING = "leave it out: it means nothing"

#: Object -> field -> what became of it.
REMOVED: dict[str, dict[str, Removed]] = {
    "CronWorkflowSpec": {"schedule": Removed("it is `schedules` now, a list", "schedules")},
    "Synchronization": {
        "mutex": Removed("it is `mutexes` now, a list", "mutexes"),
        "semaphore": Removed("it is `semaphores` now, a list", "semaphores"),
    },
    "WorkflowSpec": {
        "ttlSecondsAfterFinished": Removed(
            "it is `secondsAfterCompletion` of `ttlStrategy` now",
            "ttlStrategy",
            "secondsAfterCompletion",
        ),
        "podPriority": Removed(_PRIORITY.format("podPriorityClassName")),
    },
    "Template": {
        "priority": Removed(_PRIORITY.format("priorityClassName")),
        "template": Removed(_CALLED),
        "templateRef": Removed(_CALLED),
        "arguments": Removed(_CALLED),
    },
    "TemplateRef": {"runtimeResolution": Removed(_NOTHING)},
    "ObjectMeta": {"clusterName": Removed(_NOTHING)},
}

#: Those whose value goes elsewhere as it is, by their names.
MOVED: Mapping[str, Removed] = {
    field: one for fields in REMOVED.values() for field, one in fields.items() if one.name
}
