"""What `run` is about to do, as a value: `--dry-run` prints it, `carry_out` does it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.cli.names import run_name, step_named
from argojobs.cli.preparing import Prepared, with_artifact, with_metadata
from argojobs.cli.text import Line, columns
from argojobs.errors import ConflictError, NotFoundError, OutputError, UsageError
from argojobs.manifest.names import label_value, object_name
from argojobs.service import Service

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed
    from argojobs.compile.code import Code
    from argojobs.storage.repository import Repository

USER_LABEL = "argojobs.dev/user"
EXPERIMENT_LABEL = "argojobs.dev/experiment"
#: The name that a run was given, where Kubernetes takes no such name.
NAME_ANNOTATION = "argojobs.dev/name"


@dataclass(frozen=True, slots=True)
class Upload:
    """One thing to store under a key: a bundle of code, or the user's file or folder."""

    key: str
    what: str
    packed: Packed | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to be started: the whole workflow object, and what must be stored before."""

    workflow: dict[str, Any]
    uploads: tuple[Upload, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that the run will have."""
        return str(self.workflow["metadata"]["name"])


def make_plan(
    prepared: Prepared,
    service: Service,
    repository: Callable[[], Repository],
    *,
    name: str = "",
    experiment: str = "",
) -> Plan:
    """Give the run its name and labels, and its artifact arguments their places.

    A name or experiment that Kubernetes would refuse is cut, with a hash; an annotation keeps it.
    """
    chosen = object_name(name) if name else new_name(prepared.workflow, prepared.loaded.name)
    labels = {USER_LABEL: user_name()}
    whole = {NAME_ANNOTATION: name} if name and name != chosen else {}
    if experiment:
        labels[EXPERIMENT_LABEL] = label_value(experiment)
        if labels[EXPERIMENT_LABEL] != experiment:
            whole[EXPERIMENT_LABEL] = experiment
    workflow = with_metadata(prepared.workflow, name=chosen, labels=labels, annotations=whole)
    uploads: list[Upload] = []
    packed = prepared.packed
    if packed is not None and repository().kind(packed.key) is None:
        what = f"code {packed.hash[:12]} ({len(packed.files)} files)"
        uploads.append(Upload(packed.key, what, packed=packed))
    for given in prepared.artifacts:
        if given.kind == "path":
            _check_kind(workflow, given.name, given.text)
            upload, argument = _from_path(chosen, given.name, given.text)
            uploads.append(upload)
        elif given.kind == "run":
            argument = _from_run(service, given.name, given.text)
        else:
            raise UsageError(
                f"{given.name}={given.text}: this machine has no "
                f"{'S3' if given.kind == 's3' else 'claims to take artifacts from'}",
                hint=f"give {given.name}=./PATH or {given.name}=run:NAME/STEP/output",
            )
        workflow = with_artifact(workflow, argument)
    return Plan(workflow, tuple(uploads), prepared.warnings)


def new_name(workflow: dict[str, Any], fallback: str) -> str:
    """Return the name of a new run: the manifest's own, else its `generateName` with a suffix.

    The client makes the name, so that the same submission can never become two runs.
    """
    import random

    from argojobs.manifest.names import random_suffix

    metadata = workflow.get("metadata") or {}
    if metadata.get("name"):
        return str(metadata["name"])
    start = str(metadata.get("generateName") or "")
    if not start:
        start = re.sub(r"[^a-z0-9]+", "-", fallback.lower()).strip("-") + "-"
    return start[:57].lstrip("-") + random_suffix(random.SystemRandom())


def user_name() -> str:
    """Return who runs this, as a label may hold it; `unknown` where the system does not say."""
    import getpass

    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "unknown"
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:63].strip("-._") or "unknown"


#: Kinds of artifacts that are always a folder, or always a file.
_FOLDERS, _FILES = frozenset({"Directory", "TensorBoard", "Checkpoint"}), frozenset({"File"})


def _check_kind(workflow: dict[str, Any], name: str, text: str) -> None:
    """Refuse a file for an argument that is a folder, and the other way round."""
    from argojobs.manifest.signature import signature_of

    declared = ((signature_of(workflow) or {}).get("artifacts") or {}).get(name) or {}
    kind, path = declared.get("kind", ""), Path(text).expanduser()
    if (kind in _FOLDERS and path.is_file()) or (kind in _FILES and path.is_dir()):
        here, wanted = ("file", "folder") if kind in _FOLDERS else ("folder", "file")
        raise UsageError(
            f"{name}={text} is a {here}, and {name} is a {kind}: a {wanted}",
            hint=f"give the {wanted} itself, or declare {name} as "
            f"{'File' if kind in _FOLDERS else 'Directory'}",
        )


def _from_path(run: str, name: str, text: str) -> tuple[Upload, dict[str, Any]]:
    path = Path(text).expanduser()
    if not path.exists():
        raise NotFoundError(
            f"{name}={text}: there is no such file or folder",
            where=str(path.absolute()),
            hint="an artifact is given as ./folder, ./file or run:NAME/STEP/output",
        )
    key = f"{run}/argojobs-arguments/{name}"
    what = f"{name} from {text}{'/' if path.is_dir() and not text.endswith('/') else ''}"
    argument = {"name": name, "s3": {"key": key}, "archive": {"none": {}}}
    return Upload(key, what, path=path), argument


def _from_run(service: Service, name: str, text: str) -> dict[str, Any]:
    """Return the argument for `run:NAME/STEP/output`: the place of that run's output."""
    run, step, output = text.removeprefix("run:").split("/")
    workflow = service.get(run_name(service, run))
    found = step_named(workflow, step)
    artifacts = {
        a["name"]: a for a in found.outputs.get("artifacts") or [] if a["name"] != "main-logs"
    }
    if output not in artifacts:
        from argojobs.manifest.nearest import suggestion

        raise NotFoundError(
            f"{name}={text}: {found.path} of {workflow['metadata']['name']} has no "
            f"artifact {output!r}",
            hint=suggestion(output, artifacts, what="its artifacts are"),
        )
    kept = {k: v for k, v in artifacts[output].items() if k in {"s3", "raw", "archive"}}
    return {"name": name, **kept}


def earlier_code(repository: Repository, wanted: str) -> Code:
    """Return code that was stored before: the newest (`latest`), or the one of a hash's beginning.

    Raises NotFoundError when there is none, or several.
    """
    from argojobs.compile.code import Code

    known = {
        entry.key.removeprefix("code/").removesuffix(".tgz"): entry.key
        for entry in repository.list("code")
    }
    if not known:
        raise NotFoundError(
            f"--code {wanted}: no code is stored here yet",
            hint="leave the option out to pack the project, or: argojobs init",
        )
    if wanted == "latest":
        matches = [max(known, key=lambda one: _stored_at(repository, known[one]))]
    else:
        matches = [one for one in known if one.startswith(wanted)]
    if len(matches) != 1:
        listed = ", ".join(one[:12] for one in (matches or known))
        count = f"{len(matches)} bundles begin" if matches else "no bundle begins"
        raise NotFoundError(f"--code: {count} with {wanted!r}", hint=f"stored are: {listed}")
    digest = matches[0]
    return Code("stored", digest, known[digest], labels={"argojobs.dev/code": digest[:16]})


def _stored_at(repository: Repository, key: str) -> float:
    path = repository.local(key)
    return Path(path).stat().st_mtime if path else 0.0


def carry_out(plan: Plan, service: Service, repository: Callable[[], Repository]) -> dict[str, Any]:
    """Store what the run needs and create it. Raises ConflictError for a name that is taken."""
    for upload in plan.uploads:
        store(upload, repository())
    try:
        return service.create(plan.workflow)
    except ConflictError as error:
        if error.hint:
            raise
        raise ConflictError(
            error.what, where=error.where, hint="give another name with --name"
        ) from error


def store(upload: Upload, repository: Repository) -> None:
    """Store one upload, so that it survives a power cut."""
    with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
        if upload.packed is not None:
            bundle = Path(folder) / "code.tgz"
            bundle.write_bytes(upload.packed.data)
            repository.put(str(bundle), upload.key, move=True)
        elif upload.path is not None and upload.path.is_dir():
            _store_folder(upload.path, Path(folder) / "tree", upload.key, repository)
        else:
            repository.put(str(upload.path), upload.key)
    repository.flush(upload.key)


def _store_folder(source: Path, copy: Path, key: str, repository: Repository) -> None:
    """Store a copy of a folder that notes what an object store would lose: see runtime/tree.py.

    What its links lead to outside of it is copied. Raises UsageError for a link to nothing.
    """
    from argojobs.runtime import links, tree

    try:
        links.copy(str(source), str(copy))
        tree.save(str(copy))
    except OutputError as error:
        raise UsageError(error.what, where=error.where, hint=error.hint) from error
    repository.put(str(copy), key, move=True)


def plan_lines(plan: Plan) -> list[Line]:
    """Say what would be done: what is stored, what is created, with which arguments."""
    from argojobs.cli.summary import one_line
    from argojobs.cli.tree import progress, steps_of

    arguments = plan.workflow["spec"].get("arguments") or {}
    lines: list[Line] = [
        [("would store ", ""), (upload.what, "bold"), (f"  as {upload.key}", "dim")]
        for upload in plan.uploads
    ]
    count = progress(steps_of(plan.workflow))[1]
    steps = f"  ({count} step{'' if count == 1 else 's'} known so far)"
    lines.append([("would run ", ""), (plan.name, "bold"), (steps, "dim")])
    rows = [
        [(str(p["name"]), ""), (one_line(p.get("value", "")), "")]
        for p in arguments.get("parameters") or []
        if not str(p["name"]).startswith("argojobs-")
    ]
    rows += [
        [(str(a["name"]), ""), (str((a.get("s3") or {}).get("key", "")), "dim")]
        for a in arguments.get("artifacts") or []
        if a["name"] != "code"
    ]
    lines.extend([("  ", ""), *row] for row in columns(rows))
    lines.append([("the whole manifest: add -o yaml", "dim")])
    return lines


def warning_lines(texts: Sequence[str], word: str = "warning") -> list[Line]:
    """Return warnings as lines for standard error, each once."""
    return [[(f"{word}: ", "yellow"), (text, "")] for text in dict.fromkeys(texts)]
