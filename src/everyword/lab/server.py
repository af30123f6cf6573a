"""The page on this machine alone, with what only a program can measure: tokens of a real endpoint, real summaries, and
what Everyword would send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from everyword.errors import EverywordError, InvalidInputError, ModelMissingError
from everyword.lab.compaction import Compaction, Summariser, compact
from everyword.lab.conversation import Conversation, conversation
from everyword.lab.engine import Settings
from everyword.lab.evidence import recalled
from everyword.lab.join import page
from everyword.lab.summarisers import ExtractiveSummariser, ModelSummariser
from everyword.lab.usage import Counted, reported
from everyword.memory import Memory
from everyword.ports import LanguageModel, Progress

HOST = "127.0.0.1"
MOST_BYTES = 64 * 1024 * 1024
_SECURE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}

Send = Callable[[Mapping[str, Any]], None]
"""Takes one line of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the server can measure with."""

    open_memory: Callable[[], AbstractContextManager[Memory]]
    """Gives an empty memory that counts tokens as the lab does, and takes it away afterwards."""
    model: LanguageModel | None = None
    budget: int = 1500

    def summariser(self, name: str) -> Summariser:
        """Raise ModelMissingError, InvalidInputError."""
        if name == ExtractiveSummariser.name:
            return ExtractiveSummariser()
        if name != "model":
            raise InvalidInputError(f"There is no summariser {name!r}: use extractive or model.")
        return ModelSummariser(self.named_model())

    def named_model(self) -> LanguageModel:
        """Raise ModelMissingError where none is set."""
        if self.model is None:
            raise ModelMissingError(
                "No language model is set: name one with --llm or EVERYWORD_LLM, e.g. openai:MODEL."
            )
        return self.model

    def document(self) -> dict[str, Any]:
        """Return what the page is told."""
        return {
            "model": self.model.identity.name if self.model else None,
            "summarisers": ["extractive", *(["model"] if self.model else [])],
            "budget": self.budget,
        }


@contextmanager
def serving(talk: Conversation, means: Means, *, port: int = 0) -> Generator[ThreadingHTTPServer]:
    """Yield a server on the loopback interface that is not running yet; port 0 takes a free one. Raise OSError."""

    class Handler(_Handler):
        served_talk = talk
        served_means = means

    server = ThreadingHTTPServer((HOST, port), Handler)
    server.daemon_threads = True
    try:
        yield server
    finally:
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served_talk: Conversation
    served_means: Means

    def do_GET(self) -> None:
        if not self._is_from_here():
            self._refuse(403, "This page answers to its own address alone.")
        elif self.path.partition("?")[0] in ("/", "/index.html"):
            body = page(self.served_talk, served=self.served_means.document()).encode()
            self._answer(200, "text/html; charset=utf-8", body)
        else:
            self._refuse(404, f"There is no {self.path}.")

    def do_POST(self) -> None:
        work = _WORK.get(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        if not self._is_from_here() or self.headers.get("Content-Type") != "application/json":
            self._refuse(403, "This page answers to its own address alone.")
        elif work is None or length > MOST_BYTES:
            self._refuse(404, f"There is no {self.path} for {length} bytes.")
        else:
            self._stream(work, self.rfile.read(length))

    def _is_from_here(self) -> bool:
        """Tell whether a page of this server asks: another site may lead a browser here under a name of its own."""
        port = cast("ThreadingHTTPServer", self.server).server_port
        own = {f"{name}:{port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        return self.headers.get("Host") in own and (origin is None or origin.removeprefix("http://") in own)

    def _stream(self, work: _Work, body: bytes) -> None:
        """Answer line by line, as the work goes on."""
        self._head(200, "application/x-ndjson")

        def send(line: Mapping[str, Any]) -> None:
            self.wfile.write(json.dumps(line).encode() + b"\n")
            self.wfile.flush()

        try:
            send({"result": work(_request(body), self.served_means, send)})
        except (BrokenPipeError, ConnectionResetError):
            pass  # The person has closed the page; there is nobody to tell.
        except EverywordError as error:
            send({"error": str(error)})

    def _refuse(self, status: int, message: str) -> None:
        self._answer(status, "text/plain; charset=utf-8", message.encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self._head(status, kind, {"Content-Length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: int, kind: str, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **_SECURE, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the signature
        """Say nothing: what is asked for holds the words of a person."""


# ---- what is asked for ----


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    talk: Conversation
    settings: Settings
    summariser: str
    compact_to: float
    every: int
    budget: int | None


_Work = Callable[[_Asked, Means, Send], dict[str, Any]]


def _request(body: bytes) -> _Asked:
    """Return what the page sent. Raise InvalidInputError."""
    try:
        options: dict[str, Any] = json.loads(body)
        chosen = options["settings"]
        settings = Settings(
            strategy=chosen["strategy"],
            window=int(chosen["window"]),
            turns=int(chosen["turns"]),
            ratio=float(chosen["ratio"]),
            price=float(chosen["price"]),
            pinned=bool(chosen["pinned"]),
        )
        return _Asked(
            talk=conversation(options["conversation"]),
            settings=settings,
            summariser=str(options.get("summariser", ExtractiveSummariser.name)),
            compact_to=float(options.get("compactTo", 1.0)),
            every=max(1, int(options.get("every", 10))),
            budget=int(options["budget"]) if options.get("budget") else None,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"The request cannot be read: {type(error).__name__} {error}.") from error


def _everyword(asked: _Asked, means: Means, send: Send) -> dict[str, Any]:
    budget = asked.budget or means.budget
    with means.open_memory() as memory:
        return recalled(asked.talk, asked.settings, memory, budget=budget, progress=_progress(send)).document()


def _summary(asked: _Asked, means: Means, send: Send) -> dict[str, Any]:
    def row(made: Compaction) -> None:
        send({"row": made.document()})

    found = compact(
        asked.talk,
        asked.settings,
        means.summariser(asked.summariser),
        compact_to=asked.compact_to,
        on_summary=row,
        progress=_progress(send),
    )
    return found.document()


def _usage(asked: _Asked, means: Means, send: Send) -> dict[str, Any]:
    def row(counted: Counted) -> None:
        send({"row": counted.document()})

    found = reported(
        asked.talk,
        asked.settings,
        means.named_model(),
        ExtractiveSummariser(),
        every=asked.every,
        on_row=row,
        progress=_progress(send),
    )
    return found.document()


def _progress(send: Send) -> Progress:
    return lambda done, total: send({"progress": [done, total]})


_WORK: Mapping[str, _Work] = {"/api/everyword": _everyword, "/api/summary": _summary, "/api/usage": _usage}
