"""What stands around the templates."""

import pytest
from support.whole_examples import dag, stops, task, workflow


@pytest.mark.parametrize(
    ("metadata", "good"),
    [
        ({"name": "a" * 63}, True),
        ({"name": "a" * 64}, False),
        ({"name": "Upper"}, False),
        ({"generateName": "a-"}, True),
        ({"generateName": "A-"}, False),
        ({"generateName": "a" * 100}, True),
        ({}, True),
    ],
)
def test_the_name_of_a_workflow_is_legal(metadata, good):
    manifest = {**workflow(dag(task())), "metadata": metadata}
    assert ([one for one, _ in stops(manifest)] == []) is good
