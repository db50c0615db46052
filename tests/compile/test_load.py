"""What a file holds, and what is said of files that hold something else."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argojobs.compile.load import load
from argojobs.errors import DefinitionError, ManifestError, UsageError, UserCodeError

STEP = "from argojobs import pipeline, step\n@step\ndef work(n: int) -> int:\n    return n\n"
OURS = "import argojobs\n"
PIPELINE = STEP + "@pipeline\ndef first(n: int = 1) -> int:\n    return work(n)\n"
MANIFEST = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: NAME}
spec: {entrypoint: main, templates: [{name: main, container: {image: alpine}}]}
"""


@pytest.fixture(autouse=True)
def _own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    modules, path = dict(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - set(modules):
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]
    sys.path[:] = path


def _write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_pipeline_of_ours(tmp_path: Path) -> None:
    loaded = load(_write("flow_a.py", PIPELINE))
    assert (loaded.kind, loaded.name, loaded.root) == ("dsl", "first", tmp_path)
    assert loaded.pipeline is not None
    assert loaded.manifest is None
    assert list(loaded.pipeline.inputs) == ["n"]


def test_of_several_pipelines_one_is_named() -> None:
    text = PIPELINE + "@pipeline\ndef second_one() -> int:\n    return work(2)\n"
    path = _write("flow_b.py", text)
    with pytest.raises(UsageError, match=r"2 pipelines in flow_b\.py: first, second_one") as caught:
        load(path)
    assert caught.value.hint == "say which: --pipeline first"
    assert load(path, "second_one").name == "second-one"
    assert load(path, "second-one").name == "second-one"
    with pytest.raises(UsageError, match="no pipeline 'secnd_one'") as caught:
        load(path, "secnd_one")
    assert "did you mean 'second_one'?" in caught.value.hint


def test_an_imported_pipeline_counts_only_without_one_of_its_own() -> None:
    _write("flow_c.py", PIPELINE)
    assert load(_write("flow_d.py", "from flow_c import first\n")).name == "first"
    own = "from flow_c import first, work\nfrom argojobs import pipeline\n"
    own += "@pipeline\ndef mine() -> int:\n    return work(1)\n"
    assert load(_write("flow_e.py", own)).name == "mine"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (STEP, "it has steps (work) but no @pipeline function that calls them."),
        (OURS + "def run(): ...\n", "it has run; a pipeline is a function below @pipeline"),
        (OURS, "a pipeline is a function below @pipeline"),
    ],
)
def test_a_file_without_a_pipeline_says_what_it_has(text: str, hint: str) -> None:
    with pytest.raises(UsageError, match=r"there is no pipeline in flow_f\.py") as caught:
        load(_write("flow_f.py", text))
    assert caught.value.hint.startswith(hint)


HERA = """
from hera.workflows import Container, Workflow
with Workflow(name="from-hera", entrypoint="main") as w:
    Container(name="main", image="alpine", args=["007"])
"""


def test_a_plain_hera_workflow() -> None:
    loaded = load(_write("flow_hera.py", HERA))
    assert (loaded.kind, loaded.name, loaded.pipeline) == ("hera", "w", None)
    assert loaded.manifest is not None
    assert loaded.manifest["spec"]["templates"] == [
        {"name": "main", "container": {"image": "alpine", "args": ["007"]}}
    ]


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"])
def test_a_hera_object_of_another_kind(kind: str) -> None:
    text = HERA.replace("Workflow", kind)
    loaded = load(_write("flow_template.py", text))
    assert loaded.manifest is not None
    assert (loaded.kind, loaded.manifest["kind"]) == ("hera", kind)


def test_an_object_of_a_class_of_the_users_is_named() -> None:
    text = "from hera.workflows import Workflow\nclass Mine(Workflow): ...\nt = Mine(name='x')\n"
    with pytest.raises(UsageError) as caught:
        load(_write("flow_class.py", text))
    assert caught.value.hint.startswith("it has t (Mine)")


def test_manifests() -> None:
    loaded = load(_write("one.yaml", MANIFEST))
    assert (loaded.kind, loaded.name) == ("manifest", "NAME")
    both = MANIFEST + "---" + MANIFEST.replace("NAME", "other")
    with pytest.raises(ManifestError, match="holds 2 Workflows"):
        load(_write("two.yaml", both))
    assert load("two.yaml", "other").name == "other"


def test_the_file_is_imported_as_a_step_will() -> None:
    _write("pyproject.toml", "")
    _write("in_root.py", "value = 1")
    _write("src/in_src.py", "value = 2")
    _write("flows/beside_flow.py", "value = 3")
    text = PIPELINE + "import in_root, in_src, beside_flow\n"
    loaded = load(_write("flows/flow_g.py", text))
    assert loaded.root == Path.cwd()
    assert loaded.pipeline is not None
    assert loaded.pipeline.function.__module__ == "flow_g"


def test_a_missing_module_says_to_import_it_inside_the_step() -> None:
    with pytest.raises(UserCodeError) as caught:
        load(_write("flow_h.py", "\nimport torch_not_here\n" + PIPELINE))
    error = caught.value
    assert error.where.endswith("flow_h.py:2")
    assert error.hint.startswith("import torch_not_here inside the step that needs it")
    frames = [line for line in error.traceback.splitlines() if line.lstrip().startswith("File")]
    assert len(frames) == 1
    assert "flow_h.py" in frames[0]


def test_a_misspelt_module_of_the_project_is_not_called_third_party() -> None:
    _write("helpers_x/__init__.py", "")
    with pytest.raises(UserCodeError) as caught:
        load(_write("flow_i.py", OURS + "import helpers_x.missing\n"))
    assert "inside the step" not in caught.value.hint


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("x = = 1\n", "SyntaxError: invalid syntax", "flow_j.py:1"),
        (OURS + "1 / 0\n", "ZeroDivisionError: division by zero", "flow_j.py:2"),
        (OURS + "import sys; sys.exit(3)\n", "the file ends the program", "flow_j.py"),
    ],
)
def test_a_file_that_does_not_import(text: str, what: str, where: str) -> None:
    with pytest.raises(UserCodeError, match=what) as caught:
        load(_write("flow_j.py", text))
    assert caught.value.where.endswith(where)


def test_a_missing_file_names_the_nearest() -> None:
    _write("workflows/demo.py", "")
    _write("workflows/other.yaml", "")
    with pytest.raises(UsageError, match=r"no file demo\.py") as caught:
        load("demo.py")
    assert caught.value.hint == "did you mean workflows/demo.py?"
    with pytest.raises(UsageError) as caught:
        load("workflows/dmo.py")
    assert caught.value.hint == "did you mean workflows/demo.py?"


def test_a_name_that_is_alike_only_in_its_ending_is_not_meant() -> None:
    for name in ("plain.py", "fan.py", "py.py"):
        _write(name, "")
    with pytest.raises(UsageError) as caught:
        load("plian.py")
    assert caught.value.hint == "did you mean plain.py?"


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "it is empty"), ("  \n", "it is empty"), ("def main():\n    print(1)\n", "only defines")],
)
def test_a_script_that_does_nothing_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"runs nothing: .*{why}"):
        load(_write("nothing.py", text))


def test_a_folder_names_its_files() -> None:
    _write("workflows/demo.py", "")
    with pytest.raises(UsageError, match="workflows is a folder") as caught:
        load("workflows")
    assert caught.value.hint == "name one of its files: demo.py"


def test_another_kind_of_file() -> None:
    with pytest.raises(UsageError, match="neither Python nor a manifest"):
        load(_write("notes.txt", ""))


def test_a_file_named_like_this_program() -> None:
    with pytest.raises(UsageError, match="has the name of this program"):
        load(_write("argojobs.py", PIPELINE))


INNER = STEP + "@pipeline\ndef inner(n: int) -> int:\n    return work(n)\n"


@pytest.mark.parametrize(
    "caller",
    [
        "@pipeline\ndef whole() -> int:\n    return inner(1)\n",
        "@pipeline\ndef whole() -> list[int]:\n    return each([1], lambda n: inner(n))\n",
        "@pipeline(on_exit=inner)\ndef whole() -> int:\n    return work(1)\n",
    ],
)
def test_of_pipelines_that_call_each_other_the_outermost_is_taken(caller: str) -> None:
    path = _write(f"flow_k{abs(hash(caller))}.py", "from argojobs import each\n" + INNER + caller)
    assert load(path).name == "whole"
    assert load(path, "inner").name == "inner"


def test_of_two_outermost_pipelines_one_is_proposed() -> None:
    more = "".join(
        f"@pipeline\ndef {name}() -> int:\n    return inner(1)\n" for name in ("one", "two")
    )
    with pytest.raises(UsageError, match="3 pipelines") as caught:
        load(_write("flow_l.py", INNER + more))
    assert caught.value.hint == "say which: --pipeline one"


@pytest.mark.parametrize(
    ("decorator", "what"),
    [
        ("@step(gpus=1)", "there is no option 'gpus'"),
        ("@step(memory='4 gigs')", "memory='4 gigs'"),
        ("@command", "@command stands above plain without its brackets"),
        ("@step(name=3)", "the name 3 is not text"),
    ],
)
def test_a_mistake_in_a_decorator_is_said_once_at_its_line(decorator: str, what: str) -> None:
    text = f"from argojobs import command, step\n\n{decorator}\ndef plain() -> None: ...\n"
    with pytest.raises(DefinitionError) as caught:
        load(_write(f"flow_m{abs(hash(decorator))}.py", text))
    assert what in caught.value.what
    assert " at 0x" not in str(caught.value)
    assert caught.value.where.endswith(".py:3")
    assert caught.value.hint


@pytest.mark.parametrize("name", ["types", "token", "random", "statistics", "traceback"])
@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py"])
def test_what_hides_a_module_of_pythons_own_is_refused(name: str, form: str) -> None:
    _write("pyproject.toml", "")
    _write(form.format(name), "")
    file = _write("flows/flow_h.py", PIPELINE)
    with pytest.raises(UsageError, match=f"hides Python's own module {name}\n") as caught:
        load(file)
    assert caught.value.hint == "rename it, or list it in .argojobsignore if no step needs it."
    _write(".argojobsignore", form.format(name))
    assert load(file).name == "first"


@pytest.mark.parametrize("name", ["token.py", "flows/queue.py", "src/string.py"])
def test_so_is_a_pipeline_or_script_of_such_a_name(name: str) -> None:
    _write("pyproject.toml", "")
    for text in (PIPELINE, "print()"):
        with pytest.raises(UsageError, match=r"hides Python's own module") as caught:
            load(_write(name, text))
        assert caught.value.hint == "rename it."


def test_beside_a_script_in_a_package_python_searches_too() -> None:
    _write("pyproject.toml", "")
    for name in ("pack/__init__.py", "pack/types.py", "pack/train.py"):
        _write(name, "")
    assert load(_write("pack/flow_l.py", PIPELINE)).name == "first"
    with pytest.raises(UsageError, match=r"types\.py hides Python's own module types"):
        load("pack/train.py")


def test_so_is_one_beside_a_shell_script() -> None:
    _write("types.py", "")
    _write("run.sh", "#!/bin/sh\n").chmod(0o755)
    with pytest.raises(UsageError, match=r"types\.py hides Python's own module types"):
        load("run.sh")


@pytest.mark.parametrize(
    "name", ["pack/types.py", "types/readme.txt", "types.txt", "test.py", "time.py", "Types.py"]
)
def test_what_hides_nothing_is_not(name: str) -> None:
    _write("pack/__init__.py", "")
    _write(name, "")
    assert load(_write("flow_i.py", PIPELINE)).name == "first"


@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        (b"#!/bin/bash\r\necho\r\n", "no system has the program '/bin/bash\\r'", "sed -i"),
        (b"#! /usr/bin/env python3\r\n", "'/usr/bin/env python3\\r'", ".gitattributes"),
        (b"#!/bin/sh\r", "end with a carriage return", "sed -i"),
        (b"\xef\xbb\xbf#!/bin/sh\n", "begins with a byte order mark", "without one"),
        (b"echo\r\n", "nor a program that begins with #!", "#!/bin/sh"),
    ],
)
def test_a_first_line_that_no_system_understands_is_named(
    content: bytes, what: str, hint: str
) -> None:
    file = _write("run.sh", "")
    file.write_bytes(content)
    file.chmod(0o755)
    with pytest.raises(UsageError) as caught:
        load(file)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_a_decorator_above_pipeline_is_named() -> None:
    above = (
        "import functools\ndef log(f):\n    @functools.wraps(f)\n    def run(*a): return f(*a)\n"
    )
    text = PIPELINE.replace("@pipeline\n", "@log\n@pipeline\n").replace(
        "@step", f"{above}    return run\n@step"
    )
    with pytest.raises(UsageError) as caught:
        load(_write("flow_j.py", text))
    assert (
        caught.value.hint == "a decorator stands above @pipeline of first: put @pipeline above it."
    )


def test_a_module_that_lies_elsewhere_in_the_project_is_found_there() -> None:
    _write("pyproject.toml", "")
    _write("tools/lib/sizes.py", "value = 1")
    file = _write("flow_k.py", "import sizes\n" + PIPELINE)
    with pytest.raises(UserCodeError) as caught:
        load(file)
    assert "PYTHONPATH=tools/lib argojobs" in caught.value.hint
    assert "pip install" not in caught.value.hint
