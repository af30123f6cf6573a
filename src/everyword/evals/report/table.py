"""Tables whose figures carry their interval and their number of questions."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.scale import share_domain
from everyword.evals.report.charts.sparks import spark
from everyword.evals.report.figure import Figure
from everyword.evals.report.markup import Content, Html, join, tag
from everyword.evals.report.numerals import NONE, interval, percent

_SLIM = 7
"""Columns up to which a table is not drawn wider than a chart."""
Cell = Html
"""A whole td or th."""


def table(
    heads: Sequence[Content],
    rows: Sequence[Sequence[Cell]],
    *,
    caption: str,
    named: bool = False,
    wordy: int = 1,
    class_: str | None = None,
) -> Html:
    """Return a table that scrolls in its own frame when it is too wide; columns after `wordy` ones hold numbers.

    The caption is seen unless it is `named` by what stands above it; readers of the page aloud always get it.
    """
    head = tag(
        "tr", *(tag("th", each, scope="col", class_="n" if at >= wordy else None) for at, each in enumerate(heads))
    )
    body = tag("tbody", *(tag("tr", *cells) for cells in rows))
    title = tag("caption", caption, class_="unseen" if named else None)
    shape = class_ or ("slim" if len(heads) <= _SLIM else None)
    built = tag("table", title, tag("thead", head), body, class_=shape)
    return tag("div", built, class_="scroll", role="region", tabindex=0, aria_label=caption)


def header(content: Content, *, below: str | None = None) -> Cell:
    """Return the head of a row."""
    return tag("th", content, _below(below), scope="row")


def cell(content: Content) -> Cell:
    return tag("td", content, class_="n")


def prose(content: Content) -> Cell:
    return tag("td", content)


def figure_cell(
    figure: Figure, *, colour: str, domain: tuple[float, float], best: bool = False, with_n: bool = False
) -> Cell:
    """Return a share, its interval as a drawing and in numbers; `best` is in bold."""
    if figure.value is None:
        return cell(join([NONE, _below("no questions" if with_n and not figure.n else None)]))
    value = tag("strong", percent(figure.value)) if best else tag("span", percent(figure.value))
    bounds = interval(figure) + (f", n {figure.n:,}" if with_n else "")
    return tag("td", value, spark(figure, domain, colour), _below(bounds), class_="n figure")


def domain_of(figures: Sequence[Figure]) -> tuple[float, float]:
    """Return the one range that the drawings of a table share."""
    bounds = [each for figure in figures for each in (figure.low, figure.value, figure.high) if each is not None]
    return share_domain(bounds)


def range_note(domain: tuple[float, float]) -> str:
    return f"Bars run from {100 * domain[0]:.0f} to {100 * domain[1]:.0f} %."


def bounds_cell(figure: Figure, *, best: bool = False, of: int | None = None) -> Cell:
    """Return a share with its interval in numbers alone, and with its n where that is not `of`."""
    value = tag("strong", percent(figure.value)) if best else percent(figure.value)
    other = of is not None and figure.known and figure.n != of
    return cell(join([value, _below(interval(figure) + (f", n {figure.n:,}" if other else ""))]))


def _below(words: str | None) -> Html | None:
    return tag("small", words) if words else None
