"""A language model with its ledger: each call has a line, and none is made that could exceed the limit."""

from __future__ import annotations

import json
import math
import time
from contextlib import nullcontext
from typing import Any

from everyword.errors import ModelError, ProviderError
from everyword.models.reply_schema import ReplySchema
from everyword.models.spending import SpendingLimit
from everyword.models.usage_ledger import ANSWERED, UsageLedger
from everyword.ports import ChatMessages, LanguageModel, LanguageModelIdentity, Reply, Usage
from everyword.text.tokens import EstimateCounter

REAL_PER_ESTIMATED = 1.35
"""What providers bill for a token of the estimate, at the most that was seen."""
PER_MESSAGE = 8
PER_REQUEST = 300
"""Tokens around the messages: roles, marks, the provider's own instructions."""


class MeteredChat:
    """Writes every call into a ledger, failures too, and keeps to a spending limit where there is one."""

    def __init__(self, model: LanguageModel, ledger: UsageLedger, *, limit: SpendingLimit | None = None) -> None:
        self._model = model
        self._ledger = ledger
        self._limit = limit

    @property
    def identity(self) -> LanguageModelIdentity:
        return self._model.identity

    def complete(
        self,
        messages: ChatMessages,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Any = None,
        purpose: str = "chat",
    ) -> Reply:
        most = Usage(input_tokens=most_tokens(messages, schema), output_tokens=max_tokens)
        with self._limit.reserved(most) if self._limit is not None else nullcontext():
            started = time.perf_counter()
            usage, outcome = Usage(), "failed"
            try:
                reply = self._model.complete(
                    messages, max_tokens=max_tokens, temperature=temperature, schema=schema, purpose=purpose
                )
                usage, outcome = reply.usage, outcome_of(reply)
            except ModelError as error:
                outcome = error.failure if isinstance(error, ProviderError) else outcome
                raise
            finally:
                self._ledger.add(
                    usage,
                    model=self.identity.name,
                    purpose=purpose,
                    outcome=outcome,
                    milliseconds=(time.perf_counter() - started) * 1000,
                )
        return reply


def outcome_of(reply: Reply) -> str:
    """Return how a call ended, in the ledger's words."""
    if reply.is_refused:
        return "refused"
    return "cut off" if reply.is_cut_off else ANSWERED


def most_tokens(messages: ChatMessages, schema: Any) -> int:
    """Return the tokens that the messages can be billed as, on the safe side."""
    count = EstimateCounter().count
    texts = [json.dumps(message.get("content"), ensure_ascii=False, default=str) for message in messages]
    form = json.dumps(schema.document) if isinstance(schema, ReplySchema) else ""
    estimated = sum(map(count, [*texts, form]))
    return math.ceil(estimated * REAL_PER_ESTIMATED) + PER_MESSAGE * len(messages) + PER_REQUEST
