"""Words out: search, context, explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from everyword import Context, Hit, Memory
from everyword.cli import documents, terminal
from everyword.cli.excerpts import excerpt, one_line, when
from everyword.cli.options import After, Before, Home, Json, User, whose
from everyword.domain.prompt import Order
from everyword.domain.report import Explained, Explanation
from everyword.domain.trace import Place
from everyword.strategies.catalogue import STRATEGIES

Roles = Annotated[
    list[str] | None, typer.Option("--role", metavar="ROLE", help="Only this role; name several by repeating it.")
]
Question = Annotated[str, typer.Argument(metavar="QUESTION", help="What the model will be asked.")]
Budget = Annotated[int | None, typer.Option(metavar="TOKENS", help="Tokens of all of it. Default: the setting, 1500.")]
StrategyName = Annotated[
    str | None, typer.Option("--strategy", metavar="NAME", help=f"One of {', '.join(STRATEGIES)}.")
]
Session = Annotated[str | None, typer.Option(metavar="ID", help="The running conversation; its last turns are added.")]
RecentTurns = Annotated[
    int | None, typer.Option(metavar="N", help="Turns that are always added. Default: 2 of --session.")
]
EvidenceOrder = Annotated[
    Order, typer.Option(help="Of the evidence: by time, the best last, or the best at both ends.")
]
AskedAt = Annotated[str | None, typer.Option(metavar="TIME", help="When it is asked, for words like `yesterday`.")]

_LONGEST_EXCERPT = 480
_SHORT = {"packed": "packed", "packed in part": "in part", "shown as a recent turn": "recent"}


def search(
    *,
    words: Annotated[list[str], typer.Argument(metavar="WORD", help="A question or words.")],
    limit: Annotated[int, typer.Option(metavar="N", help="Messages to show at most.")] = 10,
    mode: Annotated[Literal["fused", "lexical", "semantic"], typer.Option(help="How to search.")] = "fused",
    role: Roles = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this conversation.")] = None,
    after: After = None,
    before: Before = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Find messages, the best first.

    A keyword that stands in one message only is always found; with vectors, so are other words for the same thing.
    """
    named, query = whose(user), " ".join(words)
    with Memory(home, vectors="off") as memory:
        hits = memory.search(
            query, user_id=named, limit=limit, mode=mode, roles=role, session_id=session, after=after, before=before
        )
        if not hits:
            _tell_unknown(memory, named, home)
    if as_json:
        terminal.write_json({"results": [documents.hit(found) for found in hits]})
    elif hits:
        _show_hits(hits, query)
    else:
        terminal.say("Nothing was found.")


def _tell_unknown(memory: Memory, user_id: str, home: Path | None) -> None:
    """Tell a person who misspelled a user or a folder that this memory is empty."""
    if not memory.stats(user_id=user_id)["messages"]:
        terminal.say(
            f"There is no message of user {user_id!r} in {home or memory.home}; `everyword users` lists who has."
        )


def _show_hits(hits: list[Hit], query: str) -> None:
    from rich.text import Text

    for place, found in enumerate(hits):
        heading = f"{when(found.created_at)}  #{found.seq} {_speaker(found)} · {found.session_id}"
        terminal.show_text(Text(terminal.visible(" ".join(heading.split("\n"))), style="cyan"))
        terminal.show_text(excerpt(found.text, query, most=_LONGEST_EXCERPT), indent=2)
        if place < len(hits) - 1:
            print()


def _speaker(found: Hit) -> str:
    return f"{found.role} {found.author}" if found.author and found.author != found.role else found.role


def context(  # noqa: PLR0913 - one argument an option
    *,
    question: Question,
    budget: Budget = None,
    strategy: StrategyName = None,
    session: Session = None,
    recent_turns: RecentTurns = None,
    role: Roles = None,
    after: After = None,
    before: Before = None,
    asked_at: AskedAt = None,
    order: EvidenceOrder = "chronological",
    openai: Annotated[bool, typer.Option("--openai", help="Print it as OpenAI chat messages.")] = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Pack what a model needs to answer into a budget.

    Dated evidence from all conversations, the recent turns of the running one, and the question. The text is on stdout,
    the account of its tokens on stderr.
    """
    named = whose(user)
    with Memory(home, vectors="off") as memory:
        packed = memory.context(
            question,
            user_id=named,
            budget=budget,
            strategy=strategy,
            session_id=session,
            recent_turns=recent_turns,
            roles=role,
            after=after,
            before=before,
            asked_at=asked_at,
            order=order,
        )
        if not packed.evidence and not packed.recent:
            _tell_unknown(memory, named, home)
    _write_context(packed, openai=openai, as_json=as_json)


def _write_context(packed: Context, *, openai: bool, as_json: bool) -> None:
    if openai:
        terminal.write_json(packed.to_openai())
    elif as_json:
        terminal.write_json(documents.context(packed))
    else:
        terminal.write(packed.text)
    if not as_json:
        _tell_ledger(packed)


def _tell_ledger(packed: Context) -> None:
    sources = ", ".join(f"{source} {tokens:,}" for source, tokens in packed.ledger.items() if tokens)
    terminal.say(f"{packed.tokens:,} of {packed.budget:,} tokens ({packed.counter}): {sources}.")
    left_out = sum(each.reason == "budget" for each in packed.dropped)
    others = f", {left_out:,} did not fit" if left_out else ""
    terminal.say(f"{len(packed.evidence):,} messages by strategy {packed.strategy}{others}.")
    if packed.answer is not None:
        terminal.say(f"Answered on the way: {packed.answer}")
    if packed.pending_passages:
        terminal.say(f"{packed.pending_passages:,} passages could only be found by their words; next: everyword index")
    for note in packed.trace.notes:
        terminal.say(f"Note: {note}.")


def explain(  # noqa: PLR0913 - one argument an option
    *,
    question: Question,
    message: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Show this message too; name several by repeating it.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Messages that were dropped to show at most.")] = 20,
    budget: Budget = None,
    strategy: StrategyName = None,
    session: Session = None,
    recent_turns: RecentTurns = None,
    role: Roles = None,
    after: After = None,
    before: Before = None,
    asked_at: AskedAt = None,
    order: EvidenceOrder = "chronological",
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show why a context holds what it holds.

    Rank and score of each message in every stage, and whether it was packed.
    """
    with Memory(home, vectors="off") as memory:
        found = memory.explain(
            question,
            user_id=whose(user),
            message_ids=message or (),
            limit=limit,
            budget=budget,
            strategy=strategy,
            session_id=session,
            recent_turns=recent_turns,
            roles=role,
            after=after,
            before=before,
            asked_at=asked_at,
            order=order,
        )
    if as_json:
        terminal.write_json(documents.explanation(found))
    else:
        _show_explanation(found, message or [])


def _show_explanation(found: Explanation, named: list[str]) -> None:
    from rich.text import Text

    stages = list(found.candidates)
    header = _row("", "outcome", stages)
    known = _row("", "rank of", [f"{_short(count)} score" for count in found.candidates.values()])
    terminal.show(Text(header, style="bold"), Text(known, style="dim"))
    for each in sorted(found.messages, key=lambda each: _order(each, named, stages)):
        terminal.show(*_explained(each, found.question, stages))
    terminal.say(f"{found.tokens:,} of {found.budget:,} tokens by strategy {found.strategy}.")
    for note in found.notes:
        terminal.say(f"Note: {note}.")


def _order(each: Explained, named: list[str], stages: list[str]) -> tuple[bool, bool, float]:
    """Named messages first, then what is in the context, then by the rank of the last stage."""
    last = each.stages.get(stages[-1]) if stages else None
    return each.message_id not in named, each.outcome not in _SHORT, last.rank if last else float("inf")


def _explained(each: Explained, question: str, stages: list[str]) -> list[Any]:
    from rich.text import Text

    outcome = _SHORT.get(each.outcome, each.outcome.removeprefix("dropped: "))
    places = _row(f"#{each.seq}", outcome, [_place(each.stages.get(name)) for name in stages])
    intro = terminal.visible(f"  {when(each.created_at)} {each.speaker}: ")
    room = (terminal.width() or 80) - len(intro)
    style = "green" if each.outcome in _SHORT else ""
    return [Text(places, style=style), Text(intro, style="dim").append_text(one_line(each.text, question, cells=room))]


def _place(place: Place | None) -> str:
    return f"{_short(place.rank)} {place.score:>5.2g}" if place else "-"


def _short(rank: int) -> str:
    """Return at most four characters, so that six stages fit into 80 columns."""
    return str(rank) if rank < 10_000 else f"{rank // 1000}k"


def _row(seq: str, outcome: str, cells: list[str]) -> str:
    return f"{seq:<5} {outcome:<7}" + "".join(f" {cell:>10}" for cell in cells)
