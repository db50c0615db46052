"""Runs from Python: what `argojobs run` does, for a notebook, a script or a test.

run = argojobs.run(demo, batch_size=2)
run.wait()
print(run.outputs.accuracy)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.compile.loaded import Loaded
from argojobs.compile.project import project_root, search_entries
from argojobs.edits.overrides import from_python
from argojobs.errors import DefinitionError, NotFoundError, ParameterError, RunFailedError
from argojobs.manifest.view import artifacts_of, nodes_of, parameters_of, status_of
from argojobs.runs.changes import ending
from argojobs.runs.failures import cause, failing_log
from argojobs.runs.logs import log_texts
from argojobs.runs.progress import Kind
from argojobs.runs.request import RunRequest
from argojobs.runs.submit import submit
from argojobs.runs.target import Target, target
from argojobs.runs.view.steps import failed_steps, steps_of
from argojobs.runs.wording import plain
from argojobs.runtime.importing import module_place
from argojobs.runtime.types import plain_of
from argojobs.runtime.wire import decode
from argojobs.service import FINAL_PHASES, Workflow

if TYPE_CHECKING:
    from argojobs.dsl.pipelines import Pipeline
    from argojobs.edits.overrides import Given
    from argojobs.service import Service


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a pipeline; made by `argojobs.run`.

    name: of the run, as `argojobs list` shows it. target: where it runs.
    """

    name: str
    pipeline: Pipeline[Any, Any]
    target: Target

    @property
    def service(self) -> Service:
        """The server that runs it."""
        return self.target.service

    @property
    def workflow(self) -> Workflow:
        """The whole Argo Workflow object as it stands now."""
        return self.service.get(self.name)

    @property
    def phase(self) -> str:
        """Pending, Running, Succeeded, Failed or Error."""
        return str(status_of(self.workflow).get("phase") or "Pending")

    def wait(self) -> Run:
        """Wait for the end and return this run. Raises RunFailedError when it did not succeed."""
        final: Workflow = {}
        for event in self.service.watch(self.name):
            final = event.workflow
        status = final.get("status") or {}
        if status.get("phase") == "Succeeded":
            return self
        if status.get("phase") not in FINAL_PHASES:
            raise NotFoundError(f"{self.name} was deleted before it ended")
        raise RunFailedError(
            f"{self.name} {status['phase'].lower()}: {_failure(self, final)}",
            hint=f"argojobs get {self.name}{self.target.options} shows the failing step and its last lines",
        )

    def logs(self, step: str = "", *, follow: bool = False) -> Iterator[str]:
        """Yield the log lines of a step, or of all of them; with follow until they end.

        Then a line that has no end yet, as a progress bar, comes about every second as it stands.
        """
        return log_texts(
            self.service, self.workflow, step, self.target.again, follow=follow, tail=0
        )

    @property
    def outputs(self) -> Any:
        """What the pipeline returned: an Outputs, a value, an artifact, or None.

        Parameters are typed as declared; the path of an artifact is where the repository of this
        machine has it (read it there, do not change it), or a copy of what a server has, made in
        the folder for caches. Raises NotFoundError before the end.
        """
        fields = self.pipeline.output_fields
        if not fields:
            return None
        nodes = nodes_of(self.workflow)
        made = (nodes.get(self.name) or {}).get("outputs") or {}
        texts = {p["name"]: p["value"] for p in parameters_of(made) if "value" in p}
        places = {a["name"]: a["s3"]["key"] for a in artifacts_of(made) if "s3" in a}
        stored = self.target.repository().local if self.target.artifacts_here else self._downloaded
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if field.kind == "artifact" and name in places:
                values[name] = field.cls(stored(places[name]) or "")
            elif name in texts:
                values[name] = decode(texts[name], field.annotation)
            else:
                raise NotFoundError(
                    f"{self.name} has no output {name!r} yet", hint="wait() for its end first"
                )
        returns = self.pipeline.outputs
        single = list(fields) == ["result"] and not hasattr(returns, "continuing")
        return values["result"] if single else returns(**values)

    def _downloaded(self, key: str) -> str:
        """Return the path of a copy of an object or tree of the server's store."""
        import platformdirs

        folder = Path(platformdirs.user_cache_dir("argojobs", appauthor=False))
        path = folder / "artifacts" / key
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.target.repository().get(key, str(path))
        return str(path)

    def stop(self) -> None:
        """Stop the steps that run; exit handlers still run."""
        ending(self.target, self.name).make()


def run(
    pipeline: Pipeline[Any, Any],
    /,
    parameters: Mapping[str, Any] | None = None,
    *,
    context: str = "",
    server: str = "",
    experiment: str = "",
    **more: Any,
) -> Run:
    """Start a pipeline and return at once.

    Args:
        pipeline: The pipeline, as `@pipeline` made it.
        parameters: Its arguments, typed as it declares them; an artifact is given as a path or as
            `run:NAME/STEP/output`. For names that are options here; the others may be keywords.
        context: Where it runs; like `--context`.
        server: Where it runs; like `--server`.
        experiment: What the run belongs to.
        more: Further arguments of the pipeline.

    Raises:
        DefinitionError: For a pipeline that is not right.
        ParameterError: For an argument that it does not take.
        BundleError: For code that cannot travel.
        UnsupportedError: For what this machine cannot do.
        HostError: For what this machine lacks. All of these come before anything starts.
        ServerError: When a server cannot be reached.
    """
    loaded = _loaded(pipeline)
    place = target(context, server, loaded.root, new_run=True, tell=_tell)
    given = {**(parameters or {}), **more}
    request = RunRequest(
        file=str(loaded.path), values=_overrides(pipeline, given), experiment=experiment
    )
    created = submit(request, loaded, place).workflow
    return Run(str(created["metadata"]["name"]), pipeline, place)


def _tell(_kind: Kind, text: str) -> None:
    """Write a line of what goes on to standard error, where a script's own output is not."""
    sys.stderr.write(f"{plain(text)}\n")


def _loaded(pipeline: Pipeline[Any, Any]) -> Loaded:
    """The pipeline as `load` would have found it in its file."""
    file = Path(pipeline.function.__code__.co_filename)
    if not file.is_file():
        raise DefinitionError(
            f"the pipeline {pipeline.name} is not in a file ({file}), so its code cannot travel",
            hint="write it to a .py file (in a notebook: %%writefile pipeline.py) and import it",
        )
    # The file's own folder, which `python FILE` puts on sys.path, is put there by each step too.
    folder = Path(module_place(str(file))[1])
    entries = tuple(entry for entry in search_entries() if Path(entry) != folder)
    root = project_root(file)
    return Loaded("dsl", file, root, pipeline.name, pipeline=pipeline, entries=entries)


def _overrides(pipeline: Pipeline[Any, Any], given: Mapping[str, Any]) -> dict[str, Given]:
    """Return Python values as what was given for the parameters and artifacts."""
    plain: dict[str, Any] = {}
    for name, value in given.items():
        declared = pipeline.inputs.get(name)
        if declared is None or declared.kind != "parameter":
            # Unknown names and artifacts: checked where --params is, with the same messages.
            plain[name] = str(value)
            continue
        try:
            plain[name] = plain_of(value, declared.fields[name].schema)
        except ParameterError as error:
            raise ParameterError(f"{name}: {error.what}", hint=error.hint) from error
    return from_python(plain)


def _failure(run: Run, final: Workflow) -> str:
    """Say which step failed and why: its exception, or what Argo says of it."""
    broken = failed_steps(steps_of(final))
    if not broken:
        return str((final.get("status") or {}).get("message", ""))
    return f"{broken[0].title}: {cause(final, broken[0], failing_log(run.service, final))}"
