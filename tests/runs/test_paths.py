"""Files of a step's traceback are named where they lie on this machine."""

from __future__ import annotations

from pathlib import Path

from argojobs.runs.paths import localised


def test_a_file_of_the_project_is_named_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "mistakes.py").touch()
    line = '  File "/argojobs/code/mistakes.py", line 3, in train'
    assert localised(line, tmp_path) == f'  File "{tmp_path}/mistakes.py", line 3, in train'
    nested = '  |   File "/home/pods/scratch/argojobs/code/mistakes.py", line 3'
    assert localised(nested, tmp_path) == f'  |   File "{tmp_path}/mistakes.py", line 3'


def test_what_is_not_there_or_no_traceback_stays(tmp_path: Path) -> None:
    (tmp_path / "mistakes.py").touch()
    for line in (
        '  File "/argojobs/code/gone.py", line 3, in train',
        '  File "/usr/lib/python3/json.py", line 3, in loads',
        "reading /argojobs/code/mistakes.py",
    ):
        assert localised(line, tmp_path) == line
