"""An OpenAI-compatible endpoint on this machine that says what a script tells: for tests and for examples.

It serves `/v1/chat/completions` (streaming too), `/v1/models` and `/v1/embeddings` (words, hashed).
"""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, cast

from everyword.testing.scripted_replies import Asked, Match, Said, Script, ScriptedReply
from everyword.testing.word_embedder import WordEmbedder

DIMENSIONS = 64
_PIECES = re.compile(r"\s*\S{1,12}|\s+")


class ScriptedServer:
    """Runs from `with ScriptedServer(...) as server` to the end of the block; `server.base_url` is where clients go."""

    def __init__(self, *replies: Said, models: Sequence[str] = ("scripted",), api_key: str | None = None) -> None:
        """`replies`: said in order; `api_key`: anything else is answered with status 401."""
        self.script = Script(*replies)
        self.models = tuple(models)
        self.api_key = api_key
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def base_url(self) -> str:
        """Return the address that OpenAI clients call `base_url`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def requests(self) -> list[Asked]:
        """Return the chat completions that were asked for, in order."""
        return self.script.requests

    def then(self, *replies: Said) -> ScriptedServer:
        """Say these next: see `Script.then`."""
        self.script.then(*replies)
        return self

    def when(self, match: Match, said: Said, *, times: int | None = None) -> ScriptedServer:
        """Say this where the request matches: see `Script.when`."""
        self.script.when(match, said, times=times)
        return self

    def otherwise(self, said: Said) -> ScriptedServer:
        """Say this where nothing else is to be said: see `Script.otherwise`."""
        self.script.otherwise(said)
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        scripted = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self._is_known() and self.path == "/v1/models":
            models = [
                {"id": name, "object": "model", "created": 0, "owned_by": "scripted"} for name in self.scripted.models
            ]
            self._json(200, {"object": "list", "data": models})
        elif self._is_known():
            self._json(404, _error(f"There is no {self.path}.", "not_found"))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self._is_known():
            return
        try:
            given: Any = json.loads(body)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            self._json(400, _error("The request is no JSON object.", "invalid_request"))
            return
        request = cast("dict[str, Any]", given)
        asked = Asked(
            path=self.path, body=request, headers={name.lower(): value for name, value in self.headers.items()}
        )
        if self.path == "/v1/chat/completions":
            self._chat(asked)
        elif self.path == "/v1/embeddings":
            self._json(200, embeddings(request))
        else:
            self._json(404, _error(f"There is no {self.path}.", "not_found"))

    def _is_known(self) -> bool:
        """Tell whether the key is right; answer where it is not."""
        key = self.scripted.api_key
        if key is None or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self._json(401, _error("The key is wrong.", "invalid_api_key"))
        return False

    def _chat(self, asked: Asked) -> None:
        reply = self.scripted.script.reply(asked)
        if reply is None:
            self._json(501, _error(f"The script has no reply to {asked.last[:200]!r}.", "no_reply"))
            return
        time.sleep(reply.delay_s)
        if reply.status != 200:
            body = json.dumps(_error(reply.error, reply.code)).encode() if reply.body is None else reply.body
            self._send(reply.status, body, reply)
        elif asked.body.get("stream") and reply.body is None:
            self._stream(asked, reply)
        else:
            body = json.dumps(completion(asked, reply)).encode() if reply.body is None else reply.body
            self._send(200, body, reply)

    def _json(self, status: int, document: Any) -> None:
        self._send(status, json.dumps(document).encode(), ScriptedReply())

    def _send(self, status: int, body: bytes, reply: ScriptedReply) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if reply.retry_after is not None:
            self.send_header("Retry-After", str(reply.retry_after))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if reply.is_broken else body)
        self.close_connection = self.close_connection or reply.is_broken

    def _stream(self, asked: Asked, reply: ScriptedReply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = [f"data: {json.dumps(each)}\n\n".encode() for each in chunks(asked, reply)]
        for event in events[: len(events) // 2] if reply.is_broken else [*events, b"data: [DONE]\n\n"]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
        if reply.is_broken:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the signature
        pass


def completion(asked: Asked, reply: ScriptedReply) -> dict[str, Any]:
    """Return a `chat.completion`."""
    choice = {"index": 0, "message": {"role": "assistant", **_said(reply)}, "finish_reason": _finish(reply)}
    usage = {"usage": _usage(asked, reply)} if reply.has_usage else {}
    return {**_head(asked, "chat.completion"), "choices": [choice], **usage}


def chunks(asked: Asked, reply: ScriptedReply) -> Iterator[dict[str, Any]]:
    """Yield the `chat.completion.chunk`s of a stream: the role, the words in pieces, the end, the usage where asked for."""
    head = _head(asked, "chat.completion.chunk")

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    said = _said(reply)
    for name in ("reasoning_content", "refusal", "content"):
        for piece in _PIECES.findall(said.get(name) or ""):
            yield chunk({name: piece})
    for number, call in enumerate(said.get("tool_calls", ())):
        yield chunk({"tool_calls": [{"index": number, **call}]})
    yield chunk({}, _finish(reply))
    if reply.has_usage and (asked.body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(asked, reply)}


def embeddings(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the vectors of hashed words, as floats or in base64."""
    texts: list[str] = [request["input"]] if isinstance(request["input"], str) else list(request["input"])
    rows = WordEmbedder(dimensions=request.get("dimensions") or DIMENSIONS).embed_passages(texts)
    is_packed = request.get("encoding_format") == "base64"
    packed = [base64.b64encode(row.astype("<f4").tobytes()).decode() if is_packed else row.tolist() for row in rows]
    data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(packed)]
    words = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": words, "total_tokens": words}
    return {"object": "list", "model": request.get("model", ""), "data": data, "usage": usage}


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": asked.body.get("model", "")}


def _said(reply: ScriptedReply) -> dict[str, Any]:
    said: dict[str, Any] = {"content": reply.text or (None if reply.refusal or reply.tool_calls else "")}
    said |= {"refusal": reply.refusal} if reply.refusal else {}
    said |= {"reasoning_content": reply.reasoning} if reply.reasoning else {}
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(reply.tool_calls, 1)
    ]
    return said | ({"tool_calls": calls} if calls else {})


def _finish(reply: ScriptedReply) -> str:
    return "tool_calls" if reply.tool_calls and reply.finish == "stop" else reply.finish


def _usage(asked: Asked, reply: ScriptedReply) -> dict[str, Any]:
    return {
        "prompt_tokens": asked.tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": asked.tokens + reply.output_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }


def _error(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code}}
