"""Measurements of what argojobs promises, each beside something run in the same minutes."""
