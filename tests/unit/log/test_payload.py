from __future__ import annotations

import json
import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everyword.log.sqlite.payload import pack, unpack

TEXT = st.text(st.characters(exclude_categories=[]))


@given(st.binary(), TEXT)
@example(b"", "")
@example(b"\x00", "\ud800")
@example(b"\x02" * 40_000, "x" * 40_000)
def test_any_bytes_come_back_beside_any_text(payload: bytes, text: str) -> None:
    assert unpack(pack(payload, text), text) == payload


@given(TEXT, st.booleans())
def test_the_record_of_a_text_comes_back(text: str, is_ascii: bool) -> None:
    payload = json.dumps({"role": "user", "content": text}, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    assert unpack(pack(payload, text), text) == payload


def test_a_long_record_comes_back() -> None:
    text = "".join(chr(0x4E00 + number % 5000) for number in range(100_000))
    payload = json.dumps({"role": "user", "content": text}).encode()
    assert unpack(pack(payload, text), text) == payload
    noise = os.urandom(100_000)
    assert unpack(pack(noise, ""), "") == noise


@pytest.mark.parametrize("is_ascii", [True, False])
@pytest.mark.parametrize(
    "text", ["It is on Thursday.", 'She said: "no"\r\n\t\\ \b\f\x00\x1f\x7f', "週四，“可以”\u2028"]
)
def test_the_record_of_a_message_takes_little_beside_its_text(text: str, is_ascii: bool) -> None:
    long = text * 20
    payload = json.dumps({"role": "user", "content": long}, ensure_ascii=is_ascii).encode()
    assert len(pack(payload, long)) < 16
