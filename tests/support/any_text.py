"""Texts that were ever altered on a way, and the pipeline that hands them from step to step."""

PIPELINE = '''
import json

from argojobs import File, Outputs, each, pipeline, step


class Kept(Outputs):
    text: str
    file: File


@step
def keep(text: str, many: list[str], by_name: dict[str, str]) -> Kept:
    """Write what arrived, as bytes."""
    out = Kept()
    out.text = text
    out.file.path.write_bytes(json.dumps([text, many, by_name]).encode())
    return out


@step
def again(kept: Kept) -> File:
    """What was handed on is what arrived."""
    from argojobs.runtime import places
    from pathlib import Path

    data = json.loads(kept.file.path.read_bytes())
    assert data[0] == kept.text, (data, kept.text)
    out = Path(places.output_path("result"))
    out.write_bytes(json.dumps([*data, kept.text]).encode())
    return File(out)


@pipeline
def texts(text: str, many: list[str], by_name: dict[str, str]) -> File:
    """Hand texts from step to step."""
    return again(keep(text, many, by_name))
'''


HARD = [
    "", " ", "\n", "\r\n", "\t", "a\n\n", "null", "~", "yes", "1e3", "0x10", "1:30", "- a", "# c", "a: b", "!x",
    "$(HOME)", "$$", "$", "{{workflow.name}}", "{{=1}}", "}}", "{{", "%", "'", '"', "\\", "\\n", "`id`", "$(id)",
    "\0", "\x07", "\x1b[0m", "\x7f", "\x85", "\u2028", "\ufeff", "\ufffe", "\U0001f600", "\U000e0001", "é", "e\u0301",
    "argojobs:none", "argojobs:base64:", "--help", "-p", "<x>", "@file",
    '{"b": 1,  "a": 2.50}', " [1, 2]", "[", "{",
]  # fmt: skip
