"""What this host lacks is said before anything starts."""

import sys

import pytest

from argojobs.config.settings import parse_settings
from argojobs.engine import hostcheck
from argojobs.engine.executors.process.processes import boot_identity
from argojobs.engine.hostcheck import (
    ISOLATION_FILE,
    claim_notes,
    host_isolation,
    missing_devices,
    refuse_missing,
    refuse_private_paths,
    unlimited_memory,
)
from argojobs.engine.placement import NVIDIA, Resources
from argojobs.engine.submitter import capture
from argojobs.errors import HostError, UnsupportedError

GIB = 2.0**30


def workflow(container, **template):
    return {
        "spec": {
            "entrypoint": "main",
            "templates": [
                {"name": "main", "container": {"image": "img:1", **container}, **template}
            ],
        }
    }


@pytest.fixture
def submitter():
    return capture(environment={"PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize(
    "container",
    [
        {"command": ["sh", "-c", "true"]},
        {"command": ["python"]},
        {"command": ["python3.12"]},
        {"command": ["/bin/sh"]},
        {"args": ["sh"]},
        {"command": ["{{inputs.parameters.program}}"]},
        {"command": ["$(PROGRAM)"]},
        {"command": ["./run.sh"]},
        {"command": ["nosuch"], "env": [{"name": "PATH", "value": "/opt"}]},
        {"command": ["/work/run.sh"], "volumeMounts": [{"name": "w", "mountPath": "/work/"}]},
    ],
)
def test_what_is_there_or_may_be_is_let_through(container, submitter):
    refuse_missing(workflow(container), submitter)


def test_a_script_that_comes_as_an_artifact_is_let_through(submitter):
    given = workflow(
        {"command": ["/opt/tool"]}, inputs={"artifacts": [{"name": "tool", "path": "/opt/tool"}]}
    )
    refuse_missing(given, submitter)


@pytest.mark.parametrize("program", ["nosuchprogram", "/nosuch/program"])
def test_a_missing_program_names_the_place_and_the_table(program, submitter):
    with pytest.raises(HostError, match=f'"{program}" is not found') as caught:
        refuse_missing(workflow({"command": [program]}), submitter)
    assert caught.value.where == "spec.templates[0].container.command"
    assert '[local.images."img:1"]' in caught.value.hint


def test_an_unknown_image_without_a_command_names_the_table(submitter):
    with pytest.raises(HostError, match="'img:1' is not known") as caught:
        refuse_missing(workflow({}), submitter)
    assert '[local.images."img:1"]' in caught.value.hint


def test_the_images_table_gives_the_command(tmp_path):
    text = '[local.images."img:1"]\ncommand = ["sh"]\n'
    settings = parse_settings(text, tmp_path / "argojobs.toml")
    refuse_missing(workflow({}), capture(settings, environment={"PATH": "/bin:/usr/bin"}))


def test_a_claim_that_no_setting_names_is_a_folder_of_the_home_and_that_is_said(
    submitter, tmp_path
):
    given = workflow({"command": ["sh"], "volumeMounts": [{"name": "v", "mountPath": "/data"}]})
    given["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "sets"}}]
    (note,) = claim_notes(given, submitter, tmp_path / "claims")
    assert str(tmp_path / "claims" / "sets") in note
    assert "[local.claims]" in note
    assert claim_notes(given, {**submitter, "claims": {"sets": str(tmp_path)}}, tmp_path) == []


def test_secrets_are_found_by_reference_at_submission(tmp_path):
    (tmp_path / "key").write_text("from a file\n")
    text = '[local.secrets.hub]\ntoken = "env:HUB"\nkey = "file:key"\nnone = "env:NOT_THERE"\n'
    settings = parse_settings(text, tmp_path / "argojobs.toml")
    found = capture(settings, environment={"PATH": "/bin:/usr/bin", "HUB": "from env"})
    assert found["secrets"] == {"hub": {"token": "from env", "key": "from a file"}}
    assert "HUB" not in found["environment"]

    def asks_for(key):
        reference = {"secretKeyRef": {"name": "hub", "key": key}}
        return workflow({"command": ["sh"], "env": [{"name": "T", "valueFrom": reference}]})

    refuse_missing(asks_for("token"), found)
    with pytest.raises(HostError, match="'none' of the secret 'hub'") as caught:
        refuse_missing(asks_for("none"), found)
    assert caught.value.where == "spec.templates[0].container.env[0]"


def test_the_submitter_is_this_process(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = capture(
        parse_settings("[local]\nenvironment = ['TOKEN']\nmax_pods = 3\n", tmp_path / "x.toml"),
        environment={"PATH": "/bin", "TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "s"},
    )
    assert found["interpreter"] == sys.executable
    assert found["project"] == str(tmp_path)
    assert found["environment"] == {"PATH": "/bin", "TOKEN": "t"}
    assert found["max_pods"] == 3


def test_args_without_a_command_are_told_from_a_missing_program(submitter):
    with pytest.raises(HostError, match="the entrypoint of the image 'img:1'") as caught:
        refuse_missing(workflow({"args": ["hi"]}), submitter)
    assert caught.value.where == "spec.templates[0].container"
    assert "entrypoint = [...]" in caught.value.hint


def test_a_claims_folder_that_is_not_there_is_told(submitter, tmp_path):
    given = workflow({"command": ["sh"], "volumeMounts": [{"name": "v", "mountPath": "/v"}]})
    given["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    named = {**submitter, "claims": {"data": str(tmp_path / "nowhere")}}
    (note,) = claim_notes(given, named, tmp_path)
    assert "nowhere" in note
    assert "is not there yet" in note
    assert claim_notes(given, {**submitter, "claims": {"data": str(tmp_path)}}, tmp_path) == []


@pytest.mark.parametrize(
    ("container", "template"),
    [
        ({"volumeMounts": [{"name": "v", "mountPath": "/v"}]}, {}),
        ({}, {"inputs": {"artifacts": [{"name": "a", "path": "/v"}]}}),
        ({}, {"outputs": {"artifacts": [{"name": "a", "path": "/v"}]}}),
        ({}, {"outputs": {"parameters": [{"name": "a", "valueFrom": {"path": "/v"}}]}}),
    ],
)
def test_without_namespaces_private_paths_are_refused_unless_shared(container, template, submitter):
    given = workflow({"command": ["sh"], **container}, **template)
    with pytest.raises(UnsupportedError, match="cannot have /v") as caught:
        refuse_private_paths(given, submitter)
    assert caught.value.where == "spec.templates[0].container"
    assert "--share-host-paths" in caught.value.hint
    refuse_private_paths(given, {**submitter, "share_host_paths": True})
    refuse_private_paths(workflow({"command": ["sh"]}), submitter)


def test_our_own_steps_need_no_private_paths(submitter):
    ours = {"command": ["python3", "/argojobs/code/.argojobs/__main__.py"]}
    inputs = {"artifacts": [{"name": "code", "path": "/argojobs/code"}]}
    refuse_private_paths(workflow(ours, inputs=inputs), submitter)


def test_what_the_executor_found_is_known_to_who_submits(tmp_path):
    (tmp_path / ISOLATION_FILE).write_text(f"none {boot_identity()}")
    assert host_isolation(tmp_path) == "none"
    (tmp_path / ISOLATION_FILE).write_text("none before-the-reboot")
    assert host_isolation(tmp_path) == host_isolation(tmp_path / "fresh")


def template(**resources):
    return {"container": {"command": ["x"], "resources": resources}}


def test_what_is_missing_is_noted_once():
    templates = [template(limits={"nvidia.com/gpu": "1"})] * 2 + [
        template(limits={"nvidia.com/gpu": "2", "amd.com/gpu": "1"}, requests={"memory": "99Ti"})
    ]
    notes = missing_devices(templates, Resources(cpu=4, memory=GIB))
    assert len(notes) == 3
    assert any(
        "2 GPUs (nvidia.com/gpu), this host has none: it runs on the CPU" in n for n in notes
    )
    assert any("amd.com/gpu" in note for note in notes)
    assert any("memory" in note for note in notes)
    assert missing_devices(templates[:1], Resources(cpu=4, memory=16 * GIB, gpus={NVIDIA: 2})) == []


def test_a_tag_not_yet_replaced_asks_for_nothing():
    assert (
        missing_devices(
            [template(limits={"nvidia.com/gpu": "{{item}}"})],
            Resources(cpu=4, memory=16 * GIB, gpus={NVIDIA: 2}),
        )
        == []
    )


def test_limits_of_memory_that_cannot_be_kept_are_said(monkeypatch):
    limits = {"container": {"resources": {"limits": {"memory": "1Gi"}}}}
    monkeypatch.setattr(hostcheck, "may_limit", lambda: False)
    (note,) = unlimited_memory([{"dag": {}}, limits, limits])
    assert note.startswith("limits of memory are not enforced")
    assert unlimited_memory([{"container": {"resources": {"requests": {"memory": 1}}}}]) == []
    monkeypatch.setattr(hostcheck, "may_limit", lambda: True)
    assert unlimited_memory([limits]) == []
