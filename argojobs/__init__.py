"""argojobs: typed Python pipelines as Argo Workflows, the same on a laptop and on a cluster.

    from argojobs import Model, Outputs, pipeline, step

Names are loaded when first used: a step's container pays only for what its file imports.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .dsl.artifacts import Artifact, Checkpoint, Dataset, Directory, File, Model, TensorBoard
    from .dsl.branches import either, not_, when
    from .dsl.fanout import Gathered, each
    from .dsl.foreign import use
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
    "Gathered": "dsl.fanout",
    "HostPath": "dsl.volumes",
    "Model": "dsl.artifacts",
    "Outputs": "dsl.outputs",
    "Pipeline": "dsl.pipelines",
    "Port": "dsl.resources",
    "Retry": "dsl.retry",
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
    "step": "dsl.steps",
    "use": "dsl.foreign",
    "when": "dsl.branches",
}

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
    "Model",
    "Outputs",
    "Pipeline",
    "Port",
    "Retry",
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
    "step",
    "use",
    "when",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'argojobs' has no attribute {name!r}")
    import sys

    module = f"{__name__}.{home}"
    __import__(module)  # importlib would load more than it saves here
    value = getattr(sys.modules[module], name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
