"""The figure that the run is about, beside plain word search and the whole history."""

from __future__ import annotations

from everyword.evals.report.charts.scale import share_domain
from everyword.evals.report.charts.sparks import spark
from everyword.evals.report.condition import Condition, length_name, row_at
from everyword.evals.report.figure import Figure
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import NONE, interval, percent, points, probability, ratio, tokens, whole
from everyword.evals.report.run import Measure, Row
from everyword.evals.report.support import compared_in
from everyword.evals.report.view import Section, View, swatch

_BESIDE = {"bm25": "Plain word search (BM25)", "full": "Full context"}
_SAYS: dict[Measure, str] = {
    "all_evidence": "of the questions have all their evidence in the context",
    "accuracy": "of the questions are answered correctly",
}


def headline(view: View) -> Section:
    row = None if view.main is None or view.first is None else row_at(view.run, view.main, view.first)
    if row is None or view.first is None:
        return view.section("headline", "Headline", tag("p", "This run has no results.", class_="empty"))
    beside = [_beside(view, row, name, view.first) for name in _BESIDE if name != view.main]
    return view.section(
        "headline",
        "Headline",
        tag("div", _hero(view, row), tag("div", *beside, class_="beside"), class_=f"headline {view.look(row).colour}"),
    )


def _hero(view: View, row: Row) -> Html:
    measure = view.measure
    figure = row.of(measure)
    said = [
        tag("p", swatch(view.look(row)), Html(" "), tag("b", row.strategy), _at(row), class_="who"),
        tag(
            "p", tag("span", percent(figure.value), class_="huge"), Html(" %") if figure.known else None, class_="value"
        ),
        tag("p", _SAYS[measure], class_="says"),
        _bounds(figure),
        *(_also(row, other) for other in view.run.measures if other != measure),
        _farther(view, row),
    ]
    return tag("div", *said, class_="hero")


def _at(row: Row) -> str:
    budget = "" if row.budget is None else f" at {whole(row.budget)} tokens"
    return f"{budget}, {length_name(row.length)}"


def _bounds(figure: Figure) -> Html:
    if not figure.known:
        return tag("p", "Not measured: no questions.", class_="bounds")
    drawn = spark(figure, _domain(figure), "", wide=260)
    return tag("p", drawn, f"95 % interval {interval(figure)}, n = {whole(figure.n)}", class_="bounds")


def _domain(figure: Figure) -> tuple[float, float]:
    return share_domain(each for each in (figure.low, figure.high) if each is not None)


def _also(row: Row, measure: Measure) -> Html | None:
    figure = row.of(measure)
    if not figure.known:
        return None
    return tag("p", f"{percent(figure.value)} % ({interval(figure)}) {_SAYS[measure]}.", class_="also")


def _farther(view: View, row: Row) -> Html | None:
    """Return the figure of the longest history, when the headline's is another one."""
    others = [each for each in view.run.rows if (each.strategy, each.budget) == (row.strategy, row.budget)]
    longest = max(others, key=lambda each: each.length or 0)
    here, there = row.of(view.measure), longest.of(view.measure)
    if longest.length in (None, row.length) or here.value is None or there.value is None:
        return None
    said = f"{percent(there.value)} % ({interval(there)}) in a {length_name(longest.length)}"
    return tag("p", f"{said}: {points(there.value - here.value)} points.", class_="also")


def _beside(view: View, main: Row, name: str, condition: Condition) -> Html:
    row = row_at(view.run, name, condition)
    if row is None:
        return tag(
            "div", tag("p", tag("b", _BESIDE[name]), class_="who"), tag("p", "not run", class_="absent"), class_="card"
        )
    figure = row.of(view.measure)
    return tag(
        "div",
        tag("p", swatch(view.look(row)), Html(" "), tag("b", _BESIDE[name]), class_="who"),
        tag(
            "p", tag("span", percent(figure.value), class_="big"), Html(" %") if figure.known else None, class_="value"
        ),
        tag("p", f"{interval(figure)}, n = {whole(figure.n)}" if figure.known else NONE, class_="bounds"),
        tag("p", join(_differences(view, main, row, condition), " · "), class_="also"),
        class_=f"card {view.look(row).colour}",
    )


def _differences(view: View, main: Row, row: Row, condition: Condition) -> list[str]:
    """Return what the main strategy gains over another, in points and in tokens."""
    here, there = main.of(view.measure).value, row.of(view.measure).value
    said: list[str] = []
    if here is not None and there is not None:
        p = compared_in(view.run, condition, view.measure)(main.strategy, row.strategy)
        said.append(f"{main.strategy} {points(here - there)} points" + ("" if p is None else f", p {_p(p)}"))
    if row.tokens_mean:
        said.append(f"{tokens(row.tokens_mean)} tokens a question" + _times(main, row))
    return said


def _p(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def _times(main: Row, row: Row) -> str:
    if not main.tokens_mean or not row.tokens_mean or row.tokens_mean < 1.5 * main.tokens_mean:
        return ""
    return f", {ratio(row.tokens_mean / main.tokens_mean)} as many"
