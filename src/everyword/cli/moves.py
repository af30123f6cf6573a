"""Words that leave: export, forget."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword import Memory
from everyword.cli import documents, terminal
from everyword.cli.options import After, Before, Home, Json, User, whose
from everyword.domain.report import Forgotten
from everyword.errors import InvalidInputError


def export(
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: stdout.")] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Write every message as JSON lines.

    `import` reads them back identical, ids and times included.
    """
    with Memory(home, vectors="off") as memory:
        lines = memory.export(user_id=whose(user))
        if output is None or str(output) == "-":
            sys.stdout.flush()
            sys.stdout.buffer.writelines(lines)
            sys.stdout.buffer.flush()
            return
        count = _written(output, lines)
    if as_json:
        terminal.write_json({"path": str(output), "messages": count})
    else:
        terminal.say(f"{count:,} messages written to {output}.")


def _written(output: Path, lines: Iterator[bytes]) -> int:
    """Write the file whole or not at all; return the messages, which are all lines but the first."""
    fresh = output.with_name(f".{output.name}.{os.getpid()}")
    count = -1
    try:
        with fresh.open("wb") as file:
            for line in lines:
                count += file.write(line) > 0
        fresh.replace(output)
    finally:
        fresh.unlink(missing_ok=True)
    return count


def forget(
    *,
    message: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="This message; name several by repeating it.")
    ] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="This conversation.")] = None,
    after: After = None,
    before: Before = None,
    everything: Annotated[bool, typer.Option("--everything", help="All of this user's messages.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Erase messages for good.

    Afterwards their bytes are in no file of the folder, and nothing derived from them is left.
    """
    named = whose(user)
    if everything == any((message, session, after, before)):
        raise InvalidInputError(
            "Say what to forget: --message, --session, --after and --before, or --everything alone."
        )
    chosen: dict[str, Any] = {
        "message_ids": message,
        "session_id": session,
        "after": after,
        "before": before,
        "everything": everything,
    }
    with Memory(home, vectors="off") as memory:
        if not yes:
            _confirm(memory.forget(user_id=named, dry_run=True, **chosen), named)
        gone = memory.forget(user_id=named, **chosen)
    _report(gone, as_json=as_json)


def _confirm(going: Forgotten, user_id: str) -> None:
    """Ask a person; refuse where nobody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInputError("Forgetting cannot be undone: confirm it with --yes.")
    if not typer.confirm(f"Forget {going.messages:,} messages of {user_id!r}? This cannot be undone.", err=True):
        terminal.say("Nothing was erased.")
        raise typer.Exit(1)


def _report(gone: Forgotten, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json(documents.plain(gone))
    else:
        sessions = "session" if len(gone.sessions) == 1 else "sessions"
        print(f"Forgotten: {gone.messages:,} messages of {len(gone.sessions):,} {sessions}.")
