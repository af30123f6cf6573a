"""Talk on everyday subjects that fills a history: put together from a finite stock of sentences.

A sentence is one of at most VARIANTS forms of a written line, the same in every run, so that 12 million tokens hold some
ten thousand different clauses: a cache of vectors by clause embeds them once. Messages and sessions differ all the same,
because each is another choice of sentences in another order. No sentence answers a question that is generated; some are
near to one (decoys: the like of another person or thing).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from everyword.evals.generated.grammar import capital, filled, person, seeded, shuffled, values, variants
from everyword.evals.generated.stock import ROLES, alternatives, items, lines, rows, stock
from everyword.text.clauses import clauses
from everyword.text.tokens import EstimateCounter

VARIANTS = 32
"""Of a line."""
DECOYS = 4
"""Of a frame that names another thing or person."""
_DECOY_SHARE = 0.1
"""Of the messages."""
_OPENED_SHARE = 0.2
"""Of the sentences that something stands before, such as `As far as I can tell,`."""
_OPENINGS = {"say": "before_said", "reply": "before_reply"}
_KINDS = ("open", "say", "ask", "reply", "tool")
_ONCE = ("open", "ask")
"""What a message has one of for each subject."""

_SHORT, _MIDDLE, _LONG = (15, 50), (60, 150), (270, 520)
"""Tokens of a user's message, from and to."""
_LENGTHS = (_SHORT, _MIDDLE, _LONG)
_SHARES = (40, 35, 25)
_REPLY, _RESULT = (180, 560), (60, 420)
_TOOL_SHARE = 0.15
_LEAST = 30
"""Tokens of a turn."""
_NEXT = "What comes next is long enough to be one."

Line = tuple[str, str]
"""Role and text of a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Sentences on one subject, by what they do; each line as its variants."""

    name: str
    lines: dict[str, tuple[tuple[str, ...], ...]]


@cache
def topics(language: str) -> tuple[Topic, ...]:
    """Return every subject."""
    return tuple(
        Topic(
            name=name,
            lines={kind: tuple(variants(line, VARIANTS) for line in lines(table[kind])) for kind in _KINDS},
        )
        for name, table in stock(language, "chatter").items()
    )


@cache
def common(language: str, name: str) -> tuple[str, ...]:
    """Return what fits any subject, such as `thanks`."""
    return tuple(sentence for line in lines(stock(language, "common")[name]) for sentence in variants(line, VARIANTS))


@cache
def decoys(language: str, role: str) -> tuple[str, ...]:
    """Return sentences that say of another thing or person what a question asks of the user's."""
    random = seeded("decoys", language, role)
    of_asides = [sentence(row[4], language) for row in rows(stock(language, "asides")[role])]
    of_families = [
        decoy(family, frame, language, random)
        for name in ("needles", "updates", "sets")
        for family in stock(language, name)[role]
        for frame in alternatives(family["decoy"])
        for _ in range(DECOYS)
    ]
    return tuple(dict.fromkeys([*of_asides, *of_families]))


def decoy(family: dict[str, Any], frame: str, language: str, random: Random) -> str:
    """Return what is said of somebody else or of another thing of a family."""
    bound = {"person": person(language, random)}
    if "items" in family:
        bound["item"] = random.choice(items(family["items"]))
    else:
        bound["other"] = random.choice(items(family["others"]))
        bound["value"] = next(values(family["values"], language, random))
    return filled(frame, **bound)


def sentence(clause: str, language: str) -> str:
    """Return a clause as a sentence."""
    return f"{capital(clause)}." if language == "en" else f"{clause}。"


def joined(sentences: Sequence[str], language: str) -> str:
    """Return the sentences as running text.

    One that ends in a piece too short to be a clause gets a line of its own, or it would make a clause with every sentence
    that may follow.
    """
    space = _space(language)
    return "".join(f"{one}\n" if _runs_on(one, language) else f"{one}{space}" for one in sentences).rstrip()


def opened(opening: str, one: str, language: str) -> str:
    """Return the sentence behind what it opens with."""
    return f"{opening}{_space(language)}{uncapital(one)}"


def uncapital(one: str) -> str:
    """Return a sentence as it stands after a comma."""
    return one if one.startswith(("I ", "I'")) else one[:1].lower() + one[1:]


def _space(language: str) -> str:
    return " " if language == "en" else ""


@cache
def _runs_on(one: str, language: str) -> bool:
    """Tell whether the last clause of a sentence would go on into the next sentence."""
    with_space = f"{one}{_space(language)}"
    return len(with_space) not in {start for start, _ in clauses(with_space + _NEXT)}


@cache
def every_sentence(language: str) -> frozenset[str]:
    """Return the whole stock that talk is put together from."""
    of_topics = [one for topic in topics(language) for kind in topic.lines for one in _flat(topic, kind)]
    of_common = [one for name in ("thanks", "offer", "done") for one in common(language, name)]
    return frozenset([*of_topics, *of_common, *(one for role in ROLES for one in decoys(language, role))])


@cache
def every_clause(language: str) -> frozenset[str]:
    """Return every clause that an embedder can meet in talk, however the sentences follow each other."""
    openings = [opening for name in _OPENINGS.values() for opening in common(language, name)]
    behind = [uncapital(one) for kind in _OPENINGS for topic in topics(language) for one in _flat(topic, kind)]
    found = set(openings)
    for one in {*every_sentence(language), *behind}:
        text = f"{one}\n{one}"
        found.update(text[start:end].strip() for start, end in clauses(text))
    return frozenset(found)


def _flat(topic: Topic, kind: str) -> list[str]:
    return [one for frame in topic.lines[kind] for one in frame]


@dataclass(slots=True, kw_only=True)
class Talk:
    """One session: no line is said twice before every line of its subject was."""

    language: str
    random: Random
    topics: list[Topic] = field(default_factory=list[Topic])
    decks: dict[tuple[str, str], list[tuple[str, ...]]] = field(
        default_factory=dict[tuple[str, str], list[tuple[str, ...]]]
    )

    def __post_init__(self) -> None:
        if not self.topics:
            self.topics = shuffled(topics(self.language), self.random)

    def turn(self, tokens: int, said: int) -> list[Line]:
        """Return the messages of one turn, of about `tokens` tokens at most; the subject changes as more is said."""
        random = self.random
        subject = self.topics[said // 4 % len(self.topics)]
        wanted = random.randint(*random.choices(_LENGTHS, _SHARES)[0])
        asked = self.user(min(wanted, max(_LEAST, tokens // 3)), subject)
        left = tokens - count(asked)
        found = [("user", asked)]
        if left > 2 * _RESULT[0] and random.random() < _TOOL_SHARE:
            result = self.result(min(random.randint(*_RESULT), left // 2), subject)
            left -= count(result)
            found.append(("tool", result))
        if left >= _LEAST // 2:
            found.append(("assistant", self.reply(min(random.randint(*_REPLY), left), subject)))
        return found

    def user(self, tokens: int, subject: Topic) -> str:
        """Return what a user writes: a request, what there is to know about it, a question; then another subject."""
        paragraphs: list[str] = []
        for topic in self._from(subject):
            said = self._decoyed(list(self._fitting(tokens, topic, ("open", "say", "ask"))), "user")
            paragraphs.append(joined(said, self.language))
            tokens -= count(paragraphs[-1])
            if tokens < _LEAST:
                break
        return "\n\n".join(paragraphs)

    def reply(self, tokens: int, subject: Topic) -> str:
        """Return an assistant's advice, in paragraphs or one sentence a line."""
        random = self.random
        in_lines = random.random() < 0.4
        paragraphs: list[str] = []
        for topic in self._from(subject):
            said = self._decoyed(list(self._fitting(tokens, topic, ("reply",))), "assistant")
            paragraphs.append("\n".join(said) if in_lines else joined(said, self.language))
            tokens -= count(paragraphs[-1])
            if tokens < _LEAST:
                break
        if tokens >= _LEAST // 2:
            paragraphs.append(random.choice(common(self.language, "offer")))
        return "\n\n".join(paragraphs)

    def result(self, tokens: int, subject: Topic) -> str:
        """Return what tools give, one entry a line."""
        found: list[str] = []
        for topic in self._from(subject):
            said = self._decoyed(list(self._fitting(tokens, topic, ("tool",))), "tool")
            found.extend(said)
            tokens -= count("\n".join(said))
            if tokens < _LEAST:
                break
        return "\n".join(found)

    def _from(self, subject: Topic) -> Iterator[Topic]:
        """Yield this subject and those after it, round and round."""
        start = next(place for place, topic in enumerate(self.topics) if topic.name == subject.name)
        while True:
            yield self.topics[start % len(self.topics)]
            start += 1

    def _fitting(self, tokens: int, topic: Topic, kinds: tuple[str, ...]) -> Iterator[str]:
        """Yield sentences of each kind in turn as long as they fit into `tokens`; the first one in any case."""
        used = 0
        for kind in kinds:
            for _ in range(1 if kind in _ONCE else len(topic.lines[kind])):
                one = self._next(topic, kind)
                if used and used + count(one) > tokens:
                    break
                used += count(one)
                yield self._opened(one, kind)

    def _next(self, topic: Topic, kind: str) -> str:
        deck = self.decks.setdefault((topic.name, kind), [])
        if not deck:
            deck.extend(shuffled(topic.lines[kind], self.random))
        return self.random.choice(deck.pop())

    def _opened(self, one: str, kind: str) -> str:
        if kind not in _OPENINGS or self.random.random() >= _OPENED_SHARE:
            return one
        return opened(self.random.choice(common(self.language, _OPENINGS[kind])), one, self.language)

    def _decoyed(self, said: list[str], role: str) -> list[str]:
        """Return the sentences, now and then with a decoy among them."""
        if len(said) > 1 and self.random.random() < _DECOY_SHARE:
            said.insert(self.random.randint(1, len(said)), self.random.choice(decoys(self.language, role)))
        return said


def talk(language: str, random: Random, tokens: int) -> list[Line]:
    """Return the messages of a session of about `tokens` tokens, never of more than a sentence above it."""
    session = Talk(language=language, random=random)
    found: list[Line] = []
    left = tokens
    while left >= _LEAST or not found:
        turn = session.turn(left, len(found))
        left -= sum(count(text) for _, text in turn)
        found.extend(turn)
    return found


_COUNT = EstimateCounter().count


def count(text: str) -> int:
    """Return the tokens of a text, by the estimate."""
    return _COUNT(text)
