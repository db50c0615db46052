"""`argojobs doctor`: how checks look, and what the verb does with them."""

from __future__ import annotations

import json

from argojobs.cli.doctor_text import as_data, ending, lines_of
from argojobs.runs.doctor.checking import Check, failed, ok


def text(check: Check) -> str:
    return "\n".join("".join(part for part, _ in line) for line in lines_of(check))


def test_a_check_is_a_line_and_its_remedy_below():
    assert text(ok("home", "/x")) == "✔ home         /x"
    assert text(failed("store", "no bucket", "make one")).splitlines() == [
        "✖ store        no bucket",
        "               make one",
    ]
    assert "failed  store" in "".join(
        part for part, _ in lines_of(failed("store", "", ""), signs=False)[0]
    )


def test_each_line_of_a_remedy_has_a_line_of_its_own():
    assert text(failed("server", "no token", "export T=...\nor choose another")).splitlines()[
        1:
    ] == [
        "               export T=...",
        "               or choose another",
    ]


def test_the_end_names_what_is_to_be_fixed():
    assert ending([ok("a", "")], "lab")[0][0] == "lab is well"
    assert ending([failed("a", "", ""), failed("b", "", "")], "lab")[0][0] == "lab: to fix: a, b"
    data = as_data("lab", [failed("a", "what", "do")], 2)
    assert data["well"] is False
    assert data["checks"] == [{"name": "a", "state": "failed", "what": "what", "remedy": "do"}]


def test_doctor_of_this_machine(argojobs, tmp_path, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARGOJOBS_CONFIG", "")
    monkeypatch.chdir(tmp_path)
    answer = argojobs("doctor", "local", "-o", "json")
    assert answer.code == 0
    assert json.loads(answer.out)["context"] == "local"
    assert "local is well" in argojobs("doctor").out
    assert argojobs("doctor", "local", "--write", "-").code == 2


def test_what_a_namespace_needs_is_written(argojobs, tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text(
        '[contexts.lab]\nserver = "https://x:1"\nnamespace = "team"\nmax_parallel = 2\n'
    )
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
    monkeypatch.chdir(tmp_path)
    answer = argojobs("doctor", "lab", "--write", "out")
    assert answer.out == "out/lab.yaml\n"
    written = (tmp_path / "out" / "lab.yaml").read_text()
    assert argojobs("doctor", "lab", "--write", "-").out == written
    assert "argojobs-limits" in written
    assert "namespace: team" in written
    assert "would write" in argojobs("doctor", "lab", "--write", "other", "--dry-run").out
    assert not (tmp_path / "other").exists()
    applied = argojobs("doctor", "lab", "--apply", "--dry-run").out
    assert "would apply Role argojobs-submitter" in applied


def test_two_names_are_one_too_many(argojobs):
    answer = argojobs("doctor", "a", "--context", "b")
    assert answer.code == 2
    assert "both say where" in answer.err
