"""`everyword hook`: what a coding agent calls after each turn, so that its sessions are remembered."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from everyword import Memory
from everyword.adapters.transcript_hook import record
from everyword.cli import documents, terminal
from everyword.cli.failures import failed
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.program import program
from everyword.config import default_home
from everyword.domain.report import Imported
from everyword.errors import EverywordError

_FAILED = 1
"""Whatever the trouble: an exit code of 2 would stop the agent."""


def hook(
    *,
    agent: Annotated[Literal["claude-code", "codex"], typer.Argument(metavar="AGENT", help="claude-code or codex.")],
    event: Annotated[str | None, typer.Argument(metavar="EVENT", help="Its JSON. Default: read from stdin.")] = None,
    print_config: Annotated[bool, typer.Option("--print-config", help="Print what makes the agent call this.")] = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Store what is new in the transcript of a coding agent.

    The agent calls it with its event. Nothing is printed, so that the agent reads nothing; vectors follow later.
    """
    if print_config:
        print(_configuration(agent, whose(user), home))
        return
    try:
        done = _recorded(agent, event, whose(user), home)
    except EverywordError as error:
        raise typer.Exit(failed(error, str(error), _FAILED, as_json=as_json)) from error
    if as_json:
        terminal.write_json(documents.plain(done))


def _recorded(agent: str, event: str | None, user_id: str, home: Path | None) -> Imported:
    given = sys.stdin.read() if event is None else event
    with Memory(home, vectors="off") as memory:
        return record(given, agent=agent, memory=memory, user_id=user_id)


def _configuration(agent: str, user_id: str, home: Path | None) -> str:
    """Return the piece of the agent's settings that calls this command."""
    folder = str((home or default_home()).absolute())
    command = [*program(), "hook", agent, "--user", user_id, "--home", folder]
    if agent == "codex":
        return f"notify = {terminal.as_json(command)}"
    entry = [{"hooks": [{"type": "command", "command": shlex.join(command)}]}]
    return terminal.as_json({"hooks": {"Stop": entry, "SubagentStop": entry, "SessionEnd": entry}})
