"""The programs that the peers run: a chain or a fan-out, each step from the file before to its own.

Where a peer starts a process for each step, the step does the script's work in it; where it does
not (luigi), the step runs the script. Arguments: shape, size, folder, interpreter.
"""

from __future__ import annotations

HEAD = """
import os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
shape, size, folder, interpreter = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
SCRIPT = {script!r}
AT_ONCE = {at_once}
open(f"{{folder}}/start", "w").write("x")
def before(n):
    return f"{{folder}}/start" if n == 0 else f"{{folder}}/{{n - 1 if shape == 'chain' else 0}}"
def after(n):
    return f"{{folder}}/{{n}}"
def work(one, other):
    open(other, "w").write(open(one).read() + "x")
"""
LUIGI = """
import luigi
class Hop(luigi.Task):
    n = luigi.IntParameter()
    def requires(self):
        return [] if self.n == 0 else [Hop(self.n - 1 if shape == "chain" else 0)]
    def output(self):
        return luigi.LocalTarget(after(self.n))
    def run(self):
        subprocess.run([interpreter, "-c", SCRIPT, before(self.n), after(self.n)], check=True)
tasks = [Hop(size - 1)] if shape == "chain" else [Hop(n) for n in range(size)]
sys.exit(not luigi.build(tasks, local_scheduler=True, workers=AT_ONCE, log_level="ERROR"))
"""
SUBMITIT = """
import submitit
executor = submitit.LocalExecutor(folder=f"{folder}/log")
executor.update_parameters(timeout_min=5)
def hop(n):
    executor.submit(work, before(n), after(n)).result()
if shape == "chain":
    for n in range(size):
        hop(n)
else:
    hop(0)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(hop, range(1, size)))
"""
KFP = """
from kfp import dsl, local
local.init(runner=local.SubprocessRunner(use_venv=False), pipeline_root=f"{folder}/root")
@dsl.component
def hop(one: str, other: str) -> str:
    open(other, "w").write(open(one).read() + "x")
    return other
@dsl.pipeline
def whole():
    first = hop(one=before(0), other=after(0))
    last = first
    for n in range(1, size):
        source = last if shape == "chain" else first
        last = hop(one=source.output, other=after(n))
whole()
"""
#: metaflow reads the file of its flow: the steps are written out.
METAFLOW_HEAD = """
from metaflow import FlowSpec, step
FOLDER = {folder!r}
def work(one, other):
    open(other, "w").write(open(one).read() + "x")
open(f"{{FOLDER}}/start", "w").write("x")
class Whole(FlowSpec):
"""


def python_program(name: str, script: str, at_once: int) -> str:
    """Return the program of a peer that takes the arguments above."""
    bodies = {"luigi": LUIGI, "submitit": SUBMITIT, "kfp": KFP}
    return HEAD.format(script=script, at_once=at_once) + bodies[name]


def metaflow_program(shape: str, size: int, folder: str) -> str:
    """Return a flow of so many steps, its start being the first, and an empty end."""
    head = METAFLOW_HEAD.format(folder=folder)
    if shape == "fan-out":
        return (
            head
            + f"""
    @step
    def start(self):
        work(f"{{FOLDER}}/start", f"{{FOLDER}}/0")
        self.numbers = list(range(1, {size}))
        self.next(self.hop, foreach="numbers")
    @step
    def hop(self):
        work(f"{{FOLDER}}/0", f"{{FOLDER}}/{{self.input}}")
        self.next(self.join)
    @step
    def join(self, inputs):
        self.next(self.end)
    @step
    def end(self):
        pass
if __name__ == "__main__":
    Whole()
"""
        )
    lines = []
    for number in range(size):
        name, source = ("start", "start") if number == 0 else (f"s{number}", str(number - 1))
        following = f"s{number + 1}" if number + 1 < size else "end"
        lines += [
            "    @step",
            f"    def {name}(self):",
            f'        work(f"{{FOLDER}}/{source}", f"{{FOLDER}}/{number}")',
            f"        self.next(self.{following})",
        ]
    lines += ["    @step", "    def end(self):", "        pass", ""]
    return head + "\n".join(lines) + 'if __name__ == "__main__":\n    Whole()\n'


def makefile(shape: str, size: int, folder: str, interpreter: str, script: str) -> str:
    """Return a Makefile of the same steps."""
    quoted = script.replace("'", "'\\''").replace("$", "$$")
    lines = [f"all: {' '.join(f'{folder}/{n}' for n in range(size))}", ""]
    for number in range(size):
        before = (
            f"{folder}/{number - 1 if shape == 'chain' else 0}" if number else f"{folder}/start"
        )
        lines += [
            f"{folder}/{number}: {before}",
            f"\t@{interpreter} -c '{quoted}' {before} $@",
        ]
    return "\n".join([*lines, ""])
