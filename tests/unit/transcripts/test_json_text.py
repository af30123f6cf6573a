from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.transcripts.json_text import clean, dump, piece, visible

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(deadline=None, max_examples=60)
@given(items=st.lists(VALUES, max_size=5), indent=st.none() | st.integers(0, 3), escaped=st.booleans())
def test_parts_of_a_value_keep_their_bytes(items: list[Any], indent: int | None, escaped: bool) -> None:
    data = json.dumps({"a": items, "b": {str(i): item for i, item in enumerate(items)}}, indent=indent).encode()
    whole = piece(data, "file")
    assert [json.loads(part.payload()) for part in whole.list_at("a")] == items
    assert all(part.payload() in data for part in whole.list_at("a"))
    assert [part.value for part in whole.members()["b"].members().values()] == items


def test_spaces_and_escapes_stay_as_they_were() -> None:
    data = b'{"m": [ {"a" :  "\\u00e9\\ud83d\\ude00", "n": 1.50e3 } , 2 ]}'
    first, second = piece(data, "f").list_at("m")
    assert first.payload() == b'{"a" :  "\\u00e9\\ud83d\\ude00", "n": 1.50e3 }'
    assert (first.place, second.place) == ("f.m[0]", "f.m[1]")


def test_of_keys_that_repeat_the_last_counts() -> None:
    data = b'{"m": [1], "m": [2, 3]}'
    assert [part.value for part in piece(data, "f").list_at("m")] == [2, 3]
    assert piece(data, "f").members()["m"].value == [2, 3]


def test_bytes_that_are_not_utf8_become_escapes_that_keep_them() -> None:
    found = piece(b'{"text": "caf\xe9"}', "f")
    text = json.loads(found.payload())["text"]
    assert text.encode("utf-8", "surrogateescape") == b"caf\xe9"
    assert visible(text) == "caf\ufffd"


def test_control_characters_inside_a_text_are_kept_as_escapes() -> None:
    found = piece(b'{"text": "a\nb\x00c"}', "f")
    assert json.loads(found.payload()) == {"text": "a\nb\x00c"}


@pytest.mark.parametrize("data", [b"", b"{", b"{} {}", b"[" * 200_000, b'{"a": }', b'"abc'])
def test_what_is_not_json_says_why(data: bytes) -> None:
    with pytest.raises(ValueError, match="JSON|nested"):
        piece(data, "f")


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    assert dump({"é": "\ud800"}) == b'{"\\u00e9": "\\ud800"}'
    assert dump({"é": "ok"}) == '{"é": "ok"}'.encode()
    assert clean({"a\ud800": ["\udfff", 1]}) == {"a\ufffd": ["\ufffd", 1]}
