"""Threads that work off jobs: all of them, or none after the first that failed."""

import threading

import pytest

from argojobs.storage.worker_pool import Meter, WorkerPool


def test_leaving_waits_for_all_jobs():
    done = []
    with WorkerPool(3) as pool:
        for number in range(50):
            pool.submit(lambda number=number: done.append(number))
    assert sorted(done) == list(range(50))


def test_the_first_failure_is_raised_and_the_rest_is_dropped():
    done = []

    def fail():
        raise ValueError("the first")

    def work():
        with WorkerPool(1) as pool:
            pool.submit(fail)
            for number in range(1000):
                pool.submit(lambda number=number: done.append(number))

    with pytest.raises(ValueError, match="the first"):
        work()
    assert len(done) < 1000


def test_jobs_do_not_pile_up():
    begun, go = [], threading.Event()

    def job():
        begun.append(1)
        go.wait(10)

    handed_out, handing = [], threading.Semaphore(0)

    def feed():
        with WorkerPool(2) as pool:
            for _ in range(20):
                pool.submit(job)
                handed_out.append(1)
                handing.release()

    feeding = threading.Thread(target=feed)
    feeding.start()
    assert all(handing.acquire(timeout=10) for _ in range(4))  # two at work, two waiting
    assert len(handed_out) == 4
    go.set()
    feeding.join(10)
    assert len(begun) == 20


def test_an_interrupted_one_does_not_wait_for_jobs():
    go = threading.Event()

    def work():
        with WorkerPool(1) as pool:
            pool.submit(lambda: go.wait(60) and None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not go.is_set()
    go.set()


def test_an_error_beside_the_jobs_is_the_one_that_is_raised():
    def work():
        with WorkerPool(2) as pool:
            pool.submit(lambda: None)
            raise LookupError

    with pytest.raises(LookupError):
        work()


def test_progress_is_counted_from_all_threads():
    told = []
    meter = Meter(100, lambda done, total: told.append((done, total)))
    with WorkerPool(4) as pool:
        for _ in range(100):
            pool.submit(lambda: meter.add(1))
    assert told == [(done, 100) for done in range(1, 101)]
    Meter(1, None).add(1)
