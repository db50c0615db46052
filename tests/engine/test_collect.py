"""Collecting outputs: how much a parameter may hold."""

import pytest

from argojobs.engine.collect import VALUE_LIMIT, VALUES_LIMIT, collect


def values(folder, sizes):
    """Collect parameters of these sizes; return the sizes of what came, and the problems."""
    for name, size in sizes.items():
        with (folder / name).open("wb") as file:
            file.truncate(size)
    names = [{"name": name, "path": f"/{name}", "default": None} for name in sizes]
    declared = [{"name": name, "valueFrom": {"path": f"/{name}"}} for name in sizes]
    found, problems = collect(
        {"parameters": names, "declared": declared, "artifacts": []},
        lambda path: f"{folder}{path}",
        lambda: pytest.fail("no artifact is stored"),
        staging=str(folder),
        own=lambda _: True,
    )
    return {
        one["name"]: len(one["value"]) for one in found["parameters"] if "value" in one
    }, problems


def test_a_parameter_may_have_as_much_as_an_annotation_in_a_cluster(tmp_path):
    assert values(tmp_path, {"a": VALUE_LIMIT}) == ({"a": VALUE_LIMIT}, [])


@pytest.mark.parametrize("size", [VALUE_LIMIT + 1, 400 << 20, 1 << 40])
def test_more_is_refused_without_being_read(tmp_path, size):
    found, (problem,) = values(tmp_path, {"a": size})
    assert found == {}
    assert "an output parameter may have 256 KiB" in problem


def test_all_of_a_pod_have_to_fit_into_one_object(tmp_path):
    count = VALUES_LIMIT // VALUE_LIMIT
    sizes = {f"p{number}": VALUE_LIMIT for number in range(count + 1)}
    found, (problem,) = values(tmp_path, sizes)
    assert len(found) == count
    assert "more than 1024 KiB together" in problem
