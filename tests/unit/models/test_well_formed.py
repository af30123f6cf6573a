from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everyword.models.well_formed import well_formed


@given(st.text(st.characters()))
def test_the_result_can_always_be_encoded_and_good_text_is_untouched(text: str) -> None:
    well_formed(text).encode()
    good = text.encode("utf-8", "ignore").decode()
    assert well_formed(good) == good


def test_halves_of_a_pair_are_joined_and_lone_ones_replaced() -> None:
    assert well_formed("\ud83c\udf75 \ud83c \udf75") == "🍵 \ufffd \ufffd"
