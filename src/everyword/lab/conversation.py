"""A conversation with facts in it: what the lab's strategies are measured on."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from itertools import accumulate
from typing import Any

from everyword.errors import InvalidInputError
from everyword.text.tokens import WordsCounter

_COUNT = WordsCounter().count


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the conversation."""

    turn: int
    """1, 2, 3 …: a user's message and all up to the next one."""
    role: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that was said once and is asked for at the end."""

    turn: int
    label: str
    text: str
    """The fact in few words, as it is pinned."""
    probe: str
    """The question that asks for it."""
    keys: tuple[str, ...]
    """All of them stand in a text that holds the fact."""
    position: int
    """Which message says it, counted from 0."""
    pinned_tokens: int
    """Of `text`."""

    def is_in(self, text: str) -> bool:
        return all(key in text for key in self.keys)


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Messages in their order, and the facts to ask for."""

    title: str
    language: str
    """BCP 47 tag of the words, for example `zh-Hans`."""
    messages: tuple[Said, ...]
    facts: tuple[Fact, ...]

    @property
    def turns(self) -> int:
        return self.messages[-1].turn

    @cached_property
    def sums(self) -> tuple[int, ...]:
        """Tokens of the first p messages, at place p."""
        return tuple(accumulate((said.tokens for said in self.messages), initial=0))

    @cached_property
    def longest(self) -> tuple[int, ...]:
        """Tokens of the longest of the first p messages, at place p."""
        return tuple(accumulate((said.tokens for said in self.messages), max, initial=0))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """How many messages there are when turn n is over, at place n."""
        turns = [said.turn for said in self.messages]
        return tuple(bisect_right(turns, turn) for turn in range(self.turns + 1))

    def document(self) -> dict[str, Any]:
        """Return what `conversation` reads: the form of script.json and of the page."""
        return {
            "language": self.language,
            "title": self.title,
            "messages": [{"turn": said.turn, "role": said.role, "text": said.text} for said in self.messages],
            "facts": [
                {
                    "turn": fact.turn,
                    "label": fact.label,
                    "text": fact.text,
                    "probe": fact.probe,
                    "keys": list(fact.keys),
                    "position": fact.position,
                }
                for fact in self.facts
            ],
        }


def script() -> Conversation:
    """Return the conversation of 120 turns with a shop's customer service that comes with the lab."""
    return conversation(json.loads(files("everyword.lab").joinpath("script.json").read_text("utf-8")))


def conversation(document: Mapping[str, Any]) -> Conversation:
    """Return the conversation of a JSON document. Raise InvalidInputError where it has no messages."""
    messages = said((each["turn"], each["role"], each["text"]) for each in document["messages"])
    return Conversation(
        title=document["title"],
        language=document["language"],
        messages=messages,
        facts=tuple(fact(each, messages) for each in document["facts"]),
    )


def said(messages: Any) -> tuple[Said, ...]:
    """Return (turn, role, text) triples with their tokens. Raise InvalidInputError where there are none."""
    found = tuple(Said(turn=turn, role=role, text=text, tokens=_COUNT(text)) for turn, role, text in messages)
    if not found:
        raise InvalidInputError("The conversation has no messages: name another user, session or file.")
    return found


def fact(document: Mapping[str, Any], messages: Sequence[Said]) -> Fact:
    """Return a fact of a JSON document; its place is the user's message of its turn, unless it is told."""
    turn = document["turn"]
    position = document.get("position", _first_of_user(turn, messages))
    return Fact(
        turn=turn,
        label=document["label"],
        text=document["text"],
        probe=document["probe"],
        keys=tuple(document["keys"]),
        position=position,
        pinned_tokens=_COUNT(document["text"]),
    )


def _first_of_user(turn: int, messages: Sequence[Said]) -> int:
    """Return the place of the user's message of a turn. Raise InvalidInputError where there is none."""
    for position, message in enumerate(messages):
        if message.turn == turn and message.role == "user":
            return position
    raise InvalidInputError(f"Turn {turn!r} has no message of the user that could say a fact.")
