"""Ready-made configuration of the common MCP clients, and where it goes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everyword.errors import InvalidInputError

NAME = "everyword"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a client reaches the server: a command that it starts, or an address where it runs."""

    command: str = ""
    arguments: Sequence[str] = ()
    url: str | None = None
    """Over HTTP; None: over stdio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client: the form of its configuration and its place."""

    title: str
    place: str
    """Where the configuration goes, as a person is told."""
    written: Callable[[Launch], str]


def configuration(client: str, launch: Launch) -> str:
    """Return the text of a client's configuration. Raise InvalidInputError."""
    if client not in CLIENTS:
        raise InvalidInputError(f"{client!r} is no client that is known here: choose one of {', '.join(CLIENTS)}.")
    return CLIENTS[client].written(launch)


def _servers(launch: Launch) -> str:
    return _json({"mcpServers": {NAME: _command(launch) if launch.url is None else {"url": launch.url}}})


def _desktop(launch: Launch) -> str:
    if launch.url is not None:
        raise InvalidInputError("Claude Desktop starts its servers itself: leave out --http.")
    return _servers(launch)


def _claude_code(launch: Launch) -> str:
    return _json({"mcpServers": {NAME: _typed(launch)}})


def _vs_code(launch: Launch) -> str:
    return _json({"servers": {NAME: _typed(launch)}})


def _codex(launch: Launch) -> str:
    """Return TOML; a JSON string is a TOML string, and so is a list of them."""
    lines = [f"[mcp_servers.{NAME}]"]
    if launch.url is not None:
        return "\n".join([*lines, f"url = {_inline(launch.url)}"])
    return "\n".join([*lines, f"command = {_inline(launch.command)}", f"args = {_inline(list(launch.arguments))}"])


def _typed(launch: Launch) -> Mapping[str, Any]:
    if launch.url is not None:
        return {"type": "http", "url": launch.url}
    return {"type": "stdio", **_command(launch)}


def _command(launch: Launch) -> Mapping[str, Any]:
    return {"command": launch.command, "args": list(launch.arguments)}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


CLIENTS: dict[str, Client] = {
    "claude-desktop": Client(
        title="Claude Desktop",
        place="Settings > Developer > Edit Config: claude_desktop_config.json; then start Claude anew",
        written=_desktop,
    ),
    "claude-code": Client(
        title="Claude Code", place=".mcp.json in a project, or `claude mcp add-json`", written=_claude_code
    ),
    "cursor": Client(title="Cursor", place="~/.cursor/mcp.json, or .cursor/mcp.json in a project", written=_servers),
    "vscode": Client(title="VS Code", place=".vscode/mcp.json, or `MCP: Open User Configuration`", written=_vs_code),
    "codex": Client(title="Codex", place="~/.codex/config.toml", written=_codex),
    "generic": Client(title="another client", place="wherever your client keeps its servers", written=_servers),
}
