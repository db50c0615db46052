"""Plain scripts and commands in an image: their words arrive byte for byte, and can be changed."""

from __future__ import annotations

import json

import pytest
from as_user import PLAIN, User

SHOW = """\
import json, os, sys
open(os.environ["ARGOJOBS_OUT"] + "/said", "w").write(sys.argv[1])
print(json.dumps(sys.argv[1:]))
"""
AWKWARD = [
    *("{{x}} {{{", "{{workflow.name}}", "{{=1+1}}", "$(HOME) $$ ${ $", "", "a\nb\x01\t"),
    *("é😀\u2028\"'\\", "<&>", "-h", "--", "[1]"),
]


@pytest.mark.parametrize("kind", ["script", "command"])
def test_words_arrive_and_can_be_changed(user: User, kind: str) -> None:
    folder = user.folder / "scripts"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    (folder / "show.py").write_text(SHOW)
    what = {
        "script": (("run", "show.py"), ()),
        "command": (("run", "--image", PLAIN), ("python3", "-c", SHOW)),
    }[kind]

    def printed(name: str) -> list[str]:
        said: list[str] = json.loads(user.there("logs", name).stdout)
        return said

    def started(*words: str) -> str:
        done = user.argojobs("--context", "there", *words, cwd=folder)
        return done.stdout.strip()

    quiet = ("--detach", "-o", "name", "--")
    first = started(*what[0], *quiet, *what[1], *AWKWARD)
    assert user.ended(first)["status"]["phase"] == "Succeeded"
    assert printed(first) == AWKWARD
    again = started("resubmit", first, *quiet, *what[1], "{{b}}", "$(c)")
    assert user.ended(again)["status"]["phase"] == "Succeeded"
    assert printed(again) == ["{{b}}", "$(c)"]
    step = "show" if kind == "script" else "python"
    user.there("artifacts", "get", f"{again}/{step}/results", folder / "back")
    assert (folder / "back" / "said").read_text() == "{{b}}"
