"""argojobs: typed Python pipelines as Argo Workflows, the same on a laptop and on a cluster.

    from argojobs import Model, Outputs, pipeline, step

Names are loaded when first used: a step's container pays only for what its file imports.
"""

from __future__ import annotations

__version__ = "0.2.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import Run, run
    from .convert.hera_workflow import to_hera
    from .dsl.artifacts import Artifact, Checkpoint, Dataset, Directory, File, Model, TensorBoard
    from .dsl.branches import either, not_, when
    from .dsl.fanout import each
    from .dsl.foreign import use
    from .dsl.gathered import Gathered
    from .dsl.images import Image
    from .dsl.outputs import Outputs
    from .dsl.pipelines import Pipeline, pipeline
    from .dsl.resources import GPU, Port, Secret, Toleration
    from .dsl.retry import Retry
    from .dsl.steps import Step, command, step
    from .dsl.volumes import Claim, ConfigFiles, EmptyDir, HostPath, SecretFiles
    from .errors import ArgojobsError, DefinitionError

#: Where each name lives, below this package.
_HOMES = {
    "ArgojobsError": "errors",
    "Artifact": "dsl.artifacts",
    "Checkpoint": "dsl.artifacts",
    "Claim": "dsl.volumes",
    "ConfigFiles": "dsl.volumes",
    "Dataset": "dsl.artifacts",
    "DefinitionError": "errors",
    "Directory": "dsl.artifacts",
    "EmptyDir": "dsl.volumes",
    "File": "dsl.artifacts",
    "GPU": "dsl.resources",
    "Gathered": "dsl.gathered",
    "HostPath": "dsl.volumes",
    "Image": "dsl.images",
    "Model": "dsl.artifacts",
    "Outputs": "dsl.outputs",
    "Pipeline": "dsl.pipelines",
    "Port": "dsl.resources",
    "Retry": "dsl.retry",
    "Run": "api",
    "Secret": "dsl.resources",
    "SecretFiles": "dsl.volumes",
    "Step": "dsl.steps",
    "TensorBoard": "dsl.artifacts",
    "Toleration": "dsl.resources",
    "command": "dsl.steps",
    "each": "dsl.fanout",
    "either": "dsl.branches",
    "not_": "dsl.branches",
    "pipeline": "dsl.pipelines",
    "run": "api",
    "step": "dsl.steps",
    "to_hera": "convert.hera_workflow",
    "use": "dsl.foreign",
    "when": "dsl.branches",
}

# travels with: everything
__all__ = [
    "GPU",
    "ArgojobsError",
    "Artifact",
    "Checkpoint",
    "Claim",
    "ConfigFiles",
    "Dataset",
    "DefinitionError",
    "Directory",
    "EmptyDir",
    "File",
    "Gathered",
    "HostPath",
    "Image",
    "Model",
    "Outputs",
    "Pipeline",
    "Port",
    "Retry",
    "Run",
    "Secret",
    "SecretFiles",
    "Step",
    "TensorBoard",
    "Toleration",
    "command",
    "each",
    "either",
    "not_",
    "pipeline",
    "run",
    "step",
    "to_hera",
    "use",
    "when",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'argojobs' has no attribute {name!r}")
    import sys

    module = f"{__name__}.{home}"
    try:
        __import__(module)  # importlib would load more than it saves here
        value = getattr(sys.modules[module], name)
    except ModuleNotFoundError as error:
        if error.name not in (module, module.rpartition(".")[0]):
            raise
        value = _not_in_a_step(name)
    globals()[name] = value
    return value


def _not_in_a_step(name: str) -> object:
    """Stand in for what does not travel into images, so that a user's file imports there too."""

    def missing(*_: object, **__: object) -> object:
        from .errors import StepError

        raise StepError(
            f"argojobs.{name} is not there inside a step",
            hint='call it below `if __name__ == "__main__":`, where argojobs is installed.',
        )

    return missing


# travels with: everything
def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
