"""Lint: Argo's validation rules and those beyond them, over a manifest as plain data, offline."""

from ..kinds import KINDS
from .rules import RULES, Rule
from .run import lint
from .subject import Refs

__all__ = ["KINDS", "RULES", "Refs", "Rule", "lint"]
