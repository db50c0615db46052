"""The bundle: which files, in which form, under which name, and what is refused."""

import io
import json
import os
import socket
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from argojobs.compile import bundle
from argojobs.compile.bootstrap import BOOTSTRAP
from argojobs.compile.bundle import pack
from argojobs.compile.project import Listing
from argojobs.errors import BundleError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    _files(root, "flow.py", "lib/helper.py", "pyproject.toml")
    return root


def _files(root: Path, *names: str, content: str = "x = 1\n") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def _git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    command = ["git", "-C", str(root), *identity, "-c", "init.defaultBranch=trunk", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _commit(root: Path) -> str:
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "m")
    return _git(root, "rev-parse", "HEAD")


def _members(data: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {member.name: member for member in archive.getmembers()}


def test_the_archive_has_one_root_with_the_project_and_our_runtime(project: Path) -> None:
    members = _members(pack(project).data)
    assert {name.partition("/")[0] for name in members} == {"code"}
    assert {
        "code",
        "code/flow.py",
        "code/lib/helper.py",
        "code/.argojobs/__main__.py",
        "code/.argojobs/bundle.json",
        "code/.argojobs/argojobs/__init__.py",
        "code/.argojobs/argojobs/runtime/step.py",
        "code/.argojobs/argojobs/dsl/steps.py",
    } <= set(members)
    assert not [name for name in members if "argojobs/compile" in name]


def test_equal_projects_have_equal_bundles(project: Path, tmp_path: Path) -> None:
    twin = tmp_path / "elsewhere" / "twin"
    _files(twin, "pyproject.toml", "lib/helper.py", "flow.py")
    os.utime(twin / "flow.py", (1, 1))
    (twin / "flow.py").chmod(0o600)
    one, other = pack(project), pack(twin)
    assert one.hash == other.hash
    assert one.data == other.data
    assert one.key == f"code/{one.hash}.tgz"


@pytest.mark.parametrize("change", ["content", "mode", "name", "link"])
def test_any_change_changes_the_hash(project: Path, change: str) -> None:
    before = pack(project).hash
    if change == "content":
        (project / "flow.py").write_text("x = 2\n")
    elif change == "mode":
        (project / "flow.py").chmod(0o755)
    elif change == "name":
        (project / "flow.py").rename(project / "flow2.py")
    else:
        (project / "link").symlink_to("flow.py")
    assert pack(project).hash != before


def test_times_owners_and_modes_are_fixed(project: Path) -> None:
    (project / "flow.py").chmod(0o700)
    (project / "pyproject.toml").chmod(0o600)
    data = pack(project).data
    members = _members(data)
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members.values()} == {
        (946684800, 0, 0, "", "")
    }
    assert members["code/flow.py"].mode == 0o755
    assert members["code/pyproject.toml"].mode == 0o644
    assert data[4:8] == b"\0\0\0\0", "gzip's own time"


def test_git_decides_which_files(project: Path) -> None:
    _files(project, ".gitignore", content="data/\n*.log\n")
    _files(project, "data/big", "run.log", "lib/deleted.py", "forced.log")
    _commit(project)
    _git(project, "add", "-f", "forced.log")
    _files(project, "new.py")
    (project / "lib" / "deleted.py").unlink()
    assert pack(project).files == (
        ".gitignore", "flow.py", "forced.log", "lib/helper.py", "new.py", "pyproject.toml",
    )  # fmt: skip


def test_argojobsignore_leaves_more_out(project: Path) -> None:
    _commit(project)
    _files(project, ".argojobsignore", content="# not these\n*.toml\n/lib\n!keep.toml\n")
    _files(project, "keep.toml")
    assert pack(project).files == (".argojobsignore", "flow.py", "keep.toml")


@pytest.mark.parametrize("pattern", ["!", "[z-a]"])
def test_a_pattern_that_makes_no_sense_is_an_error(project: Path, pattern: str) -> None:
    _files(project, ".argojobsignore", content=pattern)
    with pytest.raises(BundleError, match="a pattern in it is wrong") as caught:
        pack(project)
    assert caught.value.where.endswith(".argojobsignore")


def test_submodules_are_packed_too(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    _files(other, "inner.py")
    _commit(other)
    _commit(project)
    _git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    assert "sub/inner.py" in pack(project).files


def test_a_submodule_that_is_not_checked_out_is_said(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    _files(other, "inner.py")
    _commit(other)
    _commit(project)
    _git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    _git(project, "submodule", "deinit", "-q", "-f", "sub")
    packed = pack(project, entries=[])
    assert not [name for name in packed.files if name.startswith("sub/")]
    assert packed.warnings == ("the submodule sub is not checked out: it is left out",)


def test_without_git_the_usual_junk_stays_behind(project: Path) -> None:
    _files(project, ".venv/lib/x.py", "__pycache__/x.pyc", "node_modules/x/y.js", "a.pyc")
    _files(project, "env/pyvenv.cfg", "env/lib/y.py", "data/x", "lib/.gitignore", "lib/sub/z")
    _files(project, ".gitignore", content="data/\n")
    _files(project, "lib/.gitignore", content="sub\n")
    assert pack(project).files == (
        ".gitignore", "flow.py", "lib/.gitignore", "lib/helper.py", "pyproject.toml",
    )  # fmt: skip


def test_where_the_code_comes_from_is_recorded(project: Path) -> None:
    commit = _commit(project)
    clean = bundle.stored_code(pack(project))
    assert clean.labels["argojobs.dev/commit"] == commit
    assert clean.annotations == {"argojobs.dev/dirty": "false", "argojobs.dev/branch": "trunk"}
    _files(project, "new.py")
    assert bundle.stored_code(pack(project)).annotations["argojobs.dev/dirty"] == "true"
    assert all(len(value) <= 63 for value in clean.labels.values())


def test_without_git_there_is_no_commit(project: Path) -> None:
    code = bundle.stored_code(pack(project))
    assert set(code.labels) == {"argojobs.dev/code"}
    assert code.annotations == {}
    assert code.hash.startswith(code.labels["argojobs.dev/code"])


def test_secrets_are_refused_until_allowed(project: Path) -> None:
    _files(project, "creds.yaml", "conf/.env")
    with pytest.raises(BundleError) as caught:
        pack(project)
    assert "conf/.env  (its name)" in caught.value.what
    assert "creds.yaml  (its name)" in caught.value.what
    assert ".argojobsignore" in caught.value.hint
    assert "--allow-secret-files" in caught.value.hint
    assert "creds.yaml" in pack(project, allow_secrets=True).files
    assert "creds.yaml" in pack(project, not_secret=["creds.yaml", "conf/.env"]).files
    with pytest.raises(BundleError, match=r"conf/\.env"):
        pack(project, not_secret=["creds.yaml"])
    _files(project, ".argojobsignore", content="creds.yaml\nconf/\n")
    assert "creds.yaml" not in pack(project).files


def test_secrets_that_argojobs_itself_reads_stay_here(project: Path) -> None:
    _files(project, "creds.yaml", "conf/token")
    (project / "key.pem").symlink_to("/nowhere/key.pem")
    own = ["creds.yaml", "conf/token", "key.pem", "not/here"]
    packed = pack(project, own=own)
    assert not set(own) & set(packed.files)
    assert not any(entry.name in own for entry in packed.entries)
    assert [text for text in packed.warnings if "stays here" in text] == [
        f"{name} stays here: it holds secrets for argojobs itself"
        for name in ("conf/token", "creds.yaml", "key.pem")
    ]
    (project / "key.pem").unlink()
    assert "creds.yaml" in pack(project, own=own, not_secret=["creds.yaml"]).files
    assert {"creds.yaml", "conf/token"} <= set(pack(project, own=own, allow_secrets=True).files)


def test_too_much_is_refused_with_the_largest_files(project: Path) -> None:
    _files(project, "data/big.bin", content="x" * 2000)
    with pytest.raises(BundleError) as caught:
        pack(project, largest=1500)
    assert "more than 1.5 KiB" in caught.value.what
    assert "2.0 KiB  data/big.bin" in caught.value.what
    assert "--max-code-size" in caught.value.hint
    assert pack(project, largest=5000).files


def test_links_inside_are_kept_and_those_outside_refused(project: Path, tmp_path: Path) -> None:
    (project / "lib" / "same").symlink_to("../flow.py")
    (project / "absolute").symlink_to(project / "lib")
    (project / "dangling").symlink_to("nowhere")
    members = _members(pack(project).data)
    assert members["code/lib/same"].linkname == "../flow.py"
    assert members["code/absolute"].linkname == "lib"
    assert members["code/dangling"].linkname == "nowhere"
    (project / "data").symlink_to(tmp_path)
    with pytest.raises(BundleError, match="leads outside of the project") as caught:
        pack(project)
    assert caught.value.where.endswith("data")


@pytest.mark.parametrize("target", ["circle", "lib/back"])
def test_a_link_in_a_circle_is_refused(project: Path, target: str) -> None:
    (project / "circle").symlink_to(target)
    (project / "lib" / "back").symlink_to("../circle")
    with pytest.raises(BundleError, match="leads in a circle") as caught:
        pack(project)
    assert caught.value.where.endswith("circle")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(project: Path) -> None:
    (project / "flow.py").chmod(0)
    with pytest.raises(BundleError, match=r"cannot read it: Permission denied"):
        pack(project)


def test_a_file_that_vanishes_meanwhile_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "project_files", lambda root: Listing(("gone.py",)))
    with pytest.raises(BundleError, match="cannot read it: No such file") as caught:
        pack(project)
    assert caught.value.where.endswith("gone.py")


@pytest.mark.parametrize("git", [False, True])
def test_what_is_neither_file_nor_link_stays_behind(project: Path, git: bool) -> None:
    before = pack(project).hash
    if git:
        _commit(project)
    os.mkfifo(project / "pipe")
    os.mkfifo(project / "fifo.py")
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(project / "socket"))
        (project / "lib" / "named.py").mkdir()
        assert pack(project).hash == before


def test_in_a_folder_for_everything_only_files_are_taken(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    os.mkfifo(project / "fifo.py")
    (project / "named.py").mkdir()
    assert pack(project).files == ("flow.py",)


#: What runs and tools leave in a project, and what else a user of one starts with.
LEFT = (
    "assets/hello-x7k2p/train.log", "wandb/run-1/files/output.log", "mlruns/0/meta.yaml",
    "outputs/2024-05-01/10-20-30/.hydra/config.yaml", "sub/lightning_logs/version_0/hparams.yaml",
    "runs/May01/events.out.tfevents.1714.host", "__pycache__/flow.cpython-311.pyc",
    "lib/__pycache__/helper.cpython-311.pyc", ".vscode/launch.json", ".ipynb_checkpoints/a.ipynb",
)  # fmt: skip


@pytest.mark.parametrize("git", [False, True])
def test_what_runs_and_tools_leave_does_not_change_the_hash(project: Path, git: bool) -> None:
    if git:
        _commit(project)
    before = pack(project)
    _files(project, *LEFT)
    assert pack(project).files == before.files
    assert pack(project).hash == before.hash


def test_what_git_tracks_travels_wherever_it_lies(project: Path) -> None:
    _files(project, *LEFT)
    _commit(project)
    assert set(LEFT) <= set(pack(project).files)


@pytest.mark.parametrize("git", [False, True])
def test_a_compiled_manifest_does_not_change_the_hash(project: Path, git: bool) -> None:
    head = "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata:\n  annotations:\n"
    _files(project, "by-hand.yaml", content=head)
    before = pack(project)
    ours = f"{head}    argojobs.dev/version: 0.1.0\n"
    _files(project, "out/flow.yaml", "flow.txt", content=ours)
    _files(project, "flow.json", content=json.dumps({"kind": 1, "argojobs.dev/version": 1}))
    if git:
        _commit(project)
    assert pack(project).files == before.files
    assert pack(project).hash == before.hash
    _files(project, ".gitignore", content="out/\n")
    _files(project, ".argojobsignore", content="!/out/flow.yaml\n")
    assert "out/flow.yaml" in pack(project).files


def test_large_files_are_named(project: Path) -> None:
    assert not pack(project, entries=[]).warnings
    (project / "weights.bin").write_bytes(bytes(bundle.LARGE))
    (warning,) = pack(project, entries=[]).warnings
    assert "weights.bin (1.0 MiB)" in warning
    assert ".argojobsignore" in warning


IGNORED = """\
gen.py
data/
*.bin
build/
"""


@pytest.mark.parametrize("git", [False, True])
@pytest.mark.parametrize(
    ("line", "taken"),
    [
        ("!gen.py", ["gen.py"]),
        ("!/data/", ["data/a.txt", "data/sub/b.bin"]),
        ("!data/a.txt", ["data/a.txt"]),
        ("!/data/sub/", ["data/sub/b.bin"]),
        ("!*.bin", ["w.bin"]),
        ("!build", ["build/lib/gen.py"]),
        ("!nothing.py", []),
        ("!gen.py\n/gen.py", []),
    ],
)
def test_a_line_with_a_bang_takes_along_what_git_ignores(
    project: Path, git: bool, line: str, taken: list[str]
) -> None:
    _files(project, ".gitignore", content=IGNORED)
    _files(project, ".argojobsignore", content=f"{line}\n")
    if git:
        _commit(project)
    before = pack(project).files
    _files(project, "gen.py", "data/a.txt", "data/sub/b.bin", "w.bin", "build/lib/gen.py")
    _files(project, "build/__pycache__/gen.cpython-311.pyc", ".venv/lib/gen.py", ".venv/pyvenv.cfg")
    assert sorted(set(pack(project).files) - set(before)) == taken


def test_names_in_any_bytes(project: Path) -> None:
    odd = os.fsdecode(b"odd \xff\n\xc3\xa9.txt")
    long = "l" * 150 + "/" + "m" * 150
    _commit(project)
    _files(project, odd, long)
    with tarfile.open(fileobj=io.BytesIO(pack(project).data), errors="surrogateescape") as archive:
        names = archive.getnames()
    assert f"code/{odd}" in names
    assert f"code/{long}" in names


def test_an_empty_project_and_empty_files(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    assert pack(root).files == ()
    _files(root, "__init__.py", content="")
    assert _members(pack(root).data)["code/__init__.py"].size == 0


def test_a_folder_of_the_reserved_name_stays_behind(project: Path) -> None:
    _files(project, ".argojobs/bundle.json", content="mine")
    packed = pack(project, entries=[])
    assert not [name for name in packed.files if name.startswith(".argojobs")]
    assert len(packed.warnings) == 1
    assert packed.warnings[0].endswith("folder of this name (1 files) is left out")
    _files(project, ".argojobsignore", content=".argojobs/\n")
    assert pack(project, entries=[]).warnings == ()


def test_search_path_entries_inside_are_recorded_and_those_outside_told(
    project: Path, tmp_path: Path
) -> None:
    _files(project, "src/package/__init__.py")
    outside = tmp_path / "outside"
    outside.mkdir()
    packed = pack(project, entries=[*sys.path, str(project / "lib"), str(outside)])
    content = next(file.content for file in packed.entries if file.name.endswith("bundle.json"))
    recorded = json.loads(content)
    assert recorded == {"format": 1, "hash": packed.hash, "sys_path": ["", "src", "lib"]}
    told = [warning for warning in packed.warnings if str(tmp_path) in warning]
    assert told == [
        f"{outside} is on sys.path but outside of the project: its modules do not travel"
    ]
    assert not [warning for warning in packed.warnings if "site-packages" in warning]


FLOW = """
from argojobs import step
import beside
@step
def work(n: int) -> int:
    print(beside.value, n)
    return n
"""


def test_inline_code_unpacks_itself_and_runs_the_same_program(tmp_path: Path) -> None:
    project, root = tmp_path / "project", tmp_path / "root"
    _files(project, "flows/flow.py", content=FLOW)
    _files(project, "flows/beside.py", content="value = 'beside'")
    _files(project, "pyproject.toml")
    code = bundle.inline_code(pack(project))
    assert (code.kind, len(code.data) < bundle.LARGEST_INLINE) == ("inline", True)
    environment = {"ARGOJOBS_CODE": code.data, "ARGOJOBS_ROOT": str(root), "ARGOJOBS_P_n": "3"}
    done = subprocess.run(
        [sys.executable, "-u", "-c", BOOTSTRAP, "flows/flow.py:work"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("beside 3\n", "", 0)
    assert (root / "argojobs" / "code" / "flows" / "flow.py").read_text() == FLOW
    assert (root / "argojobs" / "out" / ".parameters" / "result").read_text() == "3\n"


def test_a_plain_script_travels_inline_with_what_runs_it(tmp_path: Path) -> None:
    project, root = tmp_path / "project", tmp_path / "root"
    _files(project, "train.py", content="import sys; print(sys.argv[1:])")
    code = bundle.inline_code(replace(pack(project), script=True))
    given = {"file": "train.py", "folder": "", "arguments": '["--lr","0.1"]'}
    for step in ("runs", "keeps"):
        done = subprocess.run(
            [sys.executable, "-u", "-c", BOOTSTRAP, f"argojobs.runtime.script:{step}"],
            env={
                "ARGOJOBS_CODE": code.data,
                "ARGOJOBS_ROOT": str(root),
                **{f"ARGOJOBS_P_{name}": text for name, text in given.items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr, done.returncode) == ("['--lr', '0.1']\n", "", 0)


def _bootstrap(tmp_path: Path, before: str, data: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "ARGOJOBS_CODE": data,
        "ARGOJOBS_ROOT": str(tmp_path / "root"),
        "ARGOJOBS_P_n": "3",
        "TMPDIR": str(tmp_path),
    }
    return subprocess.run(
        [sys.executable, "-u", "-c", before + BOOTSTRAP, "flow.py:work"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


#: Not even root may write where `access` says so: a mount that is read-only.
_READ_ONLY = (
    "import os; os.access = lambda path, *a, f=os.access: {!r} not in path and f(path, *a)\n"
)


def test_inline_code_goes_elsewhere_where_its_folder_cannot_be_written(tmp_path: Path) -> None:
    project = tmp_path / "project"
    _files(project, "flow.py", content=FLOW)
    _files(project, "beside.py", content="value = __file__")
    place = str(tmp_path / "root" / "argojobs" / "code")
    Path(place).mkdir(parents=True)
    done = _bootstrap(tmp_path, _READ_ONLY.format(place), bundle.inline_code(pack(project)).data)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(f"{tmp_path}/argojobs-")
    assert not list(Path(place).iterdir())


@pytest.mark.parametrize("data", ["no base64!", "bm8gYXJjaGl2ZQ=="])
def test_inline_code_that_does_not_unpack_ends_with_78(tmp_path: Path, data: str) -> None:
    done = _bootstrap(tmp_path, "", data)
    assert (done.stdout, done.returncode) == ("", 78)
    assert done.stderr.startswith("argojobs: cannot unpack the code of this step: ")
    assert len(done.stderr.splitlines()) == 1


def test_code_too_large_to_travel_inline_says_upload(project: Path) -> None:
    (project / "noise.bin").write_bytes(os.urandom(bundle.LARGEST_INLINE))
    with pytest.raises(BundleError, match=r"in the manifest, more than 64\.0 KiB") as caught:
        bundle.inline_code(pack(project))
    first = caught.value.what.splitlines()[1].split()
    assert first[1:] == ["KiB", "noise.bin"], "the largest is named first"
    assert ".argojobsignore" in caught.value.hint
    assert "--upload" in caught.value.hint


BARE = """\
from argojobs import pipeline, step
@step
def work(n: int) -> int:
    return n + 1
@pipeline
def main(n: int = 1) -> int:
    return work(n)
"""


def test_the_inline_code_of_one_step_is_small(tmp_path: Path) -> None:
    _files(tmp_path, "flow.py", content=BARE)
    assert len(bundle.inline_code(pack(tmp_path)).data) <= 20_000


def test_inline_code_holds_no_sign_that_anyone_on_its_way_replaces(project: Path) -> None:
    (project / "noise.bin").write_bytes(os.urandom(20_000))
    data = bundle.inline_code(pack(project)).data
    assert data.isascii()
    assert not set(data) & set('{}$<>&`"\\ \n')


def test_all_that_a_bundle_holds_travels_inline_too(tmp_path: Path) -> None:
    project = tmp_path / "project"
    _files(project, "flow.py", content=FLOW)
    _files(project, "beside.py", content="value = sorted(__import__('os').listdir('data'))")
    _files(project, "data/ä b\n.bin", content="x")
    (project / "data" / "link").symlink_to("../beside.py")
    (project / "data" / "run.sh").write_text("#!/bin/sh\n")
    (project / "data" / "run.sh").chmod(0o755)
    done = _bootstrap(tmp_path, "", bundle.inline_code(pack(project)).data)
    assert done.stdout == "['link', 'run.sh', 'ä b\\n.bin'] 3\n"
    data = tmp_path / "root" / "argojobs" / "code" / "data"
    assert ((data / "link").readlink(), (data / "run.sh").stat().st_mode & 0o777) == (
        Path("../beside.py"), 0o755,
    )  # fmt: skip


def test_an_installed_package_with_steps_takes_all_of_our_own_code_along(project: Path) -> None:
    packed = pack(project)
    names = {file.name for file in bundle.needed(replace(packed, whole=True))}
    left = {file.name for file in packed.entries} - names
    assert {name for name in left if "/argojobs/job/" not in name} == {".argojobs/bundle.json"}


@pytest.mark.parametrize(
    ("text", "travels", "stays"),
    [
        ("import argojobs\n", (), ("__init__", "session", "s3_store", "sinks/__init__")),
        ("import argojobs.job\n", ("session",), ("s3_store", "sigv4", "sinks/influx")),
        ("from argojobs import job\n", ("session", "sinks/influx"), ("s3_store", "sigv4")),
        ("import argojobs\nfrom argojobs import job\n", ("session",), ("s3_store", "sinks/influx")),
        ("import telegraf\n", ("older_scripts/telegraf/client", "sinks/influx"), ("s3_store",)),
    ],
)
def test_the_job_library_travels_in_a_manifest_where_it_is_mentioned_and_never_its_store(
    project: Path, text: str, travels: tuple[str, ...], stays: tuple[str, ...]
) -> None:
    (project / "reports.py").write_text(text)
    names = {file.name for file in bundle.needed(pack(project))}
    for name in travels:
        assert f".argojobs/argojobs/job/{name}.py" in names
    for name in stays:
        assert f".argojobs/argojobs/job/{name}.py" not in names


@pytest.mark.parametrize(
    "text", ["import telegraf", "from kubernetesdlprofile import kubeprofiler"]
)
def test_packages_of_older_scripts_are_searched_last_where_a_project_imports_them(
    project: Path, text: str
) -> None:
    programs = [file for file in pack(project).entries if file.name == ".argojobs/__main__.py"]
    assert b"older_scripts" not in programs[0].content
    (project / "older.py").write_text(f"{text}\n")
    programs = [file for file in pack(project).entries if file.name == ".argojobs/__main__.py"]
    assert b"older_scripts" in programs[0].content


def test_a_home_inside_the_project_does_not_travel(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOJOBS_HOME", str(project / "runs"))
    _files(project, "runs/store.db", "runs2/kept.py")
    assert "runs/store.db" not in pack(project).files
    assert "runs2/kept.py" in pack(project).files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from argojobs import job", True),
        ("import argojobs.job", True),
        ("import argojobs\nargojobs.job.log(loss=1)", True),
        ("from kubernetesdlprofile import kubeprofiler", True),
        ("from telegraf.client import TelegrafClient", True),
        ("from argojobs import step", False),
        ("import argojobs", False),
        ("job = 1", False),
    ],
)
def test_a_project_may_report_where_it_uses_the_library_or_what_is_built_on_it(
    tmp_path: Path, text: str, expected: bool
) -> None:
    (tmp_path / "train.py").write_text(f"{text}\n")
    assert bundle.reports(pack(tmp_path)) is expected
