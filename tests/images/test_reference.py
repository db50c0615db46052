"""Names of images."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import UsageError
from argojobs.images.reference import Reference, check_name, parse, registry_host, within

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("train", Reference("", "train")),
        ("train:1.2", Reference("", "train", "1.2")),
        ("team/train", Reference("", "team/train")),
        ("localhost/train", Reference("localhost", "train")),
        ("localhost:32000/train:git-a", Reference("localhost:32000", "train", "git-a")),
        ("jfrog.com/team/train", Reference("jfrog.com", "team/train")),
        ("[::1]:5000/train", Reference("[::1]:5000", "train")),
        (f"lab:5000/a/b__c:x@{DIGEST}", Reference("lab:5000", "a/b__c", "x", DIGEST)),
    ],
)
def test_parts(text, expected):
    assert parse(text) == expected
    assert parse(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "Train", "a//b", "-a", "a_", "a:", "a:-x", "a b", "lab:x/a", "a@sha256:12"),
        *("https://lab/a", "a" * 256, f"a@sha256:{'0A' * 32}", "lab:5000/", "a:" + "t" * 129),
    ],
)
def test_what_is_no_name(text):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://jfrog.com/team/", "jfrog.com/team"),
        ("http://me:secret@Lab.example:5000//", "lab.example:5000"),
        ("localhost:32000", "localhost:32000"),
        ("https://registry.example/v2/", "registry.example"),
        ("oci://ghcr.io/me", "ghcr.io/me"),
        *(("", ""), ("null", ""), ("none", "")),
    ],
)
def test_a_registry_before_a_name(url, host):
    assert registry_host(url) == host
    if host:
        assert within(host, "train", tag="1").text == f"{host}/train:1"


@pytest.mark.parametrize("url", ["https://", "lab/Team", "https://me:secret@la b", "x/a?b=c"])
def test_what_is_no_registry(url):
    with pytest.raises(UsageError) as caught:
        registry_host(url)
    assert "secret" not in str(caught.value)


def test_a_better_name_is_shown():
    with pytest.raises(UsageError, match="my-train") as caught:
        check_name("My Train", "build.yaml:3")
    assert caught.value.where == "build.yaml:3"


part = st.from_regex(r"[a-z0-9]{1,4}((\.|_|__|-{1,3})[a-z0-9]{1,3}){0,2}", fullmatch=True)


@given(
    st.sampled_from(["", "localhost", "lab:5000", "jfrog.com/team"]),
    st.lists(part, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "1.2", "git-abc"]),
    st.sampled_from(["", DIGEST]),
)
def test_text_and_parts_are_the_same(registry, name, tag, digest):
    if not registry and "." in name.partition("/")[0]:
        return  # docker takes such a first part for a registry
    reference = within(registry, name, tag=tag, digest=digest)
    assert parse(reference.text) == reference
    assert reference.name == (f"{registry}/{name}" if registry else name)
