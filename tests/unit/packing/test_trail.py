from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everyword.packing.trail import STEP, common, read, trail, written

texts = st.text(st.characters(), max_size=40).map(lambda text: text * 17)


@given(texts, texts, st.data())
def test_what_two_texts_begin_with_is_told_to_a_step_and_never_more(head: str, tail: str, data: st.DataObject) -> None:
    before, after = head + data.draw(texts), head + tail
    same = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    assert same - STEP < common(after, trail(before)) <= same


@given(texts, st.integers(0, 600))
def test_the_end_of_a_part_is_told_exactly(text: str, end: int) -> None:
    end = min(end, len(text))
    before = trail(text, [end])
    assert common(text, before) == len(text)
    assert common(f"{text[:end]}\u0000|", before) >= end


@given(texts)
def test_a_trail_is_read_as_it_was_written(text: str) -> None:
    assert read(written(trail(text))) == trail(text)


def test_a_change_at_the_beginning_leaves_nothing_in_common() -> None:
    assert common("b" + "a" * 2_000, trail("a" * 2_001)) == 0


def test_an_empty_text_has_nothing_in_common() -> None:
    assert trail("") == ()
    assert common("", trail("a" * 500)) == common("a" * 500, ()) == 0
