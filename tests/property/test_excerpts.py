from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everyword.packing.excerpt import excerpt, joined
from everyword.text.tokens import EstimateCounter

words = st.sampled_from(
    ("coin", "gold", "646,000", "市場", "今天早上", "🎂", "\n", ". ", "。", "，", '{"a":', "x" * 300, " ", "\x00")
)
texts = st.lists(words, max_size=80).map("".join)
weights = st.dictionaries(st.sampled_from(("coin", "gold", "646000", "市场", "市")), st.floats(0, 9), max_size=4)


@st.composite
def cut(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(texts)
    ends = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    return text, [(start, stop) for start, stop in draw(st.lists(ends, max_size=3))]


def check(text: str, spans: tuple[tuple[int, int], ...]) -> None:
    bounds = [bound for span in spans for bound in span]
    assert bounds == sorted(bounds), "in order, never overlapping"
    assert all(0 <= start < stop <= len(text) for start, stop in spans)


@given(cut(), weights, st.integers(8, 64))
def test_an_excerpt_is_in_order_within_the_text_and_within_its_room(
    given_text: tuple[str, list[tuple[int, int]]], idf: dict[str, float], room: int
) -> None:
    text, spans = given_text
    shown = excerpt(text, spans, idf, room=room)
    check(text, shown)
    quarters = sum(4 * EstimateCounter().count(text[start:stop]) for start, stop in shown)
    assert quarters <= 4 * room + 4 * len(shown)


@given(cut(), weights, st.integers(1, 300))
def test_what_stands_before_and_after_the_sentences_changes_nothing(
    given_text: tuple[str, list[tuple[int, int]]], idf: dict[str, float], around: int
) -> None:
    text, spans = given_text
    alone = excerpt(f"So {text}\nx", [(start + 3, stop + 3) for start, stop in spans], idf)
    before, after = "It rained. " * around, "\nx" * around
    place = len(before)
    within = excerpt(f"{before}So {text}{after}", [(start + 3 + place, stop + 3 + place) for start, stop in spans], idf)
    assert [(start - place, stop - place) for start, stop in within] == list(alone)


@given(cut())
def test_joined_spans_hold_all_that_was_given_and_nothing_but_gaps_of_space(
    given_text: tuple[str, list[tuple[int, int]]],
) -> None:
    text, spans = given_text
    spans = [(start, stop) for start, stop in spans if start < stop]
    merged = joined(text, spans)
    check(text, merged)
    covered = {place for start, stop in spans for place in range(start, stop)}
    shown = {place for start, stop in merged for place in range(start, stop)}
    assert covered <= shown
    assert not "".join(text[place] for place in sorted(shown - covered)).strip()
