"""The private root of a pod, seen from inside: what is the host's and what is its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.executor_contract import Context, python, run, start, wait

from argojobs.engine.executors.process.layout import Layout, lay_out
from argojobs.engine.executors.process.namespace import Bind
from argojobs.engine.executors.process.outcome import write_result
from argojobs.engine.executors.process.scratch import ScratchPool, remove_folders
from argojobs.engine.model import PodResult


@pytest.fixture(autouse=True)
def _needs_namespaces(executor):
    if executor.isolation == "none":
        pytest.skip("this host has no mount namespaces")


def with_output(code, path):
    return {**python(code), "outputs": {"artifacts": [{"name": "a", "path": path}]}}


def test_an_output_below_a_host_folder_is_the_pods_and_the_rest_the_hosts(
    executor, context, project
):
    (project / "there").mkdir()
    (project / "there" / "neighbour").write_text("host")
    (project / "there" / "made").write_text("stale")
    path = str(project / "there" / "made")
    code = f"import os; print(os.path.exists({path!r}), open({str(project)!r} + '/there/neighbour').read())"
    template = with_output(f"{code}; open({path!r}, 'w').write('new')", path)
    result = run(executor, context, template, capture_result=True)
    assert result.outputs["result"] == "False host"
    assert result.phase == "Succeeded", result.message
    assert (project / "there" / "made").read_text() == "stale"


def test_an_input_below_a_host_folder_leaves_no_trace_there(executor, context, project):
    path = str(project / "in" / "deep")
    template = {
        **python(f"print(open({path!r}).read())"),
        "inputs": {"artifacts": [{"name": "a", "path": path, "raw": {"data": "given"}}]},
    }
    before = os.listdir(project)
    assert run(executor, context, template, capture_result=True).outputs["result"] == "given"
    assert os.listdir(project) == before


def test_a_volume_below_a_host_folder_leaves_no_trace_there(executor, context):
    mounts = [{"name": "v", "mountPath": "/usr/share/argojobs-test/v"}]
    template = {
        **python("open('/usr/share/argojobs-test/v/f', 'w')", volumeMounts=mounts),
        "volumes": [{"name": "v", "emptyDir": {}}],
    }
    assert run(executor, context, template).phase == "Succeeded"
    assert not os.path.exists("/usr/share/argojobs-test")


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("open('note', 'w').write('x')", "/note"),
        ("open('note', 'w').write('x')", "note"),
        ("open('../note', 'w').write('x')", "../note"),
        ("import os; os.makedirs('a/b'); open('a/b/note', 'w').write('x')", "a/b/note"),
        ("import os; os.symlink('made', 'note'); open('note', 'w').write('x')", "/made"),
    ],
)
@pytest.mark.parametrize("archive", ["none", "tar"])
def test_what_a_container_writes_beside_itself_lies_in_its_root_not_in_the_project(
    executor, context, project, code, path, archive
):
    output = {"name": "n", "path": path, "archive": {archive: {}}}
    template = {**python(code), "outputs": {"artifacts": [output]}}
    result = run(executor, context, template)
    assert (result.phase, result.message) == ("Succeeded", "")
    assert not list(project.iterdir())


@pytest.mark.parametrize(
    ("path", "archive"),  # without an archive the links to folders in /etc are refused, as by Argo
    [("/etc", "tar"), ("/etc/", "tar"), ("/etc/shells", "tar"), ("/etc/shells", "none")],
)
def test_an_output_that_an_image_has_already_is_what_the_image_has_with_what_the_step_did(
    executor, context, home, path, archive
):
    before = Path("/etc/shells").read_text()
    code = "print('/sh' in open('/etc/shells').read()); open('/etc/shells', 'a').write('mine')"
    output = {"name": "e", "path": path, "archive": {archive: {}}}
    template = {**python(code), "outputs": {"artifacts": [output]}}
    result = run(executor, context, template, capture_result=True)
    assert (result.phase, result.message) == ("Succeeded", "")
    assert result.outputs["result"] == "True"
    kept = home / "artifacts" / result.outputs["artifacts"][0]["s3"]["key"]
    if archive == "tar":
        subprocess.run(["tar", "xzf", kept, "-C", home], check=True)
        kept = home / path.strip("/").rpartition("/")[2]
    kept = kept / "shells" if path != "/etc/shells" else kept
    assert kept.read_text() == before + "mine"
    assert Path("/etc/shells").read_text() == before


def test_what_a_pod_writes_into_the_project_by_its_path_is_there_on_the_host(
    executor, context, project
):
    run(executor, context, python(f"open({str(project / 'note')!r}, 'w').write('x')"))
    assert (project / "note").read_text() == "x"


def test_a_volume_over_a_host_folder_hides_it(executor, context):
    mounts = [{"name": "v", "mountPath": "/etc"}]
    template = {
        **python("import os; print(os.listdir('/etc'))", volumeMounts=mounts),
        "volumes": [{"name": "v", "emptyDir": {}}],
    }
    assert run(executor, context, template, capture_result=True).outputs["result"] == "[]"


def test_shared_memory_of_a_size_of_its_own(executor, context):
    mounts = [{"name": "shm", "mountPath": "/dev/shm"}]
    code = "import os; s = os.statvfs('/dev/shm'); print(s.f_blocks * s.f_frsize, os.listdir('/dev/shm'))"
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}
    template = {**python(code, volumeMounts=mounts), "volumes": [volume]}
    result = run(executor, context, template, capture_result=True)
    assert result.outputs["result"] == f"{64 * 2**20} []"


def test_an_output_in_a_volume_in_memory_is_found(executor, context):
    volume = {"name": "m", "emptyDir": {"medium": "Memory"}}
    template = with_output("open('/m/a', 'w').write('x')", "/m/a")
    template["container"]["volumeMounts"] = [{"name": "m", "mountPath": "/m"}]
    result = run(executor, context, {**template, "volumes": [volume]})
    assert result.phase == "Succeeded", result.message


def test_a_volume_within_a_volume(executor, context):
    mounts = [{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/a/b"}]
    template = {
        **python("open('/a/b/f', 'w'); import os; print(os.listdir('/a'))", volumeMounts=mounts),
        "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}],
    }
    assert run(executor, context, template, capture_result=True).outputs["result"] == "['b']"


def test_without_namespaces_a_volume_within_a_volume_leaves_the_outer_one(tmp_path):
    outer, inner = tmp_path / "claim", tmp_path / "scratch" / "volumes" / "1"
    (outer / "cache").mkdir(parents=True)
    mounts = [
        {"kind": "claim", "name": "c", "source": str(outer), "type": "Directory", "path": "/data"},
        {"kind": "emptyDir", "name": "e", "number": 1, "path": "/data/cache"},
    ]
    request = minimal(mounts=mounts, host={"isolation": "rerooted", "keep": []})
    layout = lay_out(request, str(tmp_path / "scratch"), None)
    layout.make(prepared=False)
    assert os.path.samefile(layout.host("/data"), outer)
    assert inner.is_dir()


def test_an_output_that_is_a_link_is_followed_as_the_pod_sees_it(executor, context, project):
    (Path("/tmp") / f"host-{os.getpid()}").write_text("host's")
    try:
        name = f"/tmp/host-{os.getpid()}"
        code = f"import os; open({name!r}, 'w').write('pods'); os.symlink({name!r}, '/out')"
        template = python(code)
        template["outputs"] = {"parameters": [{"name": "p", "valueFrom": {"path": "/out"}}]}
        result = run(executor, context, template)
        assert result.outputs["parameters"][0]["value"] == "pods"
    finally:
        os.unlink(name)


def test_a_working_directory_that_is_not_there_is_made(executor, context):
    template = python("import os; open('f', 'w'); print(os.getcwd())", workingDir="/w/x")
    result = run(executor, context, template, capture_result=True)
    assert result.outputs["result"] == "/w/x"
    assert not os.path.exists("/w")


def test_an_image_with_a_root_folder_is_its_root(executor, home, project, tmp_path):
    root = tmp_path / "image"
    (root / "etc").mkdir(parents=True)
    (root / "etc" / "name").write_text("image")
    for name in ("usr", "lib", "lib64", "bin"):
        (root / name).mkdir()
    context = Context(home, project, images={"img": {"root": str(root)}})
    mounts = [{"name": n, "mountPath": f"/{n}"} for n in ("usr", "lib", "lib64", "bin")]
    volumes = [
        {"name": n, "hostPath": {"path": os.path.realpath(f"/{n}")}}
        for n in ("usr", "lib", "lib64", "bin")
    ]
    template = {
        "container": {
            "image": "img",
            "command": ["sh", "-c", "cat /etc/name; pwd; echo x > /made"],
            "volumeMounts": mounts,
        },
        "volumes": volumes,
    }
    pod = start(executor, context, template, capture_result=True)
    result = wait(executor, pod)
    assert result.phase == "Succeeded", (result.message, context.log(pod).decode())
    assert result.outputs["result"] == "image/"
    assert not (root / "made").exists()


def test_links_in_a_circle_are_an_error(tmp_path):
    layout = Layout(str(tmp_path))
    (tmp_path / "a").symlink_to("/b")
    (tmp_path / "b").symlink_to("/a")
    with pytest.raises(OSError, match="too many links"):
        layout.locate("/a/x")


def test_a_link_cannot_lead_out_of_the_root(tmp_path):
    layout = Layout(str(tmp_path))
    (tmp_path / "a").symlink_to("../../../../etc")
    layout.bind(Bind("/etc", "/elsewhere"))
    assert layout.locate("/a/passwd") == "/elsewhere/passwd"


def minimal(**more):
    return {
        "inputs": [],
        "outputs": {"declared": [], "parameters": [], "artifacts": []},
        "mounts": [],
        "script": None,
        "containers": [{"working_directory": "/"}],
        "host": {"isolation": "mount", "keep": []},
        **more,
    }


def test_only_a_root_with_whole_host_folders_serves_another_pod(tmp_path):
    scratch = str(tmp_path)
    assert lay_out(minimal(), scratch, None).reusable
    private = {"parameters": [{"path": "/tmp/p"}], "artifacts": [{"path": "/new/a"}]}
    assert lay_out(minimal(outputs=private), scratch, None).reusable
    opened = {"parameters": [{"path": "/usr/p"}], "artifacts": []}
    assert not lay_out(minimal(outputs=opened), scratch, None).reusable
    top = {"parameters": [], "artifacts": [{"path": "/usr"}]}
    assert not lay_out(minimal(outputs=top), scratch, None).reusable


@pytest.fixture
def pool(tmp_path):
    return ScratchPool(str(tmp_path / "pool"))


@pytest.fixture
def scratch(tmp_path):
    """The scratch of a pod that ended."""
    folder = tmp_path / "pod" / "scratch"
    lay_out(minimal(), str(folder), None).make(prepared=False)
    return folder


def test_a_scratch_taken_again_has_nothing_of_the_last_pod(pool, scratch, tmp_path):
    assert pool.take() == ""
    for name in ("root/left", "root/argojobs", "root/tmp/t", "volumes/v", "other"):
        (scratch / name).mkdir(parents=True)
    pool.reuse(str(tmp_path / "pod"))
    spare = Path(pool.take())
    assert not scratch.exists()
    assert sorted(os.listdir(spare)) == ["root", "var-tmp", "volumes"]
    assert os.listdir(spare / "volumes") == os.listdir(spare / "root" / "tmp") == []
    assert not {"left", "argojobs"} & set(os.listdir(spare / "root"))
    remove_folders(pool.take_trash())
    assert len(os.listdir(tmp_path / "pool" / "trash")) == 1


@pytest.mark.parametrize("what", ["changed", "missing"])
def test_a_root_that_a_pod_spoilt_is_not_used_again(pool, scratch, tmp_path, what):
    link = next(name for name in os.listdir("/") if os.path.islink(f"/{name}"))
    (scratch / "root" / link).unlink()
    if what == "changed":
        (scratch / "root" / link).write_text("not what it was")
    pool.reuse(str(tmp_path / "pod"))
    assert pool.take() == ""
    assert not scratch.exists()


def every_pods(root):
    """Make the folders that every pod has."""
    (root / "argo").mkdir()
    (root / "argo").chmod(0o777)
    (root / "argojobs" / "results").mkdir(parents=True)


def test_the_folders_that_every_pod_has_stay(pool, scratch, tmp_path):
    every_pods(scratch / "root")
    pool.reuse(str(tmp_path / "pod"))
    root = Path(pool.take()) / "root"
    assert os.listdir(root / "argo") == os.listdir(root / "argojobs" / "results") == []


@pytest.mark.parametrize(
    ("spoil", "gone"),
    [
        (lambda root: (root / "argo" / "progress").touch(), "argo"),
        (lambda root: (root / "argo").chmod(0o700), "argo"),
        (lambda root: (root / "argojobs" / "results" / "x").touch(), "argojobs"),
        (lambda root: (root / "argojobs" / "in").mkdir(), "argojobs"),
        (lambda root: (root / "argojobs").chmod(0o700), "argojobs"),
        (lambda root: (root / "argojobs" / "results").rmdir(), "argojobs"),
    ],
)
def test_what_a_pod_left_in_them_goes(pool, scratch, tmp_path, spoil, gone):
    every_pods(scratch / "root")
    spoil(scratch / "root")
    pool.reuse(str(tmp_path / "pod"))
    left = os.listdir(Path(pool.take()) / "root")
    assert {"argo", "argojobs"} - set(left) == {gone}


@pytest.mark.parametrize("name", ["argo", "argojobs"])
def test_a_link_in_their_place_goes(pool, scratch, tmp_path, name):
    (scratch / "root" / name).symlink_to(tmp_path)
    pool.reuse(str(tmp_path / "pod"))
    assert name not in os.listdir(Path(pool.take()) / "root")


def test_what_a_pod_left_in_a_folder_of_its_own_goes(pool, scratch, tmp_path):
    (scratch / "root" / "usr" / "secret").touch()
    pool.reuse(str(tmp_path / "pod"))
    assert pool.take() == ""


def test_what_a_pod_left_goes_also_where_the_folder_was_found_empty_before(pool, scratch, tmp_path):
    pool.reuse(str(tmp_path / "pod"))
    os.rename(pool.take(), scratch)
    (scratch / "root" / "usr" / "secret").touch()
    pool.reuse(str(tmp_path / "pod"))
    assert pool.take() == ""


def test_a_spare_that_was_not_used_is_taken_again(pool, scratch, tmp_path):
    pool.reuse(str(tmp_path / "pod"))
    spare = pool.take()
    pool.give_back(spare)
    assert pool.take() == spare


def test_a_forkserver_leaves_alone_what_another_is_throwing_away(pool, tmp_path):
    other = tmp_path / "pool" / "trash" / f"{os.getppid()}-0"
    of_the_dead = tmp_path / "pool" / "trash" / f"{2**22 + 1}-0"
    for folder in (other, of_the_dead):
        folder.mkdir()
    taken = pool.take_trash()
    assert str(other) not in taken
    assert str(of_the_dead) in taken


def test_a_trash_folder_that_another_removed_is_made_anew(pool, scratch, tmp_path):
    shutil.rmtree(tmp_path / "pool" / "trash")
    pool.discard(str(tmp_path / "pod"))
    assert not scratch.exists()
    remove_folders(pool.take_trash())


def test_scratch_that_nobody_tidied_up_is_swept_away(pool, tmp_path):
    pods = tmp_path / "pods"
    for name, phase in (("good", "Succeeded"), ("bad", "Failed"), ("begun", None)):
        (pods / "run" / name / "scratch" / "root").mkdir(parents=True)
        if phase:
            write_result(str(pods / "run" / name), PodResult(phase))
    pool.sweep(str(pods), "boot")
    left = [name for name in ("good", "bad", "begun") if (pods / "run" / name / "scratch").exists()]
    assert left == ["bad", "begun"]


def test_the_place_of_a_relative_path_is_found_too(tmp_path):
    assert Layout(str(tmp_path)).host("sub/r.txt").endswith("sub/r.txt")


def test_a_link_in_a_bare_output_is_followed_as_the_pod_sees_it(executor, context, home, project):
    secret = project.parent / "secret"
    secret.write_text("the host's")
    code = f"import os; os.mkdir('/tmp/o'); os.symlink({str(secret)!r}, '/tmp/o/l')"
    template = with_output(code, "/tmp/o")
    template["outputs"]["artifacts"][0]["archive"] = {"none": {}}
    result = run(executor, context, template)
    if str(secret).startswith("/tmp/"):  # else the pod sees it too
        assert result.phase == "Error"
        assert not (home / "artifacts" / "run" / "pod" / "o").exists()


def test_what_a_pod_closed_to_its_owner_is_removed_too(tmp_path):
    shut = tmp_path / "trash" / "shut"
    shut.mkdir(parents=True)
    (shut / "f").touch()
    shut.chmod(0o500)
    remove_folders([str(tmp_path / "trash")])
    assert not (tmp_path / "trash").exists()
