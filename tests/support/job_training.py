"""A small training with checkpoints, and a way to kill it somewhere."""

from __future__ import annotations

import random
import signal
import subprocess
import time

#: A training of a few milliseconds an epoch. It writes a byte wherever it could be killed.
TRAINING = """
import math, os, struct

folder = sys.argv[1]
def here():
    os.write(1, b".")

def save(path, weights):
    with open(path, "wb") as file:
        file.write(struct.pack("8d", *weights))

def load(path):
    with open(path, "rb") as file:
        return list(struct.unpack("8d", file.read()))

here()
stored = job.restore()
weights = [float(n) for n in range(8)] if stored is None else load(stored)
here()
for epoch in job.epochs(24):
    here()
    for batch in range(4):
        step = epoch * 4 + batch
        weights = [w * 0.999 + math.sin(step + n) for n, w in enumerate(weights)]
        job.log(loss=sum(weights), step=step)
        here()
    job.log({"val/loss": weights[0]}, step=step)
    path = os.path.join(folder, "weights")
    save(path, weights)
    here()
    job.checkpoint(path)
    here()
save(os.path.join(folder, "final"), weights)
"""


def killed(process: subprocess.Popen[bytes], chance: random.Random) -> bool:
    """Kill a training somewhere in its next two epochs; return whether it was killed in time."""
    assert process.stdout is not None
    for _ in range(chance.randrange(24)):
        process.stdout.read(1)
    time.sleep(chance.choice((0, chance.random() / 200)))
    process.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
    process.stdout.read()
    process.stdout.close()
    code = process.wait()
    assert code in (0, 143, -signal.SIGTERM, -signal.SIGKILL)
    return code != 0
