"""The log lines of a run: each once and none lost, over breaks, restarts and pods that are gone."""

import pytest
from support.fake_argo import WORKFLOWS, Reply, error, line, stream_error

from argojobs.errors import NotFoundError, ServerError
from argojobs.storage.directory import DirectoryRepository

LOG = f"GET {WORKFLOWS}/one/log"
ONE = f"GET {WORKFLOWS}/one"
EXECUTOR = 'time=2026-11-27T22:44:36.253Z level=INFO msg="capturing logs" argo=true'
EXITED = 'time=2026-11-28T03:13:21Z level=INFO msg="sub-process exited" error=<nil> argo=true'
TARRED = "time=2026-11-28T03:13:21Z level=INFO msg=taring count=4 source=/o argo=true sourcePath=/o"
OLD_EXECUTOR = 'time="2023-01-01T00:00:00.000Z" level=info msg="capturing logs" argo=true'


def stamped(number, text):
    return f"2026-01-01T00:00:{number:02}.000000000Z {text}"


def texts(lines):
    return [one.text for one in lines]


def three(argo, phase="Succeeded"):
    """A run with one pod of three lines."""
    argo.add("one", phase)
    return argo.pod("one", 1, *[stamped(number, f"line {number}") for number in range(3)])


def messages(argo, pod):
    return [line(pod, text) for text in argo.logs[pod]]


def finish(argo, phase="Succeeded"):
    return lambda: argo.change("one", phase)


def test_lines_come_with_their_node_and_pod(argo, service):
    pod = three(argo)
    lines = list(service.logs("one"))
    assert texts(lines) == ["line 0", "line 1", "line 2"]
    assert {(one.node_id, one.pod) for one in lines} == {("one-1", pod)}
    query = argo.asked(LOG)[0].query
    assert query["logOptions.container"] == "main"
    assert "logOptions.follow" not in query


def test_a_run_that_is_one_pod(argo, service):
    argo.add("one", "Succeeded")
    argo.logs["one"] = [stamped(1, "x")]
    assert [(found.node_id, found.text) for found in service.logs("one")] == [("one", "x")]


def test_a_run_that_is_not_there(service):
    with pytest.raises(NotFoundError, match=r'lab: workflows\.argoproj\.io "one" not found'):
        list(service.logs("one"))


def test_what_argos_executor_says_is_left_out(argo, service):
    argo.add("one", "Succeeded")
    said = [
        EXECUTOR,
        OLD_EXECUTOR,
        EXITED,
        TARRED,
        "mine argo=true",
        'time=x level=INFO msg="mine"',
    ]
    argo.pod("one", 1, *[stamped(number, text) for number, text in enumerate(said)])
    assert texts(service.logs("one")) == ["mine argo=true", 'time=x level=INFO msg="mine"']


def test_the_lines_of_one_node(argo, service):
    argo.add("one", "Succeeded")
    argo.pod("one", 1, stamped(1, "a"))
    pod = argo.pod("one", 2, stamped(2, "b"))
    assert texts(service.logs("one", node_id="one-2")) == ["b"]
    assert argo.asked(LOG)[0].query["podName"] == pod
    assert texts(service.logs("one", node_id="one-9")) == []


def test_the_last_lines_of_each_pod(argo, service):
    argo.add("one", "Succeeded")
    for number in (1, 2):
        lines = [stamped(n, f"{number}{n}") for n in range(20)]
        argo.pod("one", number, *lines, stamped(21, EXECUTOR), stamped(22, EXECUTOR))
    assert sorted(texts(service.logs("one", tail=2))) == ["118", "119", "218", "219"]


BREAKS = [
    {"cut": 0},
    {"cut": 150},
    {"body": [stream_error(14, "transport is closing")]},
    {"body": []},
]


@pytest.mark.parametrize("how", BREAKS)
@pytest.mark.parametrize("node", ["", "one-1"])
def test_following_goes_on_after_a_break(argo, service, how, node):
    pod = three(argo, "Running")
    said = messages(argo, pod)
    argo.script(LOG, Reply(**{"body": said[:2], **how}))
    argo.script(LOG, Reply(said, act=finish(argo)))
    lines = service.logs("one", follow=True, node_id=node)
    assert texts(lines) == ["line 0", "line 1", "line 2"]


def test_following_one_pod_again_does_not_read_all_of_it_again(argo, service):
    pod = three(argo, "Running")
    argo.script(LOG, Reply(messages(argo, pod)[:2]), Reply([], act=finish(argo)))
    assert texts(service.logs("one", follow=True, node_id="one-1")) == [
        "line 0",
        "line 1",
        "line 2",
    ]
    first, second, last = argo.asked(LOG)
    assert "logOptions.sinceTime" not in first.query
    assert second.query["logOptions.sinceTime"] == "2026-01-01T00:00:01Z"
    assert "logOptions.sinceTime" not in last.query


def test_what_the_stream_left_out_comes_in_the_end(argo, service):
    """Argo never opens the log of a pod whose container was not ready at first."""
    pod = three(argo, "Running")
    other = argo.pod("one", 2, stamped(1, "other"))
    argo.script(LOG, Reply(messages(argo, pod), act=finish(argo)))
    lines = list(service.logs("one", follow=True))
    assert texts(lines) == ["line 0", "line 1", "line 2", "other"]
    assert lines[-1].pod == other


def test_a_server_that_restarts_is_waited_for(argo, service, time):
    pod = three(argo, "Running")
    argo.script(LOG, Reply(messages(argo, pod)[:1]), Reply(cut=-1), Reply(cut=-1))
    argo.script(ONE, None, error(503, 14, "unavailable"), Reply(cut=-1), None, None)
    argo.script(LOG, Reply(messages(argo, pod), act=finish(argo)))
    assert texts(service.logs("one", follow=True)) == ["line 0", "line 1", "line 2"]
    assert time.now > 0


def test_after_too_long_an_outage_it_is_said(argo, service):
    three(argo, "Running")
    argo.script(ONE, None)
    argo.always(ONE, error(503, 14, "unavailable"))
    argo.always(LOG, error(503, 14, "unavailable"))
    with pytest.raises(ServerError, match="lab: the state of one is unknown"):
        list(service.logs("one", follow=True))


def test_a_tail_is_followed(argo, service):
    pod = three(argo, "Running")
    said = messages(argo, pod)
    argo.script(LOG, Reply(said[1:2]), Reply(said, act=finish(argo)))
    assert texts(service.logs("one", follow=True, tail=1)) == ["line 1", "line 2"]


def gone(argo, number, content):
    """The pod of a node is gone; its log is in the archive."""
    del argo.logs[f"one-main-{number}"]
    node = argo.workflows["one"]["status"]["nodes"][f"one-{number}"]
    node["outputs"] = {"artifacts": [{"name": "main-logs", "s3": {"key": "x"}}]}
    argo.files[f"/artifacts/argo/one/one-{number}/main-logs"] = content


def test_the_log_of_a_pod_that_is_gone_is_read_from_the_archive(argo, connect):
    notes = []
    three(argo)
    gone(argo, 1, b"line 0\nline 1\r\nno newline")
    argo.pod("one", 2, stamped(5, "there"))
    lines = list(connect(note=notes.append).logs("one"))
    assert texts(lines) == ["there", "line 0", "line 1", "no newline"]
    assert lines[-1].node_id == "one-1"
    assert notes == ["the pod of step1 is gone: its log is from the archive"]
    assert texts(connect().logs("one", tail=1)) == ["there", "no newline"]


def test_an_archived_log_is_read_from_the_contexts_own_store_where_that_has_it(
    argo, connect, tmp_path
):
    three(argo)
    gone(argo, 1, b"by the server")
    argo.pod("one", 2, stamped(5, "there"))
    store = DirectoryRepository(str(tmp_path / "store"))
    read = connect(repository=lambda: store)
    assert texts(read.logs("one")) == ["there", "by the server"]
    (tmp_path / "log").write_text("from the store\n")
    store.put(str(tmp_path / "log"), "x")
    assert texts(read.logs("one")) == ["there", "from the store"]


def test_a_log_that_is_nowhere_is_said_to_be(argo, connect):
    notes = []
    three(argo)
    argo.logs.clear()
    assert list(connect(note=notes.append).logs("one")) == []
    assert notes == ["the log of step1 is gone with its pod, and was not archived"]


def test_an_archived_log_that_cannot_be_read_is_said_to_be(argo, connect):
    notes = []
    three(argo)
    gone(argo, 1, b"")
    argo.files.clear()
    failed = Reply("Internal Server Error", 500, "text/plain")
    argo.always("GET /artifacts/argo/one/one-1/main-logs", failed)
    assert list(connect(note=notes.append).logs("one")) == []
    assert notes == [
        "the archived log of step1 cannot be read: the server failed: Internal Server Error"
    ]


def test_of_a_pod_that_goes_while_it_is_followed_the_rest_is_read(argo, service):
    pod = three(argo, "Running")

    def goes():
        gone(argo, 1, b"line 0\nline 1\nline 2\n")
        argo.change("one", "Succeeded")

    argo.script(LOG, Reply(messages(argo, pod)[:2], act=goes))
    assert texts(service.logs("one", follow=True)) == ["line 0", "line 1", "line 2"]


def test_what_an_earlier_run_wrote_is_no_news_to_who_follows(argo, connect):
    notes = []
    pod = three(argo, "Running")

    def ends():
        gone(argo, 2, b"of the earlier run\n")
        argo.workflows["one"]["status"]["nodes"]["one-2"]["message"] = "original pod: zero-2"
        argo.change("one", "Succeeded")

    argo.script(LOG, Reply(messages(argo, pod), act=ends))
    argo.pod("one", 2, "")
    service = connect(note=notes.append)
    assert texts(service.logs("one", follow=True)) == ["line 0", "line 1", "line 2"]
    assert notes == []
    assert texts(service.logs("one"))[-1] == "of the earlier run"


def test_the_logs_of_an_archived_run(argo, service):
    three(argo)
    gone(argo, 1, b"line 0\n")
    labels = {"workflows.argoproj.io/workflow-archiving-status": "Persisted"}
    argo.workflows["one"]["metadata"]["labels"] = labels
    argo.archive_run("one")
    argo.files = {"/artifacts-by-uid/uid-one/one-1/main-logs": b"line 0\nline 1\n"}
    unknown = Reply([stream_error(5, 'workflows.argoproj.io "one" not found')])
    argo.script(LOG, unknown, unknown)
    assert texts(service.logs("one")) == ["line 0", "line 1"]
    assert texts(service.logs("one", tail=1)) == ["line 1"]
