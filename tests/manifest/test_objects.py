"""The types of Argo's objects are those of the table of fields, and cost a run nothing."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from make_manifest_fields import OBJECTS, TABLE, types_text

from argojobs.manifest import objects


def test_the_file_is_what_the_script_writes():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    text = types_text({**table["fields"], **table["status"]})
    assert OBJECTS.read_text(encoding="utf-8") == text


def test_every_object_has_the_fields_of_the_table():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    fields = {**table["fields"], **table["status"]}
    for name, one in vars(objects).items():
        if hasattr(one, "__optional_keys__"):
            assert set(one.__annotations__) <= one.__optional_keys__ == set(fields[name])


def test_no_program_loads_them():
    program = "import argojobs.lint, argojobs.edits.rerun, argojobs.runs.view.steps, sys"
    asked = f"{program}; sys.exit('argojobs.manifest.objects' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0
