"""Logs: each line once, none lost, while they grow and when they are done."""

import pytest

from argojobs.engine.logs import PodLog, read_logs
from argojobs.engine.store.rows import PodRow, RunChange
from argojobs.engine.store.store import Store
from argojobs.errors import NotFoundError


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path)
    opened.add_run({"metadata": {"name": "run"}, "spec": {}, "status": {"phase": "Running"}}, {})
    rows = [PodRow("run", key, f"pod-{key}", "pending", "{}", None) for key in "ab"]
    opened.commit([RunChange("run", pods_added=rows, pods_started=["a"])])
    yield opened
    opened.close()


def directory(tmp_path, pod):
    folder = tmp_path / "pods" / pod
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(tmp_path, pod, data):
    with (directory(tmp_path, pod) / "main.log").open("ab") as file:
        file.write(data)


def texts(lines):
    return [line.text for line in lines]


def test_lines_come_when_they_are_complete(tmp_path):
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    assert texts(log.read()) == []
    write(tmp_path, "pod-a", b"one\ntw")
    assert texts(log.read()) == ["one"]
    write(tmp_path, "pod-a", b"o\r\nthree")
    assert texts(log.read()) == ["two"]
    assert texts(log.read(last=True)) == ["three"]
    assert texts(log.read(last=True)) == []


def test_what_is_no_utf8_is_shown_all_the_same(tmp_path):
    write(tmp_path, "pod-a", b"caf\xe9 \xe2\x82\xac\n")
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    assert texts(log.read()) == ["caf\ufffd €"]


def test_a_character_cut_in_two_writes_is_whole(tmp_path):
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    write(tmp_path, "pod-a", "€".encode()[:2])
    assert texts(log.read()) == []
    write(tmp_path, "pod-a", "€".encode()[2:] + b"\n")
    assert texts(log.read()) == ["€"]


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 100, 20_000, 50_000])
def test_the_tail_is_the_last_lines(tmp_path, count, end):
    lines = [f"line {i}" for i in range(30_000)]
    write(tmp_path, "pod-a", "\n".join(lines).encode() + end)
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    log.skip_to_tail(count)
    assert texts(log.read(last=True)) == lines[-count:]


def test_without_follow_it_is_what_is_there(store, tmp_path):
    write(tmp_path, "pod-a", b"one\ntwo")
    found = list(read_logs(store, "run", lambda pod: directory(tmp_path, pod), pause=pytest.fail))
    assert [(line.node_id, line.pod, line.text) for line in found] == [
        ("a", "pod-a", "one"),
        ("a", "pod-a", "two"),
    ]


def test_one_node_alone(store, tmp_path):
    write(tmp_path, "pod-a", b"one\n")
    write(tmp_path, "pod-b", b"two\n")
    store.commit([RunChange("run", pods_started=["b"])])
    ask = read_logs(
        store, "run", lambda pod: directory(tmp_path, pod), node_id="b", pause=pytest.fail
    )
    assert texts(ask) == ["two"]


def test_following_ends_with_the_run_and_loses_nothing(store, tmp_path):
    happenings = [
        lambda: write(tmp_path, "pod-a", b"one\nunfin"),
        lambda: (
            write(tmp_path, "pod-a", b"ished\nlast of a"),
            store.commit([RunChange("run", pods_ended=["a"], pods_started=["b"])]),
        ),
        lambda: write(tmp_path, "pod-b", b"of b\n"),
        lambda: (
            write(tmp_path, "pod-b", b"last of b"),
            store.commit([RunChange("run", pods_ended=["b"], status={"phase": "Succeeded"})]),
        ),
    ]
    found = read_logs(
        store,
        "run",
        lambda pod: directory(tmp_path, pod),
        follow=True,
        pause=lambda: happenings.pop(0)(),
    )
    assert texts(found) == ["one", "unfinished", "last of a", "of b", "last of b"]
    assert happenings == []


def test_a_run_deleted_while_it_is_followed_says_so(store, tmp_path):
    write(tmp_path, "pod-a", b"one\n")

    def delete():
        store.commit([RunChange("run", status={"phase": "Failed"})])
        store.remove_run("run")

    found = read_logs(store, "run", lambda pod: directory(tmp_path, pod), follow=True, pause=delete)
    assert next(found).text == "one"
    with pytest.raises(NotFoundError):
        next(found)


def unfinished(log, now):
    assert list(log.read()) == []
    line = log.unfinished(now)
    return None if line is None else (line.text, line.unfinished)


def test_a_line_that_goes_on_is_told_about_every_second(tmp_path):
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    assert unfinished(log, 0) is None, "there is none"
    write(tmp_path, "pod-a", b"\r 1%")
    assert unfinished(log, 0.5) is None, "it may end at once"
    assert unfinished(log, 1.1) == (" 1%", True)
    write(tmp_path, "pod-a", b"\r 2%\r 3%\r")
    assert unfinished(log, 1.9) is None, "not yet"
    assert unfinished(log, 2.2) == (" 3%", True)
    assert unfinished(log, 9) is None, "it stands"
    write(tmp_path, "pod-a", b"\r100%\nnext")
    assert texts(log.read()) == ["\r 1%\r 2%\r 3%\r\r100%"]
    assert unfinished(log, 10) is None, "a new line, which may end at once"
    assert unfinished(log, 11.1) == ("next", True)


@pytest.mark.parametrize("odd", [b"\r", b"\r\r\r", b"\xe2\x82", b"\x1b[2K"])
def test_odd_beginnings_of_lines_break_nothing(tmp_path, odd):
    log = PodLog("a", "pod-a", directory(tmp_path, "pod-a") / "main.log")
    unfinished(log, 0)
    write(tmp_path, "pod-a", odd)
    unfinished(log, 5)
    write(tmp_path, "pod-a", b"x\n")
    assert texts(log.read()) == [(odd + b"x").decode(errors="replace")]


def test_followed_logs_tell_of_it_and_finished_ones_do_not(store, tmp_path):
    write(tmp_path, "pod-a", b"one\n50%")
    seconds = iter(range(100))

    def pause():
        write(tmp_path, "pod-a", b"\r60%")
        if next(seconds) == 3:
            store.commit([RunChange("run", status={"phase": "Succeeded"})])

    told = read_logs(
        store, "run", lambda pod: directory(tmp_path, pod), follow=True, pause=pause,
        clock=iter(range(100)).__next__,
    )  # fmt: skip
    lines = [(line.text, line.unfinished) for line in told]
    assert lines[0] == ("one", False)
    assert ("60%", True) in lines
    assert lines[-1][1] is False
    assert lines[-1][0].startswith("50%\r60%")
