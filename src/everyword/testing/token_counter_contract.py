"""What every token counter must do. Subclass it and return yours from `counter`."""

from __future__ import annotations

import pytest

from everyword.ports import TokenCounter

TEXTS = (
    "one",
    "We watched the match.",
    "今天早上我去市場買了一些菜。",
    "\ud800",
    "\x00",
    "🎂👩‍👩‍👧‍👦",
    " ",
    "\n" * 50,
    "x" * 5000,
)


class TokenCounterContract:
    """Whole, never negative, and more for more text."""

    def counter(self) -> TokenCounter:
        """Return the counter under test."""
        raise NotImplementedError

    @pytest.fixture
    def tokens(self) -> TokenCounter:
        return self.counter()

    def test_nothing_has_no_tokens(self, tokens: TokenCounter) -> None:
        assert tokens.count("") == 0

    @pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
    def test_a_count_is_a_whole_number(self, tokens: TokenCounter, text: str) -> None:
        assert isinstance(tokens.count(text), int)
        assert tokens.count(text) >= 0

    def test_twice_the_text_has_more_tokens(self, tokens: TokenCounter) -> None:
        text = "We watched the match in the old stadium. "
        assert tokens.count(text * 20) > tokens.count(text * 10) > 0
