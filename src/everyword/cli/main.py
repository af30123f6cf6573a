"""The command line: what holds for all commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from everyword import __version__
from everyword.cli.commands import Program
from everyword.cli.failures import EXIT_CODES

app = typer.Typer(
    name="everyword",
    cls=Program,
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def everyword(
    context: typer.Context,
    *,
    home: Annotated[
        Path | None,
        typer.Option(
            "--home", metavar="DIR", envvar="EVERYWORD_HOME", help="Memory folder. Default: the platform's data folder."
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="ID", envvar="EVERYWORD_USER", help="Whose memory.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Long-term memory for AI conversations: keeps every word, finds the few that answer, packs them into a budget.

    These options may stand before or after the command.
    """
    if version:
        typer.echo(f"everyword {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    options = {"home": home, "user": user, "as_json": as_json or None}
    given = {name: each for name, each in options.items() if each is not None}
    if isinstance(context.command, TyperGroup) and context.invoked_subcommand is not None:
        chosen = context.command.commands[context.invoked_subcommand]
        context.default_map = {**given, context.invoked_subcommand: _inherited(chosen, given)}


def _inherited(command: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as defaults of a command, and of every command below it."""
    below: Mapping[str, Any] = command.commands if isinstance(command, TyperGroup) else {}
    return {**given, **{name: _inherited(each, given) for name, each in below.items()}}
