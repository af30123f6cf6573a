"""What every request passes: an id, the check of where it comes from, its size, its log line and its count."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everyword.errors import EverywordError, ForbiddenError, InvalidInputError, RequestTooLargeError
from everyword.server import failures, log_lines
from everyword.server.keys import has_key
from everyword.server.metrics import Metrics

REQUEST_ID = "X-Request-Id"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BODY_S = 30.0
"""Seconds that a client may take to send its request."""
_NO_NUMBER = re.compile(rb"[:,\[]\s*-?(?:NaN|Infinity)\s*[,\]}]")
"""Perhaps a constant that Python reads and JSON does not have; it may also stand in a text."""


class BrokenOffError(Exception):
    """One side went away in the middle of a request or an answer."""


@dataclass(slots=True)
class _Passage:
    """One request on its way through."""

    request_id: str
    started: float = field(default_factory=time.perf_counter)
    status: int = 0
    """0: nothing was answered yet."""


class Gate:
    """Stands before the application."""

    def __init__(
        self, app: ASGIApp, *, metrics: Metrics, max_bytes: int, is_open: Callable[[], bool], body_s: float = _BODY_S
    ) -> None:
        """`is_open`: whether requests need no key, so that only this machine's own programs may come in."""
        self._app = app
        self._metrics = metrics
        self._max_bytes = max_bytes
        self._is_open = is_open
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        passing = _Passage(_request_id(headers))
        scope.setdefault("state", {})["request_id"] = passing.request_id
        try:
            await self._pass(scope, headers, receive, _marked(send, passing))
        except BrokenOffError as error:
            passing.status = passing.status or _CLIENT_LEFT
            log_lines.say("broken off", request_id=passing.request_id, reason=str(error))
        except EverywordError as error:
            self._metrics.refused(type(error).__name__)
            await _answer(_marked(send, passing), error, passing.request_id)
        except Exception as error:  # noqa: BLE001 - the last place that can tell anybody
            log_lines.say("failed", level=logging.ERROR, error=error, request_id=passing.request_id)
            if not passing.status:
                await _answer(_marked(send, passing), EverywordError(_UNEXPECTED), passing.request_id)
        finally:
            self._note(scope, passing)

    async def _pass(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        if self._is_open():
            _check_neighbour(headers)
        _check_address(scope)
        body = await self._body(headers, receive)
        if _NO_NUMBER.search(body):
            _check_numbers(body)
        await self._app(scope, _replayed(body, receive), send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """Return the whole body. Raise RequestTooLargeError, InvalidInputError where it does not come in time."""
        length = headers.get("Content-Length", "0")
        if length.isascii() and length.isdigit() and int(length[:18]) > self._max_bytes:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        with anyio.move_on_after(self._body_s):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BrokenOffError("the client went away")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > self._max_bytes:
                    raise self._too_large()
                if not message.get("more_body", False):
                    return b"".join(parts)
        raise InvalidInputError(f"The request did not arrive within {self._body_s:.0f} s.")

    def _too_large(self) -> RequestTooLargeError:
        return RequestTooLargeError(
            f"A request may have {self._max_bytes:,} bytes: send it in parts, or raise the setting serve_max_bytes."
        )

    def _note(self, scope: Scope, passing: _Passage) -> None:
        seconds = time.perf_counter() - passing.started
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.answered(route, passing.status, seconds)
        log_lines.say(
            "request",
            request_id=passing.request_id,
            method=scope["method"] if scope["method"] in _METHODS else "other",
            route=route,
            status=passing.status,
            ms=round(seconds * 1000, 1),
            key=scope["state"].get("key_id"),
        )


_CLIENT_LEFT = 499
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_UNEXPECTED = "The server failed in a way that it does not know; its log has the request id."


def _request_id(headers: Headers) -> str:
    given = headers.get(REQUEST_ID, "")
    return given if _ID.fullmatch(given) and not has_key(given) else secrets.token_hex(12)


def _check_neighbour(headers: Headers) -> None:
    """Let in only programs of this machine: neither a page of the web, nor one whose name was bent to this address.

    Raise ForbiddenError.
    """
    host = headers.get("Host", "")
    if _host_name(f"//{host}") not in LOOPBACK:
        raise ForbiddenError("Without API keys the server answers only to localhost, 127.0.0.1 and [::1].")
    origin = headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != host:
        raise ForbiddenError("Without API keys pages of other origins are not answered: make a key for them.")


def _check_address(scope: Scope) -> None:
    """Refuse a key in a path or a query, which logs of others on the way keep. Raise InvalidInputError."""
    if has_key(scope["path"]) or has_key(unquote_plus(scope["query_string"].decode("latin-1"))):
        raise InvalidInputError("A key stands in the address: send it as a header, and rotate this one.")


def _check_numbers(body: bytes) -> None:
    """Raise InvalidInputError where a number of the JSON is none; what is no JSON at all is told later."""

    def refuse(name: str) -> None:
        raise InvalidInputError(f"{name} is no JSON: use null.")

    with suppress(json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        json.loads(body, parse_constant=refuse)


def _host_name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give the body that was read once, and then whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return left.pop() if left else await receive()

    return next_message


def _marked(send: Send, passing: _Passage) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            passing.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = passing.request_id
            headers.setdefault("Cache-Control", "no-store")
            headers.setdefault("X-Content-Type-Options", "nosniff")
        await send(message)

    return sending


async def _answer(send: Send, error: EverywordError, request_id: str) -> None:
    body = failures.as_bytes(failures.document_of(error, request_id))
    headers: list[Any] = [
        (name.lower().encode(), value.encode())
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **failures.headers_of(error),
        }.items()
    ]
    await send({"type": "http.response.start", "status": failures.status_of(error), "headers": headers})
    await send({"type": "http.response.body", "body": body})
