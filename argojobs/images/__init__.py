"""Images: what a build depends on, programs that build, registries, and what a run makes of it."""
