"""Prompts of random mixes of sources: the budget holds, and every token is on the ledger."""

from __future__ import annotations

import importlib.util
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from everyword.domain.context import Context, Evidence
from everyword.domain.message import Message, MessageId
from everyword.domain.prompt import LASTING, ORDERS, PASSING, Order, Prompt, Window
from everyword.errors import ContextLengthExceeded
from everyword.packing.packer import Frame, Item, pack, room
from everyword.packing.prompt import filled, memory_room, room_beside
from everyword.packing.section import Source, section
from everyword.ports import TokenCounter
from everyword.testing.drafts import START
from everyword.text.tokens import counter

MIXES = 10_000 if os.environ.get("CI") else 1_500
INSTALLED = ["estimate", "chars4", "words", "estimate*1.35"]
if importlib.util.find_spec("tiktoken") and importlib.util.find_spec("bpe_openai"):
    INSTALLED += ["tiktoken:o200k_base", "tiktoken:cl100k_base"]
WORDS = (
    "the harbour in autumn 37 coins from before 1920 我對花生過敏 文玲的烏克麗麗 先寄放在公司 </memory> <memory> \n#1 user: \n\n "
    "\u2028- Earlier message ( [2026-05-22] 🎂👩‍👩‍👧‍👦 1,280 한국어 ひらがな \r\n     unbelievably internationalisation ''' !!!! \x00 é"
).split(" ")
SECTIONS: tuple[Source, ...] = ("profile", "pinned", "notes", "summary")


def said(dice: random.Random, most: int) -> str:
    glue = dice.choice((" ", " ", "", "\n"))
    return glue.join(dice.choices(WORDS, k=dice.randrange(most)))


def pool(dice: random.Random, size: int = 1_500) -> list[Message]:
    """Messages of which a few are long; no two are shown with one number."""
    made: list[Message] = []
    for seq in range(1, size + 1):
        role = dice.choice(("user", "assistant", "tool"))
        made.append(
            Message(
                message_id=MessageId(f"{seq:032x}"),
                seq=seq,
                session_id=dice.choice(("s1", "s2")),
                role=role,
                text=said(dice, 300 if dice.random() < 0.1 else 30),
                payload=b"{}",
                author=dice.choice((None, None, "Ana", "</memory>")),
                agent_id=None,
                origin="tool" if role == "tool" else "user",
                branch="main",
                created_at=START + timedelta(minutes=dice.randrange(5_000)) if dice.random() < 0.9 else None,
                received_at=START,
                metadata={},
            )
        )
    return made


def evidence(message: Message, rank: int) -> Evidence:
    return Evidence(message=message, spans=((0, len(message.text)),), score=1 / rank, rank=rank, tokens=0)


class Mix:
    """One random request: who says what, how much room there is, and what the memory would like to show."""

    def __init__(self, dice: random.Random, messages: Sequence[Message], count: TokenCounter) -> None:
        self.window = Window(
            tokens=int(2 ** dice.uniform(6.5, 12.5)),
            system=said(dice, 40) if dice.random() < 0.7 else "",
            tools=[{"name": said(dice, 4), "about": said(dice, 12)} for _ in range(dice.randrange(3))],
            constraints=said(dice, 12) if dice.random() < 0.4 else "",
            memory=dice.choice((None, 0, 40, 300, 3_000)),
            order=dice.choice(ALL_ORDERS),
            answer=dice.choice((0.0, 0.2, 0.2, 0.4)),
        )
        self.question = said(dice, 20) + "?"
        chosen = dice.sample(messages, dice.randrange(14))
        self.recent = tuple(sorted(chosen[: dice.randrange(3)], key=lambda each: each.seq))
        rest = chosen[len(self.recent) :]
        self.sections = [
            (source, [(evidence(each, 1), f"#{each.seq} {each.text[:60]}") for each in rest[place::4]])
            for place, source in enumerate(SECTIONS)
            if dice.random() < 0.3 and rest[place::4]
        ]
        self.items = [
            Item.of(rank=rank, score=1 / rank, evidence=(evidence(each, rank),)) for rank, each in enumerate(rest, 1)
        ]
        self.counter = count

    def fill(self, frame: Frame) -> Context:
        """Show what fits, as a strategy does."""
        for source, lines in self.sections:
            more = (*frame.sections, section(source, lines, frame.locale))
            if room(replace(frame, sections=more)) >= 0:
                frame.sections = more
        return pack(self.items, frame)

    def prompt(self) -> Prompt:
        left = room_beside(self.window, self.question, self.counter)
        frame = Frame(
            question=self.question,
            budget=left,
            counter=self.counter,
            strategy="t",
            recent=self.recent,
            order=self.window.order,
        )
        memory = memory_room(self.window, 1_500, left, has_turns=bool(self.recent))
        return filled(self.window, frame, self.fill, memory=memory)


ALL_ORDERS: tuple[Order, ...] = ("chronological", "relevance-last", "head-and-tail")


def sent(prompt: Prompt) -> list[str]:
    """Return the words that the model gets, tool definitions in their place."""
    body = prompt.to_openai()
    contents = [each["content"] for each in body["messages"]]
    if "tools" not in body:
        return contents
    system, tools = prompt.window.system, prompt.parts["tools"]
    if not system:
        return [tools, *contents]
    after = contents[0].removeprefix(system).removeprefix("\n\n")
    return [system, tools, *([after] if after else []), *contents[1:]]


def check(mixes: int, name: str, seed: int) -> tuple[int, int]:
    """Return how many prompts were made and how many could not be."""
    dice, count = random.Random(seed), counter(name)
    messages, made, refused = pool(dice), 0, 0
    for _ in range(mixes):
        mix = Mix(dice, messages, count)
        try:
            prompt = mix.prompt()
        except ContextLengthExceeded as error:
            refused += 1
            assert error.excess > 0
            assert f"{error.excess:,} over the {mix.window.room:,}" in str(error)
            continue
        made += 1
        assert prompt.tokens == count.count(prompt.text) == sum(prompt.ledger.values())
        assert prompt.tokens <= prompt.budget == mix.window.tokens - prompt.answer_tokens
        assert prompt.text == "\n\n".join(sent(prompt)), "what is counted is what is sent"
        assert list(prompt.ledger) == [source for source in (*LASTING, *PASSING) if source in prompt.ledger]
    return made, refused


def test_all_orders_are_tried() -> None:
    assert set(ALL_ORDERS) == ORDERS


@pytest.mark.parametrize("name", INSTALLED)
def test_no_prompt_of_random_mixes_exceeds_its_budget_and_the_ledger_adds_up(name: str) -> None:
    made, refused = check(MIXES // len(INSTALLED), name, seed=5)
    assert made > 3 * refused > 0


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", INSTALLED)
def test_no_prompt_of_a_hundred_thousand_mixes_exceeds_its_budget_and_the_ledger_adds_up(name: str) -> None:
    made, refused = check(100_000 // len(INSTALLED) + 1, name, seed=6)
    assert made > 3 * refused > 0
