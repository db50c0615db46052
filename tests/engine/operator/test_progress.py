"""How far pods say they are, and what their parents and the run make of it, as Argo does."""

from __future__ import annotations

import random

import pytest
from support.player import Ended, Player, manifest, nodes, play

from argojobs.engine.model import PodEnded, PodProgress, PodResult
from argojobs.engine.operator.progress import own_progress, summed_progress
from argojobs.manifest.progress import at_start, complete, last_said, parts

SIDE_BY_SIDE = """
steps:
- - {name: a, template: pod}
  - {name: b, template: pod}
"""
RETRIED = """
retryStrategy: {limit: 1}
container: {image: i}
"""


def says(player: Player, name: str, said: str) -> None:
    player.send(PodProgress(player.id_of(name), said))


def ends(player: Player, name: str, phase: str, said: str = "") -> None:
    node_id = player.id_of(name)
    player.pods.pop(node_id)
    result = PodResult(phase, "", player.now, player.now, progress=said)  # type: ignore[arg-type]
    player.send(PodEnded(node_id, result))


def shown(player: Player) -> dict[str, str]:
    done = player.object()
    return {
        **{name: node["progress"] for name, node in nodes(done).items() if "progress" in node},
        "": done["status"]["progress"],
    }


@pytest.fixture(params=[False, True], ids=["in memory", "from its rows"])
def player(request: pytest.FixtureRequest) -> Player:
    """Two pods side by side, of which the first runs."""
    made = Player(manifest(SIDE_BY_SIDE), reload=request.param)
    made.begin()
    made.run_pod("wf[0].a")
    return made


def test_what_a_pod_says_is_shown_and_summed_in_its_parents(player: Player) -> None:
    says(player, "wf[0].a", "3/10")
    assert shown(player) == {
        "wf[0].a": "3/10", "wf[0].b": "0/1", "wf[0]": "3/11", "wf": "3/11", "": "3/11",
    }  # fmt: skip
    says(player, "wf[0].a", "4/10")
    assert shown(player)["wf"] == shown(player)[""] == "4/11"


def test_a_pod_that_succeeds_has_done_all_of_it(player: Player) -> None:
    says(player, "wf[0].a", "5/10")
    player.end_pod("wf[0].a")
    assert shown(player)["wf[0].a"] == "10/10"
    player.run_pod("wf[0].b")
    player.end_pod("wf[0].b")
    assert shown(player)["wf"] == shown(player)[""] == "11/11"


def test_a_pod_that_fails_stays_where_it_was(player: Player) -> None:
    says(player, "wf[0].a", "3/10")
    player.end_pod("wf[0].a", code=1)
    assert shown(player)["wf[0].a"] == "3/10"
    assert shown(player)[""] == "3/11"


@pytest.mark.parametrize(("phase", "kept"), [("Failed", "7/10"), ("Succeeded", "10/10")])
def test_the_end_of_a_pod_says_it_too(player: Player, phase: str, kept: str) -> None:
    says(player, "wf[0].a", "3/10")
    ends(player, "wf[0].a", phase, "7/10")
    assert shown(player)["wf[0].a"] == kept


def test_the_progress_of_an_attempt_that_failed_stays_in_the_sum(player: Player) -> None:
    retried = Player(manifest(RETRIED))
    retried.begin()
    for name, said in (("wf(0)", "3/10"), ("wf(1)", "4/10")):
        retried.run_pod(name)
        says(retried, name, said)
        retried.end_pod(name, code=int(name == "wf(0)"))
    assert shown(retried) == {"wf": "13/20", "wf(0)": "3/10", "wf(1)": "10/10", "": "13/20"}
    assert retried.object()["status"]["phase"] == "Succeeded"


def test_the_template_says_where_its_pods_begin() -> None:
    begins = {"annotations": {"workflows.argoproj.io/progress": "0/10"}}
    template = {"name": "main", "metadata": begins, "container": {"image": "i"}}
    spec = {"entrypoint": "main", "templates": [template]}
    player = Player({"metadata": {"name": "wf"}, "spec": spec})
    player.begin()
    assert shown(player) == {"wf": "0/10", "": "0/10"}
    player.end_pod("wf")
    assert shown(player) == {"wf": "10/10", "": "10/10"}


def test_what_is_no_progress_changes_nothing(player: Player) -> None:
    says(player, "wf[0].a", "3/10")
    for said in ("11/10", "", "x", "1/0", "3/10"):
        changes = player.changes
        says(player, "wf[0].a", said)
        assert (shown(player)["wf[0].a"], player.changes) == ("3/10", changes)
    ends(player, "wf[0].a", "Failed", "what a stranger wrote")
    assert shown(player)["wf[0].a"] == "3/10"


def test_a_pod_that_does_not_run_says_nothing(player: Player) -> None:
    says(player, "wf[0].b", "1/2")
    assert shown(player)["wf[0].b"] == "0/1"
    player.end_pod("wf[0].a", code=1)
    says(player, "wf[0].a", "1/2")
    assert shown(player)["wf[0].a"] == "0/1"


def test_without_a_word_of_progress_a_pod_is_one_of_one() -> None:
    done = play(manifest(SIDE_BY_SIDE), {"wf[0].b": Ended(code=1)}, running=True)
    assert {name: node["progress"] for name, node in nodes(done).items()} == {
        "wf": "1/2", "wf[0]": "1/2", "wf[0].a": "1/1", "wf[0].b": "0/1",
    }  # fmt: skip


def _reached(graph: dict[str, dict], key: str, seen: set[str]) -> set[str]:
    for child in graph[key].get("children", ()):
        if child in graph and child not in seen:
            seen.add(child)
            _reached(graph, child, seen)
    return seen


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_is_that_of_each_node_below_counted_once(seed: int) -> None:
    chance = random.Random(seed)
    graph: dict[str, dict] = {}
    for number in range(40):
        total = chance.choice([1, 1, 3, 10**12])
        graph[str(number)] = {
            "type": chance.choice(["Pod", "DAG", "Retry"]),
            "phase": "Running",
            "progress": f"{chance.randint(0, total)}/{total}",
            "children": [str(chance.randint(number + 1, 40)) for _ in range(3)],
        }
    summed = summed_progress(graph)
    for key, node in graph.items():
        below = [graph[one] for one in _reached(graph, key, set())]
        own = [own_progress(one) for one in below if one["type"] == "Pod"]
        expected = f"{sum(done for done, _ in own)}/{sum(total for _, total in own)}"
        assert summed.get(key) == (expected if own and node["type"] != "Pod" else None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0/1", (0, 1)), ("1/1", (1, 1)), ("3/10", (3, 10)), ("007/10", (7, 10)),
        ("", None), ("3", None), ("/", None), ("1/0", None), ("2/1", None), ("-1/1", None),
        ("1/2/3", None), ("1.5/2", None), ("1 /2", None), ("\u0661/\u0662", None),
        ("1_0/2_0", None), (f"1/{10**19}", None),
    ],
)  # fmt: skip
def test_progress_is_two_whole_numbers_the_first_no_larger(
    text: str, found: tuple[int, int] | None
) -> None:
    assert parts(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1/3\n2/3\n", "2/3"), ("1/3\n 2/3 \r\n\n", "2/3"), ("1/3\n2/", "1/3"),
        ("1/3\nalmost\n4/3\n", "1/3"), ("", ""), ("almost", ""), ("02/3", "2/3"),
    ],
)  # fmt: skip
def test_the_last_line_that_says_it_counts(text: str, said: str) -> None:
    assert last_said(text) == said


def test_an_annotation_that_says_nothing_is_none() -> None:
    named = "workflows.argoproj.io/progress"
    for metadata in (None, {}, {"annotations": None}, {"annotations": {named: "soon"}}):
        assert at_start({"metadata": metadata}) == "0/1"
    assert at_start({"metadata": {"annotations": {named: "2/9"}}}) == "2/9"


def test_all_of_it_done() -> None:
    assert [complete(text) for text in ("3/10", "0/1", "")] == ["10/10", "1/1", "1/1"]
