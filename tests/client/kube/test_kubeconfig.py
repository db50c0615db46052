"""A kubeconfig: which file wins, what a path is relative to, what each part means, what is refused."""

from __future__ import annotations

import base64
import copy
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.client.kube.kubeconfig import read
from argojobs.errors import UsageError

CONTEXT = {"cluster": "c", "user": "u", "namespace": "team"}
CLUSTER = {"server": "https://kubernetes.example:6443"}
USER = {"token": "t"}
PLUGIN = {"apiVersion": "client.authentication.k8s.io/v1", "command": "print-token"}
PEM = base64.b64encode(b"-----BEGIN CERTIFICATE-----").decode()


def config(context=CONTEXT, cluster=CLUSTER, user=USER, **more):
    value = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": context}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    return {**value, **more}


@pytest.fixture
def of(tmp_path):
    """Read a kubeconfig that holds a value or text."""

    def make(value, context=""):
        path = tmp_path / "kubeconfig"
        text = value if isinstance(value, (str, bytes)) else json.dumps(value)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(str(path), context, "lab")

    return make


def refused(of, tmp_path, value, what):
    with pytest.raises(UsageError) as caught:
        of(value)
    assert caught.value.where == "lab"
    assert "kubectl" in caught.value.hint
    assert f"the kubeconfig {tmp_path / 'kubeconfig'}" in caught.value.what
    assert what in caught.value.what


# Contexts


def test_the_current_context_leads_to_a_cluster_and_a_user(of):
    access = of(config())
    assert access.cluster.server == "https://kubernetes.example:6443"
    assert access.user.token == "t"
    assert access.namespace == "team"


def test_another_context_is_chosen_by_its_name(of):
    other = {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "n"}}
    contexts = [{"name": "lab", "context": CONTEXT}, other]
    assert of(config(contexts=contexts), "other").namespace == "n"
    with pytest.raises(UsageError, match="no context 'none', only: lab, other"):
        of(config(contexts=contexts), "none")


def test_a_context_needs_no_user_and_no_namespace(of):
    access = of(config({"cluster": "c"}))
    assert (access.user.token, access.namespace) == ("", "")


def test_it_may_be_yaml(of):
    text = """
    current-context: lab
    contexts: [{name: lab, context: {cluster: c, user: u}}]
    clusters: [{name: c, cluster: {server: 'https://k:6443'}}]
    users:
    - name: u
      user: &shown {token: t}
    - name: w
      user: *shown
    """
    assert of(text).user.token == "t"


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("", "nothing in it"),
        ("[]", "it is not an object"),
        ("a: [", "not valid YAML"),
        (b"\xff\xfe", "not UTF-8"),
        ("[" * 100_000, "nesting depth"),
        ("a: 1\n---\nb: 1", "several documents"),
        (config(kind="Pod"), "not a Config"),
        (config(apiVersion="v2"), "not a Config"),
        (config(contexts={}), "contexts is not a list"),
        (config(clusters=[1]), "clusters[] is not an object"),
        (config(users=[{"user": USER}]), "the user number 1 has no name"),
        (config(users=[{"name": "u", "user": USER}] * 2), "user 'u': there are two of this name"),
        (config(**{"current-context": ""}), "no current-context"),
        (config(**{"current-context": 3}), "current-context is not a text"),
        (config({"user": "u"}), "context 'lab': it names no cluster"),
        (config({"cluster": "none"}), "context 'lab': there is no cluster 'none'"),
        (config({"cluster": "c", "user": "none"}), "context 'lab': there is no user 'none'"),
        (config({"cluster": ["c"]}), "context 'lab': cluster is not a text"),
    ],
)
def test_what_is_damaged_is_refused_by_file_and_part(of, tmp_path, value, what):
    refused(of, tmp_path, value, what)


# Several files


def write(path, value):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))
    return str(path)


def test_the_first_file_wins_whole_entries_and_the_others_add(tmp_path):
    first = write(tmp_path / "first", {"users": [{"name": "u", "user": {"username": "ann"}}]})
    second = write(tmp_path / "second", config(user={"token": "t", "password": "p"}))
    access = read(f"{first}{os.pathsep}{second}", "", "lab")
    assert (access.user.username, access.user.token, access.user.password) == ("ann", "", "")
    assert access.cluster.server == CLUSTER["server"]
    assert access.file == first


def test_files_that_are_not_there_are_passed_over(tmp_path):
    there = write(tmp_path / "there", config())
    files = os.pathsep.join(["", str(tmp_path / "none"), str(tmp_path / "there" / "x"), there])
    assert read(files, "", "lab").user.token == "t"
    with pytest.raises(UsageError, match="there is no such file"):
        read(str(tmp_path / "none"), "", "lab")


def test_a_damaged_file_is_named_even_where_it_is_not_the_first(tmp_path):
    files = os.pathsep.join([write(tmp_path / "a", config()), write(tmp_path / "b", {"users": 1})])
    with pytest.raises(UsageError, match="/b cannot be used: users is not a list"):
        read(files, "", "lab")
    with pytest.raises(UsageError, match="cannot be read"):
        read(f"{tmp_path}{os.pathsep}{files}", "", "lab")


def test_paths_are_relative_to_the_file_they_stand_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"client-certificate": "me.pem", "client-key": "/keys/me", "tokenFile": "../token"}
    plugin = {**PLUGIN, "command": "./bin/print-token"}
    user = write(
        tmp_path / "a" / "user", {"users": [{"name": "u", "user": {**files, "exec": plugin}}]}
    )
    rest = write(
        tmp_path / "b" / "rest", config(cluster={**CLUSTER, "certificate-authority": "ca.pem"})
    )
    access = read(f"a/user{os.pathsep}{rest}", "", "lab")
    assert user == str(tmp_path / "a" / "user")
    assert access.cluster.ca.path == str(tmp_path / "b" / "ca.pem")
    certificate, key = access.user.certificate
    assert (certificate.path, key.path) == (str(tmp_path / "a" / "me.pem"), "/keys/me")
    assert Path(access.user.token_file) == tmp_path / "a" / ".." / "token"
    assert Path(access.user.plugin.command[0]) == tmp_path / "a" / "bin" / "print-token"


NAMES = st.sampled_from(["a", "b", "c"])
FILES = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c"]), *[st.sets(NAMES) for _ in range(3)]),
    min_size=1,
    max_size=4,
)


@given(FILES)
def test_each_name_is_what_the_first_file_with_it_says(tmp_path_factory, files):
    """kubectl's rule, said in another way: what comes later never changes what is there."""
    folder = tmp_path_factory.mktemp("files")
    paths, first, current = [], {}, ""
    for number, (chosen, *names) in enumerate(files):
        content = {"current-context": chosen} if chosen else {}
        for kind, of_kind in zip(("context", "cluster", "user"), names, strict=True):
            content[f"{kind}s"] = []
            for name in sorted(of_kind):
                fields = {
                    "context": {"cluster": name, "user": name, "namespace": f"n{number}"},
                    "cluster": {"server": f"https://s{number}"},
                    "user": {"token": f"t{number}"},
                }[kind]
                content[f"{kind}s"].append({"name": name, kind: fields})
                first.setdefault((kind, name), number)
        current = current or chosen
        paths.append(write(folder / str(number), content))
    wanted = [first.get((kind, current)) for kind in ("context", "cluster", "user")]
    if None in wanted:
        with pytest.raises(UsageError):
            read(os.pathsep.join(paths), "", "lab")
    else:
        access = read(os.pathsep.join(paths), "", "lab")
        got = (access.namespace, access.cluster.server, access.user.token)
        assert got == (f"n{wanted[0]}", f"https://s{wanted[1]}", f"t{wanted[2]}")


# Clusters


def test_a_cluster_says_where_and_how_it_is_trusted(of):
    said = {
        "server": "https://k.example:6443/k8s/clusters/c-1/",
        "tls-server-name": "inner",
        "certificate-authority": "/ca.pem",
        "certificate-authority-data": f"{PEM[:9]}\n {PEM[9:]}",
        "proxy-url": "http://ann:secret@proxy:3128",
        "extensions": [
            {"name": "other", "extension": 1},
            {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}},
        ],
    }
    cluster = of(config(cluster=said)).cluster
    assert cluster.server == "https://k.example:6443/k8s/clusters/c-1"
    assert cluster.server_name == "inner"
    assert cluster.ca.data == b"-----BEGIN CERTIFICATE-----", "data wins over a file"
    assert cluster.proxy == "http://ann:secret@proxy:3128"
    assert cluster.config == {"audience": "x"}
    assert not cluster.insecure
    assert of(config(cluster={**CLUSTER, "insecure-skip-tls-verify": True})).cluster.insecure


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("server", None, "server is not a URL"),
        ("server", "", "server is not a URL"),
        ("server", "k.example:6443", "server is not a URL"),
        ("server", "ftp://k.example", "server is not a URL"),
        ("server", "https://k.example:0x1", "server is not a URL"),
        ("server", "https://k.example/ x", "server is not a URL"),
        ("server", "https://[::1", "server is not a URL"),
        ("server", "https://k.example?a=b", "server is not a URL"),
        ("server", "https://ann:secret@k.example", "server holds a user"),
        ("server", 6443, "server is not a text"),
        ("proxy-url", "socks5://ann:secret@proxy:1", "proxy-url is not a URL as it is taken here"),
        ("proxy-url", "proxy:3128", "proxy-url is not a URL"),
        ("proxy-url", ["http://proxy"], "proxy-url is not a text"),
        ("certificate-authority-data", "***", "certificate-authority-data is not base64"),
        ("certificate-authority-data", "YQ", "certificate-authority-data is not base64"),
        ("certificate-authority-data", "é", "certificate-authority-data is not base64"),
        ("certificate-authority", {}, "certificate-authority is not a text"),
        ("insecure-skip-tls-verify", "true", "insecure-skip-tls-verify is not a boolean"),
        ("tls-server-name", 1, "tls-server-name is not a text"),
        ("extensions", {"name": "x"}, "extensions is not a list"),
    ],
)
def test_a_wrong_cluster_is_refused(of, tmp_path, field, value, what):
    refused(of, tmp_path, config(cluster={**CLUSTER, field: value}), f"cluster 'c': {what}")
    with pytest.raises(UsageError) as caught:
        of(config(cluster={**CLUSTER, field: value}))
    assert "secret" not in str(caught.value)


def test_a_ca_and_no_check_exclude_each_other(of, tmp_path):
    both = {**CLUSTER, "insecure-skip-tls-verify": True, "certificate-authority": "ca.pem"}
    refused(of, tmp_path, config(cluster=both), "exclude each other")


# Users


def test_a_user_may_act_as_somebody_else(of):
    said = {
        **USER,
        "as": "ann",
        "as-uid": "17",
        "as-groups": ["a", "b"],
        "as-user-extra": {"scopes": ["x", "y"], "a/b": ["z"]},
    }
    assert of(config(user=said)).user.impersonation == (
        ("Impersonate-User", "ann"),
        ("Impersonate-Uid", "17"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-scopes", "x"),
        ("Impersonate-Extra-scopes", "y"),
        ("Impersonate-Extra-a%2Fb", "z"),
    )


def test_a_program_is_read_with_all_that_it_is_given(of):
    said = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "print-token",
        "args": ["--for", "lab"],
        "env": [{"name": "A", "value": "1"}],
        "installHint": "get it",
        "interactiveMode": "Always",
        "provideClusterInfo": True,
    }
    plugin = of(config(user={"exec": said})).user.plugin
    assert plugin.command == ("print-token", "--for", "lab")
    assert plugin.env == (("A", "1"),)
    assert (plugin.hint, plugin.interactive, plugin.with_cluster) == ("get it", "Always", True)
    assert of(config(user={"exec": PLUGIN})).user.plugin.interactive == "IfAvailable"


@pytest.mark.parametrize(
    ("user", "what"),
    [
        ({"token": 17}, "token is not a text"),
        ({"token": "a\nImpersonate-User: admin"}, "token holds characters"),
        ({"token": "tökén"}, "token holds characters"),
        ({"token": "t", "username": "ann"}, "token and username exclude each other"),
        ({"tokenFile": ["t"]}, "tokenFile is not a text"),
        ({"tokenFile": "t", "username": "ann"}, "token and username exclude each other"),
        ({"tokenFile": "a\0b"}, "it holds a character"),
        ({"username": "a:b"}, "username holds a colon"),
        ({"username": 1}, "username is not a text"),
        ({"password": ["p"]}, "password is not a text"),
        ({"password": "\ud800"}, "it holds a character"),
        ({"client-certificate": "c"}, "it has a client-certificate, but no client-key"),
        ({"client-key-data": PEM}, "it has a client-key, but no client-certificate"),
        ({"client-key-data": "-", "client-certificate": "c"}, "client-key-data is not base64"),
        ({"client-certificate-data": 1}, "client-certificate-data is not a text"),
        ({"auth-provider": {"name": "gcp"}}, "auth-provider is not supported"),
        ({"auth-provider": "gcp"}, "auth-provider is not an object"),
        ({"as-groups": ["a"]}, "as-uid, as-groups and as-user-extra need an `as`"),
        ({"as": "a\r\nb"}, "as holds characters"),
        ({"as": "a", "as-groups": "b"}, "as-groups is not a list"),
        ({"as": "a", "as-groups": ["b\n"]}, "as-groups holds characters"),
        ({"as": "a", "as-user-extra": {"x": "y"}}, "as-user-extra.x is not a list"),
        ({"exec": []}, "exec is not an object"),
        ({"exec": {**PLUGIN, "command": ""}}, "exec has no command"),
        ({"exec": {**PLUGIN, "command": "a\0b"}}, "it holds a character"),
        ({"exec": {**PLUGIN, "args": "x"}}, "exec.args is not a list"),
        ({"exec": {**PLUGIN, "args": [1]}}, "exec.args[] is not a text"),
        ({"exec": {**PLUGIN, "args": ["a\ud800"]}}, "it holds a character"),
        ({"exec": {**PLUGIN, "env": [{"value": "x"}]}}, "exec.env holds a variable without a name"),
        ({"exec": {**PLUGIN, "env": [{"name": "A=B"}]}}, "exec.env holds a variable without"),
        ({"exec": {**PLUGIN, "env": {"A": "1"}}}, "exec.env is not a list"),
        ({"exec": {**PLUGIN, "apiVersion": None}}, "exec.apiVersion is not"),
        ({"exec": {**PLUGIN, "apiVersion": "v1"}}, "exec.apiVersion is not"),
        ({"exec": {**PLUGIN, "apiVersion": 1}}, "exec.apiVersion is not a text"),
        ({"exec": {**PLUGIN, "interactiveMode": "never"}}, "exec.interactiveMode is not Never"),
        (
            {"exec": {**PLUGIN, "provideClusterInfo": "yes"}},
            "exec.provideClusterInfo is not a boolean",
        ),
    ],
)
def test_a_wrong_user_is_refused(of, tmp_path, user, what):
    refused(of, tmp_path, config(user=user), f"user 'u': {what}")


# Anything else


def places(value, path=()):
    """All places in a value, as the keys that lead there."""
    yield path
    for key, one in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from places(one, (*path, key))


FULL = config(
    cluster={**CLUSTER, "certificate-authority-data": PEM, "extensions": [{"name": "x"}]},
    user={"exec": {**PLUGIN, "args": ["a"], "env": [{"name": "A", "value": "1"}]}, "as": "ann"},
)


@pytest.mark.parametrize(
    "odd", [None, 1, 1e300, True, "", "\0", "x" * 100_000, [], {}, [None], [[]], {"a": None}]
)
def test_whatever_stands_in_any_place_it_is_read_or_refused(of, odd):
    for path in places(FULL):
        value = copy.deepcopy(FULL)
        if not path:
            value = odd
        else:
            inner = value
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = odd
        with suppress(UsageError):
            of(json.dumps(value))
