"""Calls in the order of the TensorFlow example: one callback saves before the other's `end_epoch`."""

import json
import os
import sys

import tensorflow as tf
from kubernetesdlprofile import kubeprofiler

model = tf.Model()
prof = kubeprofiler.KubeProfiler()
checkpoint_filepath = os.path.join(prof.root_dir, "tf_ckpts")


class KubeProfilerCallback(tf.Callback):
    def __init__(self, prof) -> None:
        super().__init__()
        self.prof = prof

    def on_epoch_begin(self, epoch, logs=None) -> None:
        self.prof.start_epoch()

    def on_epoch_end(self, epoch, logs=None) -> None:
        self.prof.end_epoch()

    def on_train_batch_end(self, batch, logs=None) -> None:
        self.prof.measure()


initial_epoch = 0
if prof.RESTARTED:
    model.load_weights(checkpoint_filepath)
    initial_epoch = prof.EPOCHS_DONE
model.fit(
    range(prof.TRAINING_SET_SIZE // prof.BATCH_SIZE),
    epochs=prof.EPOCHS,
    initial_epoch=initial_epoch,
    callbacks=[tf.ModelCheckpoint(checkpoint_filepath), KubeProfilerCallback(prof)],
)
with open(sys.argv[1], "w") as file:
    json.dump(model.weights, file)
