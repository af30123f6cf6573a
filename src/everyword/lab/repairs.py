"""Ways out of a request that does not fit. `page/engine.js` has the twin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from everyword.lab.conversation import Conversation
from everyword.lab.engine import Result, Settings, Strategy, run

K = 1024
LOWEST_RATIO = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One change of the settings after which the request can be sent."""

    name: str
    """`window`, `summary` or `truncate`."""
    settings: Settings

    def document(self) -> dict[str, Any]:
        chosen = self.settings
        return {"name": self.name, "strategy": chosen.strategy, "window": chosen.window, "ratio": chosen.ratio}


def repairs(talk: Conversation, result: Result) -> list[Repair]:
    """Return three ways out, none where there is no error.

    A wider window; a summary, at a lower ratio where there is one already; and truncation. The window grows to whole K
    where the change alone does not do.
    """
    if not result.overflow:
        return []
    wanted = result.settings
    widen = _widened(talk, wanted)
    return [
        Repair(name="window", settings=widen(wanted)),
        Repair(name="summary", settings=widen(_summarised(talk, wanted))),
        Repair(name="truncate", settings=widen(_with(wanted, "truncate"))),
    ]


def _with(settings: Settings, strategy: Strategy) -> Settings:
    return replace(settings, strategy=strategy)


def _widened(talk: Conversation, wanted: Settings) -> Callable[[Settings], Settings]:
    """Return what widens the window of settings to what they need at the least."""

    def widen(settings: Settings) -> Settings:
        needed = run(talk, settings).needed
        window = max(wanted.window, K * math.ceil(needed / K)) if needed > wanted.window else wanted.window
        return replace(settings, window=window)

    return widen


def _summarised(talk: Conversation, wanted: Settings) -> Settings:
    """Return the settings with a summary; one that is too long already gets the largest ratio of whole percents that fits."""
    if wanted.strategy != "summary":
        return _with(wanted, "summary")
    percents = range(int(100 * wanted.ratio) - 1, int(100 * LOWEST_RATIO) - 1, -1)
    tried = [replace(wanted, ratio=percent / 100) for percent in percents]
    return next((each for each in tried if not run(talk, each).overflow), tried[-1] if tried else wanted)
