"""Checks of this machine, where the context is `local`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from argojobs.config.home import HOME_VARIABLE, existing_parent, home_path, open_home
from argojobs.engine.capacity import host_capacity
from argojobs.engine.hostcheck import host_isolation
from argojobs.engine.lock import holder
from argojobs.runs.doctor.checking import Check, attempt, ok, warning

#: With less than that left, the next model may not fit.
LITTLE = 2 * 2**30

_ISOLATION = {
    "mount": "each step has a root of its own",
    "user": "each step has a root of its own, by user namespaces",
}


def local_checks(home: Path | None = None) -> Iterator[Check]:
    """Yield what is found of this machine. home: the usual one unless given."""
    yield from attempt("interpreter", interpreter)
    yield from attempt("home", lambda: _home_check(home))
    yield from attempt("disk", lambda: disk(home))
    yield from attempt("namespaces", lambda: namespaces(home))
    yield from attempt("devices", devices)
    yield from attempt("controller", lambda: controller(home))


def interpreter() -> Check:
    """The Python that runs the steps."""
    return ok("interpreter", f"Python {sys.version.split()[0]} at {sys.executable}")


def _home_check(home: Path | None) -> Check:
    """The folder with the runs: a local disk that can be written. Raises HostError."""
    return ok("home", str(open_home(home)))


def disk(home: Path | None, little: int = LITTLE) -> Check:
    """The room that is left for runs."""
    path = existing_parent(home or home_path())
    free = shutil.disk_usage(path).free
    said = f"{free / 2**30:.1f} GiB are free at {path}"
    if free >= little:
        return ok("disk", said)
    remedy = f"delete old runs (argojobs delete RUN), or export {HOME_VARIABLE}=FOLDER elsewhere"
    return warning("disk", said, remedy)


def namespaces(home: Path | None) -> Check:
    """Whether manifests with absolute paths can run."""
    found = host_isolation(open_home(home))
    if found in _ISOLATION:
        return ok("namespaces", _ISOLATION[found])
    return warning(
        "namespaces",
        "this host gives steps no root of their own: your own pipelines run, manifests with "
        "absolute paths do not",
        "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run such manifests "
        "with --share-host-paths",
    )


def devices() -> Check:
    """What steps may ask for."""
    has = host_capacity()
    count = sum(has.gpus.values())
    gpus = f"{count:g} GPU{'s' if count != 1 else ''}" if count else "no GPU"
    return ok("devices", f"{has.cpu:g} CPUs, {has.memory / 2**30:.1f} GiB of memory, {gpus}")


def controller(home: Path | None) -> Check:
    """The process that runs the steps, if one is needed now."""
    found = holder(open_home(home))
    if found is None:
        return ok("controller", "none runs; a verb that needs one starts it")
    return ok("controller", f"process {found.pid}, version {found.version}")
