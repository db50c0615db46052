"""Any Unicode text survives from `--params` through YAML and the engine into a step, byte for byte."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.any_text import HARD, PIPELINE

from argojobs.cli.main import main

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def argojobs(*arguments: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main(arguments)
    assert code == 0, output.getvalue() + errors.getvalue()
    return output.getvalue()


def arrived(folder: Path, given: dict[str, Any]) -> list[Any]:
    """Compile with `--params` to YAML, run the YAML, and return what the last step read."""
    manifest = folder.parent / "texts.yaml"
    parameters = folder.parent / "given.json"
    parameters.write_text(json.dumps(given))
    manifest.write_text(
        argojobs("compile", str(folder / "texts.py"), "--params", f"@{parameters}"), "utf-8"
    )
    workflow = json.loads(argojobs("run", str(manifest), "--wait", "-o", "json"))
    root = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    (result,) = root["outputs"]["artifacts"]
    data: list[Any] = json.loads(
        (folder.parent / "home" / "artifacts" / result["s3"]["key"]).read_bytes()
    )
    return data


@pytest.fixture
def folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert home == tmp_path / "home"
    project = tmp_path / "project"
    project.mkdir()
    (project / "texts.py").write_text(PIPELINE)
    monkeypatch.chdir(project)
    return project


def test_texts_that_something_on_the_way_would_alter(folder: Path) -> None:
    for text in ("{{workflow.name}} $(HOME) $$ '\"\\\n\t\0\x1b\U0001f600\u2028 ", "", "yes"):
        given = {"text": text, "many": HARD, "by_name": {text: text for text in HARD}}
        assert arrived(folder, given) == [text, HARD, given["by_name"], text]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXT, st.lists(TEXT, max_size=20), st.dictionaries(TEXT, TEXT, max_size=5))
def test_any_text_arrives_as_it_was_given(
    folder: Path, text: str, many: list[str], by_name: dict[str, str]
) -> None:
    given = {"text": text, "many": many, "by_name": by_name}
    assert arrived(folder, given) == [text, many, by_name, text]


FAN_OUT = '''
import json

from argojobs import Directory, File, Gathered, Outputs, each, pipeline, step


class Kept(Outputs):
    text: str
    file: File


@step
def listed(many: list[str]) -> list[str]:
    return many


@step
def keep(text: str) -> Kept:
    """Keep a text as a parameter and in a file."""
    out = Kept(text=text)
    out.file.path.write_bytes(json.dumps(text).encode())
    return out


@step
def again(kept: Kept, text: str) -> Kept:
    """The text comes by three ways."""
    assert kept.text == text == json.loads(kept.file.path.read_bytes())
    return keep.function(text)


@step
def together(first: Gathered[Kept], second: Gathered[Kept], third: list[str], files: Directory) -> File:
    """All that was gathered, in its order."""
    places = [*first.file, *second.file]
    texts = [json.loads(place.path.read_bytes()) for place in places]
    names = [json.loads(path.read_bytes()) for path in sorted(files.path.iterdir())]
    out = File()
    out.path.write_bytes(json.dumps([texts, first.text, second.text, third, names]).encode())
    return out


CONSTANTS = CONSTANT_TEXTS


@pipeline
def texts(many: list[str]) -> File:
    """Fan out over an argument, over what a step returned, and over constants."""
    first = each(many, lambda text: keep(text))
    second = each(listed(many), lambda text: again(keep(text), text))
    third = each(CONSTANTS, lambda text: keep(text))
    fourth = each(listed(many), lambda text: keep(text).text)
    return together(first, second, fourth, third.file)
'''


def fanned_out(folder: Path, many: list[str], constants: list[str]) -> list[Any]:
    (folder / "texts.py").write_text(FAN_OUT.replace("CONSTANT_TEXTS", ascii(constants)), "utf-8")
    parameters = folder.parent / "given.json"
    parameters.write_text(json.dumps({"many": many}))
    told = argojobs(
        "run", str(folder / "texts.py"), "--params", f"@{parameters}", "--wait", "-o", "json"
    )
    workflow = json.loads(told)
    root = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    (result,) = root["outputs"]["artifacts"]
    data: list[Any] = json.loads(
        (folder.parent / "home" / "artifacts" / result["s3"]["key"]).read_bytes()
    )
    return data


NASTY = [
    "b",
    "a",
    "a",
    "x\\n",
    'q"',
    "\n",
    "\t\0",
    "",
    "{{item}}",
    "$(HOME)$$",
    "[1",
    "a(b):c/..",
    "\U0001f600",
]


def test_texts_of_a_fan_out_arrive_in_order_each_with_its_artifact(folder: Path) -> None:
    constants = ["b", "a", "b", *HARD[::3], '"\\', "{{"]
    for many in (NASTY, []):
        found = fanned_out(folder, many, constants)
        assert found == [[*many, *many], many, many, many, constants]
