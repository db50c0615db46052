"""Contexts: what the user's file says, what a project's may change, every mistake with its line."""

from pathlib import Path

import pytest

from argojobs.config.context_files import Contexts, contexts_of, load_contexts
from argojobs.config.contexts import LOCAL, S3, Context, Mount, Registry, table_of
from argojobs.config.reading import Reader
from argojobs.errors import UsageError

FULL = """\
current_context = "abacus"

[contexts.abacus]
server = "https://abacus:2746/argo/"
namespace = "argo"
token = "file:token"
ca = "ca.pem"
insecure = true
client_certificate = "/c.pem"
client_key = "/k.pem"
base_href = "/argo/"
kubeconfig = "kube/config"
kube_context = "lab"
image = "train:1"
resources = "cpu=4 tpu=1"
storage = "/storage/"
max_parallel = 3
ui = "https://abacus:30992"
storage_ui = "http://abacus:30991"
service_account = "runner"
[contexts.abacus.s3]
endpoint = "http://abacus:30991/"
bucket = "workflows"
access_key = "env:A"
secret_key = "creds:creds.yaml#s3/mldata/secretkey"
style = "path"
kind = "minio"
[contexts.abacus.registry]
url = "localhost:32000"
password = "keyring:registry/me"
[contexts.abacus.environment]
LEVEL = "info"
WORKERS = 4
[contexts.abacus.mounts]
"/data" = "claim:datasets:ro"
"/srv" = "hostPath:/srv:rw"
"/nfs" = "nfs:box:/export/data:ro"

[contexts."gke.sandbox"]
kube_context = "gke"
storage = "/storage"
storage_claim = "mine"
storage_size = "1Ti"
"""


def read(user: str, project: str | None = None) -> Contexts:
    own = None if project is None else Reader(project, Path("/p/argojobs.toml"))
    return contexts_of(Reader(user, Path("/u/config.toml")), own)


def test_a_context_with_everything():
    assert read(FULL).by_name["abacus"] == Context(
        name="abacus",
        server="https://abacus:2746/argo",
        namespace="argo",
        token="file:/u/token",
        ca="/u/ca.pem",
        insecure=True,
        client_certificate="/c.pem",
        client_key="/k.pem",
        base_href="/argo/",
        kubeconfig="/u/kube/config",
        kube_context="lab",
        image="train:1",
        resources={"cpu": "4", "google.com/tpu": "1"},
        storage="/storage",
        storage_size="40Gi",
        storage_claim="storage",
        s3=S3(
            endpoint="abacus:30991",
            bucket="workflows",
            tls=False,
            style="path",
            access_key="env:A",
            secret_key="creds:/u/creds.yaml#s3/mldata/secretkey",
            kind="minio",
        ),
        registry=Registry(url="localhost:32000", password="keyring:registry/me"),
        environment={"LEVEL": "info", "WORKERS": "4"},
        mounts=(
            Mount("/data", "claim", "datasets", read_only=True),
            Mount("/srv", "hostPath", "/srv"),
            Mount("/nfs", "nfs", "box:/export/data", read_only=True),
        ),
        max_parallel=3,
        ui="https://abacus:30992",
        storage_ui="http://abacus:30991",
        service_account="runner",
    )


def test_a_context_without_a_server_is_reached_through_its_kubeconfig():
    context = read(FULL).by_name["gke.sandbox"]
    assert (context.server, context.kube_context) == ("", "gke")
    assert (context.storage_claim, context.storage_size) == ("mine", "1Ti")


def test_the_table_of_a_context_says_the_same():
    import tomlkit

    context = read(FULL).by_name["abacus"]
    text = tomlkit.dumps({"contexts": {"abacus": table_of(context)}})
    assert read(text).by_name["abacus"] == context


def test_names_begin_with_local_which_is_always_there():
    contexts = read(FULL)
    assert contexts.names() == ["local", "abacus", "gke.sandbox"]
    assert contexts.get("local") is LOCAL
    assert Contexts().get("local") is LOCAL


def test_an_unknown_name_gets_the_nearest_and_the_list():
    with pytest.raises(UsageError) as caught:
        read(FULL).get("abakus", said_by="--context")
    assert caught.value.what == "there is no context 'abakus'"
    assert caught.value.where == "--context"
    assert "did you mean 'abacus'?" in caught.value.hint
    assert "local, abacus, gke.sandbox" in caught.value.hint


def test_a_project_adapts_the_users_contexts_and_chooses_one():
    contexts = read(
        FULL,
        'context = "gke.sandbox"\n[contexts.abacus]\nnamespace = "team"\nresources = "gpu=1"\n'
        'image = "train:2"\nmax_parallel = 1\nservice_account = "team"\n'
        '[contexts.abacus.environment]\nLEVEL = "debug"\nTEAM = "vision"\n'
        '[contexts.abacus.mounts]\n"/data" = "claim:team"\n'
        '[contexts.abacus.s3]\nprefix = "team"\n'
        '[contexts."gke.sandbox"]\nstorage = "/scratch"\n',
    )
    abacus = contexts.by_name["abacus"]
    assert (contexts.current, contexts.project) == ("abacus", "gke.sandbox")
    assert (abacus.namespace, abacus.image, abacus.max_parallel) == ("team", "train:2", 1)
    assert abacus.resources == {"nvidia.com/gpu": "1"}
    assert abacus.environment == {"LEVEL": "debug", "WORKERS": "4", "TEAM": "vision"}
    assert abacus.mounts[0] == Mount("/data", "claim", "team")
    assert len(abacus.mounts) == 3
    assert (abacus.s3.prefix, abacus.s3.bucket) == ("team", "workflows")
    assert abacus.server == "https://abacus:2746/argo"
    sandbox = contexts.by_name["gke.sandbox"]
    assert (sandbox.storage, sandbox.storage_claim) == ("/scratch", "mine")


def test_a_project_makes_no_context():
    assert list(read(FULL, '[contexts.theirs]\nnamespace = "x"\n').by_name) == [
        "abacus",
        "gke.sandbox",
    ]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('server = "https://evil:1"', "server"),
        ('token = "command:sh -c evil"', "token"),
        ('token = "env:AWS_SECRET_ACCESS_KEY"', "token"),
        ('kubeconfig = "kube"', "kubeconfig"),
        ('kube_context = "other"', "kube_context"),
        ("insecure = true", "insecure"),
        ('ca = "ca.pem"', "ca"),
        ('client_key = "k"', "client_key"),
        ('registry.url = "evil:1"', "registry"),
        ('s3.endpoint = "evil:1"', "s3.endpoint"),
        ('s3.secret_key = "env:X"', "s3.secret_key"),
        ('ui = "https://evil"', "ui"),
    ],
)
def test_a_project_may_not_run_programs_name_secrets_or_redirect_them(line, key):
    with pytest.raises(UsageError) as caught:
        read(FULL, f"[contexts.abacus]\n{line}\n")
    assert f"a project's file may not set {key}:" in caught.value.what
    assert caught.value.where == "/p/argojobs.toml:2"
    assert "argojobs config set contexts.abacus." in caught.value.hint


def test_what_a_project_may_not_set_is_refused_for_contexts_the_user_has_not_too():
    with pytest.raises(UsageError, match="may not set server"):
        read("", '[contexts.theirs]\nserver = "https://evil:1"\n')


def test_each_value_has_its_origin():
    origins = read(FULL, '[contexts.abacus]\nnamespace = "team"\n').origins
    assert origins["current_context",] == "/u/config.toml:1"
    assert origins["contexts", "abacus", "server"] == "/u/config.toml:4"
    assert origins["contexts", "abacus", "s3", "bucket"] == "/u/config.toml:23"
    assert origins["contexts", "abacus", "mounts", "/data"] == "/u/config.toml:35"
    assert origins["contexts", "abacus", "namespace"] == "/p/argojobs.toml:2"


@pytest.mark.parametrize(
    ("body", "line", "what", "hint"),
    [
        ('nmespace = "x"', 3, "unknown key 'nmespace' in [contexts.a]", "did you mean 'namespace'"),
        ("s3.bukket = 'x'", 3, "unknown key 'bukket' in [contexts.a.s3]", "'bucket'"),
        ("registry.pasword = 'x'", 3, "unknown key 'pasword'", "'password'"),
        ("token = 'hunter2'", 3, "token: it must say where the secret is", "env:NAME"),
        ("s3.secret_key = 'hunter2'", 3, "secret_key: it must say where", "file:PATH"),
        ("token = 3", 3, "token: it must say where", "env:NAME"),
        ("server = 'abacus:2746'", 3, "not an address of a server", "https://abacus:2746"),
        ("server = 'https://me:hunter2@abacus'", 3, "not an address of a server", "https://HOST"),
        ("server = 'ftp://a'", 3, "not an address", "https://"),
        ("namespace = 'My Team'", 3, "not a name that Kubernetes takes", "small letters"),
        ("resources = 'cpus=4'", 3, "there is no resource 'cpus'", "'cpu'"),
        ("resources.cpus = 4", 3, "there is no resource 'cpus'", "'cpu'"),
        ("storage = 'storage'", 3, "storage must be an absolute path", "/storage"),
        ("storage_size = '4Gi'", 3, "storage_size without storage", "storage ="),
        ("storage='/s'\nstorage_size = 'big'", 4, "not a quantity", "16Gi"),
        ("client_key = 'k'", 3, "client_key needs client_certificate", ""),
        ("max_parallel = -1", 3, "whole number", ""),
        ("insecure = 'yes'", 3, "true or false", ""),
        ("environment = 'A=1'", 3, "must be a table", ""),
        ("environment.A = [1]", 3, "A must be a text", ""),
        ("environment.'A B' = 'x'", 3, "cannot be a variable's name", ""),
        ("mounts.'/d' = 'datasets'", 3, "'datasets' is not a mount", "claim:NAME"),
        ("mounts.'/d' = 'claim:Data Sets'", 3, "is not a mount", "claim:NAME"),
        ("mounts.'/d' = 'hostPath:srv'", 3, "is not a mount", ""),
        ("mounts.'/d' = 'nfs:/export'", 3, "is not a mount", ""),
        ("mounts.data = 'claim:a'", 3, "'data' is not an absolute path", '"/data"'),
        ("s3.style = 'virtual'", 3, "style must be one of: auto, host, path", ""),
        ("s3.kind = 'gcs'", 3, "kind must be one of", ""),
        ("s3.endpoint = 'http://a/b/c'", 3, "not an address of a store", "HOST:PORT"),
        ("s3.endpoint = 'http://a'\ns3.tls = true", 4, "say different things", ""),
        ("sandbox.namespace = 'x'", 3, "unknown table [contexts.a.sandbox]", '"a.sandbox"'),
    ],
)
def test_mistakes_say_file_line_and_remedy(body, line, what, hint):
    with pytest.raises(UsageError) as caught:
        read(f"\n[contexts.a]\n{body}\n")
    assert what in caught.value.what
    assert caught.value.where == f"/u/config.toml:{line}"
    assert hint in caught.value.hint
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("user", "project", "what"),
    [
        ("[contexts.local]\n", "", "this machine and has no table"),
        ("[contexts.'a b']\n", "", "cannot be a context's name"),
        ("contexts = 3\n", "", "[contexts] must be a table"),
        ("[contexts]\na = 3\n", "", "[contexts.a] must be a table"),
        ("contxts = 3\n", "", "unknown key 'contxts'"),
        ("current_context = 3\n", "", "current_context must be a text"),
        ("context = 'a'\n", "", "here the key is current_context"),
        ("", "current_context = 'a'\n", "here the key is context"),
    ],
)
def test_mistakes_around_contexts(user, project, what):
    with pytest.raises(UsageError) as caught:
        read(user, project)
    assert what in caught.value.what
    assert ":" in caught.value.where


def test_the_files_are_read_from_where_they_are(tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text("[contexts.a]\nnamespace = 'x'\n")
    (tmp_path / "argojobs.toml").write_text("context = 'a'\n")
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
    contexts = load_contexts(tmp_path)
    assert (contexts.project, contexts.by_name["a"].namespace) == ("a", "x")
    assert load_contexts(config=tmp_path / "none.toml") == Contexts()


def test_a_config_file_that_is_named_and_not_there_yet_says_nothing(monkeypatch, tmp_path):
    for place in ("none.toml", "none/none.toml", "a/none.toml"):
        (tmp_path / "a").touch()
        monkeypatch.setenv("ARGOJOBS_CONFIG", str(tmp_path / place))
        assert load_contexts() == Contexts()
