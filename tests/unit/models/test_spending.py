from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everyword.errors import SettingsError, SpendingLimitError
from everyword.models.spending import Limit, Prices, SpendingLimit, parsed_limit, parsed_prices
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import Usage


def spend(ledger: UsageLedger, tokens: int) -> None:
    ledger.add(Usage(input_tokens=tokens), model="m", purpose="p", outcome="ok", milliseconds=0)


def test_prices_are_for_a_million_tokens() -> None:
    usage = Usage(input_tokens=3_000_000, output_tokens=500_000, cached_tokens=1_000_000)
    assert Prices(input=2.0, output=8.0).cost(usage) == 10.0
    assert Prices(input=2.0, output=8.0, cached=0.5).cost(usage) == 8.5


def test_a_call_that_could_exceed_the_limit_is_not_made() -> None:
    ledger = UsageLedger()
    limit = SpendingLimit(Limit(amount=100), ledger)
    spend(ledger, 60)
    with limit.reserved(Usage(input_tokens=30, output_tokens=10)):
        pass
    with pytest.raises(
        SpendingLimitError, match="could take 41 tokens; 60 tokens are spent today.*limit is 100 tokens"
    ):
        with limit.reserved(Usage(input_tokens=30, output_tokens=11)):
            pytest.fail("the call was made")


def test_calls_that_are_still_running_count() -> None:
    limit = SpendingLimit(Limit(amount=100), UsageLedger())
    with limit.reserved(Usage(input_tokens=60)):
        with pytest.raises(SpendingLimitError, match="60 tokens are on their way"):
            limit.reserved(Usage(input_tokens=41)).__enter__()
        with limit.reserved(Usage(input_tokens=40)):
            pass
    with limit.reserved(Usage(input_tokens=100)):
        pass


def test_a_call_that_failed_gives_its_tokens_back() -> None:
    limit = SpendingLimit(Limit(amount=100), UsageLedger())
    for _ in range(3):
        with pytest.raises(ValueError, match="failed"):
            with limit.reserved(Usage(input_tokens=90)):
                raise ValueError("failed")


def test_money_is_tokens_at_the_prices() -> None:
    ledger = UsageLedger()
    limit = SpendingLimit(Limit(amount=1.0, unit="USD"), ledger, prices=Prices(input=10.0, output=40.0))
    spend(ledger, 90_000)
    assert limit.spent() == 0.9
    with pytest.raises(SpendingLimitError, match="could take 0.1200 USD"):
        limit.reserved(Usage(output_tokens=3_000)).__enter__()


def test_a_new_day_counts_anew_and_ever_does_not() -> None:
    now = [datetime(2026, 5, 22, 23, tzinfo=UTC)]
    ledger = UsageLedger(now=lambda: now[0])
    daily, ever = (SpendingLimit(Limit(amount=100), ledger, period=period) for period in ("day", "ever"))
    spend(ledger, 100)
    now[0] += timedelta(hours=1)
    with daily.reserved(Usage(input_tokens=100)):
        pass
    with pytest.raises(SpendingLimitError, match="so far"):
        ever.reserved(Usage(input_tokens=1)).__enter__()


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("200000 tokens", Limit(amount=200_000)),
        ("200_000 Tokens", Limit(amount=200_000)),
        ("1,500tokens", Limit(amount=1500)),
        ("2.50 USD", Limit(amount=2.5, unit="USD")),
        (" .5 € ", None),
        ("5 元", Limit(amount=5, unit="元")),
        ("5", None),
        ("tokens", None),
        ("-5 USD", None),
        ("", None),
    ],
)
def test_limits_are_read(text: str, limit: Limit | None) -> None:
    if limit is not None:
        assert parsed_limit(text) == limit
        return
    with pytest.raises(SettingsError, match="llm_limit"):
        parsed_limit(text)


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("0.15/0.60", Prices(input=0.15, output=0.6)),
        ("2/8/0.5", Prices(input=2, output=8, cached=0.5)),
        ("2", None),
        ("2/-8", None),
        ("2/nan", None),
        ("cheap/dear", None),
        ("1/2/3/4", None),
    ],
)
def test_prices_are_read(text: str, prices: Prices | None) -> None:
    if prices is not None:
        assert parsed_prices(text) == prices
        return
    with pytest.raises(SettingsError, match="llm_prices"):
        parsed_prices(text)


def test_a_limit_of_money_needs_prices() -> None:
    with pytest.raises(SettingsError, match="llm_prices"):
        SpendingLimit(Limit(amount=1, unit="USD"), UsageLedger())
