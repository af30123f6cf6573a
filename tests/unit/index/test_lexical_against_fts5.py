from __future__ import annotations

import math
import random
from collections.abc import Callable

import apsw
import numpy as np
import pytest

from everyword.domain.message import Message
from everyword.index import passages
from everyword.index.index import Index
from everyword.index.lexical import K1, lengths
from everyword.testing.drafts import draft

WORDS = "coin match stadium ana sister 貓 貓頭鷹 可愛 3.5 march Friday train".split()
ASKED = dict.fromkeys("coin stadium ana 猫头 3.5 weekday:mon x".split(), False) | {"猫": True}


def said(count: int) -> list[str]:
    chosen = random.Random(3)
    return [" ".join(chosen.choices(WORDS, k=chosen.randrange(1, 200))) for _ in range(count)]


def ratios_of_fts5(messages: list[Message], term: str, *, is_prefix: bool, header_weight: float) -> dict[int, float]:
    """What SQLite's own bm25() says over an index that keeps every place of every term."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE full USING fts5 (text, header, tokenize = \"ascii tokenchars '.:#+-_'\")")
    keys = [passages.key(message, span) for message in messages for span in passages.spans(message)]
    connection.executemany(
        "INSERT INTO full VALUES (?, ?)", [(" ".join(key.text), " ".join(key.header)) for key in keys]
    )
    query = "SELECT rowid, bm25(full, 1.0, ?) FROM full WHERE full MATCH ?"
    rows = connection.execute(query, (header_weight, f'"{term}"' + "*" * is_prefix)).fetchall()
    idf = max(math.log((len(keys) - len(rows) + 0.5) / (len(rows) + 0.5)), 1e-6)
    shares = {passage: -score / (idf * (K1 + 1)) for passage, score in rows}
    return {passage: share / (1 - share) for passage, share in shares.items()}


@pytest.mark.parametrize("header_weight", [0.0, 0.4, 1.0])
def test_ratios_are_those_of_an_index_that_keeps_every_place(
    index: Index, add: Callable[..., list[Message]], header_weight: float
) -> None:
    messages = add(*(draft(text, author="Ana" if len(text) % 3 else None) for text in said(40)))
    found = {hits.term: hits for hits in index.term_hits(ASKED, header_weight=header_weight)}
    assert set(found) >= {"coin", "ana", "猫"}
    for term, is_prefix in ASKED.items():
        expected = ratios_of_fts5(messages, term, is_prefix=is_prefix, header_weight=header_weight)
        ratios = (
            dict(zip(found[term].passage_ids.tolist(), found[term].ratios.tolist(), strict=True))
            if term in found
            else {}
        )
        assert ratios == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_lengths_are_read_as_fts5_writes_them() -> None:
    assert lengths([b"\x03\x01", None, b"\x81\x00\x05", b"\x81\x80\x01\x00", b"\x7f\xff\x7f"]).tolist() == [
        4, 0, 133, 16385, 127 + 16383,
    ]  # fmt: skip
    assert lengths([]).tolist() == []
    assert lengths([]).dtype == np.int64
