from argojobs.manifest.findings import as_error, error, errors, warning


def test_findings_as_one_error():
    found = [
        warning("w", ("a",), "odd"),
        error("e", ("spec", "x"), "wrong", "do this"),
        error("f", (), "also wrong"),
    ]
    assert errors(found) == found[1:]
    fault = as_error(found, "f.yaml:3:1")
    assert (fault.what, fault.where) == ("spec.x: wrong", "f.yaml:3:1")
    assert fault.hint == "do this\n  and 1 more:\n  - also wrong [f]"
    assert str(found[1]) == "spec.x: wrong [e]"
