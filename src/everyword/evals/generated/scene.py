"""A fact as it is said: a session of a few messages, one of which holds its exact words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from everyword.evals.generated.chatter import Line, Talk, Topic, common, joined, topics
from everyword.evals.generated.grammar import shuffled
from everyword.evals.generated.unit import Fact
from everyword.text.clauses import sentences, words
from everyword.text.words import terms

HOST_WORDS = (200, 400)
"""Of a message that holds an aside."""
_HOST_TOKENS = {"en": (285, 480), "zh-Hant": (345, 540), "zh-Hans": (345, 540)}
_OTHER_SUBJECTS = 10
"""How many subjects, those with the fewest words of an aside, may surround it."""
_BARE_SHARE = 0.5
"""Of the facts in short messages that nothing else is said with."""
_REMARK = 60
"""Tokens of what else is said in a short message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The messages of one session, and which of them holds the fact."""

    lines: tuple[Line, ...]
    holds: int
    place: float | None


def scene(fact: Fact, language: str, random: Random) -> Scene:
    """Return the session in which a fact is said."""
    lines = _long(fact, language, random) if fact.is_aside else _short(fact, language, random)
    holds = next(place for place, (role, text) in enumerate(lines) if role == fact.role and fact.text in text)
    return Scene(lines=tuple(lines), holds=holds, place=fact.place)


def _short(fact: Fact, language: str, random: Random) -> list[Line]:
    talk = Talk(language=language, random=random)
    subject = talk.topics[0]
    is_bare = random.random() < _BARE_SHARE
    request = fact.request or random.choice(common(language, "ask_tool"))
    match fact.role:
        case "user":
            said = fact.text if is_bare else f"{talk.user(_REMARK, subject)}\n\n{fact.text}"
            return [("user", said), ("assistant", random.choice(common(language, "noted")))]
        case "assistant":
            said = joined([fact.text, random.choice(common(language, "offer"))], language)
            return [("user", request), ("assistant", fact.text if is_bare else said)]
        case _:
            said = fact.text if is_bare else f"{talk.result(_REMARK // 2, subject)}\n{fact.text}"
            return [("user", request), ("tool", said), ("assistant", random.choice(common(language, "done")))]


def _long(fact: Fact, language: str, random: Random) -> list[Line]:
    subjects = shuffled(_other_subjects(fact.text, language), random)
    talk = Talk(language=language, random=random, topics=subjects)
    match fact.role:
        case "user":
            said = _with_aside(fact, talk)
            return [("user", said), ("assistant", talk.reply(_REMARK, subjects[0]))]
        case "assistant":
            said = _with_aside(fact, talk)
            return [("user", talk.user(_REMARK, subjects[0])), ("assistant", said)]
        case _:
            request = random.choice(common(language, "ask_tool"))
            done = random.choice(common(language, "done"))
            return [("user", request), ("tool", _with_aside(fact, talk)), ("assistant", done)]


def _with_aside(fact: Fact, talk: Talk) -> str:
    """Return a long message on other subjects with the aside between two of its sentences."""
    random, language = talk.random, talk.language
    lead = random.choice(common(language, "note" if fact.role == "tool" else "lead"))
    aside = lead.format(fact.text)
    while True:
        text = _host(fact.role, random.randint(*_HOST_TOKENS[language]), talk)
        said = _inserted(aside, text, fact.role, language, random)
        if HOST_WORDS[0] <= words(said) <= HOST_WORDS[1]:
            return said


def _host(role: str, tokens: int, talk: Talk) -> str:
    subject = talk.topics[0]
    match role:
        case "user":
            return talk.user(tokens, subject)
        case "assistant":
            return talk.reply(tokens, subject)
        case _:
            return talk.result(tokens, subject)


def _inserted(aside: str, text: str, role: str, language: str, random: Random) -> str:
    """Return the text with the aside after a sentence in its middle half."""
    middle = range(len(text) // 4, 3 * len(text) // 4)
    place = random.choice([start for start, _ in sentences(text) if start in middle and text[start] != "\n"])
    before, after = text[:place], text[place:]
    if role == "tool" or before.endswith("\n"):
        return f"{before}{aside}\n{after}"
    space = " " if language == "en" else ""
    return f"{before}{aside}{space}{after}"


def _other_subjects(aside: str, language: str) -> list[Topic]:
    """Return the subjects that share the fewest words with an aside."""
    said = set(terms(aside))
    return sorted(topics(language), key=lambda topic: len(said & _vocabulary(topic.name, language)))[:_OTHER_SUBJECTS]


@cache
def _vocabulary(name: str, language: str) -> frozenset[str]:
    topic = next(topic for topic in topics(language) if topic.name == name)
    return frozenset(
        term for frames in topic.lines.values() for frame in frames for one in frame for term in terms(one)
    )
