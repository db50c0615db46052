"""Doctor's checks without a cluster: what each finds, and what the exit code says."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from argojobs.config.contexts import S3, Context
from argojobs.errors import ServerError, UsageError
from argojobs.runs.doctor.checking import (
    Check,
    attempt,
    exit_code,
    failed,
    of_error,
    ok,
    skipped,
    warning,
)
from argojobs.runs.doctor.kubernetes import _token_rights, controller_s3
from argojobs.runs.doctor.local import disk, local_checks
from argojobs.runs.doctor.server import auth
from argojobs.runs.doctor.settings import settings_checks
from argojobs.runs.doctor.storage import compare, round_trip, storage_checks
from argojobs.runs.doctor.trial import remedy_of, trial_workflow, verdict
from argojobs.storage.directory import DirectoryRepository

LAB = Context("lab", image="train:1", s3=S3("store:9000", "runs"))


def test_an_error_is_a_finding():
    def broken():
        raise UsageError("no bucket", hint="make one")

    (found,) = attempt("store", broken)
    assert found == failed("store", "no bucket", "make one")


def test_the_exit_code_tells_what_is_to_be_fixed_from_what_may_pass():
    reach = of_error("server", ServerError("gone"))
    fix = failed("x", "y", "z")
    assert exit_code([ok("a", ""), warning("b", "", ""), skipped("c", "")]) == 0
    assert exit_code([reach, ok("a", "")]) == 3
    assert exit_code([reach, fix]) == 2


def test_this_machine_is_looked_at(tmp_path):
    found = {check.name: check for check in local_checks(tmp_path / "home")}
    assert list(found) == ["interpreter", "home", "disk", "namespaces", "devices", "controller"]
    assert found["home"].what == str(tmp_path / "home")
    assert disk(tmp_path, little=2**70).state == "warning"


def test_a_home_that_cannot_serve_is_found(tmp_path):
    (tmp_path / "file").write_text("")
    found = {check.name: check for check in local_checks(tmp_path / "file" / "home")}
    assert found["home"].state == "failed"
    assert "ARGOJOBS_HOME" in found["home"].remedy


def test_secrets_are_looked_up_and_never_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("GOOD_TOKEN", "very-secret")
    loose = tmp_path / "key"
    loose.write_text("secret-too")
    loose.chmod(0o644)
    context = Context(
        "lab", token="env:GOOD_TOKEN", s3=S3(access_key=f"file:{loose}", secret_key="env:NOT_SET")
    )
    checks = list(settings_checks(context))
    found = {check.name: check for check in checks}
    assert found["secret token"].state == "ok"
    assert found["secret s3.secret_key"].state == "failed"
    assert "NOT_SET" in found["secret s3.secret_key"].what
    assert found["secrets"].state == "warning"
    assert "0644" in found["secrets"].what
    assert "secret-too" not in str(checks)
    assert "very-secret" not in str(checks)


def test_files_of_a_context_are_there(tmp_path):
    context = Context("lab", ca=str(tmp_path / "none.pem"))
    (wrong,) = [check for check in settings_checks(context) if check.state == "failed"]
    assert wrong.name == "ca"
    assert "contexts.lab.ca" in wrong.remedy


def test_a_store_is_written_read_and_left_as_it_was(tmp_path):
    repository = DirectoryRepository(str(tmp_path))
    assert round_trip(repository, S3("store:9000", "runs", prefix="team")).state == "ok"
    assert list(repository.list()) == []


def test_a_store_that_gives_back_something_else_is_found(tmp_path):
    class Lying(DirectoryRepository):
        def get(self, key, target):
            super().get(key, target)
            with open(target, "ab") as file:
                file.write(b"!")

    assert round_trip(Lying(str(tmp_path)), S3("s", "runs")).state == "failed"


def test_nothing_is_put_where_there_is_no_bucket(tmp_path):
    class Absent(DirectoryRepository):
        def kind(self, key):
            raise UsageError("there is no bucket 'runs'")

    with pytest.raises(UsageError, match="no bucket"):
        round_trip(Absent(str(tmp_path)), S3("s", "runs"))
    assert list(DirectoryRepository(str(tmp_path)).list()) == []


@pytest.mark.parametrize(
    ("token", "user", "said"),
    [
        (str, {"subject": "ann"}, "as ann"),
        (str, {}, "the server does not say whose the token is"),
        (None, {}, "the server asks nobody who they are"),
    ],
)
def test_who_the_server_takes_us_for(token, user, said):
    address = SimpleNamespace(token=token)
    service = SimpleNamespace(address=address, user=lambda: user)
    assert auth(service).what == said


class TestTokenRights:
    @staticmethod
    def kube(*forbidden: str) -> SimpleNamespace:
        def ask(_: str, __: str, *, body) -> dict:
            asked = body["spec"]["resourceAttributes"]
            assert body["spec"]["user"] == "system:serviceaccount:theirs:alex"
            return {"status": {"allowed": f"{asked['verb']} {asked['resource']}" not in forbidden}}

        return SimpleNamespace(ask=ask)

    def look(self, kube: SimpleNamespace, subject: str) -> Check:
        return _token_rights(LAB, kube, "argo", subject)  # type: ignore[arg-type]

    def test_what_it_may_not_do_is_named_with_its_verb(self):
        found = self.look(self.kube("delete pods"), "system:serviceaccount:theirs:alex")
        assert (found.state, found.what) == ("warning", "alex may not retry: delete pods")

    def test_one_that_may_do_all_is_well(self):
        assert self.look(self.kube(), "system:serviceaccount:theirs:alex").state == "ok"

    @pytest.mark.parametrize("subject", ["somebody@example.org", "system:serviceaccount:x"])
    def test_who_is_not_a_service_account_cannot_be_asked_for(self, subject: str):
        assert self.look(self.kube(), subject).state == "skipped"


def test_a_context_without_a_store_is_told_so():
    (found,) = storage_checks(Context("lab"))
    assert found.state == "skipped"


@pytest.mark.parametrize(
    ("theirs", "state"),
    [
        ({"bucket": "runs", "endpoint": "store:9000"}, "ok"),
        ({"bucket": "runs", "endpoint": "minio.argo:9000"}, "warning"),
        ({"bucket": "others", "endpoint": "store:9000"}, "failed"),
        (None, "failed"),
    ],
)
def test_the_bucket_is_compared_with_argos(theirs, state):
    assert compare(S3("store:9000", "runs"), theirs, "somewhere").state == state


def test_a_store_of_ones_own_need_not_be_argos():
    assert compare(S3("s", "runs", secret_name="keys"), {"bucket": "x"}, "y").state == "ok"


def test_both_forms_of_the_controllers_settings_are_read():
    s3 = "s3: {bucket: runs}"
    assert controller_s3({"artifactRepository": s3}) == {"bucket": "runs"}
    assert controller_s3({"config": f"artifactRepository:\n  {s3}"}) == {"bucket": "runs"}
    assert controller_s3({"artifactRepository": "gcs: {}"}) is None
    assert controller_s3({}) is None


def test_the_trial_writes_and_reads_in_the_contexts_image_and_store():
    made = trial_workflow(LAB, "trial-1")
    _, write, read = made["spec"]["templates"]
    assert {write["container"]["image"], read["container"]["image"]} == {"train:1"}
    assert made["metadata"]["name"] == "trial-1"
    assert made["spec"]["activeDeadlineSeconds"]


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("workflowtaskresults.argoproj.io is forbidden: ...", "executor's role"),
        ('secrets "keys" not found', "make the Secret"),
        ("Access Denied.", "keys in the cluster's Secret"),
        ("ErrImagePull: image not found", "contexts.lab.image"),
        ("something else", "argojobs doctor"),
    ],
)
def test_a_failed_trial_says_what_to_do(message, remedy):
    node = {"type": "Pod", "phase": "Error", "message": message}
    ended = {"status": {"phase": "Failed", "message": "child failed", "nodes": {"a": node}}}
    found = verdict(ended, LAB)
    assert found.state == "failed"
    assert message in found.what
    assert remedy in remedy_of(message, LAB)
