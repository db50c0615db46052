"""A bucket as artifact repository, on a real S3 service: as a folder is one, and in parallel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import seaweed

from argojobs.errors import NotFoundError, OutputError, UsageError
from argojobs.storage.opening import open_repository
from argojobs.storage.repository import Entry
from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import S3Credentials, s3_place

LARGE = 20 * 2**20 + 123  # three parts, the last one short


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file that is sent in three parts."""
    path = tmp_path_factory.mktemp("large") / "model"
    path.write_bytes(os.urandom(LARGE))
    return path


def keys(repository, prefix=""):
    return [entry.key for entry in repository.list(prefix)]


def test_a_file_comes_back_as_it_was(repository, source, tmp_path):
    repository.put(str(source / "a"), "run/pod/a")
    repository.get("run/pod/a", str(tmp_path / "back"))
    assert (tmp_path / "back").read_text() == "one"
    assert (source / "a").exists()


def test_a_tree_comes_back_as_it_was(repository, source, tmp_path):
    repository.put(str(source), "run/tree")
    repository.get("run/tree/", str(tmp_path / "back"))
    assert (tmp_path / "back" / "deep" / "b").read_text() == "two"


def test_a_large_file_goes_and_comes_in_parts(repository, client, bucket, large, tmp_path):
    repository.put(str(large), "large")
    etag = client.stat_object(bucket, "some/prefix/large").etag
    assert etag.endswith("-3")
    repository.get("large", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    assert os.listdir(tmp_path) == ["back"]  # nothing of the way there is left


def test_an_empty_file_is_a_file(repository, tmp_path):
    (tmp_path / "empty").touch()
    repository.put(str(tmp_path / "empty"), "empty")
    repository.get("empty", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == b""
    assert repository.kind("empty") == "file"


def test_objects_lie_below_the_prefix_and_nothing_else_is_seen(
    repository, client, bucket, source, open_s3
):
    repository.put(str(source / "a"), "k")
    assert client.stat_object(bucket, "some/prefix/k").size == 3
    open_s3(prefix="some/prefix-of-others").put(str(source / "a"), "x")
    assert keys(repository) == ["k"]
    assert keys(open_s3(prefix="")) == ["some/prefix-of-others/x", "some/prefix/k"]


def test_kinds_are_told_apart_and_a_longer_name_is_another(repository, source):
    repository.put(str(source / "a"), "file")
    repository.put(str(source), "tree")
    repository.put(str(source / "a"), "tree-2")
    assert [repository.kind(key) for key in ("file", "tree", "tre", "none")] == [
        "file",
        "tree",
        None,
        None,
    ]
    assert keys(repository, "tree") == ["tree/a", "tree/deep/b"]


def test_a_file_is_replaced_and_a_tree_is_merged(repository, source, tmp_path):
    repository.put(str(source), "t")
    more = tmp_path / "more"
    more.mkdir()
    (more / "a").write_text("new")  # of the same length
    (more / "c").write_text("three")
    repository.put(str(more), "t")
    assert list(repository.list("t")) == [Entry("t/a", 3), Entry("t/c", 5), Entry("t/deep/b", 3)]
    repository.get("t/a", str(tmp_path / "a"))
    assert (tmp_path / "a").read_text() == "new"


def test_more_objects_than_one_answer_holds_are_all_listed_and_deleted(repository, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1005):
        (folder / f"{number:04}").touch()
    repository.put(str(folder), "many")
    assert len(keys(repository, "many")) == 1005
    repository.delete("many")
    assert repository.kind("many") is None


def test_deleting_spares_what_lies_beside(repository, source):
    repository.put(str(source), "run/pod/t")
    repository.put(str(source / "a"), "run/pod/t2")
    repository.delete("run/pod/t")
    repository.delete("run/pod/t")  # nothing there is fine
    assert keys(repository) == ["run/pod/t2"]


def test_odd_names_come_back(repository, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    names = ["ä ö.txt", "a+b&c=d?#%25", "日本", "q'\"<>", " blank "]
    for name in names:
        (folder / name).write_text(name)
    repository.put(str(folder), "odd")
    repository.get("odd", str(tmp_path / "back"))
    assert sorted(os.listdir(tmp_path / "back")) == sorted(names)
    assert all((tmp_path / "back" / name).read_text() == name for name in names)


@pytest.mark.parametrize("target", ["deep", "nowhere"])
def test_a_link_to_no_file_is_refused_before_anything_is_sent(repository, source, target):
    (source / "link").symlink_to(target)
    with pytest.raises(OutputError, match="link"):
        repository.put(str(source), "t")
    assert repository.kind("t") is None


def test_a_pipe_is_refused_not_waited_for(repository, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe"):
        repository.put(str(tmp_path / "pipe"), "k")


def test_what_is_not_there_is_an_error(repository, tmp_path):
    with pytest.raises(NotFoundError, match="no/such"):
        repository.get("no/such", str(tmp_path / "x"))
    with pytest.raises(FileNotFoundError):
        repository.put(str(tmp_path / "missing"), "k")
    assert repository.local("k") is None
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("key", ["", "/abs", "a//b", "../x", "a/../b", "./a", "a\0b"])
def test_keys_that_could_lead_astray_are_refused(repository, source, key):
    with pytest.raises(UsageError):
        repository.put(str(source / "a"), key)


def test_what_lies_at_the_target_is_replaced_and_never_followed(repository, source, tmp_path):
    repository.put(str(source), "k")
    back = tmp_path / "back"
    back.mkdir()
    (tmp_path / "precious").mkdir()
    os.mkfifo(back / "a")
    (back / "deep").symlink_to(tmp_path / "precious")
    repository.get("k", str(back))
    assert (back / "a").read_text() == "one"
    assert (back / "deep" / "b").read_text() == "two"
    assert os.listdir(tmp_path / "precious") == []


def test_a_file_beside_a_tree_of_its_name_cannot_be_fetched_as_both(
    client, repository, source, tmp_path
):
    repository.put(str(source / "a"), "t/x")
    repository.put(str(source / "a"), "t/x/y")
    with pytest.raises(OutputError, match=r"a (file|folder) is where a (file|folder)"):
        repository.get("t", str(tmp_path / "back"))


def test_what_is_there_is_not_sent_again(open_s3, proxy, large, source):
    repository = open_s3(port=proxy.port)
    (source / "large").write_bytes(large.read_bytes())
    repository.put(str(source), "t")
    proxy.mend()
    repository.put(str(source), "t")
    assert [line.split()[0] for line in proxy.requests] == ["GET"]  # one listing
    (source / "a").write_text("six")
    proxy.mend()
    repository.put(str(source), "t")
    assert sum(line.startswith("PUT") for line in proxy.requests) == 1
    repository.put(str(large), "t/large")
    assert proxy.sent["up"] < 10_000


def test_what_was_fetched_is_not_fetched_again(open_s3, proxy, large, source, tmp_path):
    repository = open_s3(port=proxy.port)
    (source / "large").write_bytes(large.read_bytes())
    repository.put(str(source), "t")
    repository.get("t", str(tmp_path / "back"))
    (tmp_path / "back" / "a").write_text("odd")
    proxy.mend()
    repository.get("t", str(tmp_path / "back"))
    assert [line.split()[1].split("?")[0][-2:] for line in proxy.requests[2:]] == ["/a"]
    assert (tmp_path / "back" / "a").read_text() == "one"


def test_progress_ends_at_the_whole(repository, source, large, tmp_path):
    (source / "large").write_bytes(large.read_bytes())
    told = []
    repository.put(str(source), "t", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (LARGE + 6, LARGE + 6)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    told.clear()
    repository.get("t", str(tmp_path / "back"), progress=lambda *seen: told.append(seen))
    assert told[-1] == (LARGE + 6, LARGE + 6)


def test_other_programs_part_sizes_are_understood(
    repository, client, bucket, large, tmp_path, open_s3
):
    client.fput_object(bucket, "theirs", str(large), part_size=5 * 2**20)
    whole = open_s3(prefix="")
    whole.get("theirs", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    client.fput_object(bucket, "odd", str(large), part_size=7 * 2**20)
    whole.get("odd", str(tmp_path / "odd"))
    assert (tmp_path / "odd").read_bytes() == large.read_bytes()


def test_a_key_with_dots_in_a_bucket_leads_nowhere(client, bucket, open_s3, tmp_path, monkeypatch):
    """Somebody else may have named an object so; minio itself refuses to."""
    from argojobs.storage import s3

    repository = open_s3(prefix="")
    evil = [s3.Object("t/../../evil", 1, "e"), s3.Object("t/x", 1, "e")]
    monkeypatch.setattr(repository, "_below", lambda key: iter(evil))
    with pytest.raises(UsageError, match="not an artifact key"):
        repository.get("t", str(tmp_path / "t"))
    assert not (tmp_path / "evil").exists()


def test_another_process_opens_it_by_references_not_values(
    service, bucket, repository, source, monkeypatch
):
    repository.put(str(source / "a"), "k")
    monkeypatch.setenv("TEST_SECRET", seaweed.ADMIN[1])
    monkeypatch.setenv("TEST_ACCESS", seaweed.ADMIN[0])
    references = (("access_key", "env:TEST_ACCESS"), ("secret_key", "env:TEST_SECRET"))
    referring = S3Repository(
        s3_place(f"http://127.0.0.1:{service.port}", bucket, prefix="some/prefix"),
        S3Credentials(*seaweed.ADMIN, references=references),
    )
    described = referring.describe()
    assert seaweed.ADMIN[1] not in repr(described)
    assert keys(open_repository(described)) == ["k"]


def test_keys_without_references_are_not_passed_on(repository):
    with pytest.raises(UsageError, match="no reference") as caught:
        repository.describe()
    assert seaweed.ADMIN[1] not in str(caught.value)
    assert seaweed.ADMIN[1] not in repr(S3Credentials(*seaweed.ADMIN))


def test_bucket_and_keys_as_the_host_name_style_wants_them(open_s3):
    """No name of a bucket resolves to this machine here, so only the URL is looked at."""
    url, _ = open_s3(style="host", bucket="bucket")._client._transport.signed("GET", "k")
    assert url.netloc.startswith("bucket.127.0.0.1")
    assert url.path == "/k"


def test_aistore_has_its_interface_below_a_path(service, bucket):
    repository = S3Repository(
        s3_place(f"http://127.0.0.1:{service.port}", bucket, kind="aistore"),
        S3Credentials(*seaweed.ADMIN),
    )
    url, _ = repository._client._transport.signed("GET", "k")
    assert url.path == f"/s3/{bucket}/k"


def test_flushing_has_nothing_to_do_and_age_is_known(repository, source):
    repository.put(str(source / "a"), "k")
    repository.flush("k")
    assert repository.modified("k") > 1_700_000_000
    assert repository.modified("none") == 0


def test_a_tree_of_links_to_files_is_stored_as_those_files(repository, source, tmp_path):
    (source / "link").symlink_to("a")
    (source / "hollow").mkdir()
    repository.put(str(source), "t", move=True)
    assert keys(repository) == ["t/a", "t/deep/b", "t/link"]
    (tmp_path / "pods").write_text("the pod's")
    repository.put(str(source), "k", resolve=lambda _: str(tmp_path / "pods"))
    repository.get("k/link", str(tmp_path / "back"))
    assert Path(tmp_path / "back").read_text() == "the pod's"
