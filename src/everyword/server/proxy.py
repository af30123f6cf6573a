"""The chat API of OpenAI with a memory in it: requests go on to the upstream, what is said is stored."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import quote

import anyio.to_thread
from fastapi import APIRouter, Depends, Request
from starlette.datastructures import Headers
from starlette.responses import Response

from everyword.errors import ForbiddenError, ModelMissingError, NotFoundError, ProviderError
from everyword.server.exchange import replied
from everyword.server.keeping import Exchange
from everyword.server.keys import PREFIX, Key
from everyword.server.placement import PLACES, are_messages
from everyword.server.recall import Prepared, prepared
from everyword.server.relay import Relay
from everyword.server.rest import REFUSALS
from everyword.server.serving import Served, Serving, Whose, key_of
from everyword.server.wishes import BUDGET, MEMORY, PLACE, SESSION, STRATEGY, USES, wishes
from everyword.strategies.catalogue import STRATEGIES

if TYPE_CHECKING:
    import httpx

routes = APIRouter(
    prefix="/v1",
    tags=["chat proxy"],
    responses={
        status: {"description": f"{each['description']} Or what the upstream answered, unchanged."}
        for status, each in {**REFUSALS, 502: {"description": "The upstream did not answer."}}.items()
    },
)

_CHAT = "chat/completions"
TOKENS, TRACE, STORED = "X-Everyword-Tokens", "X-Everyword-Trace", "X-Everyword-Stored"
_PASSED_ON = ("openai-organization", "openai-project", "openai-beta", "idempotency-key", "accept")
_OF_ONE_HOP = frozenset(
    "connection keep-alive proxy-authenticate te trailer transfer-encoding upgrade content-length content-encoding "
    "date server set-cookie x-request-id".split()
)
_NO_UPSTREAM = (
    "There is no upstream: start the server with --upstream URL or set EVERYWORD_UPSTREAM_URL, for example to "
    "https://api.openai.com/v1."
)
_EXAMPLE = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Who has my spare key?"}], "stream": False}
_HEADERS: list[dict[str, Any]] = [
    {"name": name, "in": "header", "required": False, "description": about, "schema": {"type": "string", **form}}
    for name, about, form in (
        (SESSION, "The conversation; without it, it is known by its first question and reply.", {"minLength": 1}),
        (STRATEGY, "How memory is chosen.", {"enum": sorted(STRATEGIES)}),
        (BUDGET, "Tokens of memory that are added at most.", {"pattern": "^[1-9][0-9]{0,6}$"}),
        (MEMORY, "`read`: recalled, not stored; `off`: neither.", {"enum": list(USES)}),
        (PLACE, "`turn`: before the last user message; `front`; `user`: inside it.", {"enum": list(PLACES)}),
    )
]


async def member_of(key: Annotated[Key | None, Depends(key_of)]) -> None:
    """Let in every key but those for the metrics. Raise ForbiddenError."""
    if key is not None and key.kind == "metrics":
        raise ForbiddenError("This key reads the metrics alone.")


@routes.post(
    "/chat/completions",
    openapi_extra={
        "parameters": _HEADERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}, "example": _EXAMPLE}},
        },
    },
    response_class=Response,
)
async def chat(request: Request, user_id: Whose, serving: Served) -> Response:
    """Answer a chat request through the upstream, with what this user's memory holds for its newest question."""
    body, wanted = await request.body(), wishes(request.headers)
    asked = _parsed(body)
    if asked is None or wanted.use == "off":
        return await _passed_through(serving, request, _CHAT, body)
    ready = await _in_thread(prepared, serving, user_id, asked["messages"], wanted)
    exchange = None if wanted.use == "read" else _exchange(serving, request, user_id, asked, ready)
    if ready.memory_tokens:
        body = json.dumps({**asked, "messages": ready.messages}).encode()
    upstream = await _sent(serving, request, _CHAT, body)
    headers = _headers(upstream.headers) | _account(request, ready)
    if upstream.status_code == 200 and upstream.headers.get("content-type", "").startswith("text/event-stream"):
        return Relay(upstream, headers, exchange)
    return await _whole(upstream, headers, exchange)


@routes.get("/models", dependencies=[Depends(member_of)], response_class=Response)
async def models(request: Request, serving: Served) -> Response:
    """List the upstream's models."""
    return await _passed_through(serving, request, "models", b"")


@routes.get("/models/{model:path}", dependencies=[Depends(member_of)], response_class=Response)
async def model(request: Request, serving: Served, model: str) -> Response:
    """Return one of the upstream's models."""
    if {"", ".", ".."} & set(model.split("/")):
        raise NotFoundError(f"There is no model {model!r}.")
    return await _passed_through(serving, request, f"models/{quote(model, safe='/')}", b"")


def client(serving_url: str, *, timeout_s: float) -> httpx.AsyncClient:
    """Return a client of the upstream; nothing is connected yet."""
    import httpx

    return httpx.AsyncClient(
        base_url=f"{serving_url.rstrip('/')}/",
        timeout=httpx.Timeout(timeout_s, connect=10.0, write=60.0, pool=60.0),
        limits=httpx.Limits(max_connections=1000, max_keepalive_connections=100),
        follow_redirects=False,
        trust_env=False,
    )


def _parsed(body: bytes) -> dict[str, Any] | None:
    """Return the request where it has messages; what is wrong with another one the upstream tells best."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict):
        return None
    found = cast("dict[str, Any]", asked)
    return found if are_messages(found.get("messages")) and found["messages"] else None


def _exchange(serving: Serving, request: Request, user_id: str, asked: dict[str, Any], ready: Prepared) -> Exchange:
    model_name = asked.get("model")
    return Exchange(
        serving=serving,
        user_id=user_id,
        messages=asked["messages"],
        session_id=ready.session_id,
        is_known=ready.is_known,
        trace_id=request.state.request_id,
        model=model_name if isinstance(model_name, str) else None,
        idempotency_key=request.headers.get("Idempotency-Key"),
    )


async def _sent(serving: Serving, request: Request, path: str, body: bytes) -> httpx.Response:
    """Send a request on and return the reply, unread. Raise ModelMissingError, ProviderError."""
    if serving.upstream is None:
        raise ModelMissingError(_NO_UPSTREAM)
    from httpx import HTTPError

    sending = serving.upstream.build_request(
        request.method,
        path,
        params=request.url.query.encode() or None,
        content=body or None,
        headers=_request_headers(request.headers, serving.upstream_key),
    )
    try:
        return await serving.upstream.send(sending, stream=True)
    except HTTPError as error:
        raise ProviderError(f"The upstream did not answer ({type(error).__name__}).") from error


def _request_headers(given: Headers, upstream_key: str | None) -> dict[str, str]:
    """Return the headers for the upstream; a key of ours never leaves."""
    headers = {name: given[name] for name in _PASSED_ON if name in given}
    headers |= {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    authorization = f"Bearer {upstream_key}" if upstream_key else given.get("Authorization", "")
    if authorization and PREFIX not in authorization[: len("Bearer  ") + len(PREFIX)]:
        headers["Authorization"] = authorization
    return headers


async def _passed_through(serving: Serving, request: Request, path: str, body: bytes) -> Response:
    upstream = await _sent(serving, request, path, body)
    headers = _headers(upstream.headers) | {TRACE: request.state.request_id}
    if upstream.headers.get("content-type", "").startswith("text/event-stream"):
        return Relay(upstream, headers, None)
    return await _whole(upstream, headers, None)


async def _whole(upstream: httpx.Response, headers: dict[str, str], exchange: Exchange | None) -> Response:
    """Return a reply that is not streamed, stored first where it is one. Raise ProviderError where it breaks."""
    from httpx import HTTPError

    try:
        body = await upstream.aread()
    except HTTPError as error:
        raise ProviderError(f"The reply of the upstream broke ({type(error).__name__}).") from error
    finally:
        await upstream.aclose()
    if exchange is not None and upstream.status_code == 200 and (reply := replied(body)) is not None:
        headers[STORED] = await _in_thread(exchange.keep, reply)
    return Response(body, status_code=upstream.status_code, headers=headers)


def _headers(given: httpx.Headers) -> dict[str, str]:
    """Return the upstream's headers that are for the client."""
    passed = {
        name: value for name, value in given.items() if name not in _OF_ONE_HOP and not name.startswith("access-")
    }
    if (request_id := given.get("x-request-id")) is not None:
        passed["x-upstream-request-id"] = request_id
    return passed


def _account(request: Request, ready: Prepared) -> dict[str, str]:
    """Return the headers that tell what memory added."""
    told = {TOKENS: ", ".join(f"{source}={tokens}" for source, tokens in ready.ledger.items())}
    if ready.session_id is not None:
        told[SESSION] = quote(ready.session_id, safe="")
    return told | {TRACE: request.state.request_id}


async def _in_thread(work: Any, *arguments: Any) -> Any:
    return await anyio.to_thread.run_sync(partial(work, *arguments))
