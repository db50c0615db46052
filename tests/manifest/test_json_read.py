import pytest

from argojobs.errors import ManifestError
from argojobs.manifest.json_read import NotPlainJsonError, read_json, typed_tree


def test_numbers_of_parameters_keep_their_digits():
    parameter = (
        '{"name":"p","value":123456789012345678901234567890,"default":1.0,"enum":[1.0,true]}'
    )
    assert read_json(f'{{"parameters":[{parameter}],"limit":1.0}}') == {
        "parameters": [
            {
                "name": "p",
                "value": "123456789012345678901234567890",
                "default": "1.0",
                "enum": ["1.0", "true"],
            }
        ],
        "limit": 1,
    }


def test_values_that_came_as_python_become_text():
    tree = typed_tree(
        {
            "parameters": [
                {"name": "a", "value": True},
                {"name": "b", "value": 0.5},
                {"name": "c", "value": None},
                {"name": "d", "valueFrom": {"default": 2, "path": "/x"}},
            ]
        }
    )
    assert tree["parameters"] == [
        {"name": "a", "value": "true"},
        {"name": "b", "value": "0.5"},
        {"name": "c"},
        {"name": "d", "valueFrom": {"path": "/x", "default": "2"}},
    ]


def test_a_list_or_mapping_as_a_value_stays_what_it_is_for_the_check():
    text = (
        '{"parameters":[{"name":"a","value":[1.50]},{"name":"b","valueFrom":{"default":{"c":1}}}]}'
    )
    assert read_json(text)["parameters"] == [
        {"name": "a", "value": [1.5]},
        {"name": "b", "valueFrom": {"default": {"c": 1}}},
    ]


def test_the_argument_is_not_changed():
    value = {
        "parameters": [{"name": "a", "value": 1}],
        "withItems": [{"parameters": [{"value": 1}]}],
    }
    copy = typed_tree(value)
    assert value["parameters"][0]["value"] == 1
    assert copy["withItems"] == value["withItems"]


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1, "a": 2}', "{a: 1}", '{"a":' * 5000])
def test_what_is_no_plain_json_is_left_to_the_yaml_reader(text):
    with pytest.raises(NotPlainJsonError):
        read_json(text)


def test_deep_values_are_refused():
    value = []
    for _ in range(200):
        value = [value]
    with pytest.raises(ManifestError, match="nested deeper"):
        typed_tree(value)
