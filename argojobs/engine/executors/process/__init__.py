"""Pods as processes of this host, each under a supervisor of its own."""
