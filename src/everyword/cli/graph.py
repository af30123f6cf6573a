"""The graph of claims as text, for Graphviz, or for Mermaid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from everyword.cli import terminal
from everyword.domain.graph import Graph


def as_text(found: Graph) -> Iterator[str]:
    """Yield one line an edge, with when it was said and where."""
    for edge in found.edges:
        said = f"{edge.said_at:%Y-%m-%d}" if edge.said_at else "date unknown"
        until = f" until {edge.valid_to:%Y-%m-%d}" if edge.valid_to else "" if edge.is_open else " no longer"
        named = terminal.visible(f"{edge.subject} — {edge.relation} → {edge.object}")
        yield f"{named}  ({said}{until}, #{edge.seq})"


def as_dot(found: Graph) -> Iterator[str]:
    """Yield the lines of a digraph for Graphviz."""
    yield "digraph claims {"
    yield from (f"  {_quoted(node.name)};" for node in found.nodes)
    for edge in found.edges:
        style = "" if edge.is_open else ", style=dashed"
        yield f"  {_quoted(edge.subject)} -> {_quoted(edge.object)} [label={_quoted(edge.relation)}{style}];"
    yield "}"


def as_mermaid(found: Graph) -> Iterator[str]:
    """Yield the lines of a flowchart for Mermaid."""
    numbers = {node.name: f"n{number}" for number, node in enumerate(found.nodes)}
    yield "flowchart LR"
    yield from (f'  {numbers[node.name]}["{_escaped(node.name)}"]' for node in found.nodes)
    for edge in found.edges:
        arrow = "-->" if edge.is_open else "-.->"
        yield f'  {numbers[edge.subject]} {arrow}|"{_escaped(edge.relation)}"| {numbers[edge.object]}'


FORMATS: Mapping[str, Callable[[Graph], Iterator[str]]] = {"text": as_text, "dot": as_dot, "mermaid": as_mermaid}


def _quoted(words: str) -> str:
    return json.dumps(terminal.visible(words), ensure_ascii=False)


def _escaped(words: str) -> str:
    """Return the words with the signs that Mermaid reads written as entities."""
    plain = terminal.visible(words).replace("#", "#35;").replace('"', "#quot;")
    return plain.replace("<", "#lt;").replace(">", "#gt;").replace("|", "#124;")
