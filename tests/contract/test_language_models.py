from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest

from everyword.models.cached_chat import CachedChat, ReplyCache
from everyword.models.metered_chat import MeteredChat
from everyword.models.openai_chat import OpenAIChat
from everyword.models.structured_chat import StructuredChat
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import LanguageModel
from everyword.testing.language_model_contract import LanguageModelContract
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_server import ScriptedServer


class TestScriptedModel(LanguageModelContract):
    def language_model(self) -> LanguageModel:
        return ScriptedModel().otherwise("Paris")


class TestModelWithEverythingAroundIt(LanguageModelContract):
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.cache = ReplyCache(tmp_path_factory.mktemp("cache") / "replies.db")

    def language_model(self) -> LanguageModel:
        metered = MeteredChat(ScriptedModel().otherwise("Paris"), UsageLedger())
        return StructuredChat(CachedChat(metered, self.cache))


class TestOpenAIChat(LanguageModelContract):
    @pytest.fixture(autouse=True)
    def _served(self) -> Iterator[None]:
        if importlib.util.find_spec("openai") is None:
            pytest.fail("not installed: openai") if os.environ.get("CI") else pytest.skip("not installed: openai")
        with ScriptedServer().otherwise("Paris") as self.server:
            yield

    def language_model(self) -> LanguageModel:
        return OpenAIChat("tiny", base_url=self.server.base_url)
