"""A limit on what language models may cost: checked before each call, against the most that it could take."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from everyword.errors import SettingsError, SpendingLimitError
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import Usage

Period = Literal["day", "ever"]

_MILLION = 1_000_000
_LIMIT = re.compile(r"\s*([\d_,]*\.?\d+)\s*([^\W\d_]+)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, in any one currency."""

    input: float
    output: float
    cached: float | None = None
    """Of input that the provider had in its prefix cache; None: as other input."""

    def cost(self, usage: Usage) -> float:
        """Return what the tokens cost."""
        cached = self.input if self.cached is None else self.cached
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        return (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How much may be spent, in tokens or in the currency of the prices."""

    amount: float
    unit: str = "tokens"

    @property
    def is_money(self) -> bool:
        """Tell whether the amount is not one of tokens."""
        return self.unit != "tokens"


class SpendingLimit:
    """Holds calls inside a limit, those of other threads that are still running included.

    What was spent is what the ledger says of the period: of this day (UTC), or of all the time.
    """

    def __init__(
        self, limit: Limit, ledger: UsageLedger, *, prices: Prices | None = None, period: Period = "day"
    ) -> None:
        if limit.is_money and prices is None:
            raise SettingsError(f"A limit of {limit.amount:g} {limit.unit} needs prices: set llm_prices.")
        self._limit = limit
        self._ledger = ledger
        self._prices = prices
        self._period: Period = period
        self._lock = threading.Lock()
        self._running = 0.0

    def spent(self) -> float:
        """Return what the period has cost, in the unit of the limit."""
        day = self._ledger.today if self._period == "day" else None
        return self._amount(self._ledger.spent(day).usage)

    @contextmanager
    def reserved(self, most: Usage) -> Generator[None]:
        """Run a call that takes at most this much. Raise SpendingLimitError where the limit could be exceeded."""
        amount = self._amount(most)
        with self._lock:
            self._check(amount)
            self._running += amount
        try:
            yield
        finally:
            with self._lock:
                self._running -= amount

    def _check(self, amount: float) -> None:
        spent = self.spent()
        if spent + self._running + amount > self._limit.amount:
            when = "today (UTC)" if self._period == "day" else "so far"
            raise SpendingLimitError(
                f"The next call could take {self._told(amount)}; {self._told(spent)} are spent {when}, "
                f"{self._told(self._running)} are on their way, and the limit is {self._told(self._limit.amount)}: "
                "raise llm_limit to go on."
            )

    def _amount(self, usage: Usage) -> float:
        if self._limit.is_money and self._prices is not None:
            return self._prices.cost(usage)
        return usage.input_tokens + usage.output_tokens

    def _told(self, amount: float) -> str:
        return f"{amount:,.4f} {self._limit.unit}" if self._limit.is_money else f"{amount:,.0f} tokens"


def parsed_limit(text: str) -> Limit:
    """Read `200000 tokens` or `2.50 USD`. Raise SettingsError."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise SettingsError(f"llm_limit is a number with its unit, like '200000 tokens' or '2.50 USD', not {text!r}.")
    unit = found.group(2)
    amount = float(re.sub(r"[_,]", "", found.group(1)))
    return Limit(amount=amount, unit="tokens" if unit.lower() in ("token", "tokens") else unit)


def parsed_prices(text: str) -> Prices:
    """Read `0.15/0.60` or `0.15/0.60/0.075`: a million tokens of input, output, cached input. Raise SettingsError."""
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(0 <= number < float("inf") for number in numbers):
        raise SettingsError(
            f"llm_prices is 'INPUT/OUTPUT' or 'INPUT/OUTPUT/CACHED' for a million tokens, not {text!r}."
        )
    return Prices(input=numbers[0], output=numbers[1], cached=numbers[2] if len(numbers) == 3 else None)
