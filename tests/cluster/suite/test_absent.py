"""What is not there: an optional input whose key is absent, the items of an empty fan-out."""

from __future__ import annotations

import pytest
from as_user import User, messages, phase, result


@pytest.mark.parametrize(("count", "tens"), [(0, "[]"), (2, "[0, 10]")])
def test_what_is_absent_is_none_and_has_no_path(user: User, count: int, tens: str) -> None:
    data = f"data=s3://{user.cluster.s3_bucket}/{user.name}/nothing-here"
    name = user.started(user.project / "absent.py", "-p", f"count={count}", "-p", data)
    workflow = user.ended(name)
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": f"made, None, False; []; {tens}"}
