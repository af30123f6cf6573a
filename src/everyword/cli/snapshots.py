"""Snapshots of claims: kept under a name, put back after a poisoning or a mistake."""

from __future__ import annotations

from typing import Annotated

import typer

from everyword import Memory
from everyword.cli import documents, terminal
from everyword.cli.options import Home, Json, User, whose


def snapshots(
    *,
    make: Annotated[
        str | None, typer.Option("--make", metavar="NAME", help="Keep all claims as they stand under a name.")
    ] = None,
    rollback: Annotated[
        str | None, typer.Option("--rollback", metavar="NAME", help="Put all claims back as a snapshot has them.")
    ] = None,
    delete: Annotated[str | None, typer.Option("--delete", metavar="NAME", help="Delete a snapshot.")] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List the snapshots of a user's claims; make, restore or delete one.

    The log is never touched: messages after a snapshot stay, and are passed
    over when claims are read.
    """
    named = whose(user)
    with Memory(home, vectors="off") as memory:
        if make is not None:
            memory.claims.snapshot(user_id=named, name=make)
        if rollback is not None:
            memory.claims.rollback(user_id=named, name=rollback)
            over = memory.stats(user_id=named)["claims"]["passed_over"]
            terminal.say(
                f"The claims are as {rollback!r} has them; {over:,} later messages are passed over and stay in the log."
            )
        if delete is not None:
            memory.claims.delete_snapshot(user_id=named, name=delete)
        found = memory.claims.snapshots(user_id=named)
    if as_json:
        terminal.write_json({"snapshots": [documents.plain(each) for each in found]})
        return
    terminal.write_lines(
        f"{each.made_at:%Y-%m-%d %H:%M}  {each.claims:,} claims  {terminal.visible(each.name)}" for each in found
    )
