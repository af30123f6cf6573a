"""Options that every command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from everyword.domain.message import UserId
from everyword.domain.user import user as checked
from everyword.errors import InvalidInputError

Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        show_default=False,
        help="Memory folder, or EVERYWORD_HOME. Default: the platform's data folder.",
    ),
]
User = Annotated[
    str | None, typer.Option("--user", metavar="ID", show_default=False, help="Whose memory, or EVERYWORD_USER.")
]
Json = Annotated[bool, typer.Option("--json", show_default=False, help="Print one JSON document.")]
NoIndex = Annotated[bool, typer.Option("--no-index", help="Store only; vectors follow with `everyword index`.")]
After = Annotated[str | None, typer.Option("--after", metavar="TIME", help="Only what was said at this time or later.")]
Before = Annotated[
    str | None, typer.Option("--before", metavar="TIME", help="Only what was said before; a date includes that day.")
]


def whose(user: str | None) -> UserId:
    """Return the user of a command. Raise InvalidInputError that names the option."""
    if user is None:
        raise InvalidInputError("Whose memory? Name the user with --user ID, or set EVERYWORD_USER.")
    return checked(user)
