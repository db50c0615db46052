"""What a run takes from the process that submitted it: never from whoever started the controller.

The interpreter stands for `python` and `python3`, the project folder for an image that holds our
own steps, PATH and a list of variables for the environment; claims and images are those of the
settings at that moment. It is plain data, kept in the run's row.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from argojobs.config.reading import text_of_file
from argojobs.config.settings import Settings

ALLOWED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TERM|COLORTERM|NO_COLOR"
    r"|TRANSIENT_ERROR_PATTERN"
    r"|(https?|all|ftp|no)_proxy|(HTTPS?|ALL|FTP|NO)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE"
    r"|CURL_CA_BUNDLE|LD_LIBRARY_PATH|CUDA_.*|NVIDIA_.*|CUDNN_.*|NCCL_.*|ROCR_.*|HIP_.*|XLA_.*"
    r"|JAX_.*|TF_.*|OMP_.*|MKL_.*|OPENBLAS_.*|KMP_.*|XDG_.*_HOME|HF_HOME|TORCH_HOME|KERAS_.*"
)


def capture(
    settings: Settings | None = None,
    *,
    project: Path | None = None,
    share_host_paths: bool = False,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what to record of this process, as JSON data.

    Args:
        settings: the user's; None for the defaults.
        project: the folder of the user's project, None for the current one.
        share_host_paths: whether steps may use this machine's own paths.
        environment: variables, of which pods get what `allowed_environment` and the settings say;
            None for this process's.
    """
    settings = settings or Settings()
    variables = os.environ if environment is None else environment
    return {
        "interpreter": sys.executable,
        "project": str((project or Path.cwd()).absolute()),
        "environment": allowed_environment(variables, settings.environment),
        "keep": [str(Path(sys.base_prefix)), str(Path.cwd())],
        "claims": dict(settings.claims),
        "secrets": _secrets(settings, variables),
        "images": {
            name: {
                "command": list(image.command),
                "entrypoint": list(image.entrypoint),
                "root": image.root,
                "workdir": image.workdir,
            }
            for name, image in settings.images.items()
        },
        "max_pods": settings.max_pods,
        "share_host_paths": share_host_paths,
    }


def _secrets(settings: Settings, variables: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the values of the secrets that settings refer to; one that is not there is left out.

    A file's last newline is not part of its secret.
    """
    found: dict[str, dict[str, str]] = {}
    for name, keys in settings.secrets.items():
        values: dict[str, str] = {}
        for key, reference in keys.items():
            kind, _, place = reference.partition(":")
            if kind == "env" and place in variables:
                values[key] = variables[place]
            elif kind == "file" and Path(place).is_file():
                values[key] = text_of_file(Path(place)).removesuffix("\n")
        found[name] = values
    return found


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
