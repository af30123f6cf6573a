"""Advice: context, retrieval or memory, and from how many questions on an index pays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword import Memory
from everyword.cli import documents, terminal
from everyword.cli.evaluation.options import tokens
from everyword.cli.options import Home, Json, User, whose
from everyword.errors import InvalidInputError
from everyword.routing.advice import Advice, Situation, advise
from everyword.routing.costs import Terms, break_even, retrieving, stuffing
from everyword.routing.presets import PRESETS, Preset, preset
from everyword.routing.report import RouteReport
from everyword.routing.signals import Signal, crossed
from everyword.text.tokens import EstimateCounter


def advise_(  # noqa: PLR0913 - one argument an option
    *,
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="N", help="Tokens there are: 150K, 2M. Default: of your memory.")
    ] = None,
    window: Annotated[str, typer.Option("--window", metavar="N", help="Tokens the model takes.")] = "200K",
    updates: Annotated[
        str | None, typer.Option("--updates", metavar="U", help="hardly, daily, every-turn. Default: hardly.")
    ] = None,
    sessions: Annotated[
        str | None,
        typer.Option("--sessions", metavar="S", help="What outlives one: none, repeatable, history. Default: none."),
    ] = None,
    latency: Annotated[
        str | None, typer.Option("--latency", metavar="L", help="offline, interactive, high-volume. Default: offline.")
    ] = None,
    errors: Annotated[
        str,
        typer.Option(
            "--errors",
            metavar="E[,E]",
            help="Worst ones: no-wrong-answers, no-omissions, nothing-outdated, no-manipulation.",
        ),
    ] = "",
    like: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help=f"Begin with one of {', '.join(PRESETS)}.")
    ] = None,
    questions: Annotated[float, typer.Option("--questions", metavar="N", help="Questions a month.")] = 0.0,
    price: Annotated[
        float | None, typer.Option("--price", metavar="P", help="Of a million input tokens; shows what a month costs.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures", metavar="FILE", help="JSON with figures of your system; says which have crossed a line."
        ),
    ] = None,
    routes: Annotated[
        bool, typer.Option("--routes", help="Say how the strategy `route` has decided for --user, and what to change.")
    ] = False,
    recalibrate: Annotated[
        bool, typer.Option("--recalibrate", help="With --routes: let the last decisions be the baseline from now on.")
    ] = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say whether a product needs its whole context, retrieval or memory.

    Five questions, sixteen answers; the most careful one wins. With --price
    also from how many questions a month an index costs less than putting
    everything into each prompt. With --routes what the strategy `route` has
    decided: how often evidence was not enough, how often an answer from it was
    contradicted by the whole history, and whether either has moved. With
    --figures which figures of a running system say that a line was crossed.
    """
    if routes or recalibrate:
        return _tell_routes(user, home, recalibrate=recalibrate, as_json=as_json)
    if figures is not None:
        return _tell_signals(crossed(_figures(figures)), as_json=as_json)
    chosen = None if like is None else preset(like)
    asked: dict[str, Any] = {"updates": updates, "sessions": sessions, "latency": latency}
    asked["errors"] = tuple(each.strip() for each in errors.split(",")) if errors else None
    if corpus is not None or chosen is None:
        asked["corpus_tokens"] = _of_memory(user, home) if corpus is None else _number("--corpus", corpus)
    begun = Situation(corpus_tokens=0) if chosen is None else chosen.situation
    given = {name: value for name, value in asked.items() if value is not None}
    situation = replace(begun, window_tokens=_number("--window", window), **given)
    bill = None if price is None else _bill(situation, price, questions)
    advice = advise(situation)
    if as_json:
        terminal.write_json(
            {
                "situation": documents.plain(situation),
                "advice": documents.plain(advice),
                "preset": documents.plain(chosen) if chosen is not None else None,
                "costs": bill,
            }
        )
    else:
        terminal.write_lines(_lines(situation, advice, chosen, bill))
    return None


def _figures(path: Path) -> dict[str, float]:
    """Return the figures of a file. Raise InvalidInputError."""
    try:
        found = json.loads(path.read_text("utf-8"))
        return {str(name): float(value) for name, value in found.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InvalidInputError(
            f"--figures {str(path)!r}: give a file with a JSON object of numbers, such as "
            f'{{"fallback_rate": 0.6}} ({error}).'
        ) from error


def _tell_signals(signals: Sequence[Signal], *, as_json: bool) -> None:
    if as_json:
        terminal.write_json({"signals": [documents.plain(each) for each in signals]})
        return
    for each in signals:
        terminal.write_lines(
            [f"{each.figure} {each.value:g} (bound {each.bound:g})", f"  {each.row.signal}: then {each.row.then}"]
        )
    if not signals:
        terminal.say("No figure has crossed its line.")


def _tell_routes(user: str | None, home: Path | None, *, recalibrate: bool, as_json: bool) -> None:
    with Memory(home, vectors="off") as memory:
        found = memory.routes(user_id=whose(user), recalibrate=recalibrate)
    if as_json:
        terminal.write_json(documents.plain(found))
    else:
        terminal.write_lines(_route_lines(found))


def _route_lines(found: RouteReport) -> Iterator[str]:
    decided = ", ".join(f"{name} {count:,}" for name, count in found.by.items())
    yield f"decisions  {found.decisions:,}{f' (by {decided})' if decided else ''}"
    yield f"fallback   {_share(found.fallback_rate)} of {found.routed:,}: evidence was not enough"
    yield f"shown      {', '.join(f'{name} {count:,}' for name, count in found.took.items()) or 'nothing yet'}"
    yield f"audit      {found.audited:,} asked again with the whole history, {_share(found.disagreement)} answered otherwise"
    moved = "drifted: look at what changed" if found.has_drifted else "within its bound"
    yield f"drift      {_share(found.baseline_rate)} at first, {_share(found.recent_rate)} of late: {moved}"
    yield f"tokens     {found.input_tokens:,} in, {found.output_tokens:,} out"
    for signal in found.signals:
        yield f"signal     {signal.row.signal}: then {signal.row.then}"
    if found.proposal is not None:
        yield f"proposal   {found.proposal.setting} = {found.proposal.value}: {found.proposal.why}"


def _share(value: float | None) -> str:
    return "too few" if value is None else f"{value:.1%}"


def _number(option: str, text: str) -> int:
    try:
        return tokens(text)
    except ValueError as error:
        raise InvalidInputError(f"{option} {text!r}: give tokens, for example 150000, 150K or 1.2M.") from error


def _of_memory(user: str | None, home: Path | None) -> int:
    """Return about how many tokens a user's history has."""
    counter = EstimateCounter()
    with Memory(home, vectors="off") as memory:
        return sum(counter.count(message.text) for message in memory.messages(user_id=whose(user)))


def _bill(situation: Situation, price: float, questions: float) -> dict[str, Any]:
    """Return a month of both ways by account, and the line between them; None: an index never pays."""
    terms = Terms(corpus_tokens=situation.corpus_tokens, price_per_million=price, queries_a_month=questions)
    line = break_even(terms)
    return {
        "stuffing": documents.plain(stuffing(terms)),
        "retrieval": documents.plain(retrieving(terms)),
        "break_even_questions_a_month": None if math.isinf(line) else line,
    }


def _lines(situation: Situation, advice: Advice, chosen: Preset | None, bill: dict[str, Any] | None) -> Iterator[str]:
    yield f"use        {' and '.join(advice.routes)}"
    yield f"strategy   {advice.strategy if chosen is None else chosen.strategy}"
    yield f"memory     {_memory(advice)}"
    yield f"corpus     {situation.corpus_tokens:,} tokens, window {situation.window_tokens:,}"
    if chosen is not None:
        yield f"preset     {chosen.why}; {', '.join(f'{name} = {value}' for name, value in chosen.settings.items())}"
    for row in advice.rows:
        yield f"\n{row.dimension}: {row.level}\n  {row.choice}"
        if row.signal is not None:
            yield f"  until {row.signal}: then {row.then}"
    if bill is not None:
        yield from ("", *_money(bill))


def _memory(advice: Advice) -> str:
    if not advice.needs_memory:
        return "not needed"
    return "of pointers only: the truth is fetched" if advice.pointers_only else "needed"


def _money(bill: dict[str, Any]) -> Iterator[str]:
    for way in ("stuffing", "retrieval"):
        accounts = ", ".join(f"{name} {value:,.2f}" for name, value in bill[way].items())
        yield f"{way:<10} a month: {accounts}"
    line = bill["break_even_questions_a_month"]
    yield f"line       {'an index never pays' if line is None else f'an index pays from {line:,.1f} questions a month'}"
