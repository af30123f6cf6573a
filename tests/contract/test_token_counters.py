from __future__ import annotations

from everyword.ports import TokenCounter
from everyword.testing.token_counter_contract import TokenCounterContract
from everyword.text.tokens import counter


class TestEstimate(TokenCounterContract):
    def counter(self) -> TokenCounter:
        return counter("estimate")


class TestFourCharacters(TokenCounterContract):
    def counter(self) -> TokenCounter:
        return counter("chars4")
