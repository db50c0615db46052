"""`when`: that it parses, with the values that will stand in it."""

import pytest
from support.whole_examples import complete
from support.work_done import calls

from argojobs.lint import lint
from argojobs.lint.conditions import quoted


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("'{{workflow.name}}' == 'not-this'", []),
            ("{{workflow.name}} < 2", []),
            ("{{workflow.name}} == 2", []),
            ("{{= workflow.name == 'x' }}", []),
            ("'{{workflow.name}}' in ('x', 'y')", []),
            ("{{workflow.name}} == #f00", ["when-syntax"]),
            ("{{workflow.name}} == a && (", ["when-syntax"]),
            ("{{workflow.name}} != ''", ["when-unquoted"]),
            ("{{workflow.status}} == Succeeded", []),
            ("{{workflow.name}} = a", ["when-syntax"]),
            ("{{workflow.{{workflow.name}}}} < 2", []),
        ],
    )
    def test_a_condition_is_judged_by_what_its_values_may_do(self, text, expected):
        task = {"name": "a", "template": "work", "when": text}
        workflow = complete("dag: {tasks: [{name: a, template: work}]}")
        workflow["spec"]["templates"][0]["dag"]["tasks"] = [task]
        assert [one.code for one in lint(workflow)] == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("{{workflow.parameters.sha}} != 0000000", ["when-unquoted"]),
            ("{{workflow.parameters.sha}} == 5", ["when-unquoted"]),
            ("5 < {{ workflow.parameters.sha }}", ["when-unquoted"]),
            ("{{inputs.parameters.words}} > 1", ["when-unquoted"]),
            ("'{{workflow.parameters.sha}}' != '0000000'", []),
            ("{{workflow.parameters.count}} == 5", []),
            ("{{workflow.parameters.flag}} == true", []),
            ("'{{workflow.parameters.quote}}' == 'a'", ["when-unquoted"]),
            ("{{inputs.parameters.none}} == 5", []),
        ],
    )
    def test_a_value_that_is_there_already_must_not_break_it(self, text, expected):
        values = {"sha": "5d1ca16", "count": "3", "flag": "true", "quote": "it's"}
        workflow = complete("dag: {tasks: [{name: a, template: work}]}")
        spec = workflow["spec"]
        spec["arguments"] = {
            "parameters": [{"name": name, "value": value} for name, value in values.items()]
        }
        inputs = [{"name": "words", "default": "a b"}, {"name": "none"}]
        spec["templates"][0]["inputs"] = {"parameters": inputs}
        spec["arguments"]["parameters"].append({"name": "none", "value": "a b"})
        spec["templates"][0]["dag"]["tasks"][0]["when"] = text
        found = lint(workflow)
        assert [one.code for one in found] == expected
        assert all(one.hint for one in found)

    def test_the_quoted_form_is_shown(self):
        assert quoted("{{a}} == not-this") == "'{{a}}' == 'not-this'"
        assert (
            quoted("{{a}} == one two && {{b}} != 'c'") == "'{{a}}' == 'one two' && '{{b}}' != 'c'"
        )
        assert quoted("{{a}} > 3 && {{b}} == c") == "{{a}} > 3 && '{{b}}' == 'c'"

    @pytest.mark.parametrize("text", ["{{a", "{{a}} == ", "'a' == ", "a in (", "'", "a && "])
    def test_a_huge_one_costs_work_in_proportion(self, text):
        def work(times):
            workflow = complete("steps: [[{name: a, template: work}]]")
            workflow["spec"]["templates"][0]["steps"][0][0]["when"] = text * times
            return calls(lambda: found.append(lint(workflow)))

        found = []
        work(10)  # what is looked up once
        short, long = work(1_000), work(10_000)
        assert all(found)
        assert long < 10.5 * short

    def test_the_remedy_is_whole_and_can_be_pasted(self):
        workflow = complete("steps: [[{name: a, template: work}]]")
        step = workflow["spec"]["templates"][0]["steps"][0][0]
        for text, remedy in [
            ("{{workflow.name}} in (x)", "'{{workflow.name}}' == 'x'"),
            ("{{workflow.name}} == two words", "'{{workflow.name}}' == 'two words'"),
        ]:
            step["when"] = text
            (found,) = lint(workflow)
            assert found.hint.endswith(remedy)
            assert "token types" not in found.message
