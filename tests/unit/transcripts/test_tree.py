from __future__ import annotations

from everyword.transcripts.tree import last_leaf, path_to, walk


def test_the_path_leads_from_the_leaf_to_the_root() -> None:
    assert path_to({"a": None, "b": "a", "c": "b", "d": "a"}, "c") == {"a", "b", "c"}


def test_the_deepest_leaf_wins_and_of_equals_the_higher_rank() -> None:
    parents = {"a": None, "b": "a", "c": "b", "d": "b", "e": "a"}
    assert last_leaf(parents, lambda key: key) == "d"


def test_cycles_and_missing_parents_end_every_walk() -> None:
    parents = {"a": "b", "b": "a", "c": "gone", "d": "d"}
    assert path_to(parents, "a") == {"a", "b"}
    assert last_leaf(parents, lambda key: key) == "c"
    assert sorted(walk(parents, {})) == ["a", "b", "c", "d"]


def test_siblings_come_in_the_order_of_their_parent() -> None:
    parents = {"root": None, "x": "root", "y": "root", "z": "x"}
    assert list(walk(parents, {"root": ["y", "x"]})) == ["root", "y", "x", "z"]


def test_a_chain_of_any_length_is_walked() -> None:
    parents: dict[str, str | None] = {"0": None, **{str(i): str(i - 1) for i in range(1, 20_000)}}
    leaf = last_leaf(parents, lambda key: key)
    assert leaf == "19999"
    assert len(path_to(parents, leaf)) == len(list(walk(parents, {}))) == 20_000
