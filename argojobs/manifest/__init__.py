"""The Argo manifest as data: read, written, checked; parameters, names and expressions."""
