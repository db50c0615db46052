"""What a fan-out runs over, as Argo's items: values, and a key for what each item stores."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argojobs.dsl.graph import Call

_SAFE = frozenset(string.ascii_letters + string.digits + "._-+")
_LONGEST_KEY = 40


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """How a task says what its items are.

    values: for withItems. value: the tag (without braces) of an item's text. key: the text of an
    item's place in a store.
    """

    values: list[Any]
    value: str
    key: str


def items_of(call: Call) -> ItemTexts:
    """Return how the items of a fan-out are written.

    Items are their texts (`train(0:0.1)` is a node's name then); where artifacts are stored side
    by side and the texts are no good keys, items are objects with a number as their key.
    """
    items = call.items
    assert items is not None
    if items.source is not None:
        assert items.schema is not None
        if items.schema["type"] in ("int", "float", "bool"):
            return ItemTexts([], "item", "{{item}}")
        return ItemTexts([], "item", "{{=sprig.sha256sum(item)}}")
    texts = items.texts
    if not call.gathered or (
        len(set(texts)) == len(texts) and all(_is_key(text) for text in texts)
    ):
        return ItemTexts(list(texts), "item", "{{item}}")
    values = [{"key": str(number), "value": text} for number, text in enumerate(texts)]
    return ItemTexts(values, "item.value", "{{item.key}}")


def _is_key(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_KEY and _SAFE.issuperset(text) and text.strip(".") != ""
