"""Which workflows a file holds, each as a plain Workflow object in canonical form.

A document is a Workflow object (`kind: Workflow`), the body of a REST request (`workflow:` on
top, as Argo's `POST /api/v1/workflows/NAMESPACE` takes it), a bare Pod or Job, which becomes a
Workflow of one step, or a list of objects (`kind: List`).
Objects of other kinds (WorkflowTemplate, ConfigMap, ...) are kept apart for whoever needs them;
where a file has no Workflow, `choose` takes one of Argo's other kinds, which hold one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import ManifestError
from .kinds import API_VERSION, CRON, KINDS, spec_path
from .nearest import suggestion
from .places import Path, path_text, place_text
from .pods import PodFieldError, path_in_pod, workflow_of_pod
from .reading import read
from .source_text import read_text
from .view import metadata_of

if TYPE_CHECKING:
    from .objects import Workflow

#: What a body of Argo's create request may hold beside `workflow`.
_REQUEST_FIELDS = frozenset(
    {"workflow", "namespace", "serverDryRun", "createOptions", "instanceID"}
)
#: Kinds that are taken as a Workflow of one step (see `pods.py`).
PODS = frozenset({"Pod", "Job"})
_LIST_KINDS = frozenset({"List", "WorkflowList"})


class Document(NamedTuple):
    """One Workflow of a file, or an object that holds one.

    workflow: the object, with apiVersion, kind, metadata and spec first. document: the number
    of the YAML document (from 0) and prefix: the path in it where the object begins. ignored:
    fields beside `workflow:` in a request body that mean nothing to Argo. kind: what the file
    says it is: a Pod or Job is a Workflow here. notes: what to tell of that, one line each.
    """

    workflow: Workflow
    document: int = 0
    prefix: Path = ()
    ignored: tuple[str, ...] = ()
    kind: str = "Workflow"
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> Any:
        """The object, as it is called where any kind may stand."""
        return self.workflow

    @property
    def name(self) -> str:
        """Its name, or what its name will begin with."""
        metadata = self.workflow["metadata"]
        return str(metadata.get("name") or metadata.get("generateName") or "")


class Other(NamedTuple):
    """An object of another kind."""

    kind: str
    value: dict[str, Any]
    document: int = 0
    prefix: Path = ()


class Contents(NamedTuple):
    """What a file holds. text: as read, for places."""

    file: str
    text: str
    workflows: tuple[Document, ...]
    others: tuple[Other, ...]

    def place(self, document: Document | Other, path: Path = ()) -> str:
        """Return `file:line:column` of a path in an object of this file."""
        return _place_in(self.file, self.text, written_path(document, path), document.document)


def _place_in(file: str, text: str, path: Path, number: int) -> str:
    from .locate import locate  # reads the text once more, as YAML

    return place_text(file, *locate(text, path, number))


def written_path(document: Document | Other, path: Path) -> Path:
    """Return where in its YAML document something of an object is written."""
    if isinstance(document, Document) and document.kind in PODS:
        path = path_in_pod(document.kind, path)
    return (*document.prefix, *path)


def load(path: FilePath | str) -> Contents:
    """Read a manifest file (YAML or JSON). ManifestError for anything malformed."""
    return parse(read_text(path), str(path))


def parse(text: str, file: str = "") -> Contents:
    """Return what a text holds. ManifestError for anything malformed or of no known form."""
    sorter = _Sorter(file, text)
    for number, value in enumerate(read(text, file)):
        if value is not None:
            sorter.sort(value, number)
    sorter.check_refused()
    if not sorter.workflows and not sorter.others:
        raise ManifestError(
            "the file is empty", where=file, hint="an Argo Workflow begins with `kind: Workflow`"
        )
    return Contents(file, text, tuple(sorter.workflows), tuple(sorter.others))


def choose(contents: Contents, name: str | None = None) -> Document:
    """Return the one workflow of a file, or the one called `name` (or its number, from 1).

    Without a name, what stands beside a Workflow is not meant. ManifestError where there is
    none, or several and no name.
    """
    workflows = candidates(contents)
    if name is None:
        proper = tuple(one for one in workflows if one.kind == "Workflow")
        workflows = proper or workflows
    if not workflows:
        kinds = ", ".join(sorted({other.kind for other in contents.others}))
        raise ManifestError(
            f"the file holds no Workflow, only {kinds}",
            where=contents.file,
            hint="name a file with `kind: Workflow`, or a request body with `workflow:` on top",
        )
    if name is None:
        if len(workflows) == 1:
            return workflows[0]
        raise ManifestError(
            f"the file holds {len(workflows)} {_kinds_of(workflows)}",
            where=contents.file,
            hint=f"choose one with --pipeline NAME or its number: {_listed(workflows)}",
        )
    found = [one for one in workflows if name in (one.name, one.name.rstrip("-"))]
    if len(found) == 1:
        return found[0]
    if name.isdecimal() and 0 < int(name) <= len(workflows):
        return workflows[int(name) - 1]
    what = f"{len(found)} Workflows are" if found else "no Workflow is"
    hint = f"choose by number: {_listed(workflows)}"
    if not found:
        hint = suggestion(name, [one.name for one in workflows], what="the Workflows are")
    raise ManifestError(f"{what} called {name!r}", where=contents.file, hint=hint)


def candidates(contents: Contents) -> tuple[Document, ...]:
    """Return what can be meant in a file: its Workflows, then templates and CronWorkflows.

    ManifestError for one of those that is malformed.
    """
    return (
        *contents.workflows,
        *(_with_a_workflow(contents, one) for one in contents.others if one.kind in KINDS),
    )


def _with_a_workflow(contents: Contents, other: Other) -> Document:
    metadata, spec = metadata_of(other.value), other.value.get("spec")
    inner = spec.get("workflowSpec") if isinstance(spec, dict) and other.kind == CRON else spec
    if not isinstance(metadata, dict) or not isinstance(inner, dict):
        path = spec_path(other.kind) if isinstance(metadata, dict) else ("metadata",)
        field = path_text(path)
        raise ManifestError(
            f"the {other.kind}'s `{field}` is not a mapping",
            where=contents.place(other),
            hint="argojobs lint says what belongs there",
        )
    value: Any = {**other.value, "metadata": metadata}
    return Document(value, other.document, other.prefix, kind=other.kind)


def _kinds_of(workflows: Sequence[Document]) -> str:
    return " and ".join(f"{kind}s" for kind in dict.fromkeys(one.kind for one in workflows))


def _listed(workflows: Sequence[Document]) -> str:
    return ", ".join(f"{index} {one.name or '(no name)'}" for index, one in enumerate(workflows, 1))


class _Sorter:
    """Puts the objects of documents where they belong."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.workflows: list[Document] = []
        self.others: list[Other] = []
        self.refused: list[ManifestError] = []  # Pods and Jobs that are not a workflow of one step

    def check_refused(self) -> None:
        """Raise the error of the first such Pod or Job, unless a Workflow is what is meant."""
        if self.refused and not any(one.kind == "Workflow" for one in self.workflows):
            raise self.refused[0]

    def place(self, path: Path, number: int) -> str:
        """Return where something stands; only asked for when it is wrong."""
        if not self.text:
            return self.file
        return _place_in(self.file, self.text, path, number)

    def sort(self, value: Any, number: int, prefix: Path = ()) -> None:
        """Take in an object of a document, or a list of objects.

        Args:
            value: the object.
            number: of the document in the text, from 0.
            prefix: where in the document the object begins.

        Raises:
            ManifestError: it is not a manifest, or a Workflow without what one must have.
        """
        if not isinstance(value, dict):
            raise ManifestError(
                f"the document is {'a list' if isinstance(value, list) else 'text'}, no manifest",
                where=self.place(prefix, number),
                hint="an Argo Workflow is a mapping with `kind: Workflow`",
            )
        kind = value.get("kind")
        if "workflow" in value and kind is None:
            where = (*prefix, "workflow")
            ignored = tuple(key for key in value if key not in _REQUEST_FIELDS)
            workflow = self._workflow(value["workflow"], number, where)
            if isinstance(value.get("namespace"), str):
                workflow["metadata"].setdefault("namespace", value["namespace"])
            self.workflows.append(Document(workflow, number, where, ignored))
        elif kind == "Workflow":
            workflow = self._workflow(value, number, prefix)
            self.workflows.append(Document(workflow, number, prefix))
        elif kind in PODS:
            self._pod(value, number, prefix)
        elif kind in _LIST_KINDS and isinstance(value.get("items"), list):
            for index, item in enumerate(value["items"]):
                self.sort(item, number, (*prefix, "items", index))
        elif isinstance(kind, str) and kind:
            self.others.append(Other(kind, value, number, prefix))
        else:
            raise _no_kind(value, self.place(prefix, number))

    def _pod(self, value: dict[str, Any], number: int, prefix: Path) -> None:
        """Take in a Pod or Job as a Workflow of one step.

        One that cannot be is another object beside a Workflow, and an error where there is none.
        """
        kind = value["kind"]
        try:
            workflow, notes = workflow_of_pod(value)
        except PodFieldError as error:
            where = self.place((*prefix, *error.path), number) or error.where
            self.refused.append(ManifestError(error.what, where=where, hint=error.hint))
            self.others.append(Other(kind, value, number, prefix))
        else:
            found = Document(workflow, number, prefix, kind=kind, notes=tuple(notes))
            self.workflows.append(found)

    def _workflow(self, value: Any, number: int, prefix: Path) -> Workflow:
        """Return a Workflow with its four parts first; everything else stays behind them."""
        if not isinstance(value, dict):
            raise ManifestError(
                "`workflow` holds no mapping",
                where=self.place(prefix, number),
                hint="write metadata and spec below it, indented",
            )
        if value.get("kind") not in (None, "Workflow"):
            raise ManifestError(
                f"`workflow` holds a {value['kind']}",
                where=self.place((*prefix, "kind"), number),
                hint="a request body holds a Workflow",
            )
        metadata = self._part(value, "metadata", number, prefix)
        spec = self._part(value, "spec", number, prefix)
        if not spec:
            raise ManifestError(
                "the Workflow has no `spec`",
                where=self.place(prefix, number),
                hint="add `spec:` with entrypoint and templates",
            )
        head = {
            "apiVersion": value.get("apiVersion") or API_VERSION,
            "kind": "Workflow",
            "metadata": dict(metadata),
            "spec": spec,
        }
        rest = {key: item for key, item in value.items() if key not in head}
        return cast("Workflow", {**head, **rest})

    def _part(self, value: dict[str, Any], name: str, number: int, prefix: Path) -> dict[str, Any]:
        """Return the mapping under a name, empty where there is none."""
        part = value.get(name)
        if part is None:
            return {}
        if not isinstance(part, dict):
            raise ManifestError(
                f"`{name}` is not a mapping",
                where=self.place((*prefix, name), number),
                hint=f"write the fields of `{name}` below it, indented",
            )
        return part


def _no_kind(value: dict[str, Any], where: str) -> ManifestError:
    if "spec" in value:
        return ManifestError(
            "the object has no `kind`",
            where=where,
            hint=f"add `apiVersion: {API_VERSION}` and `kind: Workflow` on top",
        )
    found = ", ".join(map(str, list(value)[:5])) or "nothing"
    return ManifestError(
        f"this is not a manifest: found {found} on top",
        where=where,
        hint="an Argo Workflow has `kind: Workflow` or, as a request body, `workflow:` on top",
    )
