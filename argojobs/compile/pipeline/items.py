"""Fan-outs as Argo writes them: what they run over, and the place of what each item stores.

Items are their wire texts, so that `train(0:0.1)` is a node's name. Argo tells no item its number,
but the name of its task begins with it: what an item stores is keyed by that number, in six
digits, so that the folder of all of them is in the order of the items and no two share a place.
Items as maps (`{key, value}`) would bring the number along, but Argo escapes their texts.
"""

from __future__ import annotations

from typing import Any

from argojobs.runtime.wire import TEXTS

#: The number of an item, `000003`, in the template that its task calls: from `train(3:0.1)`.
NUMBER = "{{=string(1000000 + int(split(split(tasks.name, '(')[1], ':')[0]))[1:]}}"
#: A task's own name and number, `train/3`, or its name alone if it is not an item's.
OWN_PLACE = "{{=replace(split(tasks.name, ':')[0], '(', '/')}}"

_NUMBERS = ("int", "float", "bool")


def with_param(path: str, tag: str, schema: Any, *, from_step: bool) -> dict[str, Any]:
    """Return the field of a task that runs over a list of the run.

    A list of texts may bear our mark in front of it, and one that was put together always does.

    Args:
        path: The list as an expression.
        tag: The list as a tag.
        schema: Of one item.
        from_step: The list is as a step or user wrote it.
    """
    if from_step and schema["type"] in _NUMBERS:
        return {"withParam": f"{{{{{tag}}}}}"}
    return {"withParam": f"{{{{=trimPrefix({path}, '{TEXTS}')}}}}"}
