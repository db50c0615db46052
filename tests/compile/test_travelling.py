"""What of our own code travels in a manifest: what the project uses, and it works without the rest."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.job_series import values_of

import argojobs
from argojobs.compile.strip import sources
from argojobs.compile.travelling import installed_steps, needed_sources, words_of

HEAD = "from argojobs import pipeline, step\n"
BARE = "@step\ndef work(n: int) -> int:\n    return n\n"


def words(*texts: str) -> frozenset[str] | None:
    return words_of((f"file{number}.py", text.encode()) for number, text in enumerate(texts))


def travels(*texts: str) -> set[str]:
    return {
        name.removeprefix("argojobs/").removesuffix(".py") for name in needed_sources(words(*texts))
    }


def test_words_are_names_of_ours_their_modules_and_attributes() -> None:
    found = words("from argojobs import Model, step as s\n@s\ndef work(m: Model): m.path.stat()")
    assert found == {"Model", "artifacts", "step", "steps", ".path", ".stat"}


@pytest.mark.parametrize(
    "text",
    [
        "import argojobs\n",
        "import argojobs as aj\n",
        "from argojobs import *\n",
        "from argojobs.dsl.steps import step\n",
        "import argojobs.dsl\n",
        "import argojobs.job\n",
        "from argojobs import dsl\n",
    ],
)
def test_what_cannot_be_read_takes_all_of_it(text: str) -> None:
    assert words(HEAD, text) is None
    assert travels(HEAD, text) == {
        name.removeprefix("argojobs/").removesuffix(".py") for name in sources()
    }


@pytest.mark.parametrize(
    "text",
    [
        "from argojobs import job\n",
        "from argojobs import job as reports\n",
        "from argojobs.job import log\n",
        "def train():\n    from argojobs.job.batch import Batch\n",
    ],
)
def test_the_job_library_travels_where_it_is_imported(text: str) -> None:
    assert words(text) == {"job"}
    library = {name for name in travels(HEAD, text) if name.startswith("job/")}
    assert {"job/__init__", "job/session", "job/writer"} <= library
    assert library == {
        name.removeprefix("argojobs/").removesuffix(".py")
        for name in sources()
        if "/job/" in name and "older_scripts" not in name
    }
    assert not {name for name in travels(HEAD) if name.startswith("job/")}


def test_the_job_library_reports_and_goes_on_as_it_travels(tmp_path: Path) -> None:
    for place, content in needed_sources(words("from argojobs import job\n")).items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    program = """
import os, sys
sys.path.insert(0, ".")
from argojobs import job
print(job.restore() is not None)
for epoch in job.epochs(3):
    with job.measure("forward"):
        job.log(loss=float(epoch), step=epoch)
    job.checkpoint("argojobs/errors.py")
    if epoch == 1 and not job.JOB_RESTARTED:
        os._exit(1)
job.summary(accuracy=0.9)
"""
    said = [
        subprocess.run(
            [sys.executable, "-I", "-S", "-u", "-c", program],
            cwd=tmp_path,
            env={"ARGOJOBS_RESULTS": str(tmp_path / "results")},
            capture_output=True,
            text=True,
            check=False,
        )
        for _ in range(2)
    ]
    assert [(done.stdout, done.stderr) for done in said] == [("False\n", ""), ("True\n", "")]
    assert values_of(tmp_path / "results", "loss") == [(0, 0.0), (1, 1.0), (2, 2.0)]


def test_files_that_are_no_python_or_do_not_parse_say_nothing() -> None:
    files = [("README.md", b"import argojobs"), ("old.py", b"print 'argojobs'"), ("a.bin", b"\0")]
    assert words_of([*files, ("flow.py", HEAD.encode())]) == words(HEAD)
    assert words_of([("run", b"#!/usr/bin/env python3\nimport argojobs")]) is None


@pytest.mark.parametrize(
    "use",
    [
        "@step(gpu=1)\ndef work(): ...",
        "on_gpu = step",
        "work = step(print)",
        "@pipeline(retry=3)\ndef main(): ...",
        "def main(): work.options(gpu=1)()",
    ],
)
def test_options_travel_where_any_may_be_given(use: str) -> None:
    assert {"dsl/options", "dsl/retry"} <= travels(HEAD + BARE + use)


@pytest.mark.parametrize(
    ("use", "calls"),
    [
        ("@pipeline\ndef main() -> int:\n    return work(1)", False),
        ("@pipeline(name='m')\ndef main(): work(1)\nif __name__ == '__main__': main()", False),
        ("@step\ndef other(): work(1)", True),
        ("def helper(): return [work]", True),
        ("again = work", True),
        ("def test():\n    import flow\n    flow.work(1)", True),
        ("from flow import work as other", True),
    ],
)
def test_what_calls_a_step_as_a_function_travels_where_one_may_be(use: str, calls: bool) -> None:
    assert ("dsl/eager" in travels(HEAD + BARE + use)) is calls
    assert ("dsl/eager" in travels(HEAD + BARE, use)) is calls


def test_mistakes_in_definitions_are_found_where_a_step_may_be_called() -> None:
    def finds(*texts: str) -> bool:
        return b"there is no option" in needed_sources(words(*texts))["argojobs/dsl/options.py"]

    text = HEAD + BARE + "@pipeline\ndef main(): work.options(cpu=2)(1)\n"
    assert (finds(text), finds(text + "def other(): work.options(cpus=2)(1)")) == (False, True)


def test_what_only_says_that_it_is_a_module_is_passed_over(monkeypatch) -> None:
    class Library:  # as cffi's, which `cryptography` brings
        __slots__ = ()
        __class__ = property(lambda _: ModuleType)  # type: ignore[assignment]

    monkeypatch.setitem(sys.modules, "library", Library())
    assert not installed_steps()


def test_a_bare_step_has_no_use_for_most_of_it() -> None:
    stays = {"dsl/options", "dsl/trace", "dsl/fanout", "runtime/tree", "runtime/command"}
    assert not stays & travels(HEAD + BARE + "@pipeline\ndef main(n: int = 1): work(n)\n")
    assert "runtime/command" in travels("from argojobs import command\n@command()\ndef a(): ...")


@pytest.mark.parametrize(
    ("use", "packages"),
    [
        ("import os.path, numpy as np\nfrom telegraphy import telegraf", set()),
        ("from . import job, telegraf", set()),
        ("from argojobs import job", {"job"}),
        ("from kubernetesdlprofile import kubeprofiler", {"job", "kubernetesdlprofile"}),
        ("import kubernetesdlprofile.kubeprofiler as k", {"job", "kubernetesdlprofile"}),
        ("from telegraf.client import TelegrafClient", {"job", "telegraf"}),
        ("import telegraf", {"job", "telegraf"}),
    ],
)
def test_the_library_travels_where_it_or_what_is_built_on_it_is_imported(
    use: str, packages: set[str]
) -> None:
    places = {
        "job": "job/__init__",
        "kubernetesdlprofile": "job/older_scripts/kubernetesdlprofile/kubeprofiler",
        "telegraf": "job/older_scripts/telegraf/client",
    }
    found = travels(HEAD, use)
    assert {package for package, place in places.items() if place in found} == packages
    assert ("job/older_scripts/__init__" in found) is (len(packages) > 1)
    assert any(place.startswith("job/") for place in found) is bool(packages)


LIBRARIES = "from argojobs import job\nimport kubernetesdlprofile, telegraf"


def test_the_library_works_as_it_travels(tmp_path: Path) -> None:
    for place, content in needed_sources(words(HEAD, LIBRARIES)).items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    program = """
import sys
from argojobs.job import older_scripts
sys.path.append(older_scripts.path())
from argojobs import job
from argojobs.job.batch import Batch
from argojobs.job.sinks import Sinks
from argojobs.job.sinks.sink import Process
from kubernetesdlprofile import kubeprofiler
from telegraf.client import TelegrafClient
profiler = kubeprofiler.KubeProfiler()
profiler.start_epoch()
job.log(loss=0.5)
profiler.end_epoch()
TelegrafClient("127.0.0.1", 9).metric("loss", 0.25)
names = {"TENSORBOARD_LOGDIR": "board", "INFLUX_UDP": "127.0.0.1:9", "OPENMETRICS": "step.prom"}
sinks = Sinks({f"ARGOJOBS_{name}": value for name, value in names.items()}, Process, print)
sinks(Batch([1.0], [0], {"loss": [0.5]}))
sinks.close()
print(job.__file__, open("step.prom").read())
"""
    results = str(tmp_path / "results")
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"ARGOJOBS_RESULTS": results, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path) in done.stdout
    assert 'argojobs_value{name="loss",attempt="1",rank="0"} 0.5' in done.stdout
    assert len([*(tmp_path / "results" / "checkpoints").iterdir()]) == 1


@pytest.mark.parametrize("name", ["", *sorted(argojobs._HOMES)])
def test_whatever_travels_can_be_imported_with_it(name: str, tmp_path: Path) -> None:
    found = words(f"from argojobs import step, {name}" if name else HEAD)
    names = []
    for place, content in needed_sources(found).items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if not place.endswith("__main__.py"):
            names.append(place.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    code = f"import sys; sys.path.insert(0, '.'); import {', '.join(names)}"
    if name and name not in ("run", "Run", "to_hera"):
        code += f"; argojobs.{name}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
