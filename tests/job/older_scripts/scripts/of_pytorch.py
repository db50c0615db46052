"""Calls in the order of the PyTorch example: the weights are saved after `end_epoch`."""

import json
import sys

import dying
import torch
import weights
from kubernetesdlprofile import kubeprofiler


class Model:
    def __init__(self) -> None:
        self.prof = kubeprofiler.KubeProfiler()
        self.state = weights.new()


model = Model()
path = model.prof.root_dir + "/net.pth"
batches = range(model.prof.TRAINING_SET_SIZE // model.prof.BATCH_SIZE)
print("GPUs:", model.prof.NUM_GPUS)
if model.prof.RESTARTED:
    model.state = torch.load(path)
for epoch in range(model.prof.EPOCHS - model.prof.EPOCHS_DONE):
    number = epoch + model.prof.EPOCHS_DONE
    model.prof.start_epoch()
    for batch in batches:
        dying.here(f"in epoch {number}")
        weights.step(model.state, number, batch)
        model.prof.measure()
    model.prof.end_epoch()
    dying.here(f"after epoch {number}")
    torch.save(model.state, path)
with open(sys.argv[1], "w") as file:
    json.dump(model.state, file)
