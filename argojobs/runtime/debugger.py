"""Wait for a debugger before the user's file is imported, when `ARGOJOBS_DEBUG=1` says so."""

from __future__ import annotations

import os
import sys

from ..errors import StepError

WANTED = "ARGOJOBS_DEBUG"
#: Where to listen, `HOST:PORT`; the engine on a laptop keeps it to the laptop.
ADDRESS = "ARGOJOBS_DEBUG_ADDRESS"
DEFAULT_ADDRESS = "0.0.0.0:3000"


def wanted() -> bool:
    """Whether this step was started with `--debug`."""
    return os.environ.get(WANTED) == "1"


def program() -> list[str]:
    """Return what Python gets before a script that is to wait for a debugger itself.

    Raises StepError where the image has no debugpy.
    """
    from importlib.util import find_spec

    if find_spec("debugpy") is None:
        raise _not_installed()
    address = os.environ.get(ADDRESS, DEFAULT_ADDRESS)
    print(f"argojobs: waiting for a debugger on {address}", file=sys.stderr, flush=True)
    return ["-m", "debugpy", "--listen", address, "--wait-for-client"]


def wait() -> None:
    """Start debugpy and wait until a client is attached.

    Raises StepError where the image has no debugpy, or the port is taken.
    """
    host, _, port = os.environ.get(ADDRESS, DEFAULT_ADDRESS).rpartition(":")
    try:
        import debugpy  # noqa: T100 - it was asked for
    except ModuleNotFoundError as error:
        raise _not_installed() from error
    try:
        debugpy.listen((host, int(port)))  # noqa: T100
    except (RuntimeError, OSError, ValueError) as error:
        raise StepError(
            f"the debugger cannot listen on {host}:{port}: {error}",
            hint=f"another step on this host may hold the port; {ADDRESS}=HOST:PORT changes it.",
        ) from error
    print(f"argojobs: waiting for a debugger on {host}:{port}", file=sys.stderr, flush=True)
    debugpy.wait_for_client()  # noqa: T100


def _not_installed() -> StepError:
    return StepError(
        "this step was started with --debug, but its image has no debugpy",
        where=sys.executable,
        hint="add `pip install debugpy` to the image, or run without --debug.",
    )
