"""Artifact repositories: where a run's artifacts lie, and the code bundles of its steps."""
