"""Debugging real pods: a breakpoint in the user's own file, through a port-forward of Kubernetes."""

from __future__ import annotations

import json
import signal

from as_user import User
from support.debug_session import Followed, entries, followed, pressed, stopped

FLOW = """\
from argojobs import command, pipeline, step

@step(timeout=1, retry=2)
def train(n: int) -> int:
    total = n * 10
    return total

@command()
def program() -> list[str]:
    return ["python3", "-u", "word.py", "a"]

@pipeline
def main(n: int = 4) -> None:
    train(n)
    program()
"""
WORD = "import sys\nword = sys.argv[1]\nprint('got', word)\n"
FAILS = "import sys\nshare = 10\nprint(share // int(sys.argv[1]))\n"


def project_of(user: User) -> None:
    user.write_config(f'kubeconfig = "{user.cluster.kubeconfig}"')
    (user.project / "argojobs.toml").touch()
    (user.project / "flow.py").write_text(FLOW)
    (user.project / "word.py").write_text(WORD)
    (user.project / "fails.py").write_text(FAILS)


def told(run: Followed, count: int) -> None:
    for _ in range(count):
        run.until("until the step ends")


def test_two_pods_wait_at_once_are_stepped_through_and_finish(user: User) -> None:
    project_of(user)
    words = ("run", "flow.py", "--debug", "--context", "there")
    with followed(**user.shell(*words, cwd=user.project)) as run:
        told(run, 2)
        known = {name.split()[1]: entry for name, entry in entries(user.project).items()}
        assert sorted(known) == ["program", "train"]
        assert len({entry["connect"]["port"] for entry in known.values()}) == 2
        with pressed(user.project, known["train"], "flow.py", 6) as client:
            thread, frame, variables = stopped(client)
            assert frame["source"]["path"] == str(user.project / "flow.py")
            assert (frame["name"], variables) == ("train", {"n": "4", "total": "40"})
            client.next_(thread)
            client.wait_for_event("stopped")
            client.disconnect()
        with pressed(user.project, known["program"], "word.py", 3) as client:
            assert stopped(client)[2]["word"] == "'a'"
            client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert "got a" in said
    assert not (user.project / ".vscode").exists()


def test_a_script_that_fails_is_held_and_attached_to_from_another_terminal(user: User) -> None:
    project_of(user)
    name = user.argojobs(
        *("run", "fails.py", "--debug-on-error", "--detach", "-o", "name"),
        *("--context", "there", "--", "0"),
        cwd=user.project,
    ).stdout.strip()
    user.until_said(name, "waiting for a debugger")
    for leaves in (True, False):
        words = ("debug", name, "fails", "--context", "there")
        with followed(**user.shell(*words, cwd=user.project)) as debug:
            told(debug, 1)
            (entry,) = entries(user.project).values()
            if leaves:
                debug.process.send_signal(signal.SIGINT)
                assert debug.end()[0] == 0
                continue
            with pressed(user.project, entry) as client:
                thread, frame, variables = stopped(client)
                assert (frame["line"], variables["share"]) == (3, "10")
                client.continue_(thread)
                client.wait_for_event("terminated")
            assert debug.end()[0] == 0
    assert user.ended(name)["status"]["phase"] == "Failed"


def test_a_manifest_of_other_programs_is_debugged_too(user: User) -> None:
    project_of(user)
    source = "word = 'b'\nprint('got', word)"
    script = {"image": user.image, "command": ["python3"], "source": source}
    spec = {"entrypoint": "text", "templates": [{"name": "text", "script": script}]}
    file = user.project / "hand.yaml"
    file.write_text(
        json.dumps({"kind": "Workflow", "metadata": {"generateName": "h-"}, "spec": spec})
    )
    words = ("run", "hand.yaml", "--debug-step", "text", "--context", "there")
    with followed(**user.shell(*words, cwd=user.project)) as run:
        told(run, 1)
        (entry,) = entries(user.project).values()
        with pressed(user.project, entry) as client:
            client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert "got b" in said


def test_without_a_way_in_it_is_said_why_and_the_step_waits_on(user: User) -> None:
    project_of(user)
    user.write_config()  # no kubeconfig
    user.environment["KUBECONFIG"] = "/nonexistent"
    words = ("run", "word.py", "--debug", "--context", "there", "--", "a")
    with followed(**user.shell(*words, cwd=user.project)) as run:
        run.until("word waits for a debugger, and there is no way to it")
        run.until(r"argojobs debug word-\w+ word --context there")
        run.process.send_signal(signal.SIGINT)
        _, said = run.end()
    assert "goes on" in said
