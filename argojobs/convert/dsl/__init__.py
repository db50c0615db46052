"""A manifest as a program of our DSL, in parts (see `argojobs.convert.dsl_source`)."""
