from argojobs.manifest.locate import locate, locate_all

TEXT = """\
# a comment
metadata:
  name: x
spec:
  templates:
  - name: a
    container: {image: i, args: [1, 2]}
  -
    name: b
---
other:
  - [x, {y: z}]
"""


def test_a_field_is_where_its_key_is():
    assert locate(TEXT, ("metadata",)) == (2, 1)
    assert locate(TEXT, ("spec", "templates", 0, "container", "image")) == (7, 17)
    assert locate(TEXT, ("spec", "templates", 1, "name")) == (9, 5)


def test_an_item_is_where_it_begins():
    assert locate(TEXT, ("spec", "templates", 0)) == (6, 5)
    assert locate(TEXT, ("spec", "templates", 0, "container", "args", 1)) == (7, 37)


def test_documents_are_counted():
    assert locate(TEXT, ("other", 0, 1, "y"), document=1) == (12, 10)
    assert locate(TEXT, (), document=1) == (11, 1)


def test_what_is_not_written_out_is_at_the_nearest_thing_above():
    assert locate(TEXT, ("spec", "templates", 0, "nothing", "deeper")) == (6, 5)
    assert locate("a: &x {b: 1}\nc: *x\n", ("c", "b")) == (2, 1)
    assert locate(TEXT, ("nowhere",)) == (2, 1)


def test_many_paths_in_one_pass():
    paths = [("metadata", "name"), ("spec", "templates"), ()]
    assert locate_all(TEXT, paths) == {paths[0]: (3, 3), paths[1]: (5, 3), paths[2]: (2, 1)}


def test_json_and_broken_text_are_located_as_far_as_they_can_be_read():
    assert locate('{"a": [1,\n {"b": 2}]}', ("a", 1, "b")) == (2, 3)
    assert locate("a: 1\nb: [\n", ("a",)) == (1, 1)


def test_json_has_escapes_that_yaml_has_not_and_places_all_the_same():
    text = '{"a": "\\ud83d\\ude00",\n\t"b": [1, {"c": "\\/"}]}'
    assert locate(text, ("b", 1, "c")) == (2, 12)
    assert locate(text, ("b",)) == (2, 2)
    assert locate(text, ("b", 1, "missing")) == (2, 11)
