"""How a step ends: its exit code, what is said, what it leaves when it fails."""

import json

import pytest
from support.step_sandbox import Sandbox

from argojobs.runtime import tree


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("out = Trained(); out.accuracy = 1.0; return out", "model"),
        ("out = Trained(); out.model.path.write_text(''); return out", "accuracy"),
        ("return Trained()", "model, accuracy"),
        ("return None", "returned None, not Trained"),
        ("out = Trained(); out.model.path.write_text(''); out.accuracy = 'x'; return out",
         "set accuracy: expected a number, got 'x'"),
        ("import sys; sys.exit()", "sys.exit() and returned nothing"),
        ("import sys; sys.exit(256)", "sys.exit(256) and returned nothing"),
    ],
)  # fmt: skip
def test_an_output_left_unset_is_named(sandbox: Sandbox, body: str, named: str) -> None:
    done = sandbox.run(f"@step\ndef work() -> Trained:\n    {body}\n")
    assert done.returncode == 1
    assert done.stderr.startswith("argojobs: ")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_users_code_raises_is_shown_with_its_own_frames(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        def inner(n):
            raise ValueError(f"bad {n}")
        @step
        def work(n: int) -> None:
            try:
                inner(n)
            except ValueError as error:
                raise RuntimeError("outer") from error
        """,
        n="3",
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "RuntimeError: outer"
    assert "ValueError: bad 3" in lines
    frames = [line for line in lines if line.lstrip().startswith("File ")]
    assert len(frames) == 3
    assert all("flow.py" in frame for frame in frames)


def test_a_step_that_fails_leaves_its_log_whole(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @step
        def work() -> Trained:
            out = Trained()
            (out.board.path / "events").write_text("so far")
            (out.board.path / "empty").mkdir()
            raise KeyError("x")
        """
    )
    assert done.returncode == 1
    assert sandbox.output("board/events").read_text() == "so far"
    assert json.loads(sandbox.output(f"board/{tree.NAME}").read_text())["empty"] == ["empty"]


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("sys.exit(0)", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit(256)", 0, ""),
        ("sys.exit(263)", 7, ""),
        ("sys.exit('no luck')", 1, "no luck\n"),
        ("sys.exit(78)", 1, "argojobs: exit code 78 is reserved"),
        ("os._exit(9)", 9, ""),
    ],
)
def test_the_exit_code_of_the_users_code_is_the_steps(
    sandbox: Sandbox, call: str, code: int, said: str
) -> None:
    done = sandbox.run(f"import os, sys\n@step\ndef work() -> None:\n    {call}\n")
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["3", "None"])
def test_a_single_artifact_must_be_one(sandbox: Sandbox, value: str) -> None:
    done = sandbox.run(f"@step\ndef work() -> Model:\n    return {value}\n")
    assert done.returncode == 1
    assert done.stderr.startswith(f"argojobs: work returned {value}, not a Model")


def test_an_output_folder_that_cannot_be_made_ends_with_78(sandbox: Sandbox) -> None:
    (sandbox.root / "argojobs").mkdir(parents=True)
    sandbox.output("").write_text("a file where the folder must be")
    done = sandbox.run("@step\ndef work() -> int:\n    print('ran')\n    return 1\n")
    assert (done.stdout, done.returncode) == ("", 78)
    assert "cannot write outputs" in done.stderr


@pytest.mark.parametrize("place", ["", ".parameters", "result"])
def test_an_output_folder_that_may_not_be_written_ends_with_78(
    sandbox: Sandbox, place: str
) -> None:
    sandbox.output(place).mkdir(parents=True)
    # Not even root may write where `access` says so: a mount that is read-only.
    deny = (
        "import os; os.access = lambda path, mode, a=os.access, p={!r}: path != p and a(path, mode)"
    )
    denied = str(sandbox.output(place)).rstrip("/")
    done = sandbox.run(
        f"{deny.format(denied)}\n@step\ndef work() -> TensorBoard:\n    print('ran')\n"
    )
    assert (done.stdout, done.returncode) == ("", 78)
    assert f"{denied}: cannot write outputs: Permission denied" in done.stderr
