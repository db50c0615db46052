"""The Argo manifest as data: read, written, checked; names and units."""
