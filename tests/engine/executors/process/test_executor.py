"""The process executor keeps the contract, and survives the death of each of its processes."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal as signals
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.closing import closing_process_executor
from support.executor_contract import Context, ExecutorContract, python, run, start, wait

from argojobs.engine.executors.executor import PodId, PodState
from argojobs.engine.executors.process.host import Host, process_request
from argojobs.engine.executors.process.outcome import read_result
from argojobs.engine.executors.process.processes import start_time
from argojobs.engine.executors.results import LOST
from argojobs.errors import HostError


class TestProcessExecutor(ExecutorContract):
    """As this user, whoever it is."""


def supervisor_of(context: Context, pod: PodId) -> int:
    return int(os.readlink(f"{context.directory(pod)}/started").split()[0])


def sleeper(signal) -> str:
    """Code of a pod that says its process number and sleeps."""
    return (
        f"import os, time; open({str(signal.path)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    )


def read_go(context) -> str:
    """Code of a pod that waits for the pipe `go` of the project."""
    return f"open({str(context.project / 'go')!r}).read()"


def gone(pid: int) -> bool:
    return start_time(pid) == ""


def wait_for_exit(pid: int) -> None:
    """Wait until a process that is not ours has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ready, _, _ = select.select([descriptor], [], [], 60)
    os.close(descriptor)
    assert ready, f"process {pid} does not end"


def test_a_killed_supervisor_is_a_lost_pod_and_leaves_nothing_running(executor, context, signal):
    pod = start(executor, context, python(sleeper(signal)))
    main = int(signal.wait())
    os.kill(supervisor_of(context, pod), signals.SIGKILL)
    result = wait(executor, pod)
    assert (result.phase, result.message) == ("Error", "pod deleted")
    wait_for_exit(main)


def test_a_killed_forkserver_takes_no_pod_with_it(executor, context, signal):
    code = f"{signal.give}; {read_go(context)}; print('done')"
    os.mkfifo(Path(context.project, "go"))
    pod = start(executor, context, python(code), capture_result=True)
    signal.wait()
    os.kill(executor._server.pid, signals.SIGKILL)
    executor._server.wait()
    other = run(executor, context, python("print(2)"), name="other", capture_result=True)
    assert other.outputs["result"] == "2"
    Path(context.project, "go").write_text("")
    assert wait(executor, pod).outputs["result"] == "done"


def test_with_forkserver_and_supervisor_killed_the_pod_is_lost(executor, context, signal):
    pod = start(executor, context, python(sleeper(signal)))
    main = int(signal.wait())
    os.kill(executor._server.pid, signals.SIGKILL)
    os.kill(supervisor_of(context, pod), signals.SIGKILL)
    result = wait(executor, pod)
    assert (result.phase, result.message) == ("Error", "pod deleted")
    wait_for_exit(main)


#: Ways in which a program leaves its supervisor's session.
DAEMONS = {
    "setsid": "['setsid', 'sh', '-c', say]",
    "twice": "['setsid', 'sh', '-c', 'setsid sh -c \"$0\" & exit 0', say]",
    "closed": "['setsid', 'sh', '-c', 'exec <&- >&- 2>&-; ' + say]",
    "without its environment": "['env', '-i', '/usr/bin/setsid', '/bin/sh', '-c', say]",
}


@pytest.mark.parametrize(
    ("way", "isolation"),
    # Without a root of its own nothing tells a process without environment from another's.
    [*((way, "private") for way in DAEMONS), *((way, "none") for way in [*DAEMONS][:3])],
)
def test_a_daemon_of_a_lost_pod_is_ended(executor, context, signal, way, isolation, request):
    if isolation == "none":
        request.getfixturevalue("without_namespaces")
        context.share_host_paths = True
    say = f"echo $$$$ > {signal.path}; exec sleep 600"  # $$ is Kubernetes' $
    code = (
        f"import subprocess, time; say = {say!r}; subprocess.Popen({DAEMONS[way]}); time.sleep(600)"
    )
    pod = start(executor, context, python(code))
    daemon = int(signal.wait())
    os.kill(executor._server.pid, signals.SIGKILL)
    os.kill(supervisor_of(context, pod), signals.SIGKILL)
    assert wait(executor, pod).message == "pod deleted"
    wait_for_exit(daemon)


def test_the_next_executor_hears_of_pods_of_the_one_before(home, context, signal, executor):
    code = f"{signal.give}; {read_go(context)}"
    os.mkfifo(Path(context.project, "go"))
    pod = start(executor, context, python(code))
    signal.wait()
    executor.close()  # pods go on
    with closing_process_executor(home) as following:
        assert following.recover(pod) == PodState(begun=True)
        Path(context.project, "go").write_text("")
        assert wait(following, pod).phase == "Succeeded"


CONTROLLER = """
import sys, json
sys.path.insert(0, {root!r})
from argojobs.engine.executors.process.executor import ProcessExecutor
executor = ProcessExecutor({home!r})
executor._start(json.loads(sys.argv[1]))
executor.isolation  # the forkserver has come up
print("started", flush=True)
sys.stdin.read()
"""


def test_a_killed_controller_takes_no_pod_with_it(home, context, signal, executor):
    os.mkfifo(Path(context.project, "go"))
    code = f"{signal.give}; {read_go(context)}; print('alive')"
    spec = context.spec(python(code), capture_result=True)
    request = process_request(spec, Host(str(home), executor.isolation))
    root = str(Path(__file__).parents[4])
    program = CONTROLLER.format(root=root, home=str(home))
    controller = subprocess.Popen(
        [sys.executable, "-c", program, json.dumps(request)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert controller.stdout.readline() == b"started\n"
    signal.wait()
    controller.kill()
    controller.communicate()
    pod = context.pod()
    assert executor.recover(pod) == PodState(begun=True)
    Path(context.project, "go").write_text("")
    assert wait(executor, pod).outputs["result"] == "alive"


def test_a_pod_of_an_earlier_boot_is_lost(executor, context):
    directory = Path(context.directory(context.pod()))
    directory.mkdir(parents=True)
    os.symlink(f"{os.getpid()} {start_time(os.getpid())} another-boot", directory / "started")
    assert executor.recover(context.pod()) == PodState(begun=True, result=LOST)
    assert read_result(directory).message == "pod deleted"


def test_a_process_number_used_again_is_not_taken_for_the_supervisor(executor, context):
    directory = Path(context.directory(context.pod()))
    directory.mkdir(parents=True)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as another:  # leads a session
        os.symlink(f"{another.pid} 1 {executor._boot}", directory / "started")
        executor.stop(context.pod(), "must not hit another", 0)
        assert executor.recover(context.pod()).result == LOST
        assert another.poll() is None
        another.kill()


def test_a_result_that_a_power_cut_emptied_counts_as_lost(executor, context):
    pod = start(executor, context, python("pass"))
    wait(executor, pod)
    Path(context.directory(pod), "result.json").write_bytes(bytes(300))
    assert executor.recover(pod).result == LOST


def test_the_scratch_of_a_pod_is_used_again_and_empty(executor, context, home):
    for number in range(3):
        code = "import os; print(sorted(os.listdir('/tmp')), os.path.exists('/left'));"
        code += "os.mkdir('/left'); open('/left/x', 'w').close(); open('/tmp/y', 'w').close()"
        result = run(executor, context, python(code), name=f"p{number}", capture_result=True)
        listing, left = result.outputs["result"].rsplit(" ", 1)
        assert (left, "'y'" in listing) == ("False", False)


def test_the_scratch_of_a_failed_pod_is_kept_to_be_looked_at(executor, context):
    pod = start(executor, context, python("open('/clue', 'w').write('x'); raise SystemExit(1)"))
    wait(executor, pod)
    assert Path(context.directory(pod), "scratch", "root", "clue").read_text() == "x"


def test_python_is_the_submitters(executor, context):
    code = "import sys, shutil; print(sys.executable, shutil.which('python'), sep='\\n')"
    result = run(executor, context, python(code), capture_result=True)
    interpreter, first = result.outputs["result"].splitlines()
    assert interpreter == sys.executable
    assert Path(first).parent == Path(sys.executable).parent


def test_nothing_of_the_host_is_created_or_removed(executor, context):
    before = sorted(os.listdir("/"))
    template = python("open('/usr/made-by-a-pod', 'w').write('x')")
    template["outputs"] = {"artifacts": [{"name": "a", "path": "/usr/made-by-a-pod"}]}
    assert run(executor, context, template).phase == "Succeeded"
    assert not os.path.lexists("/usr/made-by-a-pod")
    assert sorted(os.listdir("/")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become an ordinary user")
class TestAsAnOrdinaryUser:
    """The same in a namespace of a user's own, in a child that has given up root."""

    def test_the_contract_holds(self):
        folder = Path("/tmp") / f"argojobs-user-{os.getpid()}-{time.monotonic_ns()}"
        root = Path(__file__).parents[4]
        interpreter, environment = ordinary_interpreter()
        folder.mkdir()
        os.chown(folder, 1000, 1000)
        try:
            done = subprocess.run(
                [
                    *(*AS_USER, interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                    *(__file__, "-k", "TestProcessExecutor", "--basetemp", str(folder / "t")),
                ],
                cwd=root,
                env={**environment, "HOME": str(folder)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
            assert "skipped" not in done.stdout
        finally:
            shutil.rmtree(folder, ignore_errors=True)


AS_USER = ("setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups")


def ordinary_interpreter() -> tuple[str, dict[str, str]]:
    """An interpreter that an ordinary user can run, with the environment that finds pytest."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    found = {**environment, "PYTHONPATH": str(Path(pytest.__file__).parents[1])}
    twice = "import subprocess, sys, pytest; subprocess.run([sys.executable, '-c', ''], check=True)"
    for interpreter, variables in ((sys.executable, environment), ("/usr/bin/python3", found)):
        try:
            done = subprocess.run(
                [*AS_USER, interpreter, "-c", twice],
                env=variables,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            break
        if done.returncode == 0:
            return interpreter, variables
    pytest.skip("no interpreter here that an ordinary user may run")


def test_other_pods_that_end_with_a_killed_one_are_not_forgotten(executor, context, signal):
    os.mkfifo(Path(context.project, "go"))
    pod = start(executor, context, python(f"{signal.give}; {read_go(context)}"), name="good")
    signal.wait()
    bad = start(executor, context, python(sleeper(signal)), name="bad")
    signal.wait()
    server = executor._server.pid
    os.kill(server, signals.SIGSTOP)  # so that it sees both ends at once
    os.kill(supervisor_of(context, bad), signals.SIGKILL)
    Path(context.project, "go").write_text("")
    good = supervisor_of(context, pod)
    assert wait(executor, pod).phase == "Succeeded"
    wait_for_exit(good)
    os.kill(server, signals.SIGCONT)
    assert wait(executor, bad).message == "pod deleted"
    executor.isolation  # noqa: B018 - it still answers


def test_without_namespaces_our_own_steps_run_below_a_root_of_theirs(
    without_namespaces, context, home
):
    from argojobs.engine.artifacts import save_tar
    from argojobs.storage.bundle_digest import digest_of_folder

    code = home / "bundle"
    (code / ".argojobs").mkdir(parents=True)
    (code / ".argojobs" / "__main__.py").write_text(
        "import os\n"
        "root = os.environ['ARGOJOBS_ROOT']\n"
        "given = open(root + '/argojobs/in/a').read()\n"
        "given += open(root + '/argojobs/in/group/b').read()\n"
        "given += ' ' + str(sorted(os.listdir(root + '/argojobs/in')))\n"
        "open(root + '/argojobs/out/b', 'w').write(given + ' back ' + os.getcwd()[len(root):])\n"
    )
    key = f"code/{digest_of_folder(str(code))}.tgz"
    (home / "artifacts" / "code").mkdir(parents=True)
    save_tar(str(code), str(home / "artifacts" / key), "code")
    template = {
        "container": {
            "image": "x",
            "command": ["python3", "-u", "/argojobs/code/.argojobs", "f:s"],
            "workingDir": "/argojobs/code",
            "volumeMounts": [
                {"name": "out", "mountPath": "/argojobs/out"},
                {"name": "in", "mountPath": "/argojobs/in"},
                {"name": "in", "mountPath": "/argojobs/in/group", "subPath": "group"},
            ],
        },
        "volumes": [{"name": "out", "emptyDir": {}}, {"name": "in", "emptyDir": {}}],
        "inputs": {
            "artifacts": [
                {"name": "code", "path": "/argojobs/code", "s3": {"key": key}},
                {"name": "a", "path": "/argojobs/in/a", "raw": {"data": "there"}},
                {"name": "b", "path": "/argojobs/in/group/b", "raw": {"data": " and"}},
                {"name": "c", "path": "/argojobs/in/c", "s3": {"key": "none"}, "optional": True},
            ]
        },
        "outputs": {"parameters": [{"name": "b", "valueFrom": {"path": "/argojobs/out/b"}}]},
    }
    result = run(without_namespaces, context, template)
    assert result.phase == "Succeeded", result.message
    value = result.outputs["parameters"][0]["value"]
    assert value.startswith("there and ['a', 'group'] back ")


LEFT = "import os; open(os.environ['ARGOJOBS_RESULTS'] + '/rows', 'w').write('1')"


def results(home) -> dict[str, list[str]]:
    """What lies in the folders of results of the run, by job."""
    run = home / "results" / "run"
    return {job.name: os.listdir(job) for job in run.iterdir()} if run.exists() else {}


@pytest.mark.parametrize("isolation", ["private", "rerooted", "shared"])
def test_what_a_step_reports_lies_in_the_home_and_empty_folders_go(
    executor, context, home, isolation, request
):
    own = {"ARGOJOBS_CODE": "x"} if isolation == "rerooted" else {}
    if isolation != "private":
        request.getfixturevalue("without_namespaces")
    assert run(executor, context, python("pass", env=own), name="silent").phase == "Succeeded"
    assert not (home / "results" / "run").exists()
    ended = run(executor, context, python(LEFT, env=own), name="says", retry_id="job")
    assert ended.phase == "Succeeded", ended.message
    assert results(home) == {"job": ["rows"]}
    assert run(executor, context, python("pass", env=own), name="silent").phase == "Succeeded"
    assert results(home) == {"job": ["rows"]}
    assert [oct((home / name).stat().st_mode & 0o777) for name in ("results", "results/run")] == [
        "0o700",
        "0o700",
    ]


def test_an_image_with_a_root_folder_has_the_folder_too(executor, context, home, tmp_path):
    image = tmp_path / "image"
    shared = ("usr", "lib", "lib64", "bin")
    for name in (*shared, "argojobs"):  # what an image has there is not in the way
        (image / name).mkdir(parents=True)
    context.images["img"] = {"root": str(image)}
    script = "echo 1 > $ARGOJOBS_RESULTS/rows && echo 1/2 > $ARGO_PROGRESS_FILE"
    template = {
        "container": {
            "image": "img",
            "command": ["sh", "-c", script],
            "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in shared],
        },
        "volumes": [
            {"name": name, "hostPath": {"path": os.path.realpath(f"/{name}")}} for name in shared
        ],
    }
    ended = run(executor, context, template)
    assert (ended.phase, ended.progress) == ("Succeeded", "1/2"), ended.message
    assert results(home) == {"run-pod": ["rows"]}
    assert os.listdir(image / "argojobs") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_another_user_in_a_pod_may_write_to_its_folder_and_to_no_other_runs(context, project):
    home = project / "home"  # where pods see it
    say = "except PermissionError: print('kept out')"
    code = f"import os; os.setuid(65534); {LEFT}\ntry: os.listdir({f'{home}/results/run'!r})\n{say}"
    context.home = home
    with closing_process_executor(home) as executor:
        ended = run(executor, context, python(code), capture_result=True)
    assert (ended.phase, ended.outputs["result"]) == ("Succeeded", "kept out"), ended.message
    assert results(home) == {"run-pod": ["rows"]}


def test_without_namespaces_a_manifest_may_share_the_hosts_paths(
    without_namespaces, context, project
):
    made = project / "made"
    template = {
        "script": {
            "image": "x",
            "command": ["python3"],
            "source": f"open({str(made)!r}, 'w').write('shared')",
        },
        "outputs": {"artifacts": [{"name": "a", "path": str(made)}]},
    }
    context.share_host_paths = True
    result = run(without_namespaces, context, template)
    assert result.phase == "Succeeded", result.message
    assert made.read_text() == "shared"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small file system")
def test_a_full_disk_is_said(tmp_path, project):
    home = tmp_path / "small"
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(home)], check=True)
    try:
        with closing_process_executor(home) as executor:
            context = Context(home, project)
            template = python("open('/big', 'wb').write(bytes(20_000_000))")
            pod = start(executor, context, template)
            result = wait(executor, pod)
            assert result.phase == "Failed"
            assert f"no space left on the disk of {context.directory(pod)}" in result.message
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def test_a_forkserver_that_cannot_start_is_an_error_not_a_wait(home, monkeypatch):
    monkeypatch.setattr("argojobs.engine.executors.process.executor.START", "raise SystemExit(1)")
    with closing_process_executor(home) as broken, pytest.raises(HostError, match="keeps ending"):
        broken.isolation  # noqa: B018 - asking is what fails


def test_pods_that_a_killed_forkserver_had_not_started_are_started_by_the_next(executor, context):
    server = executor._server.pid
    executor.isolation  # noqa: B018 - it is up
    os.kill(server, signals.SIGSTOP)
    pods = [start(executor, context, python("pass"), name=name) for name in ("one", "two", "three")]
    os.kill(server, signals.SIGKILL)
    assert {wait(executor, pod).phase for pod in pods[:1]} == {"Succeeded"}
    for pod in pods[1:]:
        while executor.recover(pod).result is None:
            select.select([executor], [], [], 60)
            executor.read()
        assert executor.recover(pod).result.phase == "Succeeded"


def test_a_request_of_another_version_is_refused(executor, context):
    request = process_request(
        context.spec(python("pass")), Host(str(context.home), executor.isolation)
    )
    executor._start({**request, "format": 0})
    result = wait(executor, context.pod())
    assert result.phase == "Error"
    assert "argojobs was updated" in result.message
