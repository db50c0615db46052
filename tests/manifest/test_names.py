import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.manifest.names import (
    fnv1a_32,
    is_dns_label,
    label_value,
    name_start,
    node_id,
    object_name,
    pod_name,
    pod_of_node,
    random_suffix,
    shorten,
)


@pytest.mark.parametrize(
    ("text", "value"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)]
)
def test_the_hash_is_fnv1a(text, value):
    assert fnv1a_32(text) == value


def test_node_ids_are_argos():
    assert node_id("hello-abcde", "hello-abcde") == "hello-abcde"
    assert node_id("hello-abcde", "hello-abcde[0]") == "hello-abcde-999778973"


def test_pod_names_are_argos():
    assert pod_name("hello", "main", "hello") == "hello"
    assert pod_name("hello-abcde", "say", "hello-abcde[0]") == "hello-abcde-say-999778973"
    assert pod_name("hello-abcde", "", "hello-abcde[0]") == "hello-abcde-999778973"


def test_a_known_id_saves_the_hash():
    assert pod_name("w", "t", "w.a", "w-17") == "w-t-17"
    assert pod_name("w", "t", "w.a", "other") == f"w-t-{fnv1a_32('w.a')}"


def test_a_long_pod_name_is_cut_in_front_of_its_hash():
    name = pod_name("w" * 63, "t" * 300, "w.a")
    assert name == f"{'w' * 63}-{'t' * 178}-{fnv1a_32('w.a')}"
    assert len(name) <= 253


def test_suffixes_are_kubernetes_own():
    suffix = random_suffix(random.Random(1))
    assert len(suffix) == 5
    assert set(suffix) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert suffix == random_suffix(random.Random(1))
    assert suffix != random_suffix(random.Random(2))


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("a", True),
        ("a-1", True),
        ("1a", True),
        ("A", False),
        ("a-", False),
        ("-a", False),
        ("", False),
        ("a_b", False),
        ("a.b", False),
        ("a" * 63, True),
        ("a" * 64, False),
        ("a\n", False),
    ],
)
def test_dns_labels(text, good):
    assert is_dns_label(text) is good


@given(st.text(), st.integers(10, 63))
def test_shortened_names_fit(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text or len(text) > limit


def test_shortened_names_stay_unique():
    assert shorten("short", 20) == "short"
    first, second = shorten("x" * 70 + "1", 63), shorten("x" * 70 + "2", 63)
    assert first != second
    assert len(first) == 63


OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?")


@given(st.text())
def test_any_text_becomes_a_name_and_a_label(text):
    name, label = object_name(text), label_value(text)
    assert OBJECT_NAME.fullmatch(name)
    assert LABEL_VALUE.fullmatch(label)
    assert len(name) <= 63
    assert len(label) <= 63
    assert object_name(name) == name
    assert label_value(label) == label


@pytest.mark.parametrize("text", ["a", "my-run", "v1.2", "a" * 63])
def test_good_names_stay_as_they_are(text):
    assert object_name(text) == label_value(text) == text


def test_names_that_only_look_alike_stay_two():
    assert object_name("My Run") != object_name("my run") != object_name("my-run")
    assert object_name("My Run").startswith("my-run-")
    assert label_value("a/b") != label_value("a b")
    assert label_value("Digits") == "Digits"


def _workflows(value):
    """Every workflow with nodes in the answers of the real server."""
    if isinstance(value, dict):
        if isinstance(value.get("status"), dict) and isinstance(value["status"].get("nodes"), dict):
            yield value
        for item in value.values():
            yield from _workflows(item)
    elif isinstance(value, list):
        for item in value:
            yield from _workflows(item)


def test_names_are_those_that_the_real_argo_gave(shared):
    """Node ids of all recorded nodes, and names of the pods whose logs were recorded."""
    recorded = json.loads((shared / "argo" / "rest-recorded.json").read_text())
    found = 0
    pods = set()
    for workflow in _workflows([one.get("response") for one in recorded]):
        name = workflow["metadata"]["name"]
        for key, node in workflow["status"]["nodes"].items():
            assert node_id(name, node["name"]) == key == node["id"]
            found += 1
            if node["type"] == "Pod":
                pods.add(pod_name(name, node.get("templateName", ""), node["name"], key))
    assert found
    logged = set(re.findall(r'podName[\\\\": ]+([a-z0-9-]+)', json.dumps(recorded)))
    assert logged
    assert logged <= pods


#: What Argo's own Go code printed; the file says how.
ARGOS = json.loads(Path(__file__).with_name("pod_names.json").read_text())["cases"]


def test_pods_and_nodes_have_the_names_that_argos_own_code_gives():
    """Single pods, attempts, items, groups, nested graphs, hooks, references, inline, long ones."""
    wrong = []
    for case in ARGOS:
        metadata = {"name": case["workflow"], "annotations": case.get("annotations", {})}
        node = case["node"]
        found = node_id(case["workflow"], node["name"])
        names = {pod_of_node({"metadata": metadata}, {**node, "id": id_}) for id_ in ("", found)}
        if found != case["id"] or names != {case["pod"]}:
            wrong.append((case, found, names))
    assert not wrong
    assert len(ARGOS) > 200
    assert max(len(case["pod"]) for case in ARGOS) == 253


def test_a_referenced_template_names_the_pod():
    workflow = {"metadata": {"name": "w"}}
    node = {"name": "w.a", "templateRef": {"name": "library", "template": "common"}}
    assert pod_of_node(workflow, node) == f"w-common-{fnv1a_32('w.a')}"
    assert pod_of_node(workflow, {"name": "w.a"}) == f"w-{fnv1a_32('w.a')}"


@given(st.text())
def test_any_text_begins_the_names_of_runs(text):
    start = name_start(text)
    assert OBJECT_NAME.fullmatch(start + "x7k2p")
    assert len(start + "x7k2p") <= 63
    assert name_start(start) == start


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("demo-", "demo-"),
        ("demo", "demo"),
        ("v1.2-", "v1.2-"),
        ("My_Pipeline-", "my-pipeline-"),
        ("a" * 57 + "-", "a" * 57 + "-"),
    ],
)
def test_a_good_start_stays_and_another_one_is_readable(text, start):
    assert name_start(text) == start


def test_a_start_that_is_cut_has_a_hash_of_the_whole():
    first, second = name_start("a" * 70 + "1-"), name_start("a" * 70 + "2-")
    assert first != second
    assert re.fullmatch(r"a{48}-[0-9a-f]{8}-", first)
