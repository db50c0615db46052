"""Argo's semantics, as a pure function of state, event and time: `operate.operate`.

No file in here reads a clock or does I/O; nothing in here knows of the store or of processes.
"""
