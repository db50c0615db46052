"""Values as Python source."""

from argojobs.convert.source_text import Call, Name, indented, literal, printed, variable


def test_source_evaluates_to_the_value():
    for value in ("", "it's", 'a "b"', "a\nb\n", "{x}", "\\", "é\t", [1, "a"], {"a": [None]}, 0.1):
        assert eval(printed(value)) == value


def test_what_is_long_breaks_one_part_a_line():
    call = Call("f", {"a": "x" * 60, "b": ["y" * 60]}, (Name("out"),))
    assert printed(call) == (f'f(\n    out,\n    a="{"x" * 60}",\n    b=["{"y" * 60}"],\n)')


def test_variables_are_identifiers_of_their_own():
    assert variable("a-b", {"a_b"}) == "template_a_b"
    assert variable("class", ()) == "template_class"
    assert variable("2", {"template_2"}, "template") == "template_2_2"


def test_quotes_need_no_escapes_where_they_can():
    assert literal("it's") == '"it\'s"'
    assert literal('a "b"') == "'a \"b\"'"


def test_empty_lines_stay_empty():
    assert indented("a\n\nb") == "    a\n\n    b"
