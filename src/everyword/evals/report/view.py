"""A run as a page shows it: who is the main strategy, how each looks, and in which order conditions come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from everyword.evals.report.condition import Condition, conditions, headline, main_strategy, rows_at, within_budget
from everyword.evals.report.look import Look, looks, mark
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import tokens
from everyword.evals.report.run import Measure, Row, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a page."""

    anchor: str
    title: str
    body: Html


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a section shows of one condition."""

    title: str
    brief: str
    """In the list of what is folded."""
    body: Html


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One run on one page."""

    run: Run
    prefix: str
    """Of every anchor, so that several runs share a page."""
    main: str | None
    conditions: tuple[Condition, ...]
    """The one of the headline first."""
    first: Condition | None
    looks: dict[str, Look]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return what was measured, what the run is about first."""
        return self.run.measures or ("all_evidence",)

    @property
    def measure(self) -> Measure:
        return self.measures[0]

    def section(self, name: str, title: str, *body: Html | None) -> Section:
        return Section(anchor=f"{self.prefix}{name}", title=title, body=join(body))

    def budgets(self, strategy: str) -> list[int | None]:
        return list(dict.fromkeys(row.budget for row in self.run.rows if row.strategy == strategy))

    def label(self, row: Row) -> str:
        """Return the strategy's name, with the budget when it was run at several."""
        if len(self.budgets(row.strategy)) < 2 or row.budget is None:
            return row.strategy
        return f"{row.strategy} @{tokens(row.budget)}"

    def look(self, row: Row) -> Look:
        return replace(self.looks[row.strategy], variant=self.budgets(row.strategy).index(row.budget))

    def name(self, row: Row, *, of_all: bool = False) -> Html:
        """Return the strategy's mark and name, with the budget where rows `of_all` budgets stand together."""
        name = self.label(row) if of_all else row.strategy
        return tag("span", swatch(self.look(row)), Html(" "), name, class_="strategy")

    def strong(self, strategy: str) -> bool:
        return strategy == self.main

    def by_condition(self, shown: Callable[[Condition, Sequence[Row]], Html | None]) -> Html:
        """Return the headline's condition, and the others folded below it."""
        bodies = [(each, shown(each, rows_at(self.run, each))) for each in self.conditions]
        return first_and_others(
            [
                Part(title=f"Budget of {each.name}", brief=self.brief(each), body=body)
                for each, body in bodies
                if body is not None
            ]
        )

    def brief(self, condition: Condition) -> str:
        """Return a condition's name in a list: its length, after its budget where there are several."""
        length = "as published" if condition.length is None else f"{tokens(condition.length)} tokens"
        several = len({each.budget for each in self.conditions}) > 1
        return f"@{tokens(condition.budget)}, {length}" if several else length

    def reference(self, rows: Sequence[Row], condition: Condition) -> Html | None:
        """Return a note on the rows that are not compared."""
        names = [row.strategy for row in rows if not within_budget(row, condition)]
        if not names:
            return None
        return note(f"For reference, not compared: {', '.join(names)} sent more tokens than the budget.")


def view(run: Run, prefix: str) -> View:
    return View(
        run=run,
        prefix=prefix,
        main=main_strategy(run),
        conditions=tuple(conditions(run)),
        first=headline(run),
        looks=looks(run.strategies),
    )


def swatch(look: Look) -> Html:
    """Return the mark of a strategy for a line of text."""
    return tag(
        "svg",
        mark(look, 7, 7, size=4.6),
        class_=f"swatch {look.colour}",
        viewBox="0 0 14 14",
        width=14,
        height=14,
        aria_hidden="true",
    )


def first_and_others(parts: Sequence[Part]) -> Html:
    """Return the first of several parts, and the others folded together."""
    shown = [join([tag("h3", part.title), part.body]) for part in parts]
    if len(shown) < 2:
        return join(shown)
    said = f"{len(shown) - 1} more: {' · '.join(part.brief for part in parts[1:])}"
    return join([shown[0], folded(said, join(shown[1:]))])


def note(*words: str | Html) -> Html:
    return tag("p", *words, class_="note")


def folded(title: str | Html, body: Html, *, class_: str = "fold", is_open: bool = False) -> Html:
    return tag("details", tag("summary", title), tag("div", body, class_="inside"), class_=class_, open=is_open)


def pictured(picture: Html, *caption: str | Html | None) -> Html:
    """Return a chart with what it says below it."""
    return tag("figure", tag("div", picture, class_="canvas"), tag("figcaption", *caption) if caption else None)


def capital(words: str) -> str:
    """Return words that begin a line; a unit such as K stays as it is."""
    return words[:1].upper() + words[1:]


def legend(view: View, rows: Sequence[Row]) -> Html:
    """Return a list of the strategies and their marks; pointing at one brings its line forward."""
    unique = {view.label(row): row for row in rows}
    items = [
        tag("li", swatch(view.look(row)), Html(" "), name, class_=view.look(row).colour) for name, row in unique.items()
    ]
    return tag("ul", *items, class_="legend", aria_label="Strategies")
