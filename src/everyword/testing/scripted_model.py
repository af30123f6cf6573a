"""A language model in this process that says what a script tells."""

from __future__ import annotations

import time
from typing import Any

from everyword.errors import ProviderError
from everyword.ports import ChatMessages, LanguageModelIdentity, Reply, Usage
from everyword.testing.scripted_replies import Asked, Match, Said, Script


class ScriptedModel:
    """The fake of `LanguageModel`; a reply to a schema is checked by what stands around it, as with a real one."""

    def __init__(self, *replies: Said, name: str = "scripted") -> None:
        """`replies`: said in order."""
        self.script = Script(*replies)
        self._name = name

    @property
    def identity(self) -> LanguageModelIdentity:
        return LanguageModelIdentity(name=self._name)

    @property
    def requests(self) -> list[Asked]:
        """Return what was asked, in order; `body` has the arguments of the call."""
        return self.script.requests

    def when(self, match: Match, said: Said, *, times: int | None = None) -> ScriptedModel:
        """Say this where the request matches: see `Script.when`."""
        self.script.when(match, said, times=times)
        return self

    def otherwise(self, said: Said) -> ScriptedModel:
        """Say this where nothing else is to be said: see `Script.otherwise`."""
        self.script.otherwise(said)
        return self

    def complete(
        self,
        messages: ChatMessages,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Any = None,
        purpose: str = "chat",
    ) -> Reply:
        body: dict[str, Any] = {"messages": list(messages), "max_tokens": max_tokens, "temperature": temperature}
        asked = Asked(path="", body={**body, "schema": schema, "purpose": purpose})
        said = self.script.reply(asked)
        if said is None:
            raise AssertionError(f"The script has no reply to {asked.last[:200]!r}.")
        time.sleep(said.delay_s)
        if said.status != 200 or said.is_broken:
            raise ProviderError(f"The scripted model failed with status {said.status}: {said.error}")
        usage = Usage(input_tokens=asked.tokens, output_tokens=said.output_tokens, cached_tokens=said.cached_tokens)
        return Reply(text=said.text, finish=said.finish, refusal=said.refusal, usage=usage)
