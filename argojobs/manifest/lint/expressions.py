"""Rules for expressions: that they parse. Source: Argo docs, variables, expression."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import ExpressionError
from ..findings import Finding, error
from ..places import Path


def check_expression(text: str, path: Path) -> Iterator[Finding]:
    """That an expression parses; tags in it are replaced before Argo reads it."""
    from ..expressions import expr

    if "{{" in text:
        return
    try:
        expr.names(text)
    except ExpressionError as fault:
        yield error("expression-syntax", path, fault.what, fault.hint)
