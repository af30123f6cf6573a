"""Conversations that branch: which messages lead to the one that the user last saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Parents = Mapping[str, str | None]


def path_to(parents: Parents, leaf: str | None) -> frozenset[str]:
    """Return the ids from a leaf up to its root; a cycle ends the walk."""
    seen: set[str] = set()
    while leaf is not None and leaf in parents and leaf not in seen:
        seen.add(leaf)
        leaf = parents[leaf]
    return frozenset(seen)


def last_leaf(parents: Parents, rank: Callable[[str], Any]) -> str | None:
    """Return the deepest leaf, and of equally deep ones the one of highest rank."""
    inner = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in parents if node not in inner]
    depth = _depths(parents)
    return max(leaves, key=lambda node: (depth[node], rank(node)), default=None)


def _depths(parents: Parents) -> dict[str, int]:
    depth: dict[str, int] = {}
    for node in parents:
        trail: list[str] = []
        on_trail: set[str] = set()
        at: str | None = node
        while at is not None and at in parents and at not in depth and at not in on_trail:
            trail.append(at)
            on_trail.add(at)
            at = parents[at]
        below = depth.get(at, 0) if at is not None else 0
        for step, passed in enumerate(reversed(trail), start=1):
            depth[passed] = below + step
    return depth


def walk(parents: Parents, children: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield every id once: roots first, each before its children, siblings in the order given."""
    ordered = _children(parents, children)
    seen: set[str] = set()
    starts = [node for node, parent in parents.items() if parent not in parents] + list(parents)
    for start in starts:
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                yield node
                stack.extend(reversed(ordered.get(node, [])))


def _children(parents: Parents, given: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node, parent in parents.items():
        if parent is not None:
            found.setdefault(parent, []).append(node)
    for parent, nodes in found.items():
        place = {child: position for position, child in enumerate(given.get(parent, ()))}
        nodes.sort(key=lambda node: place.get(node, len(place)))
    return found
