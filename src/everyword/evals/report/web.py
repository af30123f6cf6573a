"""One self-contained HTML page: it asks no network, and reads well in light, dark and on paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from everyword.evals.report.condition import row_at
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import interval, percent, whole
from everyword.evals.report.run import MEASURES, run, words
from everyword.evals.report.sections.costs import costs
from everyword.evals.report.sections.explain import explain
from everyword.evals.report.sections.groups import groups
from everyword.evals.report.sections.headline import headline
from everyword.evals.report.sections.latency import latency
from everyword.evals.report.sections.lengths import lengths
from everyword.evals.report.sections.misses import misses
from everyword.evals.report.sections.never import never
from everyword.evals.report.sections.pairs import pairs
from everyword.evals.report.sections.presence import presence
from everyword.evals.report.sections.provenance import provenance
from everyword.evals.report.sections.ranking import ranking
from everyword.evals.report.sections.strategies import strategies
from everyword.evals.report.table import cell, header, table
from everyword.evals.report.view import Section, View, view


def page(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of one or more run documents, in their order."""
    many = len(documents) > 1
    views = [view(run(each), f"r{place}-" if many else "") for place, each in enumerate(documents, start=1)]
    parts = [_sections(each) for each in views]
    body = [
        _hatching(),
        _contents(views, parts, many=many),
        tag("main", _opening(views, many=many), *(_chapter(*each) for each in zip(views, parts, strict=True))),
    ]
    return "<!DOCTYPE html>\n" + tag("html", _head(_title(views)), tag("body", *body, _script()), lang="en") + "\n"


def _sections(shown: View) -> list[Section]:
    found = [
        headline(shown),
        strategies(shown),
        lengths(shown),
        costs(shown),
        groups(shown, "kind"),
        groups(shown, "role"),
        groups(shown, "label"),
        groups(shown, "case"),
        presence(shown),
        misses(shown),
        ranking(shown),
        never(shown),
        latency(shown),
        pairs(shown),
        explain(shown),
        provenance(shown),
    ]
    return [each for each in found if each is not None]


def _title(views: Sequence[View]) -> str:
    names = dict.fromkeys(f"{each.run.dataset}, {each.run.task}" for each in views)
    return f"Everyword evaluation: {'; '.join(names)}" if names else "Everyword evaluation"


def _head(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(_own("page.css"))),
    )


def _policy() -> str:
    """Return a policy under which the page can neither load anything nor run a script but its own."""
    digest = base64.b64encode(hashlib.sha256(_own("page.js").encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _own(name: str) -> str:
    return files("everyword.evals.report").joinpath(name).read_text("utf-8")


def _script() -> Html:
    return tag("script", Html(_own("page.js")))


def _hatching() -> Html:
    """Return the patterns of the bars, once for all drawings."""
    slanted = tag("path", d="M0 6 L6 0 M-1 1 L1 -1 M5 7 L7 5", class_="hatch")
    dotted = tag("circle", cx=3, cy=3, r=1.3, class_="dot")
    crossed = tag("path", d="M0 0 L6 6 M0 6 L6 0", class_="hatch")
    drawn = {"packed": slanted, "found": dotted, "stored": crossed}
    patterns = [
        tag("pattern", tag("rect", width=6, height=6, class_=f"ground-{name}"), ink, id=f"hatch-{name}", **_TILE)
        for name, ink in drawn.items()
    ]
    return tag("svg", tag("defs", *patterns), class_="defs", width=0, height=0, aria_hidden="true")


_TILE: dict[str, str | float] = {"patternUnits": "userSpaceOnUse", "width": 6, "height": 6}


def _contents(views: Sequence[View], parts: Sequence[Sequence[Section]], *, many: bool) -> Html:
    lists: list[Html] = []
    for shown, sections in zip(views, parts, strict=True):
        links = [tag("li", tag("a", each.title, href=f"#{each.anchor}")) for each in sections]
        head = tag("a", shown.run.dataset, href=f"#{shown.prefix}run", class_="of") if many else None
        lists.append(join([head, tag("ul", *links)]))
    unfold = tag("button", "Unfold all", type="button", class_="unfold", hidden=True)
    return tag("nav", *lists, unfold, aria_label="Contents")


def _opening(views: Sequence[View], *, many: bool) -> Html:
    if not views:
        return tag("header", tag("h1", "Everyword evaluation"), tag("p", "No run was given.", class_="empty"))
    if not many:
        return join([])
    return tag("header", tag("h1", "Everyword evaluation"), _overview(views), class_="opening")


def _overview(views: Sequence[View]) -> Html:
    heads = ["dataset", "task", "strategy", "budget", "n", "measure", "%", "95 % interval", "run"]
    body = [_overview_row(each) for each in views]
    return table(heads, body, caption="The headline of every run")


def _overview_row(shown: View) -> list[Html]:
    row = row_at(shown.run, shown.main, shown.first) if shown.main and shown.first else None
    name = tag("a", shown.run.dataset, href=f"#{shown.prefix}run")
    if row is None:
        return [header(name), *(cell(each) for each in (shown.run.task, *[""] * 6, words(shown.run.source.get("run"))))]
    figure = row.of(shown.measure)
    values = [shown.run.task, row.strategy, whole(row.budget), whole(row.of(shown.measure).n), MEASURES[shown.measure]]
    values += [percent(figure.value), interval(figure), words(shown.run.source.get("run"))]
    return [header(name), *(cell(each) for each in values)]


def _chapter(shown: View, sections: Iterable[Section]) -> Html:
    heading = tag("h1", shown.run.dataset, tag("span", f" {shown.run.task}", class_="task"))
    opening = tag("header", heading, tag("p", *_facts(shown), class_="meta"))
    return tag("article", opening, *(_section(each) for each in sections), id=f"{shown.prefix}run")


def _facts(shown: View) -> list[Html]:
    source = shown.run.source
    facts = {
        "run": words(source.get("run")),
        "everyword": words(source.get("everyword")),
        "started": words(source.get("started_at")),
        "sha256": words(source.get("sha256"))[:12],
    }
    return [tag("span", tag("b", name), Html(" "), tag("code", value)) for name, value in facts.items() if value]


def _section(section: Section) -> Html:
    return tag("section", tag("h2", section.title), section.body, id=section.anchor)
