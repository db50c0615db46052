"""The folder of a job, in which its attempts keep what they report: there while it is of use.

The folders of a run lie in one of its own, which only its owner can reach: so the job's may be
written to by every user of its pods, and by no other run's.
"""

from __future__ import annotations

import os
from contextlib import suppress

from argojobs.engine.executors.process.layout import FOR_ALL

MOST_TRIES = 100  # to make a folder in one that others, whose pods end just then, take away


def make_results_folder(path: str) -> None:
    """Make the folder of a job, `HOME/results/RUN/JOB`, unless an earlier attempt left it there.

    Raises OSError.
    """
    for _ in range(MOST_TRIES):
        try:
            os.mkdir(path)
        except FileExistsError:
            return  # another attempt's
        except FileNotFoundError:
            run = os.path.dirname(path)
            for folder in (os.path.dirname(run), run):
                with suppress(FileExistsError, FileNotFoundError):
                    os.mkdir(folder, 0o700)
        else:
            os.chmod(path, FOR_ALL)
            return
    raise FileNotFoundError(2, "its folder is taken away again and again", path)


def remove_empty_results(path: str) -> None:
    """Remove the folder of a job, and that of its run, where nothing was left in them."""
    for folder in (path, os.path.dirname(path)):
        try:
            os.rmdir(folder)
        except OSError:  # there is something in it, or it is gone
            return
