"""Networks that break off, services that refuse: what was sent is kept, and errors say what to do."""

from __future__ import annotations

import os
import socket
import threading
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support import seaweed

from argojobs.errors import HostError, NotFoundError, ServerError, UsageError
from argojobs.storage import s3_upload
from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, s3_place

MEBIBYTE = 2**20
LARGE = 40 * MEBIBYTE + 5  # six parts


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file that is sent in six parts."""
    path = tmp_path_factory.mktemp("large") / "model"
    path.write_bytes(os.urandom(LARGE))
    return path


# Resuming


def test_an_upload_that_broke_off_goes_on_where_it_was(open_s3, proxy, client, bucket, large):
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="up")
    with pytest.raises(ServerError, match=r"breaks the connection off|cannot be reached"):
        repository.put(str(large), "k")
    assert repository_is_empty(client, bucket)  # nothing half under the final key
    proxy.mend()
    repository.put(str(large), "k")
    assert proxy.sent["up"] < 18 * MEBIBYTE  # three parts were there
    assert client.get_object(bucket, "some/prefix/k").read() == large.read_bytes()


def repository_is_empty(client, bucket):
    return not list(client.list_objects(bucket, recursive=True))


def test_what_was_sent_of_other_content_is_not_believed(open_s3, proxy, client, bucket, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(os.urandom(LARGE))
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="up")
    with pytest.raises(ServerError):
        repository.put(str(file), "k")
    file.write_bytes(os.urandom(LARGE))
    proxy.mend()
    repository.put(str(file), "k")
    assert client.get_object(bucket, "some/prefix/k").read() == file.read_bytes()


def test_a_short_break_is_not_noticed(open_s3, proxy, large, tmp_path):
    repository = open_s3(port=proxy.port, retries=3)
    proxy.cut_after(12 * MEBIBYTE, way="up", then=(None,))
    repository.put(str(large), "k")
    assert proxy.cuts == 1
    proxy.cut_after(12 * MEBIBYTE, way="down", then=(None,))
    repository.get("k", str(tmp_path / "back"))
    assert proxy.cuts == 1
    assert (tmp_path / "back").read_bytes() == large.read_bytes()


def test_a_download_that_broke_off_goes_on_where_it_was(open_s3, proxy, large, tmp_path):
    open_s3().put(str(large), "k")
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="down")
    with pytest.raises(ServerError):
        repository.get("k", str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()
    proxy.mend()
    repository.get("k", str(tmp_path / "back"))
    assert proxy.sent["down"] < 18 * MEBIBYTE
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    assert os.listdir(tmp_path) == ["back"]


def test_half_a_download_of_an_older_object_is_not_gone_on_with(open_s3, proxy, large, tmp_path):
    open_s3().put(str(large), "k")
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="down")
    with pytest.raises(ServerError):
        repository.get("k", str(tmp_path / "back"))
    newer = tmp_path / "newer"
    newer.write_bytes(os.urandom(LARGE))
    open_s3().put(str(newer), "k")
    proxy.mend()
    repository.get("k", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == newer.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["back", "newer"]


def test_pieces_that_were_spoilt_on_the_disk_are_fetched_again(open_s3, proxy, large, tmp_path):
    open_s3().put(str(large), "k")
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="down")
    with pytest.raises(ServerError):
        repository.get("k", str(tmp_path / "back"))
    (part,) = tmp_path.glob("*.part")
    with part.open("r+b") as file:
        file.write(b"spoilt")
    proxy.mend()
    repository.get("k", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == large.read_bytes()


def test_two_that_fetch_the_same_do_not_disturb_each_other(open_s3, large, tmp_path):
    repository = open_s3()
    repository.put(str(large), "k")
    failures = []

    def get():
        try:
            open_s3().get("k", str(tmp_path / "back"))
        except Exception as error:  # noqa: BLE001 - looked at below
            failures.append(error)

    threads = [threading.Thread(target=get) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    assert os.listdir(tmp_path) == ["back"]


def test_an_object_that_is_replaced_meanwhile_is_never_mixed(open_s3, large, tmp_path, monkeypatch):
    repository = open_s3(workers=1)
    repository.put(str(large), "k")
    newer = tmp_path / "newer"
    newer.write_bytes(os.urandom(LARGE))
    read, seen = repository._client.read, []

    def replacing(found, start, stop):
        if len(seen) == 2:
            open_s3().put(str(newer), "k")
        seen.append(start)
        return read(found, start, stop)

    monkeypatch.setattr(repository._client, "read", replacing)
    with pytest.raises(ServerError, match="replaced the object meanwhile"):
        repository.get("k", str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()


def test_a_file_that_changes_meanwhile_is_not_stored(open_s3, client, bucket, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(LARGE))
    repository = open_s3(workers=1)

    def touch(done, _total):
        os.utime(file, (done, done))

    with pytest.raises(HostError, match="changed while it was sent"):
        repository.put(str(file), "k", progress=touch)
    assert repository_is_empty(client, bucket)


def test_an_upload_that_another_completed_is_done(open_s3, large, monkeypatch):
    """As when the answer to our own request got lost."""
    repository = open_s3()
    complete = repository._client.complete

    def twice(*arguments):
        complete(*arguments)
        return complete(*arguments)

    monkeypatch.setattr(repository._client, "complete", twice)
    repository.put(str(large), "k")
    assert repository.kind("k") == "file"


def test_deleting_gives_up_uploads_that_broke_off(open_s3, proxy, client, bucket, large):
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(30 * MEBIBYTE, way="up")
    with pytest.raises(ServerError):
        repository.put(str(large), "k")
    proxy.mend()
    assert repository._client.unfinished("k")
    repository.delete("k")
    assert not repository._client.unfinished("k")


def test_content_that_arrived_damaged_is_not_put_in_place(open_s3, source, tmp_path, monkeypatch):
    repository = open_s3()
    repository.put(str(source / "a"), "k")
    monkeypatch.setattr(repository._client, "read_small", lambda _: b"eno")
    with pytest.raises(ServerError, match="arrived damaged"):
        repository.get("k", str(tmp_path / "back"))
    assert os.listdir(tmp_path) == ["source"]


def test_a_tree_that_broke_off_goes_on(open_s3, proxy, tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}").write_bytes(os.urandom(100_000))
    repository = open_s3(port=proxy.port, workers=1, retries=0)
    proxy.cut_after(2_000_000, way="up")
    with pytest.raises(ServerError):
        repository.put(str(folder), "t")
    proxy.mend()
    repository.put(str(folder), "t")
    assert proxy.sent["up"] < 3_000_000
    assert len(list(repository.list("t"))) == 40


def test_memory_stays_bounded_whatever_the_size_of_the_parts():
    size = 3 * 2**40  # 315 MiB a part
    assert s3_upload.part_size(size) * 10_000 >= size
    assert max(1, s3_upload.MOST_MEMORY // s3_upload.part_size(size)) == 1


# What the service refuses


def test_a_bucket_that_is_not_there_is_named(open_s3, source, tmp_path):
    repository = open_s3(bucket="no-such-bucket")
    for ask in (
        lambda: list(repository.list()),
        lambda: repository.get("k", str(tmp_path / "x")),
        lambda: repository.kind("k"),
    ):
        with pytest.raises(NotFoundError, match="no bucket 'no-such-bucket'"):
            ask()


def test_a_permission_that_is_missing_is_named(open_s3, source):
    repository = open_s3(keys=seaweed.READER)
    assert repository.kind("k") is None
    with pytest.raises(UsageError, match="s3:PutObject is needed") as caught:
        repository.put(str(source / "a"), "k")
    assert "write s3://" in caught.value.what


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        (("nobody", "x" * 16), "the access key is unknown there"),
        (("admin", "wrong-secret"), "the secret key does not belong to the access key"),
    ],
)
def test_wrong_keys_are_told_apart_and_never_shown(open_s3, source, keys, what):
    repository = open_s3(keys=keys)
    for ask in (lambda: repository.put(str(source / "a"), "k"), lambda: repository.kind("k")):
        with pytest.raises(UsageError, match=what) as caught:
            ask()
        assert keys[1] not in f"{caught.value} {caught.value.__cause__}"


def test_a_clock_that_is_wrong_is_said(open_s3, monkeypatch):
    from argojobs.storage import s3_transport

    class Clock:
        def now(self, zone):
            return datetime.now(zone) - timedelta(hours=3)

    monkeypatch.setattr(s3_transport, "datetime", Clock())
    with pytest.raises(UsageError, match="clock"):
        open_s3().kind("k")


def test_an_endpoint_that_nobody_serves_is_unreachable(open_s3):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServerError, match="cannot be reached") as caught:
        open_s3(port=port, retries=0).kind("k")
    assert caught.value.exit_code == 3


def test_a_name_that_is_not_known_is_said():
    repository = S3Repository(
        s3_place("http://no-such-host.invalid:1", "bucket"),
        S3Credentials("a", "b"),
        retry_policy=RetryPolicy(connect=1, retries=0),
    )
    with pytest.raises(ServerError, match=r"not known here|cannot be reached"):
        repository.kind("k")


# TLS


def over_tls(service, bucket, *, port=0, **place):
    if not service.tls_port:
        pytest.skip("openssl is not there to make a certificate")
    return S3Repository(
        s3_place(f"https://127.0.0.1:{port or service.tls_port}", bucket, **place),
        S3Credentials(*seaweed.ADMIN),
        retry_policy=RetryPolicy(retries=0),
    )


def test_a_certificate_of_a_given_authority_is_trusted(service, bucket, source, tmp_path):
    repository = over_tls(service, bucket, ca_file=service.ca_file)
    repository.put(str(source), "t")
    repository.get("t", str(tmp_path / "back"))
    assert (tmp_path / "back" / "a").read_text() == "one"


def test_another_certificate_is_not_unless_asked_for_by_name(service, bucket):
    with pytest.raises(UsageError, match="certificate of the S3 service is not trusted"):
        over_tls(service, bucket).kind("k")
    assert over_tls(service, bucket, insecure=True).kind("k") is None


def test_tls_where_there_is_none_and_none_where_there_is(service, bucket):
    with pytest.raises(UsageError, match="does not speak TLS") as caught:
        over_tls(service, bucket, port=service.port).kind("k")
    assert "tls = false" in caught.value.hint
    plain = S3Repository(
        s3_place(f"http://127.0.0.1:{service.tls_port}", bucket),
        S3Credentials(*seaweed.ADMIN),
        retry_policy=RetryPolicy(retries=0),
    )
    with pytest.raises(UsageError, match="speaks TLS"):
        plain.kind("k")


def test_a_missing_ca_file_is_named(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        S3Repository(s3_place("https://h", "bucket", ca_file=str(tmp_path / "ca.pem")))


# Other answers


@pytest.fixture
def answering():
    """A server that gives each request the same answer."""
    servers = []

    def start(status, body, kind="text/html"):
        class Handler(BaseHTTPRequestHandler):
            def _answer(self):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_HEAD = do_PUT = do_POST = _answer

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return S3Repository(
            s3_place(f"http://127.0.0.1:{server.server_port}", "bucket"),
            S3Credentials("a", "very-secret"),
            retry_policy=RetryPolicy(retries=0),
        )

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_login_page_is_no_s3_service(answering):
    page = b"<!doctype html><title>Log in</title>"
    for status in (200, 403, 404):
        repository = answering(status, page)
        with pytest.raises(UsageError, match=r"no S3 service|do not allow"):
            list(repository.list())


@pytest.mark.parametrize(
    ("code", "status", "kind", "what"),
    [
        ("ExpiredToken", 400, UsageError, "session token has expired"),
        ("RequestTimeTooSkewed", 403, UsageError, "clock"),
        ("AuthorizationHeaderMalformed", 400, UsageError, "another region"),
        ("SlowDown", 503, ServerError, "busy or broken"),
        ("QuotaExceeded", 403, UsageError, "no room"),
        ("Strange", 418, UsageError, "Strange"),
    ],
)
def test_answers_of_other_services_say_what_to_do(answering, source, code, status, kind, what):
    body = f"<Error><Code>{code}</Code><Message>m</Message></Error>".encode()
    repository = answering(status, body, "application/xml")
    with pytest.raises(kind, match=what):
        list(repository.list())


def test_a_service_that_is_down_may_be_asked_again(answering):
    with pytest.raises(ServerError):
        answering(503, b"").kind("k")
