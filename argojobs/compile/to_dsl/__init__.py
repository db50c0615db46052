"""A manifest as a program of our DSL, in parts (see `argojobs.compile.dsl_source`)."""
