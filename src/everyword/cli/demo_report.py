"""How the demo tells what it did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from everyword import Context
from everyword.cli import documents, terminal
from everyword.cli.excerpts import excerpt, when
from everyword.demo import Question

Record = dict[str, Any]
NEXT = "everyword import ~/Downloads/chatgpt-export.zip --user me"
_SEARCH = 'everyword context "what did I decide about ...?" --user me'
_TITLE = 43
"""Cells of a question in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The sample history in a memory."""

    home: Path | None
    """None: a folder that is gone afterwards."""
    user_id: str
    messages: tuple[Record, ...]
    """As an export has them, in the order of the lines of the history."""
    sessions: int
    embedder: str
    vectors: int
    full_tokens: int
    """Tokens of everything this user ever said or was told."""
    import_ms: float
    index_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question, and what was packed for it."""

    asked: Question
    packed: Context
    evidence: tuple[tuple[Record, str | None], ...]
    """The messages that hold the answer, each with how it is packed: `whole`, `in part`, or None for not."""
    milliseconds: float

    @property
    def found(self) -> int:
        """How many of the messages that hold the answer are in the context."""
        return sum(shown is not None for _, shown in self.evidence)

    def share(self, stored: Stored) -> float:
        """Return the tokens of the context as a share of the full history."""
        return self.packed.tokens / stored.full_tokens


def show_start(stored: Stored) -> None:
    """Tell what went in."""
    first, last = stored.messages[0]["created_at"], stored.messages[-1]["created_at"]
    found_by = f"words and the vectors of {stored.embedder}" if stored.vectors else "words only"
    size = f"{len(stored.messages)} messages in {stored.sessions} conversations"
    print(f"A sample history: {size}, {first[:10]} to {last[:10]},")
    print(
        f"English and Chinese, with tool calls: {stored.full_tokens:,} tokens. Stored in {_seconds(stored.import_ms)},"
    )
    print(f"found by {found_by} ({_seconds(stored.index_ms)}). No network, no API key.")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s"


def show_question(number: int, answered: Answered, stored: Stored) -> None:
    """Show one question and where its answer is in the context."""
    from rich.text import Text

    print()
    terminal.show_text(Text(f"{number}. {answered.asked.question}", style="bold"))
    terminal.show_text(Text(answered.asked.why, style="dim"), indent=3)
    for record, shown in answered.evidence:
        _show_evidence(record, shown, answered.asked)
    others = len(answered.packed.evidence) - answered.found
    terminal.show_text(Text(f"and {others} other messages, which the budget had room for", style="dim"), indent=5)
    terminal.show_text(Text(f"Answer: {answered.asked.answer}", style="green"), indent=3)
    cost = f"{answered.packed.tokens:,} tokens instead of {stored.full_tokens:,} ({answered.share(stored):.1%})"
    terminal.show_text(Text(f"{cost}, {answered.milliseconds:.0f} ms", style="dim"), indent=3)


def _show_evidence(record: Record, shown: str | None, asked: Question) -> None:
    from rich.text import Text

    mark, label = ("✓", "") if shown == "whole" else ("✓", " (its relevant lines)") if shown else ("✗", " NOT PACKED")
    said = datetime.fromisoformat(record["created_at"])
    heading = f"{mark} [{when(said)}] #{record['seq']} {record['author'] or record['role']}{label}"
    terminal.show_text(Text(heading, style="cyan" if shown else "red"), indent=3)
    terminal.show_text(excerpt(record["text"], f"{asked.question} {asked.answer}", most=150), indent=5)


def show_end(stored: Stored, answered: list[Answered]) -> None:
    """Show all questions in a table, and what to do next."""
    print()
    _show_table(stored, answered)
    complete = sum(each.found == len(each.evidence) for each in answered)
    print(f"\n{complete} of {len(answered)} questions have all their evidence in the context.")
    if stored.home:
        print(f"The memory is kept: everyword search key --user {stored.user_id} --home {stored.home}")
    print(f"\nNow your own:\n  {NEXT}\n  {_SEARCH}")


def _show_table(stored: Stored, answered: list[Answered]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("question", width=_TITLE, no_wrap=True, overflow="ellipsis")
    for name in ("evidence", "tokens", "of all", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in answered:
        verdict = f"{'yes' if each.found == len(each.evidence) else 'NO'}, {each.found}/{len(each.evidence)}"
        cells = [verdict, f"{each.packed.tokens:,}", f"{each.share(stored):.1%}", f"{each.milliseconds:.0f}"]
        table.add_row(Text(each.asked.question), *cells)
    terminal.show(table)


def document(stored: Stored, answered: list[Answered]) -> dict[str, Any]:
    """Return all of it for --json."""
    return {
        "home": str(stored.home) if stored.home else None,
        "user_id": stored.user_id,
        "messages": len(stored.messages),
        "sessions": stored.sessions,
        "embedder": stored.embedder,
        "vectors": stored.vectors,
        "full_history_tokens": stored.full_tokens,
        "import_ms": stored.import_ms,
        "index_ms": stored.index_ms,
        "questions": [_question(each, stored) for each in answered],
        "next": NEXT,
    }


def _question(answered: Answered, stored: Stored) -> dict[str, Any]:
    return {
        "question": answered.asked.question,
        "language": answered.asked.language,
        "answer": answered.asked.answer,
        "evidence": [_evidence(record, shown) for record, shown in answered.evidence],
        "found_all": answered.found == len(answered.evidence),
        "tokens": answered.packed.tokens,
        "budget": answered.packed.budget,
        "share_of_full_history": answered.share(stored),
        "milliseconds": answered.milliseconds,
        "context": answered.packed.text,
        "notes": documents.plain(answered.packed.trace.notes),
    }


def _evidence(record: Record, shown: str | None) -> dict[str, Any]:
    kept = {name: record[name] for name in ("message_id", "seq", "session_id", "role", "author", "created_at", "text")}
    return {**kept, "packed": shown}
