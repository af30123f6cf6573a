"""What every language model must do. Subclass it and return yours from `language_model`: it may say anything."""

from __future__ import annotations

import pytest

from everyword.ports import LanguageModel, LanguageModelIdentity, Reply

MESSAGES = [
    {"role": "system", "content": "You answer in one word."},
    {"role": "user", "content": "What is the capital of France?"},
]


class LanguageModelContract:
    """An identity, and a reply with what it cost."""

    def language_model(self) -> LanguageModel:
        """Return the language model under test."""
        raise NotImplementedError

    @pytest.fixture
    def model(self) -> LanguageModel:
        return self.language_model()

    def test_it_is_a_language_model(self, model: LanguageModel) -> None:
        assert isinstance(model, LanguageModel)

    def test_the_identity_never_changes(self, model: LanguageModel) -> None:
        before = model.identity
        model.complete(MESSAGES, max_tokens=8)
        assert model.identity == before == self.language_model().identity
        assert isinstance(before, LanguageModelIdentity)
        assert before.name

    def test_a_reply_has_a_text_and_an_end_and_tells_what_it_cost(self, model: LanguageModel) -> None:
        reply = model.complete(MESSAGES, max_tokens=8, temperature=0.0, purpose="contract")
        assert isinstance(reply, Reply)
        assert isinstance(reply.text, str)
        assert reply.finish
        assert reply.calls >= 0
        assert reply.usage.input_tokens >= 0
        assert reply.usage.output_tokens >= 0

    def test_the_messages_are_not_changed(self, model: LanguageModel) -> None:
        messages = [dict(message) for message in MESSAGES]
        model.complete(messages, max_tokens=8)
        assert messages == MESSAGES

    @pytest.mark.parametrize("text", ["\ud83d", "x" * 10_000, "\x00", "繁體與简体 🎂"], ids=range(4))
    def test_any_text_can_be_asked(self, model: LanguageModel, text: str) -> None:
        assert isinstance(model.complete([{"role": "user", "content": text}], max_tokens=8), Reply)
