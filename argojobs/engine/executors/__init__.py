"""Executors: how the pods of the local engine run. `process` runs them on this host."""
