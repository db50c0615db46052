"""What every `Pods` keeps to: one suite, run on each of them.

A test module defines the fixtures of `service_contract.py` and `pods` (beside the service), and
has a subclass of this.
"""

from __future__ import annotations

import time
import urllib.request

import pytest

from argojobs.errors import ConflictError, NotFoundError
from support.service_contract import finish

SERVER = (
    "import http.server as s, os; os.chdir('/tmp'); open('hello', 'w').write('from the pod');"
    "server = s.ThreadingHTTPServer(('127.0.0.1', PORT), s.SimpleHTTPRequestHandler);"
    "print('up', flush=True); server.serve_forever()"
)


def program(name, code, image):
    container = {
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
    def running(self, service, run_name, python_image, port):
        """A run of one pod that serves HTTP on a port of its own."""
        name = run_name()
        service.create(program(name, SERVER.replace("PORT", str(port)), python_image))
        next(iter(service.logs(name, follow=True)))
        yield name
        service.terminate(name)
        finish(service, name)

    def test_the_pod_of_a_run_is_known(self, pods, running):
        (pod,) = pods.of_run(running)
        assert (pod.run, pod.node_id, pod.phase) == (running, running, "Running")
        assert pod.host in {machine.name for machine in pods.machines()}

    def test_a_run_without_pods_has_none(self, pods, service, run_name, image):
        with pytest.raises(NotFoundError):
            service.get(run_name())
        (machine, *_) = pods.machines()
        assert machine.ready
        assert float(machine.offers["cpu"].removesuffix("m"))

    def test_a_command_runs_inside(self, pods, running):
        (pod,) = pods.of_run(running)
        code = "import os,sys; print(open('/tmp/hello').read(), os.environ['OWN']); sys.exit(3)"
        ran = pods.execute(pod.name, ["python3", "-c", code])
        assert (ran.exit_code, ran.out, ran.err) == (3, "from the pod as said\n", "")
        ran = pods.execute(pod.name, ["sh", "-c", "echo bad >&2; seq 100000"])
        assert (ran.exit_code, ran.err) == (0, "bad\n")
        assert ran.out.splitlines()[-1] == "100000"

    def test_a_port_inside_is_reached(self, pods, running, port):
        (pod,) = pods.of_run(running)
        with pods.forward(pod.name, port) as here:
            for _ in range(3):  # each a connection of its own
                with urllib.request.urlopen(f"http://127.0.0.1:{here}/hello", timeout=20) as got:
                    assert got.read() == b"from the pod"

    def test_a_pod_that_has_ended_is_not_entered(self, pods, service, run_name, image):
        name = run_name()
        service.create(program(name, "print('done')", image))
        finish(service, name)
        (pod,) = pods.of_run(name)
        assert pod.phase == "Succeeded"
        with pytest.raises(ConflictError, match="not"):
            pods.execute(pod.name, ["true"])
        with pytest.raises(NotFoundError, match="no pod"):
            pods.execute("no-such-pod", ["true"])

    def test_what_happened_is_told(self, pods, service, run_name, image):
        name = run_name()
        service.create(program(name, "raise SystemExit(4)", image))
        finish(service, name)
        end = time.monotonic() + 30
        while not (told := pods.events(name)) and time.monotonic() < end:
            time.sleep(0.2)  # the cluster tells it a little later
        assert "Started" in {event.reason for event in told}
        assert {event.pod for event in told} == {pod.name for pod in pods.of_run(name)}
        assert [event.time for event in told] == sorted(event.time for event in told)
