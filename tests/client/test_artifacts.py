"""Artifacts through the server: files, archives unpacked, folders file by file."""

import errno
import io
import os
import tarfile
from http.client import HTTPException
from types import SimpleNamespace

import pytest
from support.fake_argo import Reply

from argojobs.errors import ConflictError, HostError, NotFoundError, ServerError, UsageError
from argojobs.storage.directory import DirectoryRepository

FILE = "/artifacts/argo/one/one-1/model"
FOLDER = "/artifact-files/argo/workflows/one/one-1/outputs/model"


@pytest.fixture
def run(argo):
    argo.add("one", "Succeeded")
    argo.pod("one", 1)

    def have(**artifact):
        node = argo.workflows["one"]["status"]["nodes"]["one-1"]
        found = {"name": "model", "path": "/out/weights", "s3": {"key": "k"}, **artifact}
        node["outputs"] = {"artifacts": [found]}

    have()
    return have


def tar(**files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name.replace("_", "/"))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_an_archive_is_unpacked(argo, service, run, tmp_path):
    argo.files[FILE] = tar(weights_a=b"1", weights_b=b"2")
    got = service.artifact("one", "one-1", "model", tmp_path / "got")
    assert got == tmp_path / "got"
    assert (got / "a").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["got"]


def test_into_a_folder_under_the_name_it_had(argo, service, run, tmp_path):
    argo.files[FILE] = tar(weights=b"1")
    assert service.artifact("one", "one-1", "model", tmp_path) == tmp_path / "weights"
    assert (tmp_path / "weights").read_bytes() == b"1"


def test_a_file_is_as_it_is_stored(argo, service, run, tmp_path):
    run(archive={"none": {}})
    argo.files[FOLDER] = tar(x=b"1")
    got = service.artifact("one", "one-1", "model", tmp_path / "got")
    assert got.read_bytes() == argo.files[FOLDER]


def page(*names):
    links = "".join(f'<li><a href="./{name}">{name}</a></li>\n' for name in names)
    return Reply(
        f'<html><body><ul>\n<li><a href="..">..</a></li>\n{links}</ul></body></html>',
        type="text/html; charset=utf-8",
    )


def test_a_folder_is_copied_file_by_file(argo, service, run, tmp_path):
    run(archive={"none": {}})
    argo.script(f"GET {FOLDER}", Reply("", 307, headers={"Location": f"{FOLDER}/"}))
    argo.always(f"GET {FOLDER}/", page("top%20one", "a/", "a/b/"))
    argo.always(f"GET {FOLDER}/a/", page("x", "b/"))
    argo.always(f"GET {FOLDER}/a/b/", page("y"))
    argo.files.update({f"{FOLDER}/top one": b"0", f"{FOLDER}/a/x": b"1", f"{FOLDER}/a/b/y": b"2"})
    got = service.artifact("one", "one-1", "model", tmp_path / "got")
    found = {
        str(path.relative_to(got)): path.read_bytes() for path in got.rglob("*") if path.is_file()
    }
    assert found == {"top one": b"0", "a/x": b"1", "a/b/y": b"2"}


def test_a_folder_that_the_server_shows_as_a_page_needs_s3(argo, service, run, tmp_path):
    run(archive={"none": {}})
    argo.script(f"GET {FOLDER}", Reply("", 307, headers={"Location": f"{FOLDER}/"}))
    argo.always(f"GET {FOLDER}/", Reply("", 307, headers={"Location": f"{FOLDER}/index.html"}))
    with pytest.raises(UsageError, match=r"the server shows index\.html of this folder"):
        service.artifact("one", "one-1", "model", tmp_path / "got")
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_breaks_off_is_made_again(argo, service, run, tmp_path):
    argo.files[FILE] = tar(weights=b"1" * 1000)
    argo.script(f"GET {FILE}", Reply(argo.files[FILE], type="application/gzip", cut=20))
    got = service.artifact("one", "one-1", "model", tmp_path / "got")
    assert got.read_bytes() == b"1" * 1000


def test_nothing_is_left_of_one_that_fails(argo, service, run, tmp_path):
    argo.always(f"GET {FILE}", Reply("Internal Server Error", 500, "text/plain"))
    with pytest.raises(ServerError, match="lab: the server failed: Internal Server Error"):
        service.artifact("one", "one-1", "model", tmp_path / "got")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_named(argo, service, run, tmp_path):
    with pytest.raises(NotFoundError, match="step1 has no output artifact 'data'"):
        service.artifact("one", "one-1", "data", tmp_path / "got")
    with pytest.raises(NotFoundError, match="no node 'x'"):
        service.artifact("one", "x", "data", tmp_path / "got")
    argo.script(f"GET {FILE}", Reply("Not Found", 404, "text/plain"))
    with pytest.raises(NotFoundError, match="the artifact 'model' of one-1 is not in"):
        service.artifact("one", "one-1", "model", tmp_path / "got")


def test_what_is_in_the_way_stays(argo, service, run, tmp_path):
    (tmp_path / "got").write_text("mine")
    with pytest.raises(ConflictError):
        service.artifact("one", "one-1", "model", tmp_path / "got")
    assert (tmp_path / "got").read_text() == "mine"


def test_a_callers_repository_is_read_directly(argo, connect, run, tmp_path):
    from argojobs.client.rest import ArgoService

    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "k").write_bytes(b"direct")
    address = connect().address
    store = DirectoryRepository(str(tmp_path / "store"))
    with ArgoService(address, repository=lambda: store) as service:
        assert service.artifact("one", "one-1", "model", tmp_path / "got").read_bytes() == b"direct"


class FullDisk:
    """A file that takes nothing more."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __init__(self, number):
        self.number = number

    def writelines(self, pieces):
        next(iter(pieces))
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EIO", "EFBIG"])
def test_a_disk_that_takes_no_more_is_not_a_fault_of_the_server(
    argo, service, run, tmp_path, monkeypatch, error
):
    argo.files[FILE] = tar(weights=b"1")
    number = getattr(errno, error)
    full = SimpleNamespace(open=lambda _: FullDisk(number))
    monkeypatch.setattr("argojobs.client.artifacts.Path", lambda *_: full)
    with pytest.raises(HostError, match=f"cannot be written: {os.strerror(number)}"):
        service.artifact("one", "one-1", "model", tmp_path / "got")
    assert len(argo.asked(f"GET {FILE}")) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [OSError(28, "full"), TimeoutError("mine"), HTTPException("mine")]
)
@pytest.mark.parametrize("opening", ["stream", "download"])
def test_what_is_done_with_an_answer_raises_what_it_raises(argo, service, error, opening):
    argo.script("GET /x", Reply(":\n", type="text/event-stream"))
    argo.files["/x"] = b"x"
    with pytest.raises(type(error)) as caught, getattr(service.transport, opening)("/x"):
        raise error
    assert caught.value is error
