"""What all pods of a run share: whose they are, where things lie, what images stand for here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

GRACE = 30.0  # Kubernetes' terminationGracePeriodSeconds
ALLOWED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TERM|COLORTERM|NO_COLOR"
    r"|TRANSIENT_ERROR_PATTERN"
    r"|(https?|all|ftp|no)_proxy|(HTTPS?|ALL|FTP|NO)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE"
    r"|CURL_CA_BUNDLE|LD_LIBRARY_PATH|CUDA_.*|NVIDIA_.*|CUDNN_.*|NCCL_.*|ROCR_.*|HIP_.*|XLA_.*"
    r"|JAX_.*|TF_.*|OMP_.*|MKL_.*|OPENBLAS_.*|KMP_.*|XDG_.*_HOME|HF_HOME|TORCH_HOME|KERAS_.*"
)


@dataclass(frozen=True, slots=True)
class Submitter:
    """Whose machine and project it is: taken at submission, never from the controller.

    interpreter: absolute path. directory: the project root or working directory, absolute.
    environment: already reduced by `allowed_environment`. keep: further host paths that pods
    must see even when they lie below /tmp.
    """

    interpreter: str
    directory: str
    environment: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Image:
    """What an image stands for: ENTRYPOINT, CMD, the folder of its files if any, and WORKDIR."""

    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    root: str = ""
    workdir: str = ""


@dataclass(frozen=True, slots=True)
class PodContext:
    """What is the same for all pods of a run.

    pods: the folder of all pod directories. cache: folder for unpacked code bundles.
    repository: from `Repository.describe()`. claims: claim name -> host folder, as settings say;
    any other claim is a folder below claims_home. secrets: values by name and key. isolation: what the executor found this host to
    allow. share_host_paths: without namespaces, let manifests
    use the host's own paths. enforce_memory: have the kernel keep limits
    of memory, where it lets us. artifact_prefix: the key before an artifact's file name, Argo's
    `keyFormat`. environment: variables set over the submitter's (the leased devices).
    """

    workflow: str
    uid: str
    namespace: str
    submitter: Submitter
    pods: str
    cache: str
    repository: Mapping[str, Any]
    claims_home: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    images: Mapping[str, Image] = field(default_factory=dict)
    isolation: Literal["mount", "user", "none"] = "mount"
    share_host_paths: bool = False
    enforce_memory: bool = False
    artifact_prefix: str = ""
    grace: float = GRACE
    host: str = "localhost"
    service_account: str = "default"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def directory(self, pod: str) -> str:
        """Where request, log and result of a pod lie."""
        return f"{self.pods}/{self.workflow}/{pod}"


def allowed_environment(environment: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """The part of a submitter's environment that its pods get; `more` names further variables.

    A name of `more` may end in `*`. Secrets are not in it unless named.
    """
    further = tuple(more)
    exact = {name for name in further if not name.endswith("*")}
    begins = tuple(name[:-1] for name in further if name.endswith("*"))
    return {
        name: value
        for name, value in environment.items()
        if ALLOWED.fullmatch(name) or name in exact or (begins and name.startswith(begins))
    }
