"""Five products that many people build, as the table sees them, and what to set for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from everyword.errors import InvalidInputError
from everyword.routing.advice import Situation


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A product with the strategy for it; where that is not what the table concludes, `why` says so."""

    situation: Situation
    strategy: str
    why: str
    settings: Mapping[str, int | str] = field(default_factory=dict[str, "int | str"])


PRESETS: Mapping[str, Preset] = {
    "support": Preset(
        situation=Situation(corpus_tokens=8_000, updates="every-turn", latency="interactive"),
        strategy="window:20",
        why="each ticket is a session of its own; what was said early in it does not matter for the next",
        settings={"budget": 4_000},
    ),
    "enterprise": Preset(
        situation=Situation(
            corpus_tokens=50_000_000,
            updates="daily",
            latency="interactive",
            errors=("no-wrong-answers", "nothing-outdated"),
        ),
        strategy="evidence",
        why="documents are retrieved and never copied into a memory; dialogues are not kept",
        settings={"budget": 4_000},
    ),
    "companion": Preset(
        situation=Situation(
            corpus_tokens=2_000_000,
            updates="every-turn",
            sessions="history",
            latency="interactive",
            errors=("no-manipulation",),
        ),
        strategy="hybrid",
        why="a short profile in front of the evidence, recent turns behind it",
        settings={"budget": 3_000},
    ),
    "documents": Preset(
        situation=Situation(corpus_tokens=1_500_000, errors=("no-omissions",)),
        strategy="raw-rag",
        why="retrieval finds the chapters, and a window of 64,000 tokens reads them closely",
        settings={"budget": 64_000},
    ),
    "code": Preset(
        situation=Situation(corpus_tokens=5_000_000, updates="daily", sessions="repeatable", latency="interactive"),
        strategy="summary",
        why="the window holds the task; the structure of the project is an index to search, not a memory",
        settings={"budget": 16_000},
    ),
}


def preset(name: str) -> Preset:
    """Return a preset by its name. Raise InvalidInputError that names the known ones."""
    if name not in PRESETS:
        raise InvalidInputError(f"No preset {name!r}: choose one of {', '.join(PRESETS)}.")
    return PRESETS[name]
