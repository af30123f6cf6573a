"""A rerank endpoint: the shape of Cohere, Jina, vLLM and others, or that of text-embeddings-inference (TEI)."""

from __future__ import annotations

import json
import math
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from everyword.errors import ProviderError, SettingsError
from everyword.models.batching import chunks
from everyword.models.well_formed import well_formed

Shape = Literal["rerank", "tei"]

KEY_VARIABLE = "EVERYWORD_RERANK_API_KEY"
BATCH_TEXTS: Mapping[Shape, int] = {"rerank": 500, "tei": 32}
BUSY = frozenset({408, 429, 500, 502, 503, 504})
FIRST_PAUSE_S = 0.5
EXCERPT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to send and what to send with it."""

    url: str
    model: str | None
    api_key: str | None
    shape: Shape
    timeout_s: float
    retries: int


class HttpReranker:
    """Scores by an HTTP endpoint: `rerank` sends `documents`, `tei` sends `texts`. Safe for many threads.

    The key defaults to EVERYWORD_RERANK_API_KEY and is sent as a bearer token.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        shape: Shape = "rerank",
        timeout_s: float = 30.0,
        retries: int = 2,
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise SettingsError(f"A rerank endpoint is an http or https address, not {url!r}.")
        if shape not in BATCH_TEXTS:
            raise SettingsError(f"Unknown shape {shape!r} of a rerank endpoint: use 'rerank' or 'tei'.")
        self._endpoint = Endpoint(
            url=url,
            model=model,
            api_key=api_key or os.environ.get(KEY_VARIABLE),
            shape=shape,
            timeout_s=timeout_s,
            retries=retries,
        )

    @property
    def name(self) -> str:
        kind = "tei-rerank" if self._endpoint.shape == "tei" else "http-rerank"
        return f"{kind}:{self._endpoint.url}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        found: list[float] = []
        for chunk in chunks(texts, BATCH_TEXTS[self._endpoint.shape]):
            reply = post(self._endpoint, body(self._endpoint, question, chunk))
            found += parsed_scores(reply, len(chunk), self._endpoint.url)
        return found


def body(endpoint: Endpoint, question: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the request, asking for every text's score."""
    query, documents = well_formed(question), [well_formed(text) for text in texts]
    if endpoint.shape == "tei":
        return {"query": query, "texts": documents, "truncate": True}
    named = {"model": endpoint.model} if endpoint.model else {}
    return {**named, "query": query, "documents": documents, "top_n": len(documents)}


def post(endpoint: Endpoint, payload: Mapping[str, Any]) -> Any:
    """Return the JSON reply; a busy endpoint is asked again. Raise ProviderError."""
    for attempt in range(endpoint.retries + 1):
        try:
            return send(endpoint, payload)
        except urllib.error.HTTPError as error:
            if error.code not in BUSY or attempt == endpoint.retries:
                raise ProviderError(refusal(endpoint.url, error)) from error
        except (OSError, HTTPException, ValueError) as error:
            if attempt == endpoint.retries or isinstance(error, ValueError):
                raise ProviderError(f"The rerank endpoint {endpoint.url!r} gave no usable answer: {error}") from error
        time.sleep(FIRST_PAUSE_S * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def send(endpoint: Endpoint, payload: Mapping[str, Any]) -> Any:
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "everyword"}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key}"
    request = urllib.request.Request(endpoint.url, json.dumps(payload).encode(), headers)  # noqa: S310 - http(s) only
    opener = urllib.request.build_opener(StayHere)
    with opener.open(request, timeout=endpoint.timeout_s) as reply:
        return json.loads(reply.read())


class StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key and the texts are for the address that the user named."""

    def redirect_request(
        self,
        req: Any,  # noqa: ARG002 - the signature is urllib's
        fp: Any,  # noqa: ARG002
        code: int,  # noqa: ARG002
        msg: str,  # noqa: ARG002
        headers: Any,  # noqa: ARG002
        newurl: str,  # noqa: ARG002
    ) -> None:
        return None


def score_of(item: Mapping[str, Any]) -> float:
    return float(item["relevance_score"] if "relevance_score" in item else item["score"])


def refusal(url: str, error: urllib.error.HTTPError) -> str:
    said = error.read()[:EXCERPT].decode("utf-8", "replace")
    return f"The rerank endpoint {url!r} refused with status {error.code}: {said}"


def parsed_scores(reply: Any, count: int, url: str) -> list[float]:
    """Return the scores in the order of the texts, of either shape. Raise ProviderError unless each text has one."""
    try:
        items = cast("list[dict[str, Any]]", reply if isinstance(reply, list) else reply["results"])
        found = {int(item["index"]): score_of(item) for item in items}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProviderError(f"The rerank endpoint {url!r} answered in an unknown shape.") from error
    if len(items) != count or found.keys() != set(range(count)):
        raise ProviderError(f"The rerank endpoint {url!r} scored {len(items)} of {count} texts.")
    if not all(map(math.isfinite, found.values())):
        raise ProviderError(f"The rerank endpoint {url!r} gave a score that is not a number.")
    return [found[index] for index in range(count)]
