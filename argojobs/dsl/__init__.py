"""What a user writes: steps, pipelines, artifacts, outputs, resources, conditions.

`steps` and `pipelines` hold the decorators, `artifacts` and `outputs` what steps exchange,
`signature` what a function declares, `trace` the recording of a pipeline as a `graph`, whose
`placeholders` stand for values that exist only while the run goes on. Nothing here knows Argo:
`argojobs.compile` writes the manifest.
"""
