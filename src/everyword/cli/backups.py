"""Backups: a memory folder copied while it is in use, and put back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from everyword import Memory
from everyword.assembly import back_up
from everyword.assembly import restore as put_back
from everyword.cli import terminal
from everyword.cli.options import Home, Json, User
from everyword.config import default_home


def backup(
    *,
    destination: Annotated[Path, typer.Argument(metavar="DEST", help="A folder that is empty or not there.")],
    user: User = None,  # noqa: ARG001 - it may stand everywhere
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Copy the memory of all users, while it is in use.

    Keys, settings and accounts of usage come with it. Nobody has to stop writing.
    """
    made = back_up(home or default_home(), destination)
    if as_json:
        terminal.write_json({"path": str(destination), **asdict(made)})
    else:
        print(f"{made.users:,} users, {made.files:,} files, {made.bytes:,} bytes in {destination}.")


def restore(
    *,
    source: Annotated[Path, typer.Argument(metavar="SRC", help="What `everyword backup` has made.")],
    user: User = None,  # noqa: ARG001 - it may stand everywhere
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Put a backup into an empty memory folder, and verify it.

    Nothing is overwritten: the folder must be empty or not there. Exit 1 where a
    restored memory does not verify, with each problem in a line.
    """
    folder = home or default_home()
    made = put_back(source, folder)
    messages, problems = _verified(folder)
    if as_json:
        terminal.write_json({"home": str(folder), **asdict(made), "messages": messages, "problems": problems})
    else:
        terminal.write_lines(problems)
        print(f"{made.users:,} users with {messages:,} messages of {made.made_at} are in {folder}.")
    raise typer.Exit(1 if problems else 0)


def _verified(folder: Path) -> tuple[int, list[str]]:
    """Return the messages of all users, and what is wrong with them."""
    messages, problems = 0, list[str]()
    with Memory(folder, vectors="off", embedder="none") as memory:
        for user_id in memory.users():
            found = memory.verify(user_id=user_id)
            messages += found.messages
            problems += [f"{user_id}: {problem}" for problem in found.problems]
    return messages, problems
