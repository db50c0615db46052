"""What every executor keeps, as tests: subclass `ExecutorContract` and give it the fixtures.

`executor` is an open executor, `context` the run whose pods it starts, `signal` makes a Signal at
a path that pods see too. Programs are `python3 -c`, which every executor has to be able to run.
"""

from support.executor_contract.artifacts import Artifacts
from support.executor_contract.ending import Ending
from support.executor_contract.pods import Context, Signal, python, run, start, wait
from support.executor_contract.programs import Programs
from support.executor_contract.reports import Reports
from support.executor_contract.volumes import Volumes

__all__ = ["Context", "ExecutorContract", "Signal", "python", "run", "start", "wait"]


class ExecutorContract(Programs, Artifacts, Volumes, Reports, Ending):
    """The contract."""
