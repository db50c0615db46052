"""A real Kubernetes, a real Argo and a real S3 store on this one machine, for the tests.

`python tests/cluster up` starts them, `down` ends them, `status` tells how they are; the session
fixture `cluster` in `tests/cluster/conftest.py` does the same around the suite. One file holds
one idea: see README.md beside this folder.
"""
