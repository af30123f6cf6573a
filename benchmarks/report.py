"""Figures of one run as tables, with the targets beside what was measured."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from rich.console import Console
from rich.table import Table

Figures = dict[str, Any]
JUDGED = ("1.2m", "12m")
"""Sizes that the targets speak of; smaller ones are one batch and a few pages, in which fixed costs are all there is."""
_QUERY_MS = {"1.2m": 40.0, "12m": 120.0}
_QUERY_MB = {"12m": 600.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure of one size."""

    what: str
    value: str
    target: str = ""
    met: bool | None = None

    @property
    def verdict(self) -> str:
        return "" if self.met is None else "met" if self.met else "not met"


def show(size: str, figures: Figures) -> None:
    """Print one size: a table on a terminal, markdown elsewhere."""
    words = figures["words"]
    title = (
        f"{size} tokens: {words['messages']:,} messages, {words['passages']:,} passages, {words['text_bytes']:,} bytes"
    )
    found = list(rows(figures))
    if not sys.stdout.isatty():
        print(f"\n### {title}\n\n| measure | value | target | |\n|---|---|---|---|")
        for row in found:
            print(f"| {row.what} | {row.value} | {row.target} | {row.verdict} |")
        return
    table = Table("measure", "value", "target", "", title=title, title_justify="left")
    for row in found:
        style = {None: "", True: "green", False: "red"}[row.met]
        table.add_row(row.what, row.value, row.target, row.verdict, style=style)
    Console().print(table)


def rows(figures: Figures) -> Iterator[Row]:
    """Yield the rows of one size, in the order of the phases."""
    parts = (_of_words(figures["words"]), _of_vectors(figures), _of_opening(figures["open"]), _of_queries(figures))
    for row in chain(*parts, _of_peers(figures)):
        yield row if figures["size"] in JUDGED else replace(row, target="", met=None)


def _of_words(words: Figures) -> Iterator[Row]:
    for speed, length in (("messages_per_s", "characters_mean"), ("short_per_s", "short_characters_mean")):
        what = f"words durable, batches of 500, {words[length]:.0f} characters each"
        yield _compared(what, words[speed], "messages/s", least=3000)
    yield Row(what="one message, p50 / p95 / max", value=_spread(words["single_add_ms"]))
    yield _compared("disk / text, words only", words["bytes"] / words["text_bytes"], "", most=1.6, digits=2)


def _of_vectors(figures: Figures) -> Iterator[Row]:
    words = figures["words"]
    for units in ("clauses", "passages"):
        of = figures[units]
        speed = f"{words['tokens'] / of['seconds']:,.0f} tokens/s ({of['seconds']:,.1f} s)"
        yield Row(what=f"vectors of {units}", value=speed + (", drawn, not computed" if of["drawn"] else ""))
    with_clauses = figures["clauses"]["bytes"] / words["text_bytes"]
    yield _compared("disk / text, with clause vectors", with_clauses, "", most=2.8, digits=2)
    with_passages = figures["passages"]["bytes"] / words["text_bytes"]
    yield Row(what="disk / text, with passage vectors only", value=f"{with_passages:.2f}")


def _of_opening(opened: Figures) -> Iterator[Row]:
    own = opened["open_ms"] + opened["stats_ms"]
    yield _compared("cold: Memory() and stats()", own, "ms", most=150)
    yield Row(what="cold: first context() after that", value=f"{opened['first_context_ms']:,.0f} ms")
    yield Row(what="cold: loading the model", value=f"{opened['model_ms']:,.0f} ms")
    yield Row(what="cold: start of Python and imports", value=f"{opened['imports_ms']:,.0f} ms")
    everything = own + opened["first_context_ms"] + opened["model_ms"] + opened["imports_ms"]
    yield Row(what="cold: from nothing to the first context", value=f"{everything:,.0f} ms")


def _of_queries(figures: Figures) -> Iterator[Row]:
    asked = figures["queries"]
    most = _QUERY_MS.get(figures["size"])
    yield Row(
        what="context(), p50 / p95 / max",
        value=_spread(asked["context_ms"]),
        target=f"p95 <= {most:.0f} ms" if most else "",
        met=asked["context_ms"]["p95"] <= most if most else None,
    )
    yield Row(what="of which the question's vector", value=_spread(asked["embedding_ms"]))
    yield _compared("memory of a query: peak", asked["rss_peak_mb"], "MB", most=_QUERY_MB.get(figures["size"]))
    grown = asked["rss_peak_mb"] - asked["rss_before_mb"]
    yield Row(what="memory of a query: over the loaded model", value=f"{grown:,.0f} MB")


def _of_peers(figures: Figures) -> Iterator[Row]:
    found = figures["peers"]
    for name in ("rank_bm25", "bm25s", "chroma"):
        of = found[name]
        value = of.get("left_out") or f"{_spread(of['query_ms'])} (built in {of['build_s']:,.1f} s)"
        yield Row(what=f"{name}, p50 / p95 / max", value=value)
    yield Row(what="Chroma and the question's vector", value=_spread(found["chroma"]["with_embedding_ms"]))
    both, own = found["chroma_and_rank_bm25"].get("query_ms"), figures["queries"]["context_ms"]
    if both:
        is_asked = figures["size"] == "1.2m"
        yield Row(
            what="Chroma + rank_bm25",
            value=f"{_spread(both)}; context() takes {own['p95'] / both['p95']:.2f} of the p95",
            target="context() is faster" if is_asked else "",
            met=own["p95"] < both["p95"] if is_asked else None,
        )


def _compared(
    what: str, value: float, unit: str, *, least: float | None = None, most: float | None = None, digits: int = 0
) -> Row:
    target = f">= {least:,.0f} {unit}" if least is not None else f"<= {most:,g} {unit}" if most is not None else ""
    met = value >= least if least is not None else value <= most if most is not None else None
    return Row(what=what, value=f"{value:,.{digits}f} {unit}".strip(), target=target.strip(), met=met)


def _spread(milliseconds: Figures) -> str:
    return " / ".join(f"{milliseconds[name]:,.1f}" for name in ("p50", "p95", "max")) + " ms"
