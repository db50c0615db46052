"""The command line: one verb a file in `verbs/`, around the `Service` protocol."""
