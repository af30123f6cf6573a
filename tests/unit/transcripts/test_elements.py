from __future__ import annotations

import io
import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.transcripts.elements import Broken, Element, elements

TEXT = st.text() | st.sampled_from(['"', "\\", '\\"', "[", "]", "{", "}", ",", '\\\\"', "\n\t", "中文 🎉"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
SPACE = st.sampled_from(["", " ", "\n", "\r\n  ", "\t"])


def split(data: bytes, chunk: int = 7) -> list[Element | Broken]:
    return list(elements(io.BytesIO(data), chunk=chunk))


@settings(deadline=None, max_examples=80)
@given(values=st.lists(VALUES, max_size=6), space=SPACE, escaped=st.booleans(), chunk=st.integers(1, 40))
def test_every_element_comes_out_byte_for_byte(values: list[Any], space: str, escaped: bool, chunk: int) -> None:
    texts = [json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for value in values]
    gap = space.encode()
    data = gap + b"[" + (gap + b"," + gap).join(texts) + gap + b"]" + gap
    found = split(data, chunk)
    assert [one.data for one in found if isinstance(one, Element)] == texts
    assert not any(isinstance(one, Broken) for one in found)
    for one in found:
        assert isinstance(one, Element)
        assert data[one.offset : one.offset + len(one.data)] == one.data


@settings(deadline=None, max_examples=80)
@given(values=st.lists(VALUES, min_size=1, max_size=4), chunk=st.integers(1, 40), data=st.data())
def test_a_cut_array_yields_what_is_complete_and_then_the_place(
    values: list[Any], chunk: int, data: st.DataObject
) -> None:
    whole = json.dumps(values).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    *complete, last = split(whole[:cut], chunk)
    assert isinstance(last, Broken)
    assert last.offset <= cut
    assert [json.loads(one.data) for one in complete if isinstance(one, Element)] == values[: len(complete)]


def test_offsets_count_from_the_start_of_the_file() -> None:
    stream = io.BytesIO(b"###[1, 22]")
    stream.read(3)
    found = list(elements(stream, chunk=2))
    assert [one.offset for one in found] == [4, 7]


@pytest.mark.parametrize("data", [b"", b"{}", b"nonsense", b"[1}", b"[1] 2", b"[[1}", b'["abc', b'["abc\\'])
def test_what_is_not_an_array_ends_with_a_place(data: bytes) -> None:
    assert isinstance(split(data)[-1], Broken)


def test_an_element_that_is_missing_between_commas_is_empty() -> None:
    assert [one.data for one in split(b"[1,,2,]") if isinstance(one, Element)] == [b"1", b"", b"2"]


def test_a_long_string_is_scanned_once_whatever_the_chunk() -> None:
    text = json.dumps('\\"' * 400_000).encode()
    start = time.perf_counter()
    (found,) = split(b"[" + text + b"]", chunk=1 << 12)
    assert isinstance(found, Element)
    assert found.data == text
    assert time.perf_counter() - start < 10


class Endless(io.RawIOBase):
    """An array of 60 MB that is never whole in memory."""

    def __init__(self, element: bytes, count: int) -> None:
        self.element, self.count, self.buffer = element, count, b"["

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return 0

    def read(self, size: int = -1) -> bytes:
        while self.count and len(self.buffer) < size:
            self.count -= 1
            self.buffer += self.element + (b"," if self.count else b"]")
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data


def test_an_array_of_60_megabytes_needs_little_memory() -> None:
    element = json.dumps({"id": "x", "text": 'words and "more" [words] {here} ' * 1_800}).encode()
    count = 60_000_000 // len(element)
    tracemalloc.start()
    try:
        found = sum(len(one.data) for one in elements(Endless(element, count)) if isinstance(one, Element))  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == count * len(element)
    assert peak < 5_000_000
