"""As much of TensorFlow as the script uses: callbacks, which are called in their order."""

import os

import dying
import weights


class Callback:
    def __init__(self) -> None: ...
    def on_epoch_begin(self, epoch, logs=None) -> None: ...
    def on_epoch_end(self, epoch, logs=None) -> None: ...
    def on_train_batch_end(self, batch, logs=None) -> None: ...


class ModelCheckpoint(Callback):
    def __init__(self, filepath: str) -> None:
        self.filepath = filepath

    def on_epoch_end(self, epoch, logs=None) -> None:
        weights.write(self.model.weights, os.path.join(self.filepath, "weights"), str(epoch))


class Model:
    def __init__(self) -> None:
        self.weights = weights.new()

    def load_weights(self, path: str) -> None:
        self.weights = weights.read(os.path.join(path, "weights"))

    def fit(self, batches, *, epochs, initial_epoch, callbacks) -> None:
        for callback in callbacks:
            callback.model = self
        for epoch in range(initial_epoch, epochs):
            for callback in callbacks:
                callback.on_epoch_begin(epoch)
            for number in batches:
                dying.here(f"in epoch {epoch}")
                weights.step(self.weights, epoch, number)
                for callback in callbacks:
                    callback.on_train_batch_end(number)
            for callback in callbacks:
                callback.on_epoch_end(epoch)
            dying.here(f"after epoch {epoch}")
