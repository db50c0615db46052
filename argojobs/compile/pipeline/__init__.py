"""A pipeline of the DSL as an Argo Workflow: `workflow.compile_pipeline`."""
