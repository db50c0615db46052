"""Workflows that become other workflows: parameters put in, a context applied, a debugger in front, run again.

Each is a plain dict in and a plain dict out; nothing is read or sent.
"""
