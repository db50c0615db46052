"""How a run says of a pod node that it took it over from an earlier run.

Source: Argo's FormulateResubmitWorkflow (4.0), which writes this message.
"""

from collections.abc import Mapping

#: The message of such a node, before the id of the one that did it.
ORIGINAL = "original pod: "


def is_reused(node: Mapping[str, object]) -> bool:
    """Tell whether an earlier run did what a pod node stands for."""
    return str(node.get("message") or "").startswith(ORIGINAL)
