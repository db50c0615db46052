"""Debuggers in steps: which steps wait, the ways to them, and VS Code's launch.json."""
