"""`everyword mcp`: a memory for assistants that speak the Model Context Protocol."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from everyword import Memory
from everyword.cli import terminal
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.program import program
from everyword.config import default_home
from everyword.errors import InvalidInputError
from everyword.server.mcp_clients import CLIENTS, Launch, configuration
from everyword.server.mcp_transport import PORT, address, serve_http, serve_stdio

TOKEN = "EVERYWORD_MCP_TOKEN"  # noqa: S105 - the name of the variable


def mcp(
    *,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP on this machine instead of stdio.")] = False,
    port: Annotated[int, typer.Option("--port", metavar="N", help="With --http; 0 takes a free one.")] = PORT,
    read_only: Annotated[bool, typer.Option("--read-only", help="Leave out the tools that add and delete.")] = False,
    print_config: Annotated[
        str | None,
        typer.Option("--print-config", metavar="CLIENT", help=f"Print its configuration: {', '.join(CLIENTS)}."),
    ] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Serve the memory of one user to assistants that speak MCP.

    The user is this command's, never the model's to choose. With --http a client needs EVERYWORD_MCP_TOKEN as a bearer
    where that is set.
    """
    named = whose(user)
    if print_config is not None:
        launch = _launch(named, home, url=address(port) if http else None, read_only=read_only)
        print(configuration(print_config, launch))
        terminal.say(f"For {CLIENTS[print_config].title}: {CLIENTS[print_config].place}.")
        return
    if find_spec("mcp") is None:
        raise InvalidInputError('The package mcp is not installed. Install it: pip install "everyword[mcp]"')
    from everyword.server.mcp import mcp_server

    with Memory(home) as memory:
        server = mcp_server(memory, user_id=named, read_only=read_only)
        if http:
            serve_http(server, port=port, token=os.environ.get(TOKEN) or None, ready=_ready(as_json=as_json))
        else:
            serve_stdio(server)


def _ready(*, as_json: bool) -> Callable[[str], None]:
    """Return what tells the address: data for a program that asks for JSON, talk for a person."""
    if as_json:
        return lambda url: print(terminal.as_json({"url": url}), flush=True)
    return lambda url: terminal.say(f"The memory is at {url}; Ctrl-C stops it.")


def _launch(user_id: str, home: Path | None, *, url: str | None, read_only: bool) -> Launch:
    """Return how a client starts this program, with paths that hold from any folder."""
    command = program()
    options = ["--user", user_id, "--home", str((home or default_home()).absolute())]
    switches = ["--read-only"] if read_only else []
    return Launch(command=command[0], arguments=[*command[1:], "mcp", *options, *switches], url=url)
