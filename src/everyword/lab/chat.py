"""A request as the chat messages of an endpoint, with the tokens that its words are estimated at."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from everyword.lab.conversation import Conversation, Said
from everyword.text.tokens import WordsCounter

_CHAT_ROLES = ("user", "assistant")
_SUMMARY = "先前對話的摘要：\n"
_PINNED = "已知事實：\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What is sent after one turn, in words."""

    system: str
    said: tuple[Said, ...]
    question: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return OpenAI chat messages: system prompt, the words as they were said, the question."""
        asked = [{"role": "user", "content": self.question}] if self.question else []
        return [{"role": "system", "content": self.system}, *map(_message, self.said), *asked]

    @property
    def estimate(self) -> int:
        """Return the tokens by the lab's rule of thumb."""
        count = WordsCounter().count
        return count(self.system) + sum(said.tokens for said in self.said) + count(self.question)


def system_prompt() -> str:
    """Return the prompt of the shop's assistant: the 180 tokens of every request."""
    return files("everyword.lab").joinpath("system_prompt.txt").read_text("utf-8").strip()


def chat(
    talk: Conversation, *, turn: int, first: int, summary: str = "", is_pinned: bool = False, question: str = ""
) -> Chat:
    """Return the request after a turn whose messages from `first` on are sent as they are."""
    facts = [fact.text for fact in talk.facts if is_pinned and fact.turn <= turn]
    parts = [system_prompt(), _PINNED + "\n".join(facts) if facts else "", _SUMMARY + summary if summary else ""]
    return Chat(
        system="\n\n".join(part for part in parts if part),
        said=talk.messages[first : talk.ends[turn]],
        question=question,
    )


def _message(said: Said) -> dict[str, Any]:
    """Return one message; what a tool or another system said becomes words of the user, labelled."""
    if said.role in _CHAT_ROLES:
        return {"role": said.role, "content": said.text}
    return {"role": "user", "content": f"[{said.role}] {said.text}"}
