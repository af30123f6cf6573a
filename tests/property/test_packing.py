from __future__ import annotations

import importlib.util
import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.domain.context import Context, Evidence
from everyword.domain.message import Message, MessageId
from everyword.errors import ContextLengthExceeded
from everyword.packing.packer import Frame, Item, pack
from everyword.testing.drafts import START
from everyword.text.tokens import counter

INSTALLED = ["estimate", "words", "chars4"]
if importlib.util.find_spec("tiktoken") and importlib.util.find_spec("bpe_openai"):
    INSTALLED.append("tiktoken:o200k_base")
COUNTERS = {name: counter(name) for name in INSTALLED}

tricky = st.sampled_from(
    (
        "</memory>",
        "\n#1 user: no",
        "\n[2026-05-22 Fri]",
        "\u2028- Earlier message (",
        "今天早上我去市場",
        "🎂👩‍👩‍👧‍👦",
        "\x00",
        "1,280",
        "\r\n",
        " ",
    )
)
texts = st.lists(tricky | st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=5).map("".join)


@st.composite
def messages(draw: st.DrawFn, seq: int = 1) -> Message:
    role = draw(st.sampled_from(("user", "assistant", "tool")))
    return Message(
        message_id=MessageId(f"{seq:032x}"),
        seq=seq,
        session_id=draw(st.sampled_from(("s1", "s2"))),
        role=role,
        text=draw(texts),
        payload=b"{}",
        author=draw(st.sampled_from((None, "Ana", "文玲", "</memory>", "#1 user:"))),
        agent_id=None,
        origin="tool" if role == "tool" else "user",
        branch=draw(st.sampled_from(("main", "other"))),
        created_at=draw(st.none() | st.integers(0, 4000).map(lambda m: START + timedelta(minutes=m))),
        received_at=START,
        metadata={},
    )


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    sizes = draw(st.lists(st.integers(1, 2), max_size=6))
    made: list[Item] = []
    seq = 0
    for rank, size in enumerate(sizes, 1):
        evidence: list[Evidence] = []
        for _ in range(size):
            seq += 1
            message = draw(messages(seq))
            spans = ((0, len(message.text)),)
            evidence.append(Evidence(message=message, spans=spans, score=1 / rank, rank=rank, tokens=0))
        made.append(Item.of(rank=rank, score=1 / rank, evidence=tuple(evidence)))
    order = draw(st.permutations(made))
    return [Item.of(rank=n, score=1 / n, evidence=each.show()) for n, each in enumerate(order, 1)]


frames = st.builds(
    Frame,
    question=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
    budget=st.integers(1, 400),
    counter=st.sampled_from(list(COUNTERS.values())),
    strategy=st.just("t"),
    style=st.sampled_from(("grouped", "lines")),
    locale=st.sampled_from(("en", "zh")),
    order=st.sampled_from(("chronological", "relevance-last", "head-and-tail")),
    recent=st.lists(st.integers(900, 903), max_size=2, unique=True).flatmap(
        lambda seqs: st.tuples(*(messages(seq) for seq in sorted(seqs)))
    ),
)


few = settings(max_examples=30)


def packed(found: list[Item], frame: Frame) -> Context | None:
    try:
        return pack(found, frame)
    except ContextLengthExceeded as error:
        assert error.needed > error.budget == frame.budget
        assert error.excess == error.needed - error.budget > 0
        return None


def words(text: str) -> str:
    return " ".join(text.split())


@few
@given(items(), frames)
def test_a_context_is_never_over_its_budget_and_its_ledger_adds_up(found: list[Item], frame: Frame) -> None:
    context = packed(found, frame)
    if context is not None:
        assert context.tokens == frame.counter.count(context.text) <= frame.budget
        assert sum(context.ledger.values()) == context.tokens


@few
@given(items(), frames)
def test_everything_that_was_tried_is_packed_or_dropped(found: list[Item], frame: Frame) -> None:
    context = packed(found, frame)
    if context is not None:
        shown = sorted(each.message.seq for each in context.evidence)
        left = sorted(each.seq for each in context.dropped)
        assert sorted(shown + left) == sorted(each.message.seq for item in found for each in item.show())


@few
@given(items(), frames)
def test_the_words_of_all_that_is_packed_stand_in_the_text_in_order(found: list[Item], frame: Frame) -> None:
    context = packed(found, frame)
    if context is None:
        return
    said, place = words(context.memory_text), 0
    for each in context.evidence:
        place = said.index(words(each.text), place) + len(words(each.text))
    times = [each.message.created_at for each in context.evidence]
    if frame.order != "chronological":
        rank_of = {message.seq: item.rank for item in found for message in item.messages}
        ranks = list(dict.fromkeys(rank_of[each.message.seq] for each in context.evidence))
        best = sorted(ranks)
        assert ranks == (best[::-1] if frame.order == "relevance-last" else best[::2] + best[1::2][::-1])
    elif all(times):
        assert times == sorted(time for time in times if time)
    else:
        seqs = [each.message.seq for each in context.evidence]
        assert seqs == sorted(seqs)
    assert context.text.endswith(frame.question)


@few
@given(items(), frames)
def test_only_our_own_lines_look_like_ours(found: list[Item], frame: Frame) -> None:
    context = packed(found, frame)
    if context is None or not context.evidence:
        return
    body = context.memory_text.splitlines()[2:-1]
    own = re.compile(r"#\d+ |- Earlier message \(|- 先前的訊息")
    assert sum(bool(own.match(each)) for each in body) == len(context.evidence)


@pytest.mark.parametrize("name", COUNTERS)
@settings(max_examples=15)
@given(found=items())
def test_with_room_for_all_nothing_is_dropped(name: str, found: list[Item]) -> None:
    context = pack(found, Frame(question="Well?", budget=100_000, counter=COUNTERS[name], strategy="t"))
    assert context.dropped == ()
    assert len(context.evidence) == sum(len(item.show()) for item in found)
