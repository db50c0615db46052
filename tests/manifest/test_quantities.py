"""Quantities of Kubernetes as numbers."""

from argojobs.manifest.quantities import quantity


def test_quantities():
    assert quantity("500m") * 2 == quantity("1")
    assert quantity("1Ki") == 1024
    assert quantity("1e3") == quantity("1k")
    assert quantity("40GB") is None
    assert quantity("1e999999999") is None
