"""From facts and questions to one history: every fact in its session, the sessions in order of time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from everyword.evals.dataset import Case, Question, Said
from everyword.evals.generated.calendar import moment
from everyword.evals.generated.chatter import count, talk
from everyword.evals.generated.scene import Scene, scene
from everyword.evals.generated.stock import OTHER_SCRIPT
from everyword.evals.generated.unit import Asked, Unit
from everyword.text.words import terms

_EDGE = 0.02
"""Share of the time at both ends that is left to facts with a place of their own."""
_STEP = 2e-4
"""Distance of facts that have the same place: half an hour or more."""
_FRAME = 90
"""Tokens of the first and the last session, where no fact stands there."""
_QUARTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A unit with the session of each of its facts."""

    unit: Unit
    scenes: tuple[Scene, ...]

    @property
    def tokens(self) -> int:
        return sum(count(text) for each in self.scenes for _, text in each.lines)


Key = tuple[int, int]
"""Number of the unit, number of the fact in it."""


def staged(unit: Unit, language: str, random: Random) -> Staged:
    """Return the unit with its sessions."""
    return Staged(unit=unit, scenes=tuple(scene(fact, language, random) for fact in unit.facts))


def case(name: str, found: list[Staged], language: str, random: Random) -> Case:
    """Return the history that says the facts and nothing else, with its questions."""
    placed = _placed(found, random)
    if not placed or min(place for place, _, _ in placed) > _EDGE / 2:
        placed.append((0.0, None, _frame(language, random)))
    if max(place for place, _, _ in placed) < 1 - _EDGE / 2:
        placed.append((1.0, None, _frame(language, random)))
    messages, places = _messages(sorted(placed, key=lambda each: each[0]), language)
    end = datetime.fromisoformat(messages[-1].created_at or "")
    asked_at = (end + timedelta(days=1)).replace(hour=9, minute=0, second=0).isoformat()
    questions = _questions(found, placed, places, messages, language, asked_at)
    return Case(name=name, messages=tuple(messages), questions=tuple(questions))


Placed = tuple[float, Key | None, Scene]


def _placed(found: list[Staged], random: Random) -> list[Placed]:
    """Return each session with its place: its own, or a free one, in order where a unit has several."""
    placed: list[Placed] = []
    taken: dict[float, int] = {}
    for number, each in enumerate(found):
        free = iter(_spread(sum(one.place is None for one in each.scenes), random))
        for fact, one in enumerate(each.scenes):
            place = next(free) if one.place is None else one.place
            again = taken.setdefault(place, 0)
            taken[place] += 1
            place += again * _STEP if place < 1 else -again * _STEP
            placed.append((place, (number, fact), one))
    return placed


def _spread(number: int, random: Random) -> list[float]:
    """Return places in order, one in each part of the time."""
    width = (1 - 2 * _EDGE) / max(number, 1)
    return [_EDGE + width * (part + random.random() * 0.9) for part in range(number)]


def _frame(language: str, random: Random) -> Scene:
    return Scene(lines=tuple(talk(language, random, _FRAME)), holds=0, place=None)


def _messages(placed: Iterable[Placed], language: str) -> tuple[list[Said], dict[Key, int]]:
    """Return the messages in order of time, and where the message with each fact is."""
    messages: list[Said] = []
    places: dict[Key, int] = {}
    last: datetime | None = None
    for number, (place, key, one) in enumerate(placed, 1):
        at = moment(place, language)
        if last is not None:
            at = max(at, last + timedelta(minutes=1))
        if key is not None:
            places[key] = len(messages) + one.holds
        for role, text in one.lines:
            messages.append(Said(role=role, text=text, session=f"session-{number}", created_at=at.isoformat()))
            last, at = at, at + timedelta(minutes=1)
    return messages, places


def _questions(
    found: list[Staged],
    placed: list[Placed],
    places: dict[Key, int],
    messages: list[Said],
    language: str,
    asked_at: str,
) -> list[Question]:
    times = {key: place for place, key, _ in placed if key is not None}
    questions: list[Question] = []
    numbers: dict[str, int] = {}
    for number, each in enumerate(found):
        for asked in each.unit.asked:
            numbers[asked.kind] = numbers.get(asked.kind, 0) + 1
            keys = [(number, fact) for fact in asked.facts]
            quotes = tuple((places[key], each.unit.facts[key[1]].text) for key in keys)
            questions.append(
                Question(
                    text=asked.text,
                    evidence=frozenset(place for place, _ in quotes),
                    kind=asked.kind,
                    asked_at=asked_at,
                    name=f"{asked.kind}-{numbers[asked.kind]:03}",
                    answer=asked.answer,
                    rubric=asked.rubric,
                    answerable=bool(keys),
                    quotes=quotes,
                    labels=_labels(asked, [times[key] for key in keys], quotes, messages, language),
                )
            )
    return questions


def _labels(
    asked: Asked, times: list[float], quotes: tuple[tuple[int, str], ...], messages: list[Said], language: str
) -> tuple[str, ...]:
    """Return the groups of a question: those it came with, and those that follow from where its evidence is."""
    labels = dict.fromkeys(asked.labels)
    known = {label.partition(":")[0] for label in asked.labels}
    found = [f"language:{language}"]
    if language in OTHER_SCRIPT and "script" not in known:
        found.append("script:same")
    if quotes and "overlap" not in known:
        shared = set(terms(asked.text)) & {term for _, text in quotes for term in terms(text)}
        found.append(f"overlap:{'words' if shared else 'none'}")
    if len(times) == 1 and "position" not in known:
        found.append(f"position:{round(times[0] * _QUARTERS) * 100 // _QUARTERS}")
    found.extend(f"role:{role}" for role in sorted({messages[place].role for place, _ in quotes}))
    return (*found, *labels)
