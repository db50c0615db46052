"""What the real expression code of Argo 4.1.2 returned, row by row.

The table lies beside the repository; without it these tests are skipped, and the rows of the other files stand alone.
"""

import json

import pytest
from support.shared import ARGO, WHY_NOT

from argojobs.errors import ManifestError
from argojobs.expressions import condition, tags

TABLE = ARGO / "expressions.json"
RECORDED = json.loads(TABLE.read_text()) if TABLE.exists() else {"env": {}, "rows": []}

pytestmark = pytest.mark.skipif(not TABLE.exists(), reason=WHY_NOT)


def run(row: dict[str, object]) -> object:
    text = str(row["text"])
    if row["kind"] == "when":
        return condition.holds(text)
    return tags.replace(text, RECORDED["env"], strict=row["kind"] == "strict")


@pytest.mark.parametrize(
    "row", [row for row in RECORDED["rows"] if "value" in row], ids=lambda row: row["text"]
)
def test_value_is_argos(row):
    assert run(row) == row["value"]


@pytest.mark.parametrize(
    "row", [row for row in RECORDED["rows"] if "error" in row], ids=lambda row: row["text"]
)
def test_error_is_an_error_with_a_hint(row):
    with pytest.raises(ManifestError) as caught:
        run(row)
    assert caught.value.what
    assert caught.value.hint
