"""Rules for inputs and outputs of templates: paths, sources and values.

Source: Argo `workflow/validate/validate.go` (validateInputs, validateOutputs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import Object, Place, Subject, items
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path

#: Where an artifact can come from. Source: Argo `workflow_types.go`, ArtifactLocation.
ARTIFACT_SOURCES = (
    "from",
    "fromExpression",
    "raw",
    "s3",
    "git",
    "http",
    "artifactory",
    "hdfs",
    "oss",
    "gcs",
    "azure",
    "plugin",
)
#: What can name a parameter or an artifact.
PARAMETER_NAME = re.compile(r"[-a-zA-Z0-9_]+")
_SOURCES = ("path", "jqFilter", "jsonPath", "parameter", "expression", "supplied")
_NEEDED = {
    "container": ("path",),
    "script": ("path",),
    "containerSet": ("path",),
    "resource": ("jqFilter", "jsonPath"),
    "dag": ("parameter", "expression"),
    "steps": ("parameter", "expression"),
}


@error("walk-through/artifacts/")
def artifact_path(one: Object, path: Path, place: Place) -> Faults:
    """An artifact without a path, or with one that means nothing.

    A container finds and leaves artifacts at paths; steps and dags have no files.
    Remedy: Add or remove `path:`.
    Wrong:
        container: {image: 'busybox:1.36'}
        outputs:
          artifacts:
          - {name: model}
    Right:
        container: {image: 'busybox:1.36'}
        outputs:
          artifacts:
          - {name: model, path: /tmp/model}
    """
    if not place.is_leaf:
        if one.get("path"):
            what = "steps and dags have no files: their artifacts have no path"
            hint = "remove it" if "inputs" in path else "use `from:`"
            yield Fault((*path, "path"), what, hint)
    elif not one.get("path") and any(place.template.get(kind) is not None for kind in _NEEDED):
        hint = "add `path:`, where the container finds or leaves it"
        yield Fault(path, f"the artifact {one.get('name', '')!r} has no path", hint)


@error("walk-through/hardwired-artifacts/")
def artifact_location(one: Object, path: Path) -> Faults:
    """An artifact's source that does not fit.

    An artifact comes from one place, and git needs a repo.
    Remedy: Keep one source, complete.
    Wrong:
        container: {image: 'busybox:1.36'}
        inputs:
          artifacts:
          - name: code
            path: /code
            git: {revision: main}
    Right:
        container: {image: 'busybox:1.36'}
        inputs:
          artifacts:
          - name: code
            path: /code
            git: {repo: 'https://example.com/code.git', revision: main}
    """
    git = one.get("git")
    if git is not None and not git.get("repo"):
        yield Fault((*path, "git"), "git needs a repo", "add `repo:`")
    sources = [source for source in ARTIFACT_SOURCES if one.get(source) is not None]
    if len(sources) > 1:
        yield Fault(path, f"the artifact comes from {' and '.join(sources)}", "keep one of them")


@warning("configure-artifact-repository/")
def bucket_without_endpoint(one: Object, path: Path) -> Faults:
    """A bucket without an endpoint.

    Argo takes a location in S3 as it is only with endpoint, bucket and key. Where one lacks, all
    but the key come from its own repository: another bucket is read or written.
    Remedy: Write the whole location, or the key alone.
    Wrong:
        container: {image: 'busybox:1.36'}
        inputs:
          artifacts:
          - {name: data, path: /data, s3: {bucket: datasets, key: mnist}}
    Right:
        container: {image: 'busybox:1.36'}
        inputs:
          artifacts:
          - name: data
            path: /data
            s3:
              endpoint: s3.example.org
              bucket: datasets
              accessKeySecret: {name: s3, key: accesskey}
              secretKeySecret: {name: s3, key: secretkey}
              key: mnist
    """
    # Source: `ArtifactLocation.Relocate` in `v1alpha1`.
    s3 = one.get("s3")
    if isinstance(s3, dict) and s3.get("bucket") and not s3.get("endpoint"):
        yield Fault(
            (*path, "s3", "bucket"),
            f"without an endpoint Argo takes its own repository's bucket, not {s3['bucket']!r}",
            "add endpoint:, accessKeySecret: and secretKeySecret:, or leave out bucket:",
        )


def check_location(one: Object, path: Path) -> Iterator[Finding]:
    """Where an artifact of an input or argument comes from."""
    yield from artifact_location(one, path)
    yield from bucket_without_endpoint(one, path)


@error("walk-through/artifacts/")
def input_from(one: Object, path: Path) -> Faults:
    """`from` in a template's inputs.

    Where an artifact comes from is said by the task or step that calls the template.
    Remedy: Move it to the caller's arguments.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: make}
            - name: b
              depends: a
              template: use
              arguments:
                artifacts:
                - {name: m, from: '{{tasks.a.outputs.artifacts.m}}'}
        - name: make
          container: {image: 'busybox:1.36'}
          outputs:
            artifacts:
            - {name: m, path: /m}
        - name: use
          inputs:
            artifacts:
            - {name: m, path: /m, from: '{{inputs.artifacts.m}}'}
          container: {image: 'busybox:1.36'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: make}
            - name: b
              depends: a
              template: use
              arguments:
                artifacts:
                - {name: m, from: '{{tasks.a.outputs.artifacts.m}}'}
        - name: make
          container: {image: 'busybox:1.36'}
          outputs:
            artifacts:
            - {name: m, path: /m}
        - name: use
          inputs:
            artifacts:
            - {name: m, path: /m}
          container: {image: 'busybox:1.36'}
    """
    if one.get("from"):
        hint = "the task or step that calls the template says where it comes from"
        yield Fault((*path, "from"), "a template's input has no `from`", hint)


@error("walk-through/output-parameters/")
def output_value(one: Object, path: Path, kind: str) -> Faults:
    """An output that comes from nowhere.

    An output parameter has a value or exactly one valueFrom that its template can give: a path in
    containers, a parameter or expression in steps and dags.
    Remedy: Add `valueFrom:`.
    Wrong:
        container: {image: 'busybox:1.36'}
        outputs:
          parameters:
          - {name: loss}
    Right:
        container: {image: 'busybox:1.36'}
        outputs:
          parameters:
          - name: loss
            valueFrom: {path: /tmp/loss}
    """
    name = one.get("name", "")
    if path[-2] == "artifacts":
        if kind in ("dag", "steps") and not one.get("from") and not one.get("fromExpression"):
            hint = "add `from:` or `fromExpression:` with a task's or step's artifact"
            yield Fault(path, f"the artifact {name!r} comes from nowhere", hint)
        return
    value, source = one.get("value"), one.get("valueFrom")
    hint = f"add `valueFrom:` with {' or '.join(_NEEDED.get(kind, _SOURCES))}"
    if value is not None and source is not None:
        yield Fault(path, f"{name!r} has value and valueFrom", "keep one")
    elif value is None and source is None:
        yield Fault(path, f"the output {name!r} has no value", hint)
    elif source is not None:
        given = [way for way in _SOURCES if source.get(way) is not None]
        if len(given) > 1:
            what = f"the output {name!r} comes from {' and '.join(given)}"
            yield Fault((*path, "valueFrom"), what, "keep one of them")
        elif not given or (kind and not set(given) & set(_NEEDED[kind])):
            what = f"nothing says where the {kind or 'template'}'s output {name!r} comes from"
            yield Fault((*path, "valueFrom"), what, hint)


@error("variables/")
def global_name(one: Object, path: Path) -> Faults:
    """A globalName that is not a name.

    It becomes part of `workflow.outputs.parameters.NAME`.
    Remedy: Letters, digits, `-` and `_`.
    Wrong:
        container: {image: 'busybox:1.36'}
        outputs:
          parameters:
          - name: loss
            globalName: the loss
            valueFrom: {path: /loss}
    Right:
        container: {image: 'busybox:1.36'}
        outputs:
          parameters:
          - name: loss
            globalName: the-loss
            valueFrom: {path: /loss}
    """
    name = one.get("globalName")
    if name and "{{" not in name and not PARAMETER_NAME.fullmatch(name):
        yield Fault((*path, "globalName"), f"{name!r} is not a name")


@warning("variables/#global")
def global_name_of_dag(one: Object, path: Path, kind: str) -> Faults:
    """A global name on a dag's own output.

    Argo gives it out when a dag around it has ended. Of an entrypoint, and below steps, it never
    does: `{{workflow.outputs.parameters...}}` stays as text.
    Remedy: Give the output of the task that makes it the globalName.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work}
        outputs:
          parameters:
          - name: best
            globalName: best
            valueFrom: {parameter: '{{tasks.a.outputs.result}}'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: work}
        - name: work
          container: {image: 'busybox:1.36', command: [sh, -c, 'echo 1 > /tmp/best']}
          outputs:
            parameters:
            - name: best
              globalName: best
              valueFrom: {path: /tmp/best}
    """
    # Argo calls `addOutputsToGlobalScope` for tasks, at a dag's end.
    if one.get("globalName") and kind == "dag":
        what = f"Argo gives {one['globalName']!r} out only when a dag around this one has ended, else never"
        yield Fault((*path, "globalName"), what)


def check_inputs_and_outputs(subject: Subject) -> Iterator[Finding]:
    """What goes into each template and what comes out of it."""
    for place in subject.places:
        for index, one in items(place.template.get("inputs"), "artifacts"):
            path: Path = (*place.path, "inputs", "artifacts", index)
            yield from artifact_path(one, path, place)
            yield from check_location(one, path)
            yield from input_from(one, path)
        kind = next((kind for kind in _NEEDED if place.template.get(kind) is not None), "")
        for field in ("artifacts", "parameters"):
            for index, one in items(place.template.get("outputs"), field):
                path = (*place.path, "outputs", field, index)
                if field == "artifacts":
                    yield from artifact_path(one, path, place)
                    yield from bucket_without_endpoint(one, path)
                yield from output_value(one, path, kind)
                yield from global_name(one, path)
                yield from global_name_of_dag(one, path, kind)
