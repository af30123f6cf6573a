"""Words in: import, add."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword import Added, Memory
from everyword.cli import documents, terminal, vectors
from everyword.cli.failures import SKIPPED, tell
from everyword.cli.options import Home, Json, NoIndex, User, whose
from everyword.cli.progress import Bars
from everyword.domain.message import Skipped
from everyword.domain.report import Imported
from everyword.errors import InvalidInputError, TranscriptError

_LISTED = 20
_SOON = 512
"""Passages whose vectors `add` computes before it ends; more wait for `index`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one path."""

    path: Path
    imported: Imported | None = None
    error: TranscriptError | None = None

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return self.imported.skipped if self.imported else ()


def import_(
    *,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files, zips or folders of conversations.")],
    format_: Annotated[str | None, typer.Option("--format", metavar="F", help="Take them as this format.")] = None,
    no_index: NoIndex = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Store the conversations of files; twice adds nothing.

    The format is recognised. What cannot be taken is reported with its place, and the rest goes in.
    """
    named = whose(user)
    indexed = 0
    with Memory(home, vectors="off", model_progress=(bars := Bars()).model) as memory:
        with bars:
            outcomes = [_imported(memory, path, named, format_, bars) for path in paths]
        _tell(outcomes, as_json=as_json)
        if not no_index and vectors.are_wanted(home) and any(outcome.imported for outcome in outcomes):
            with bars:
                indexed = vectors.follow(memory, named, bars)
        pending = memory.stats(user_id=named)["pending_passages"] if vectors.are_wanted(home) else 0
    _report(outcomes, indexed, pending, as_json=as_json)
    raise typer.Exit(_code(outcomes))


def _imported(memory: Memory, path: Path, user_id: str, format_: str | None, bars: Bars) -> Outcome:
    try:
        done = memory.import_file(path, user_id=user_id, format=format_, progress=bars.messages)
    except TranscriptError as error:
        return Outcome(path=path, error=error)
    return Outcome(path=path, imported=done)


def _tell(outcomes: list[Outcome], *, as_json: bool) -> None:
    """Tell what was not taken, and why."""
    for outcome in outcomes:
        if outcome.error is not None:
            tell(outcome.error, str(outcome.error), as_json=as_json)
    skipped = [] if as_json else [record for outcome in outcomes for record in outcome.skipped]
    for record in skipped[:_LISTED]:
        terminal.say(f"skipped {record.place}: {record.reason}")
    if len(skipped) > _LISTED:
        terminal.say(f"skipped {len(skipped) - _LISTED:,} more: --json lists all.")


def _report(outcomes: list[Outcome], indexed: int, pending: int, *, as_json: bool) -> None:
    done = [outcome.imported for outcome in outcomes if outcome.imported]
    added, known = sum(each.added for each in done), sum(each.duplicates for each in done)
    skipped = sum(len(outcome.skipped) for outcome in outcomes)
    if as_json:
        totals = {"added": added, "duplicates": known, "indexed": indexed, "pending_passages": pending}
        terminal.write_json({**totals, "skipped": _skipped(outcomes), "files": [_file(each) for each in outcomes]})
    elif done:
        vectorised = f"; {indexed:,} passages have new vectors" if indexed else ""
        print(f"{_messages(added)} added, {known:,} there already, {skipped:,} skipped{vectorised}.")
    if pending and not as_json:
        terminal.say(f"{pending:,} passages have no vectors yet and are found by their words; next: everyword index")


def _skipped(outcomes: list[Outcome]) -> list[dict[str, str]]:
    return [
        {"path": str(outcome.path), **documents.plain(record)} for outcome in outcomes for record in outcome.skipped
    ]


def _file(outcome: Outcome) -> dict[str, Any]:
    if outcome.imported is None:
        return {"path": str(outcome.path), "error": str(outcome.error)}
    done = outcome.imported
    return {
        "path": str(outcome.path),
        "format": done.format,
        "added": done.added,
        "duplicates": done.duplicates,
        "skipped": len(done.skipped),
        "sessions": done.sessions,
    }


def _code(outcomes: list[Outcome]) -> int:
    failed = next((outcome.error.exit_code for outcome in outcomes if outcome.error), 0)
    return failed or (SKIPPED if any(outcome.skipped for outcome in outcomes) else 0)


def add(
    *,
    text: Annotated[str | None, typer.Argument(metavar="TEXT|-", help="What was said; - reads it from stdin.")] = None,
    role: Annotated[str, typer.Option(metavar="ROLE", help="Who said it: user, assistant, system ...")] = "user",
    session: Annotated[str | None, typer.Option(metavar="ID", help="The conversation it belongs to.")] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it was said. Default: now.")] = None,
    messages_json: Annotated[bool, typer.Option(help="Read a JSON list of messages from stdin instead.")] = False,
    no_index: NoIndex = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Store a message, or a list of messages.

    Messages of OpenAI, Responses or Anthropic shape are taken with --messages-json. Prints numbers and ids.
    """
    named = whose(user)
    said = _said(text, role, messages_json=messages_json)
    with Bars() as bars, Memory(home, vectors="off", model_progress=bars.model) as memory:
        added = memory.add(said, user_id=named, session_id=session, timestamp=at)
        if not no_index and vectors.are_wanted(home) and added.pending_passages <= _SOON:
            vectors.follow(memory, named, bars)
    _show_added(added, as_json=as_json)


def _said(text: str | None, role: str, *, messages_json: bool) -> str | list[dict[str, Any]]:
    if (text is None) != messages_json:
        raise InvalidInputError("Give the text of one message, or - for stdin, or --messages-json alone.")
    if messages_json:
        return _messages_of(_stdin())
    words = _stdin() if text == "-" else text or ""
    return words if role == "user" else [{"role": role, "content": words}]


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"stdin is not UTF-8: {error}.") from error


def _messages_of(text: str) -> list[dict[str, Any]]:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"stdin is not a JSON list of messages: {error}.") from error


def _show_added(added: Added, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json(documents.plain(added))
        return
    for seq, message_id in zip(added.seqs, added.message_ids, strict=True):
        print(f"#{seq} {message_id}")
    if added.duplicates:
        terminal.say(f"{_messages(added.duplicates)} stored before under the same key.")


def _messages(count: int) -> str:
    return f"{count:,} message{'' if count == 1 else 's'}"
