import random

from argojobs.manifest.graph import find_cycle


def test_no_cycle():
    assert find_cycle({}) == []
    assert find_cycle({"a": [], "b": ["a"], "c": ["a", "b", "unknown"]}) == []


def test_the_cycle_is_named_in_order():
    cycle = find_cycle({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"], "z": []})
    assert cycle[0] == cycle[-1]
    assert sorted(cycle[1:]) == ["a", "b", "c"]
    assert find_cycle({"a": ["a"]}) == ["a", "a"]


def test_a_long_chain_needs_no_recursion():
    names = [f"t{n}" for n in range(10_000)]
    edges = {name: [names[n - 1]] if n else [] for n, name in enumerate(names)}
    shuffled = names.copy()
    random.Random(1).shuffle(shuffled)
    assert find_cycle({name: edges[name] for name in shuffled}) == []
    assert len(find_cycle({**edges, "t0": ["t9999"]})) == 10_001
