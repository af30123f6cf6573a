"""Language models of any endpoint that speaks the OpenAI chat shape: hosted, Ollama, llama.cpp, vLLM and others."""

from __future__ import annotations

import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from everyword.errors import AccessRefusedError, ProviderError, SettingsError
from everyword.models.chat_dialect import MOST_CHANGES, ChatRequest, Dialect, adapted, written
from everyword.models.extras import required
from everyword.models.openai_embedder import NO_KEY, address
from everyword.models.reply_schema import reply_schema
from everyword.models.retries import BUSY, Retries, retry_after_s
from everyword.models.well_formed import well_formed
from everyword.ports import ChatMessages, LanguageModelIdentity, Reply, Usage
from everyword.text.tokens import EstimateCounter

KEY_VARIABLE = "EVERYWORD_LLM_API_KEY"
ACCESS = frozenset({401, 403, 404})
PICKY = frozenset({400, 422, 500, 501})
USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
FILTERED = frozenset({"content_filter", "content_policy_violation"})

_REASONING = re.compile(r"\A(?:.*?</think(?:ing)?>\s*|\s*<think(?:ing)?>.*)", re.DOTALL | re.IGNORECASE)
"""Up to where it ends, since some servers swallow the mark where it begins; all, where it never ended."""


class OpenAIChat:
    """Asks through the official client, again where the endpoint is busy; learns which parameters it takes.

    The key is EVERYWORD_LLM_API_KEY. Without it, an endpoint that is named here gets none: OPENAI_API_KEY goes to the
    address of OPENAI_BASE_URL, or to OpenAI, and nowhere else. Safe for many threads.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | int = 4,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not model:
            raise SettingsError("Name the model of the endpoint: 'openai:MODEL'.")
        self._model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL")
        self._api_key = api_key or os.environ.get(KEY_VARIABLE) or _own_key(base_url, self._base_url)
        self._timeout_s = timeout_s
        self._retries = retries if isinstance(retries, Retries) else Retries(most=retries)
        self._sleep = sleep
        self._lock = threading.Lock()
        self._client: Any = None
        self._dialect = Dialect(limit="max_tokens" if self._base_url else "max_completion_tokens")

    @property
    def identity(self) -> LanguageModelIdentity:
        return LanguageModelIdentity(name=f"openai:{self._model}", endpoint=address(self._base_url or ""))

    def complete(
        self,
        messages: ChatMessages,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Any = None,
        purpose: str = "chat",  # noqa: ARG002 - of the port; the ledger's
    ) -> Reply:
        request = ChatRequest(
            messages=[_well_formed(dict(message)) for message in messages],
            max_tokens=max_tokens,
            temperature=temperature,
            schema=None if schema is None else reply_schema(schema),
        )
        return self._patiently(request)

    def _patiently(self, request: ChatRequest) -> Reply:
        """Return the reply; where the endpoint is busy, wait and ask again. Raise ProviderError."""
        waited = 0.0
        for attempt in range(self._retries.most + 1):
            try:
                return self._understood(request)
            except _BusyError as busy:
                wait = self._retries.wait_s(attempt, busy.asked_s)
                if attempt == self._retries.most or waited + wait > self._retries.patience_s:
                    raise ProviderError(self._given_up(busy, attempt + 1, waited)) from busy.__cause__
                waited += wait
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _understood(self, request: ChatRequest) -> Reply:
        """Return the reply; where the endpoint does not take a parameter, ask without it, now and in the future."""
        dialect = self._dialect
        for left in range(MOST_CHANGES, -1, -1):
            try:
                return self._asked(request, dialect)
            except _NotUnderstoodError as error:
                if left == 0:
                    raise ProviderError(str(error)) from error.__cause__
                self._dialect = dialect = error.better
        raise AssertionError("the last dialect returns or raises")

    def _asked(self, request: ChatRequest, dialect: Dialect) -> Reply:
        openai = required("openai", extra="llm")
        client = self._opened()
        try:
            completion = client.chat.completions.create(model=self._model, **written(request, dialect))
        except openai.APIStatusError as error:
            return self._told(error, dialect)
        except openai.APIConnectionError as error:
            raise _BusyError(f"it cannot be reached: {error.__cause__ or error}", asked_s=None) from error
        except (openai.OpenAIError, ValueError) as error:  # a body that is no JSON
            raise _BusyError(f"its reply cannot be read: {error}", asked_s=None) from error
        return self._read(completion, request)

    def _told(self, error: Any, dialect: Dialect) -> Reply:
        """Return a refusal, or raise what a status other than success means."""
        code, status, said = str(error.code or ""), int(error.status_code), said_by(error)
        if code in FILTERED:
            return Reply(text="", finish="content_filter", refusal=said)
        if code in USED_UP:
            raise AccessRefusedError(f"The account for {self._model!r} is used up: {said}") from error
        better = adapted(dialect, said) if status in PICKY else None
        if better is not None:
            raise _NotUnderstoodError(f"{self._named()} does not take the request: {said}", better) from error
        if status in ACCESS:
            raise AccessRefusedError(
                f"{self._named()} refused with status {status}: {said} Check llm, llm_base_url and {KEY_VARIABLE}."
            ) from error
        if status in BUSY:
            raise _BusyError(f"status {status}: {said}", asked_s=retry_after_s(error.response.headers)) from error
        raise ProviderError(f"{self._named()} refused with status {status}: {said}") from error

    def _read(self, completion: Any, request: ChatRequest) -> Reply:
        choices: list[Any] = getattr(completion, "choices", None) or [None]
        message = getattr(choices[0], "message", None)
        if message is None:
            raise _BusyError("its reply is no chat completion", asked_s=None)
        text = _REASONING.sub("", _text(message.content))
        return Reply(
            text=text,
            finish=choices[0].finish_reason or "stop",
            refusal=getattr(message, "refusal", None),
            usage=usage_of(completion, request, text),
        )

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._open()
                weakref.finalize(self, self._client.close)  # its connections, whichever is collected first
            return self._client

    def _open(self) -> Any:
        openai = required("openai", extra="llm")
        try:
            return openai.OpenAI(base_url=self._base_url, api_key=self._api_key, timeout=self._timeout_s, max_retries=0)
        except openai.OpenAIError as error:
            raise AccessRefusedError(
                f"Set {KEY_VARIABLE}, or llm_base_url for a server of your own: {error}"
            ) from error

    def _given_up(self, busy: _BusyError, attempts: int, waited: float) -> str:
        asked = f"; it asks to wait {busy.asked_s:.0f} s" if busy.asked_s else ""
        return f"{self._named()} failed {attempts} times in {waited:.1f} s of waiting: {busy}{asked}."

    def _named(self) -> str:
        where = f" at {address(self._base_url)}" if self._base_url else ""
        return f"The endpoint of {self._model!r}{where}"


class _BusyError(Exception):
    """Worth another try."""

    def __init__(self, message: str, *, asked_s: float | None) -> None:
        super().__init__(message)
        self.asked_s = asked_s


class _NotUnderstoodError(Exception):
    """Worth another dialect."""

    def __init__(self, message: str, better: Dialect) -> None:
        super().__init__(message)
        self.better = better


def usage_of(completion: Any, request: ChatRequest, text: str) -> Usage:
    """Return the tokens that the endpoint tells, or an estimate where it tells none."""
    told = getattr(completion, "usage", None)
    if told is None or told.prompt_tokens is None:
        count = EstimateCounter().count
        asked = sum(count(_text(message.get("content"))) for message in request.messages)
        return Usage(input_tokens=asked, output_tokens=count(text), is_estimated=True)
    details = getattr(told, "prompt_tokens_details", None)
    return Usage(
        input_tokens=told.prompt_tokens,
        output_tokens=told.completion_tokens or 0,
        cached_tokens=getattr(details, "cached_tokens", None) or 0,
    )


def said_by(error: Any) -> str:
    """Return the endpoint's own words, short."""
    body: Any = error.body
    message = cast("Mapping[str, Any]", body).get("message") if isinstance(body, Mapping) else None
    return str(message or error.message)[:500]


def _own_key(named: str | None, base_url: str | None) -> str | None:
    """Return OPENAI_API_KEY for the address it belongs to; a server of one's own needs no key."""
    found = None if named else os.environ.get("OPENAI_API_KEY")
    return found or (NO_KEY if base_url else None)


def _text(content: Any) -> str:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        return "".join(str(_field(part, "text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def _field(part: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", part).get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def _well_formed(value: Any) -> Any:
    """Return the value with texts that UTF-8 can carry."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {name: _well_formed(each) for name, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_well_formed(each) for each in cast("Sequence[Any]", value)]
    return value
