"""What becomes of a job that waits for a shell when its way, its pod or its time comes to an end."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest
from support.fake_kubernetes import FakeKubernetes
from support.fake_service import FakeService, node, workflow

from argojobs.cli import entering, shell_job
from argojobs.cli.text import tell
from argojobs.client.failures import AmbiguousResponseError
from argojobs.config.contexts import LOCAL, Context
from argojobs.errors import (
    ConflictError,
    NotFoundError,
    RunFailedError,
    ServerError,
    UsageError,
)
from argojobs.manifest.words import RUNS
from argojobs.runs import shell
from argojobs.runs.pending import Pending
from argojobs.runs.shell import idle_of
from argojobs.runs.target import Target
from argojobs.service import Pod, Ran

RUN = "shell-a"
LAB = Context("lab", server="https://lab", namespace="argo")
GOES_ON = (
    "note: shell-a goes on: argojobs ssh shell-a --context lab --end comes back to it, "
    "argojobs stop shell-a --context lab ends it\n"
)


def at(phase: str, pod: str = ""):
    nodes = (node(RUN, "", phase), node(RUN, "shell", pod or phase))
    run = workflow(RUN, phase, tasks=("shell",), nodes=nodes)
    run["metadata"]["annotations"][RUNS] = "shell"
    return run


class Pods:
    """The only pod of the job; `broken` raises that in place of the shell and of what ends it."""

    def __init__(self, service: FakeService, *, code: int = 0) -> None:
        self.service, self.code = service, code
        self.shell: Exception | None = None
        self.ending: list[Exception] = []
        self.ready = [True]
        self.ended = 0
        self.deaf = False

    def of_run(self, run: str) -> list[Pod]:
        phase = self.service.get(run)["status"]["nodes"][f"{RUN}-shell"]["phase"]
        return [Pod("pod", run, f"{RUN}-shell", phase)]

    def starts(self, *_) -> bool:
        if len(self.ready) > 1 and not self.ready.pop(0):
            raise ConflictError("the container main has not begun")
        return True

    def execute(self, *_) -> Ran:
        self.ended += 1
        if self.deaf:
            return Ran(2, "", "sh: cannot open process\n")
        if self.ending:
            raise self.ending.pop(0)
        self.service.runs[RUN] = at("Succeeded")
        return Ran(0, "", "")


@pytest.fixture
def pods(monkeypatch: pytest.MonkeyPatch):
    """A job of a server that can be entered at once."""
    service = FakeService(at("Running"))
    found = Pods(service)

    @contextmanager
    def pods_of(*_):
        yield found

    def enter(*_):
        if found.shell is not None:
            raise found.shell
        return found.code

    monkeypatch.setattr(shell_job, "pods_of", pods_of)
    monkeypatch.setattr(shell_job, "enter", enter)
    pauses = iter(range(10))
    monkeypatch.setattr(shell_job.time, "sleep", lambda _: next(pauses))  # and no more
    return found


def place_of(pods: Pods, context: Context = LAB) -> Target:
    options = " --context lab" if context is LAB else ""
    return Target(
        context,
        lambda: pods.service,
        pytest.fail,
        lambda: pods.service,
        options,
        tell=tell,
        detaches_on_interrupt=context is LAB,
    )


def opened(pods: Pods, context: Context = LAB, limit: float | None = None) -> int:
    place = place_of(pods, context)
    run = pods.service.get(RUN)
    return shell_job.open_shell(place, run, Pending(limit=limit, options=place.options), 7200)


def test_it_is_entered_once_its_program_can_be_and_ended_after(pods: Pods, capsys) -> None:
    pods.ready, pods.code = [False, False, True], 7
    assert opened(pods) == 7
    assert pods.ended == 1
    said = capsys.readouterr()
    assert said.out == "", "standard output is the shell's"
    assert "it ends by itself after 2h 00m without use" in said.err
    assert "shell-a succeeded" in said.err


def test_a_way_that_breaks_leaves_the_job_and_says_how_to_come_back(pods: Pods, capsys) -> None:
    pods.shell = AmbiguousResponseError("the connection broke off")
    with pytest.raises(AmbiguousResponseError):
        opened(pods)
    assert pods.ended == 0
    assert capsys.readouterr().err.endswith(GOES_ON)


def test_a_way_that_breaks_since_the_job_has_ended_shows_that_end(pods: Pods, capsys) -> None:
    def entered(*_) -> int:
        pods.service.runs[RUN] = at("Failed")
        raise AmbiguousResponseError("the connection broke off")

    pods.ending = [ConflictError("it has ended")]
    shell_job.enter = entered  # the fixture puts it back
    assert opened(pods) == 1
    said = capsys.readouterr().err
    assert "shell-a failed" in said
    assert "goes on" not in said


@pytest.mark.parametrize(
    "ending",
    [
        [ConflictError("ended"), ConflictError("ended")],
        [NotFoundError("gone"), NotFoundError("gone")],
        [AmbiguousResponseError("cut"), ConflictError("ended")],
        [AmbiguousResponseError("cut")],
    ],
    ids=["ended", "deleted", "cut by its end", "cut before"],
)
def test_the_end_may_come_before_it_is_told(pods: Pods, ending) -> None:
    pods.ending = list(ending)
    assert shell._end(place_of(pods), pods, "pod") == ""
    assert pods.ended == (2 if isinstance(ending[0], AmbiguousResponseError) else 1)


@pytest.mark.parametrize(
    ("error", "why"),
    [(None, "sh: cannot open process"), (UsageError("sh could not be started"), "sh could not")],
    ids=["its folder is gone", "its shell is gone"],
)
def test_a_job_that_does_not_hear_its_end_is_stopped(
    pods: Pods, capsys, monkeypatch: pytest.MonkeyPatch, error: Exception | None, why: str
) -> None:
    stop = pods.service.stop

    def stopped(*words):
        stop(*words)
        pods.service.runs[RUN] = at("Failed")

    monkeypatch.setattr(pods.service, "stop", stopped)
    pods.deaf, pods.ending = error is None, [error]
    assert opened(pods) == 1
    assert ("stop", RUN, "it could not be ended in order") in pods.service.calls
    said = capsys.readouterr().err
    assert f"shell-a could not be ended in order ({why}" in said
    assert "shell-a failed" in said
    assert "goes on" not in said


def test_a_job_that_cannot_be_stopped_either_is_left_and_that_is_said(
    pods: Pods, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_):
        raise ServerError("out of reach")

    monkeypatch.setattr(pods.service, "stop", refused)
    pods.deaf, pods.code = True, 7
    assert opened(pods) == 7
    pods.code = 0
    monkeypatch.setattr(shell_job.time, "sleep", lambda _: None)
    assert opened(pods) == 1, "the shell ended well, the job did not"
    said = capsys.readouterr().err
    assert "neither ended (sh: cannot open process) nor stopped (out of reach)" in said
    assert said.endswith(GOES_ON)


def test_a_job_that_ends_just_now_is_not_stopped(pods: Pods, monkeypatch) -> None:
    """Another shell has ended it: its number is gone, and soon it is."""

    def starts(*_) -> bool:
        if pods.ended:
            pods.service.runs[RUN] = at("Succeeded")
            raise ConflictError("the container main has ended")
        return True

    pods.deaf = True
    monkeypatch.setattr(pods, "starts", starts)
    assert opened(pods) == 0
    assert pods.service.calls == []


def test_a_job_that_ends_while_it_is_stopped_is_well(pods: Pods, monkeypatch, capsys) -> None:
    def ended(*_):
        pods.service.runs[RUN] = at("Succeeded")
        raise ConflictError("it has ended")

    monkeypatch.setattr(pods.service, "stop", ended)
    pods.deaf = True
    assert opened(pods) == 0
    assert "stopped" not in capsys.readouterr().err


def test_a_job_that_fails_before_it_can_be_entered_says_why(pods: Pods, capsys) -> None:
    pods.service.runs[RUN] = at("Error")
    assert opened(pods) == 1
    assert "shell-a" in capsys.readouterr().err
    assert pods.ended == 0


def test_a_refused_way_says_that_the_job_goes_on(pods: Pods, capsys) -> None:
    pods.shell = UsageError("not allowed to create pods/exec")
    with pytest.raises(UsageError):
        opened(pods)
    assert capsys.readouterr().err.endswith(GOES_ON)


def test_a_job_that_is_pending_for_too_long_is_ended(pods: Pods) -> None:
    pods.service.runs[RUN] = at("Pending", "Pending")
    with pytest.raises(RunFailedError, match="still pending"):
        opened(pods, limit=0)
    assert ("terminate", RUN) in pods.service.calls


def test_ctrl_c_leaves_a_servers_job_and_stops_ours(
    pods: Pods, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(_) -> None:
        if pods.service.calls:
            pods.service.runs[RUN] = at("Failed")
            return
        raise KeyboardInterrupt

    pods.service.runs[RUN] = at("Pending", "Pending")
    monkeypatch.setattr(shell_job.time, "sleep", pressed)
    assert opened(pods) == 130
    assert capsys.readouterr().err.endswith(GOES_ON)
    assert pods.service.calls == []
    assert opened(pods, LOCAL) == 130
    assert pods.service.calls == [("stop", RUN, "interrupted")]


def test_a_shell_is_started_within_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        def starts(self, *_) -> bool:
            return True

        def attach(self, _, command, *__) -> int:
            self.command = command
            return 0

    found = Found()
    monkeypatch.setattr(entering.sys.stdin, "fileno", lambda: 0, raising=False)
    entering.enter(found, entering.Entered("s", "p"), (), "main", lambda words: ["in", *words])
    assert found.command == ["in", "bash"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 7200), ("0", 0), ("90", 90), ("8h", 28800), ("1h30m", 5400)]
)
def test_a_time_without_use(text: str, seconds: int) -> None:
    assert idle_of(text) == seconds


@pytest.fixture
def kubernetes():
    fake = FakeKubernetes()
    yield fake
    fake.close()


def require_way_in(place: Target) -> None:
    with place.pods() as pods:
        pods.check_entering()


def test_a_job_that_nobody_could_enter_is_not_started(
    kubernetes, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    place = Target(LAB, FakeService, pytest.fail, pytest.fail, " --context lab")
    with pytest.raises(UsageError, match="has no kubeconfig"):
        require_way_in(place)
    context = Context("lab", namespace="argo", kubeconfig=kubernetes.kubeconfig(tmp_path))
    place = replace(place, context=context)
    require_way_in(place)
    kubernetes.denied.add("get pods/exec")
    with pytest.raises(UsageError) as caught:
        require_way_in(place)
    assert caught.value.what.startswith(
        "not allowed to get pods/exec in the namespace argo: nobody"
    )
    assert "argojobs doctor --write - --context lab" in caught.value.hint
