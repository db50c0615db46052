"""Who we are at registries: of contexts, and as docker and podman keep it."""
