"""A conversation of one's own: from a memory or a file, with the facts that its owner wants to ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.domain.message import Draft
from everyword.errors import InvalidInputError, NotFoundError, TranscriptError
from everyword.lab.conversation import Conversation, Fact, Said, fact, said
from everyword.transcripts import formats

if TYPE_CHECKING:
    from everyword.memory import Memory

Words = tuple[str, str, str | None]
"""Role, text and session of one message."""


def of_user(memory: Memory, user_id: str, session_id: str | None = None) -> Conversation:
    """Return what a user's memory holds, or one session of it, in order. Raise NotFoundError where that is nothing."""
    held = [each for each in _exported(memory, user_id) if session_id in (None, each[2])]
    if not held:
        where = f"user {user_id!r}" if session_id is None else f"session {session_id!r} of user {user_id!r}"
        raise NotFoundError(f"There is no message of {where}: `everyword users` lists who has some.")
    return _conversation(session_id or user_id, held)


def of_file(path: str | Path, *, format: str | None = None) -> Conversation:  # noqa: A002 - the command's word
    """Return the conversations of a file that `import` reads, one after the other. Raise TranscriptError."""
    drafts = [draft for draft in formats.read(path, format) if isinstance(draft, Draft) and draft.branch == "main"]
    held = [(draft.role, draft.text, draft.session_id) for draft in drafts if draft.text]
    if not held:
        raise TranscriptError(f"{str(path)!r} holds no message with words.")
    return _conversation(Path(path).stem, held)


def with_facts(talk: Conversation, chosen: Iterable[str]) -> Conversation:
    """Return the conversation with the facts of `question=words of the answer` texts in place of its own.

    Raise InvalidInputError where a text has no `=`, or where no message has the words.
    """
    facts = [_fact(talk, text) for text in chosen]
    return replace(talk, facts=tuple(sorted(facts, key=lambda each: each.position))) if facts else talk


def _exported(memory: Memory, user_id: str) -> Iterator[Words]:
    for line in memory.export(user_id=user_id):
        record: dict[str, Any] = json.loads(line)
        if record.get("text") and record.get("branch", "main") == "main":
            yield record["role"], record["text"], record.get("session_id")


def _conversation(title: str, held: list[Words]) -> Conversation:
    return Conversation(title=title, language="", messages=said(_in_turns(held)), facts=())


def _in_turns(held: Iterable[Words]) -> Iterator[tuple[int, str, str]]:
    """Yield turn, role and text: each message of the user but the first begins a turn."""
    turn, has_begun = 1, False
    for role, text, _ in held:
        turn += role == "user" and has_begun
        has_begun = has_begun or role == "user"
        yield turn, role, text


def _fact(talk: Conversation, text: str) -> Fact:
    question, equals, words = (part.strip() for part in text.partition("="))
    if not (question and equals and words):
        raise InvalidInputError(f"{text!r} is no fact: write 'QUESTION=WORDS', the words as they were said.")
    position = _place(talk.messages, words)
    document = {"label": words, "text": f"{question} {words}", "probe": question, "keys": [words]}
    return fact({**document, "turn": talk.messages[position].turn, "position": position}, talk.messages)


def _place(messages: tuple[Said, ...], words: str) -> int:
    """Return the first message of the user that has the words, or the first of anyone."""
    having = [(message.role != "user", place) for place, message in enumerate(messages) if words in message.text]
    if not having:
        raise InvalidInputError(f"No message has the words {words!r}: give them as they were said.")
    return min(having)[1]
