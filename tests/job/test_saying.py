"""What the user should know is said on standard error, whatever that is."""

from __future__ import annotations

import io
import sys

from argojobs.job.saying import say


def test_it_goes_to_standard_error_where_there_is_one(capfd, monkeypatch) -> None:
    say("half a letter \udcff")
    with monkeypatch.context() as patch:
        for stream in (Plain(), None):
            patch.setattr(sys, "stderr", stream)
            say("more")
    closed = io.TextIOWrapper(io.BytesIO())
    closed.close()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", closed)
        say("nothing")
    assert capfd.readouterr() == ("", "argojobs: half a letter ?\n")
    assert Plain.text == "argojobs: more\n"


class Plain(io.TextIOBase):
    text = ""

    def write(self, text: str) -> int:
        Plain.text += text
        return len(text)
