"""Replies of a given form: the last JSON value that fits, and one more try with the mistake told to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from everyword.errors import CutOffError, RefusedError, ReplyError, UnreadableReplyError
from everyword.models.last_json import last_fitting
from everyword.models.refusal import is_refusal
from everyword.models.reply_schema import ReplySchema, reply_schema
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import ChatMessages, LanguageModel, LanguageModelIdentity, Reply, Usage

QUOTED = 4_000
"""Characters of a reply that are shown to the model again."""


class StructuredChat:
    """A language model that keeps to a schema, or raises the ReplyError that says why not. Other calls pass through."""

    def __init__(self, model: LanguageModel, *, repairs: int = 1, ledger: UsageLedger | None = None) -> None:
        """`repairs`: how often a mistake is told to the model; `ledger`: where replies that stay unusable are noted."""
        self._model = model
        self._repairs = repairs
        self._ledger = ledger

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
        options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "purpose": purpose}
        if schema is None:
            return self._model.complete(messages, **options)
        try:
            return self._fitting(messages, reply_schema(schema), options)
        except ReplyError as error:
            if self._ledger is not None:
                self._ledger.note(error.failure, model=self.identity.name, purpose=purpose)
            raise

    def _fitting(self, messages: ChatMessages, form: ReplySchema, options: dict[str, Any]) -> Reply:
        asked, usage, calls = list(messages), Usage(), 0
        for left in range(self._repairs, -1, -1):
            said = self._model.complete(asked, schema=form, **options)
            usage, calls = usage + said.usage, calls + said.calls
            reply = replace(said, usage=usage, calls=calls)
            try:
                return replace(reply, value=value_of(reply, form))
            except ValueError as mistake:
                if left == 0:
                    raise _unusable(reply, str(mistake)) from mistake
                asked = [*messages, *correction(reply, str(mistake))]
        raise AssertionError("the last round returns or raises")


def value_of(reply: Reply, form: ReplySchema) -> Any:
    """Return the value of a reply. Raise RefusedError, or ValueError where no value fits."""
    if reply.is_refused:
        raise RefusedError(f"The model refused: {reply.refusal or reply.text or reply.finish}", reply=reply)
    try:
        return last_fitting(reply.text, form.read)
    except ValueError:
        if is_refusal(reply.text):
            raise RefusedError(f"The model refused: {reply.text}", reply=reply) from None
        raise


def correction(reply: Reply, mistake: str) -> list[Mapping[str, Any]]:
    """Return the messages that tell a model what was wrong with its reply."""
    cut = " It was cut off, so that it has to be shorter." if reply.is_cut_off else ""
    told = f"This reply cannot be used.{cut} {mistake}\nReply again with the corrected JSON value and nothing else."
    return [{"role": "assistant", "content": reply.text[:QUOTED] or "…"}, {"role": "user", "content": told}]


def _unusable(reply: Reply, mistake: str) -> ReplyError:
    if reply.is_cut_off:
        message = f"The reply was cut off after {reply.usage.output_tokens} tokens: raise max_tokens, or ask for less."
        return CutOffError(message, reply=reply)
    return UnreadableReplyError(f"The reply does not have the form that was asked for: {mistake}", reply=reply)
