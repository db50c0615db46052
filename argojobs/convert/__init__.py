"""A manifest as a program, of our DSL or of hera: `compile FILE --to dsl` and `--to hera`.

`dsl_source.to_dsl_source` and `hera_source.to_hera_source` return the text of one,
`hera_workflow.to_hera` the object of hera's.
"""
