from argojobs.manifest.places import path_text, place_text


def test_paths_are_written_as_argo_writes_them():
    assert path_text(("spec", "templates", 1, "container")) == "spec.templates[1].container"
    assert path_text(("metadata", "labels", "a.b/c")) == "metadata.labels['a.b/c']"
    assert path_text(()) == ""


def test_places():
    assert place_text("f.yaml", 2, 3) == "f.yaml:2:3"
    assert place_text("", 2, 3) == "2:3"
