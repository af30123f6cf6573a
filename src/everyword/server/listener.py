"""A server from start to graceful end: where it listens, and when it refuses to."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from everyword.errors import ForbiddenError, InvalidInputError
from everyword.server import log_lines
from everyword.server.connection import ARRIVAL_S, UNREAD_S, connection
from everyword.server.door import Door, Inside
from everyword.server.keys import KeyRing

if TYPE_CHECKING:
    from everyword.server.serving import Serving

UPSTREAM_KEY = "EVERYWORD_UPSTREAM_API_KEY"
_GRACE_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """A socket that listens, and whether other machines reach it."""

    listener: socket.socket
    is_public: bool

    @property
    def url(self) -> str:
        """Return the address for a browser."""
        host, port = self.listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address; a name other than localhost may mean anything."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int, home: Path) -> Listening:
    """Return an open socket; port 0 takes a free one.

    Raise ForbiddenError for an address that other machines reach while there is no key, InvalidInputError for one that
    cannot be had.
    """
    is_public = not is_loopback(host)
    if is_public and not any(key.is_active for key in KeyRing(home).listed()):
        raise ForbiddenError(
            f"{host!r} can be reached from other machines and there is no API key: make one with `everyword keys add`, or "
            "listen on 127.0.0.1."
        )
    try:
        listener = _bound(host, port)
    except (OSError, OverflowError) as error:
        raise InvalidInputError(f"{host}:{port} cannot be listened on ({error}): choose another --port.") from error
    return Listening(listener=listener, is_public=is_public)


def _bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; its protocol is named, since asyncio sends small answers at once only then."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except BaseException:
        listener.close()
        raise
    return listener


def serving(
    home: Path,
    *,
    is_public: bool = False,
    default_user: str | None = None,
    lab_page: bytes | None = None,
    arrival_s: float = ARRIVAL_S,
    unread_s: float = UNREAD_S,
    **options: Any,
) -> Serving:
    """Return what a server has at hand. Raise SettingsError."""
    from everyword.config import settings
    from everyword.server.listing import ListedMemory
    from everyword.server.serving import Serving

    memory_options = {name: value for name, value in options.items() if value is not None}
    return Serving(
        memory=ListedMemory(home, **memory_options),
        settings=settings(
            home, **{name: value for name, value in memory_options.items() if isinstance(value, str | int)}
        ),
        ring=KeyRing(home),
        is_public=is_public,
        default_user=default_user,
        lab_page=lab_page,
        arrival_s=arrival_s,
        unread_s=unread_s,
        upstream_key=os.environ.get(UPSTREAM_KEY),
    )


def server(what: Serving, *, log_config: dict[str, Any] | None = None) -> uvicorn.Server:
    """Return a server that does not run yet; without `log_config` logging stays as it is."""
    return _server(Door(lambda: _inside(what)), connection(what.arrival_s, what.unread_s), log_config)


def serve(where: Listening, load: Callable[[], Serving], *, ready: Callable[[], None]) -> None:
    """Serve until a signal comes; requests that run are finished first. The log goes to stderr as JSON lines.

    The server answers while it loads what it serves; then `ready` is called. What `load` raises ends it and is raised.
    """

    def loaded() -> Inside:
        with _uncollected():
            inside = _inside(load())
        ready()
        return inside

    door = Door(loaded)
    running = _server(door, connection(ARRIVAL_S), log_lines.configuration())

    def stop() -> None:
        running.should_exit = True

    door.failed = stop
    running.run(sockets=[where.listener])
    if door.failure is not None:
        raise door.failure


@contextmanager
def _uncollected() -> Generator[None]:
    """Load without garbage collection, which takes a fifth of the time and finds nothing; nor does it look there later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _server(door: Door, http: type[asyncio.Protocol], log_config: dict[str, Any] | None) -> uvicorn.Server:
    configuration = uvicorn.Config(
        door,
        log_config=log_config,
        access_log=False,
        http=http,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(configuration)


def _inside(what: Serving) -> Inside:
    from everyword.server.app import application

    return Inside(application=application(what), close=what.close)
