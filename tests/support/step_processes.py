"""A pipeline whose steps start processes in every way that training code does."""

METHODS = ("fork", "spawn", "forkserver")

FLOW = '''\
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import time

from argojobs import File, command, pipeline, step

class Squares:
    """A dataset: an object of the user's own module, as a loader hands it to its workers."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index * index

def square(number):
    return number * number

def answer(queue):
    queue.put((os.getpid(), square(3)))

def fetch(dataset, wanted, fetched, done):
    """What a worker of torch's DataLoader does."""
    while not done.is_set():
        index = wanted.get()
        if index is None:
            break
        fetched.put((index, dataset[index]))

@step
def cube(number: int) -> int:
    return number ** 3

@step
def starts(method: str) -> str:
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=answer, args=(queue,))
    child.start()
    found = queue.get(timeout=60)
    child.join()
    assert found == (child.pid, 9) and child.exitcode == 0, (found, child.exitcode)
    with context.Pool(2) as pool:
        assert pool.map(square, range(4)) == [0, 1, 4, 9]
        assert pool.map(cube, range(3)) == [0, 1, 8]
        (made,) = pool.map(File, ["/x"])
        assert made == File("/x")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    with context.Manager() as manager:
        assert dict(manager.dict(a=1)) == {"a": 1}
    return method

@step
def loads(method: str) -> int:
    """The calls of a DataLoader with two workers that are daemons, in its order."""
    context = multiprocessing.get_context(method)
    fetched, done, dataset = context.Queue(), context.Event(), Squares()
    asked, workers = [], []
    for _ in range(2):
        asked.append(context.Queue())
        asked[-1].cancel_join_thread()
        words = (dataset, asked[-1], fetched, done)
        workers.append(context.Process(target=fetch, args=words, daemon=True))
        workers[-1].start()
    for index in range(len(dataset)):
        asked[index % 2].put(index)
    total = sum(fetched.get(timeout=60)[1] for _ in range(len(dataset)))
    done.set()
    for each, worker in zip(asked, workers):
        each.put(None)
        worker.join(60)
        assert worker.exitcode == 0
    return total

@step
def loads_torch(method: str) -> int:
    from torch.utils.data import DataLoader
    loader = DataLoader(Squares(), num_workers=2, multiprocessing_context=method)
    return int(sum(batch.sum() for batch in loader))

@step
def maps_with_joblib() -> list[int]:
    from joblib import Parallel, delayed
    return Parallel(n_jobs=2)(delayed(square)(number) for number in range(4))

@step
def grows_a_tree() -> str:
    """A child with a child of its own, which is waited for."""
    inner = "import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', 'print(7)'], text=True))"
    return subprocess.run(
        [sys.executable, "-c", inner], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()

@step
def shows_progress() -> int:
    for done in range(3):
        print("\\r%d of 2" % done, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return done

@command()
def program(method: str) -> list[str]:
    return ["python3", "-u", "alone.py", method]

@pipeline
def main() -> None:
    for method in ("fork", "spawn", "forkserver"):
        starts.options(name=f"starts-{method}")(method)
        loads.options(name=f"loads-{method}")(method)
        program.options(name=f"program-{method}")(method)
    grows_a_tree()
    shows_progress()

@pipeline
def few() -> None:
    starts("spawn")
    program("forkserver")
'''

#: A program of the user's own, guarded as Python's documentation asks for.
ALONE = """\
import multiprocessing
import sys

def square(number):
    return number * number

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print("alone", pool.map(square, range(4)))
"""
