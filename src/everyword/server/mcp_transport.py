"""How an MCP server is reached: over stdin and stdout, or over HTTP on this machine."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
PORT = 8731
PATH = "/mcp"
_GRACE_S = 2


def address(port: int) -> str:
    """Return where a client finds the server."""
    return f"http://{HOST}:{port}{PATH}"


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes stdin. Only the protocol is on stdout."""
    server.run("stdio")


def serve_http(
    server: MCPServer[Any], *, port: int = PORT, token: str | None = None, ready: Callable[[str], None] | None = None
) -> None:
    """Serve on this machine until it is stopped; port 0 takes a free one. `ready` is called with the address.

    With a token, requests need `Authorization: Bearer TOKEN`. Raise InvalidInputError where the port is taken.
    """
    import uvicorn

    application: ASGIApp = server.streamable_http_app(streamable_http_path=PATH, host=HOST)
    config = uvicorn.Config(
        _guarded(application, token) if token else application,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with _listening(port) as listener:
        if ready is not None:
            ready(address(listener.getsockname()[1]))
        uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        raise InvalidInputError(f"Port {port} cannot be used ({error}): choose another with --port.") from error


def _guarded(application: ASGIApp, token: str) -> ASGIApp:
    """Return the application behind a check of the token."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        given = next((value for name, value in scope.get("headers", ()) if name == b"authorization"), b"")
        if scope["type"] != "http" or hmac.compare_digest(given, expected):
            await application(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"This server needs its token as a bearer."})

    return guard
