"""Claims: what the user has stated, as a list; read, written and corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword import Memory
from everyword.cli import documents, graph, terminal, vectors
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.progress import Bars
from everyword.domain.claim import Claim, Remembered
from everyword.errors import InvalidInputError


def claims(  # noqa: PLR0913 - one argument an option
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="note, profile, entity, edge, procedure; once or more."),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="What held then; a date includes that day.")
    ] = None,
    closed: Annotated[bool, typer.Option("--closed", help="Also what was ended or corrected.")] = False,
    derive: Annotated[bool, typer.Option("--derive", help="First read all messages that wait.")] = False,
    passed_over: Annotated[
        bool, typer.Option("--passed-over", help="With --derive: those too that a rollback passed over.")
    ] = False,
    remember: Annotated[
        str | None, typer.Option("--remember", metavar="TEXT", help="Store a text as a claim, of the one --kind.")
    ] = None,
    correct: Annotated[
        tuple[str, str] | None,
        typer.Option("--correct", metavar="ID TEXT", help="Store what is right in place of a claim."),
    ] = None,
    as_graph: Annotated[bool, typer.Option("--graph", help="Show how whom you named are related.")] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="Of the graph: text, dot (Graphviz) or mermaid.")
    ] = "text",
    point: Annotated[
        tuple[str, str] | None,
        typer.Option("--point", metavar="TARGET ABOUT", help="Keep where a document is, and a line on it."),
    ] = None,
    resolve: Annotated[
        str | None, typer.Option("--resolve", metavar="ID", help="Look whether the files that a claim names are there.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="With --resolve: where relative paths begin.")
    ] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List what the user has stated about themselves, each in their own words.

    Chosen by rules, or by the language model of the settings, which reads, and
    writes the lines of summaries, only with --derive or claims = "auto".
    """
    named = whose(user)
    kinds: Any = kind or None
    with Bars() as bars, Memory(home, vectors="off", model_progress=bars.model) as memory:
        if derive:
            memory.claims.derive(user_id=named, progress=bars.claims, passed_over=passed_over)
            if memory.summaries.is_written:
                memory.summaries.write(user_id=named)
        if as_graph:
            return _show_graph(memory, named, as_of, form, closed=closed, as_json=as_json)
        if resolve is not None:
            return _show_pointers(memory, named, resolve, folder, as_json=as_json)
        if remember is not None:
            done = memory.claims.remember(remember, user_id=named, kind=kinds[0] if kinds else "note")
            return _show_written(memory, home, done, named, bars, as_json=as_json)
        if point is not None:
            done = memory.claims.point(point[0], about=point[1], user_id=named)
            return _show_written(memory, home, done, named, bars, as_json=as_json)
        if correct is not None:
            done = memory.claims.correct(*correct, user_id=named)
            return _show_written(memory, home, done, named, bars, as_json=as_json)
        found = memory.claims.of(user_id=named, kinds=kinds, as_of=as_of, closed=closed)
        counts = memory.stats(user_id=named)["claims"]
    return _show(found, counts, as_json=as_json)


def _show(found: Sequence[Claim], counts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        terminal.write_json({"claims": [documents.plain(each) for each in found], **counts})
        return
    terminal.write_lines(line for each in found for line in _lines(each))
    if counts["waiting"]:
        terminal.say(f"{counts['waiting']:,} messages are not read yet: everyword claims --derive")


def _show_graph(memory: Memory, user: str, as_of: str | None, form: str, *, closed: bool, as_json: bool) -> None:
    if form not in graph.FORMATS:
        raise InvalidInputError(f"--format {form!r}: choose one of {', '.join(graph.FORMATS)}.")
    found = memory.claims.graph(user_id=user, as_of=as_of, closed=closed)
    if as_json:
        terminal.write_json(documents.plain(found))
        return
    terminal.write_lines(graph.FORMATS[form](found))


def _show_pointers(memory: Memory, user: str, claim_id: str, folder: Path | None, *, as_json: bool) -> None:
    """Tell what is there; the content stays where it is."""
    found = memory.claims.resolve(claim_id, user_id=user, folder=folder)
    if as_json:
        terminal.write_json({"pointers": [{"target": each.target, "status": each.status} for each in found]})
        return
    terminal.write_lines(f"{each.status}  {terminal.visible(each.target)}" for each in found)


def _show_written(memory: Memory, home: Path | None, done: Remembered, user: str, bars: Bars, *, as_json: bool) -> None:
    if vectors.are_wanted(home):
        vectors.follow(memory, user, bars)
    if as_json:
        terminal.write_json(documents.plain(done))
        return
    print(f"stored as {done.claim_id}; the profile has {done.used:,} of {done.capacity:,} characters")
    if done.problem is not None:
        terminal.say(done.problem)


def _lines(claim: Claim) -> Iterator[str]:
    """Yield the claim under its kind and times, its id last."""
    said = f"{claim.said_at:%Y-%m-%d}" if claim.said_at else "date unknown"
    until = f" until {claim.valid_to:%Y-%m-%d}" if claim.valid_to else "" if claim.is_open else " no longer"
    state = "" if claim.state in ("statement", "result") else f", {claim.state}"
    caution = f", may contradict {' '.join(claim.cautions)}" if claim.cautions else ""
    marks = f"{', archived' if claim.is_archived else ''}{', what it points to is gone' if claim.is_stale else ''}"
    yield f"{claim.kind}{state}, {said}{until}{caution}{marks}  {claim.claim_id}"
    yield f"  {terminal.visible(claim.text)}"
