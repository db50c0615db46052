"""What every `Pods` keeps to: one suite, run on each of them.

A test module defines the fixtures of `service_contract.py` and `pods` (beside the service), and
has a subclass of this.
"""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argojobs.errors import ConflictError, NotFoundError
from argojobs.manifest.objects import Container
from argojobs.service import Pods, Service, Streams, Workflow
from support.service_contract import finish

SERVER = (
    "import http.server as s, os; os.chdir('/tmp'); open('hello', 'w').write('from the pod');"
    "server = s.ThreadingHTTPServer(('127.0.0.1', PORT), s.SimpleHTTPRequestHandler);"
    "print('up', flush=True); server.serve_forever()"
)


def program(name: str, code: str, image: str) -> Workflow:
    container: Container = {
        "image": image,
        "command": ["python3", "-c", code],
        "env": [{"name": "OWN", "value": "as said"}],
    }
    return {
        "metadata": {"name": name},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "container": container}]},
    }


class PodsContract:
    """The tests."""

    @pytest.fixture
    def running(
        self, service: Service, run_name: Callable[[], str], python_image: str, port: int
    ) -> Iterator[str]:
        """A run of one pod that serves HTTP on a port of its own."""
        name = run_name()
        service.create(program(name, SERVER.replace("PORT", str(port)), python_image))
        next(iter(service.logs(name, follow=True)))
        yield name
        service.terminate(name)
        finish(service, name)

    def test_the_pod_of_a_run_is_known(self, pods: Pods, running: str) -> None:
        (pod,) = pods.of_run(running)
        assert (pod.run, pod.node_id, pod.phase) == (running, running, "Running")
        assert pod.host in {machine.name for machine in pods.machines()}

    def test_a_run_without_pods_has_none(
        self, pods: Pods, service: Service, run_name: Callable[[], str]
    ) -> None:
        with pytest.raises(NotFoundError):
            service.get(run_name())
        (machine, *_) = pods.machines()
        assert machine.ready
        assert float(machine.offers["cpu"].removesuffix("m"))

    def test_a_command_runs_inside(self, pods: Pods, running: str) -> None:
        (pod,) = pods.of_run(running)
        code = "import os,sys; print(open('/tmp/hello').read(), os.environ['OWN']); sys.exit(3)"
        ran = pods.execute(pod.name, ["python3", "-c", code])
        assert (ran.exit_code, ran.out, ran.err) == (3, "from the pod as said\n", "")
        ran = pods.execute(pod.name, ["sh", "-c", "echo bad >&2; seq 100000"])
        assert (ran.exit_code, ran.err) == (0, "bad\n")
        assert ran.out.splitlines()[-1] == "100000"

    def test_a_command_runs_with_streams_of_ours(
        self, pods: Pods, running: str, tmp_path: Path
    ) -> None:
        (pod,) = pods.of_run(running)
        given, out, err = (tmp_path / name for name in ("given", "out", "err"))
        given.write_text("said here\n")
        with given.open("rb") as source, out.open("wb") as outs, err.open("wb") as errs:
            streams = Streams(source.fileno(), outs.fileno(), errs.fileno())
            words = ["sh", "-c", "cat; echo bad >&2; exit 5"]
            assert pods.attach(pod.name, words, streams) == 5
        assert (out.read_text(), err.read_text()) == ("said here\n", "bad\n")

    def test_a_program_is_there_or_not(self, pods: Pods, running: str) -> None:
        (pod,) = pods.of_run(running)
        pods.check_entering()
        assert pods.starts(pod.name, ["sh", "-c", ":"])
        assert not pods.starts(pod.name, ["no-such-program", "-c", ":"])
        with pytest.raises(NotFoundError, match="no container"):
            pods.starts(pod.name, ["sh", "-c", ":"], "other")

    def test_when_a_pod_last_wrote_is_seen(self, pods: Pods, running: str) -> None:
        (pod,) = pods.of_run(running)
        assert pods.runs(pod.name)
        assert not pods.runs("no-such-pod")
        seen = pods.look(running)
        assert set(seen.written) == {running}
        assert abs(time.time() - seen.written[running]) < 600

    def test_gpus_are_counted_with_who_waits_for_some(self, pods: Pods) -> None:
        found, waiting = pods.gpus()
        assert all(gpus.total >= gpus.used for gpus in found)
        assert all(use.count for _, use in waiting)

    def test_a_port_inside_is_reached(self, pods: Pods, running: str, port: int) -> None:
        (pod,) = pods.of_run(running)
        with pods.forward(pod.name, port) as here:
            for _ in range(3):  # each a connection of its own
                with urllib.request.urlopen(f"http://127.0.0.1:{here}/hello", timeout=20) as got:
                    assert got.read() == b"from the pod"

    def test_a_pod_that_has_ended_is_not_entered(
        self, pods: Pods, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(program(name, "print('done')", image))
        finish(service, name)
        (pod,) = pods.of_run(name)
        assert pod.phase == "Succeeded"
        assert not pods.runs(pod.name)
        with pytest.raises(ConflictError, match="not"):
            pods.execute(pod.name, ["true"])
        with pytest.raises(NotFoundError, match="no pod"):
            pods.execute("no-such-pod", ["true"])

    def test_what_happened_is_told(
        self, pods: Pods, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(program(name, "raise SystemExit(4)", image))
        finish(service, name)
        end = time.monotonic() + 30
        while not (told := pods.events(name)) and time.monotonic() < end:
            time.sleep(0.2)  # the cluster tells it a little later
        assert "Started" in {event.reason for event in told}
        assert {event.pod for event in told} == {pod.name for pod in pods.of_run(name)}
        assert [event.time for event in told] == sorted(event.time for event in told)
