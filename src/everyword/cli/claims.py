"""Claims: what the user has stated, as a list; read, written and corrected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from everyword import Memory
from everyword.cli import documents, terminal, vectors
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.progress import Bars
from everyword.domain.claim import Claim, Remembered


def claims(
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
    remember: Annotated[
        str | None, typer.Option("--remember", metavar="TEXT", help="Store a text as a claim, of the one --kind.")
    ] = None,
    correct: Annotated[
        tuple[str, str] | None,
        typer.Option("--correct", metavar="ID TEXT", help="Store what is right in place of a claim."),
    ] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List what the user has stated about themselves, each in their own words.

    Chosen by rules, or by the language model of the settings, which reads
    only with --derive or claims = "auto".
    """
    named = whose(user)
    kinds: Any = kind or None
    with Bars() as bars, Memory(home, vectors="off", model_progress=bars.model) as memory:
        if derive:
            memory.claims.derive(user_id=named, progress=bars.claims)
        if remember is not None:
            done = memory.claims.remember(remember, user_id=named, kind=kinds[0] if kinds else "note")
        elif correct is not None:
            done = memory.claims.correct(*correct, user_id=named)
        else:
            done = None
        if done is not None:
            if vectors.are_wanted(home):
                vectors.follow(memory, named, bars)
            return _show_written(done, as_json=as_json)
        found = memory.claims.of(user_id=named, kinds=kinds, as_of=as_of, closed=closed)
        counts = memory.stats(user_id=named)["claims"]
    if as_json:
        return terminal.write_json({"claims": [documents.plain(each) for each in found], **counts})
    terminal.write_lines(line for each in found for line in _lines(each))
    if counts["waiting"]:
        terminal.say(f"{counts['waiting']:,} messages are not read yet: everyword claims --derive")
    return None


def _show_written(done: Remembered, *, as_json: bool) -> None:
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
    yield f"{claim.kind}{state}, {said}{until}{caution}  {claim.claim_id}"
    yield f"  {terminal.visible(claim.text)}"
