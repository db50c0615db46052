"""What the process executor adds to a step: the same scripts by subprocess.run and as pods.

Both sides run the same `python -c` scripts with the same concurrency, each step reading the file
of the step before and writing its own. On the executor's side the files are artifacts. The runs
are interleaved, for the machine may be busy.

    python benchmarks/executor_overhead.py [REPEATS]
"""

from __future__ import annotations

import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from argojobs.engine.executors.executor import PodId
from argojobs.engine.executors.process.executor import ProcessExecutor
from argojobs.engine.model import PodResult, StartPod
from argojobs.engine.placement import asked_by
from argojobs.engine.pod import pod_spec
from argojobs.engine.submitter import capture
from argojobs.service import Workflow

CHAIN, FAN, AT_ONCE = 20, 50, os.cpu_count() or 2
FIRST = "open({out!r}, 'w').write('1')"
NEXT = "n = int(open({into!r}).read()); open({out!r}, 'w').write(str(n + 1))"


def raw(folder: str, code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)


def raw_step(folder: str, number: int) -> None:
    out = f"{folder}/{number}"
    raw(
        folder,
        NEXT.format(into=f"{folder}/{number - 1}", out=out) if number else FIRST.format(out=out),
    )


def raw_fan(folder: str) -> None:
    codes = [NEXT.format(into=f"{folder}/0", out=f"{folder}/f{n}") for n in range(FAN)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda code: raw(folder, code), codes))


class Pods:
    """Pods of one run, started and waited for."""

    def __init__(self, executor: ProcessExecutor, home: str, run: str) -> None:
        self.executor = executor
        self.workflow: Workflow = {
            "metadata": {"name": run, "uid": "uid", "namespace": "default"},
            "spec": {},
        }
        self.submitter = capture(project=Path(home))

    def start(self, name: str, before: str | None) -> None:
        into, out = "/tmp/in.txt", "/tmp/out.txt"
        code = FIRST.format(out=out) if before is None else NEXT.format(into=into, out=out)
        template = {
            "container": {"image": "python", "command": ["python", "-c", code]},
            "outputs": {"artifacts": [{"name": "out", "path": out}]},
        }
        if before is not None:
            run = self.workflow["metadata"]["name"]
            key = f"{run}/{before}/out.tgz"
            template["inputs"] = {"artifacts": [{"name": "in", "path": into, "s3": {"key": key}}]}
        spec = pod_spec(
            StartPod(name, name, template),
            self.workflow,
            self.submitter,
            resources=asked_by(template),
            devices={},
            now=time.time(),
        )
        self.executor.start(spec)

    def wait(self) -> int:
        ended: list[tuple[PodId, PodResult]] = []
        while not ended:
            select.select([self.executor], [], [], 60)
            ended = self.executor.read()
        for _, result in ended:
            assert result.phase == "Succeeded", result
        return len(ended)

    def step(self, number: int) -> None:
        self.start(f"s{number}", f"s{number - 1}" if number else None)
        self.wait()

    def fan(self) -> None:
        waiting, running = list(range(FAN)), 0
        while waiting or running:
            while waiting and running < AT_ONCE:
                self.start(f"f{waiting.pop()}", "s0")
                running += 1
            running -= self.wait()


def measured(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def chains(executor: ProcessExecutor, home: str, repeats: int) -> tuple[float, float]:
    """Milliseconds of a step, raw and as a pod: medians over chains run step by step in turn."""
    base, ours = [], []
    for repeat in range(repeats + 1):
        folder = f"{home}/chain-{repeat}"
        os.mkdir(folder)
        pods = Pods(executor, home, f"chain-{repeat}")
        for number in range(CHAIN):
            one = measured(partial(raw_step, folder, number))
            other = measured(partial(pods.step, number))
            if repeat:  # the first chain warms both sides up
                base.append(one)
                ours.append(other)
    return statistics.median(base), statistics.median(ours)


def fans(executor: ProcessExecutor, home: str, repeats: int) -> tuple[float, float]:
    """Milliseconds of a step, raw and as a pod: the quickest of the fan-outs run in turn."""
    base, ours = [], []
    for repeat in range(repeats + 1):
        folder = f"{home}/fan-{repeat}"
        os.mkdir(folder)
        pods = Pods(executor, home, f"fan-{repeat}")
        raw_step(folder, 0)
        pods.step(0)
        base.append(measured(partial(raw_fan, folder)) / FAN)
        ours.append(measured(pods.fan) / FAN)
    return min(base[1:]), min(ours[1:])


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    home = tempfile.mkdtemp(prefix="argojobs-bench-", dir=os.getcwd())
    executor = ProcessExecutor(home)
    print(f"isolation {executor.isolation}, {AT_ONCE} at once, {repeats} repeats")
    try:
        for label, kind in (("chain of 20", chains), ("fan-out of 50", fans)):
            base, ours = kind(executor, home, repeats)
            print(
                f"{label:14} raw {base:6.2f} ms a step   pod {ours:6.2f} ms   "
                f"ratio {ours / base:5.2f}   added {ours - base:5.2f} ms"
            )
    finally:
        executor.close()
        shutil.rmtree(home, ignore_errors=True)  # the forkserver may be tidying up


if __name__ == "__main__":
    main()
