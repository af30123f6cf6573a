"""What stands in one run, as it is written on the command line: `bm25`, `window@500k`, `full`, `mem0@8000`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everyword.errors import InvalidInputError
from everyword.evals.adapters.catalogue import systems
from everyword.strategies.catalogue import STRATEGIES, strategy
from everyword.strategies.full import FULL
from everyword.strategies.window import WINDOW
from everyword.text.tokens import DEFAULT_FACTOR

ALL = "all"
LONG_CONTEXT = 650_000
"""Estimated tokens that a window of a million real ones takes with its answer: 877,500 real."""
_SHARE = 0.88
"""Of a real window, for what is read; the rest is for the instructions and the answer."""
_STEP = 10_000
_ARM = re.compile(r"(?P<name>[^@\s]+)(?:@(?P<number>\d[\d_]*(?:\.\d+)?)(?P<unit>[kKmM]?)(?P<real>real)?)?")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}

Arm = tuple[str, int | None]
"""Name of a strategy or of a memory system, and its own budget in tokens; None: the budgets of the run."""


def arm(text: str) -> Arm:
    """Return the strategy or system that a text names, and the budget after `@` where it has one.

    `k` and `M` stand for thousands and millions. A budget that ends in `real` is a model's window as its vendor counts it
    (`window@1Mreal`), of which estimates may fill 650,000. `full` alone has that budget too: a whole history is not meant
    for the small budgets of the other strategies. A question that has no room under its arm counts as not answered.
    Raise InvalidInputError, which names the known strategies and systems.
    """
    found = _ARM.fullmatch(text.strip())
    if found is None:
        raise InvalidInputError(f"{text!r} is no strategy: write a name, or a name and its budget like window@500k.")
    name = _known(found["name"])
    if found["number"] is None:
        return name, LONG_CONTEXT if name == FULL.name else None
    tokens = int(float(found["number"].replace("_", "")) * _UNITS[found["unit"].lower()])
    budget = estimated(tokens) if found["real"] else tokens
    if budget < 1:
        raise InvalidInputError(f"{text!r}: a budget has at least 1 token.")
    return name, budget


def arms(text: str) -> list[Arm]:
    """Return the arms of a list by commas, each once, in its order; `all`: every strategy. Raise InvalidInputError."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = list(dict.fromkeys(arm(each) for part in parts for each in (STRATEGIES if part == ALL else [part])))
    if not found:
        raise InvalidInputError("No strategy is named: give names by commas, for example bm25,evidence,window@500k.")
    return found


def conditions(chosen: Iterable[Arm], budgets: Sequence[int]) -> list[tuple[str, int]]:
    """Return what is run: every arm at its own budget, or at each of the common ones."""
    found = ((name, each) for name, own in chosen for each in (budgets if own is None else (own,)))
    return list(dict.fromkeys(found))


def estimated(window: int) -> int:
    """Return how many estimated tokens a context may have for a model whose window is `window` real tokens.

    A real token is 1 / 1.35 of an estimated one; rounded down to whole ten thousands where there are as many.
    """
    tokens = int(window * _SHARE / DEFAULT_FACTOR)
    return tokens // _STEP * _STEP if tokens >= _STEP else tokens


def _known(name: str) -> str:
    others = systems()
    if name in others:
        return name
    if name in STRATEGIES or name.startswith(f"{WINDOW.name}:"):
        return strategy(name).name
    raise InvalidInputError(f"No strategy or system {name!r}: choose one of {', '.join([*STRATEGIES, *others])}.")
