"""The local Argo: a pure operator, executors, the store, and the loop that joins them."""
