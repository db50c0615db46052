"""A registry over its own protocol. Source: the OCI distribution specification."""
