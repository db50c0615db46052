import pytest

from argojobs.errors import ManifestError
from argojobs.manifest import documents

SPEC = "spec: {entrypoint: main, templates: [{name: main, suspend: {}}]}"
WORKFLOW = f"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{name: one}}\n{SPEC}\n"
BODY = f"workflow:\n  annotations: {{a: b}}\n  metadata:\n    generateName: two-\n  {SPEC}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"


def fault(text, match, place="f.yaml"):
    with pytest.raises(ManifestError, match=match) as caught:
        documents.parse(text, "f.yaml")
    assert caught.value.where == place
    assert caught.value.hint


def test_a_workflow_object():
    contents = documents.parse(WORKFLOW, "f.yaml")
    (document,) = contents.workflows
    assert list(document.workflow) == ["apiVersion", "kind", "metadata", "spec"]
    assert document.name == "one"
    assert documents.choose(contents) is document


def test_a_request_body_becomes_the_object_in_it():
    contents = documents.parse("namespace: ml\nextra: 1\n" + BODY, "f.yaml")
    (document,) = contents.workflows
    assert document.workflow == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "two-", "namespace": "ml"},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "suspend": {}}]},
        "annotations": {"a": "b"},
    }
    assert document.ignored == ("extra",)
    assert contents.place(document, ("annotations",)) == "f.yaml:4:3"


def test_several_documents_and_other_kinds():
    contents = documents.parse(f"{WORKFLOW}---\n{CONFIG}---\n{BODY}", "f.yaml")
    assert [document.document for document in contents.workflows] == [0, 2]
    (config,) = contents.others
    assert (config.kind, config.document) == ("ConfigMap", 1)
    assert contents.place(config, ("data", "a")) == "f.yaml:9:8"


def test_a_list_of_objects():
    text = (
        "kind: List\nitems:\n- kind: Workflow\n  metadata: {name: one}\n  "
        + SPEC
        + "\n- kind: Pod\n"
    )
    contents = documents.parse(text, "f.yaml")
    assert contents.workflows[0].prefix == ("items", 0)
    assert contents.place(contents.workflows[0], ("spec",)) == "f.yaml:5:3"
    assert contents.others[0].kind == "Pod"


def test_json_is_a_manifest_too(tmp_path):
    path = tmp_path / "w.json"
    path.write_text('{"workflow": {"spec": {"entrypoint": "main", "parallelism": 2.0}}}')
    contents = documents.load(path)
    assert contents.workflows[0].workflow["spec"] == {"entrypoint": "main", "parallelism": 2}
    assert contents.file == str(path)


def test_one_of_several_is_chosen_by_name_or_number():
    contents = documents.parse(f"{WORKFLOW}---\n{BODY}---\n{BODY}", "f.yaml")
    assert documents.choose(contents, "one").name == "one"
    assert documents.choose(contents, "3") is contents.workflows[2]
    with pytest.raises(ManifestError, match="3 Workflows") as caught:
        documents.choose(contents)
    assert "1 one, 2 two-, 3 two-" in caught.value.hint
    with pytest.raises(ManifestError, match="2 Workflows are called 'two'"):
        documents.choose(contents, "two")
    with pytest.raises(ManifestError, match="no Workflow is called 'ones'") as caught:
        documents.choose(contents, "ones")
    assert "did you mean 'one'?" in caught.value.hint


def test_a_generated_name_is_found_without_its_hyphen():
    assert documents.choose(documents.parse(BODY, "f.yaml"), "two").name == "two-"


def test_a_file_of_other_kinds_holds_no_workflow():
    with pytest.raises(ManifestError, match="no Workflow, only ConfigMap"):
        documents.choose(documents.parse(CONFIG, "f.yaml"))


@pytest.mark.parametrize(
    ("text", "match", "place"),
    [
        ("", "empty", "f.yaml"),
        ("# nothing\n", "empty", "f.yaml"),
        ("- a\n", "is a list", "f.yaml:1:1"),
        ("just text\n", "is text", "f.yaml:1:1"),
        ("a: 1\nb: 2\n", "found a, b on top", "f.yaml:1:1"),
        ("metadata: {}\n" + SPEC, "has no `kind`", "f.yaml:1:1"),
        ("kind: Workflow\n", "no `spec`", "f.yaml:1:1"),
        ("kind: Workflow\nspec: [1]\n", "`spec` is not a mapping", "f.yaml:2:1"),
        ("workflow: x\n", "holds no mapping", "f.yaml:1:1"),
        ("workflow:\n  kind: CronWorkflow\n", "holds a CronWorkflow", "f.yaml:2:3"),
        (WORKFLOW + "---\n- a\n", "is a list", "f.yaml:6:1"),
    ],
)
def test_what_is_no_manifest_is_named_with_its_place(text, match, place):
    fault(text, match, place)
