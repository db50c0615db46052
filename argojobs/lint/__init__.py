"""Lint: Argo's validation rules and those beyond them, over a manifest as plain data, offline."""

from argojobs.lint.rules import RULES
from argojobs.lint.run import lint
from argojobs.lint.subject import Refs
from argojobs.manifest.kinds import KINDS

__all__ = ["KINDS", "RULES", "Refs", "lint"]
