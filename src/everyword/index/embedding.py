"""From passages to stored codes: which texts get a vector, and what they are relative to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from everyword.domain.passage import Passage
from everyword.errors import ModelError
from everyword.index import codes
from everyword.ports import Embedder, ModelIdentity
from everyword.text.clauses import clauses

_PLAIN = (
    "I went to the market this morning and bought some vegetables.", "The meeting was moved to Thursday afternoon.",
    "My sister lives in a small town near the sea.", "Please send me the report before the end of the week.",
    "He has been learning to play the guitar for two years.", "The train was late because of the heavy rain.",
    "We are thinking of painting the kitchen yellow.", "What do you think about this idea?",
    "The file is saved in the project folder.", "She ordered a coffee and a slice of cake.",
    "I need to renew my passport next month.", "The code failed with an error on line ten.",
    "Our team won the match by two goals.", "It is cheaper to take the bus than to drive.",
    "You could try adding a little more salt.", "They adopted a dog from the shelter last spring.",
    "The doctor said I should get more sleep.", "Here is a list of books that you may like.",
    "The total comes to about three hundred dollars.", "I used to work as a teacher before I moved.",
    "今天早上我去市場買了一些菜。", "會議改到星期四下午了。", "我妹妹住在海邊的一個小鎮。", "請在週末之前把報告寄給我。",
    "他學吉他已經兩年了。", "因為下大雨，火車誤點了。", "我們打算把廚房漆成黃色。", "你覺得這個想法怎麼樣？",
    "文件保存在项目文件夹里。", "她点了一杯咖啡和一块蛋糕。", "我下个月要换护照。", "程序在第十行报错了。",
    "我們隊以兩分之差贏了比賽。", "坐公車比開車便宜。", "可以再多加一點鹽試試看。", "他们去年春天收养了一只狗。",
    "医生说我应该多睡一点。", "以下是一些你可能會喜歡的書。", "总共大约三百块钱。", "搬家之前我是當老師的。",
)  # fmt: skip


_centres: dict[ModelIdentity, bytes] = {}


def centre(embedder: Embedder) -> bytes:
    """Return the mean vector of plain sentences as float32 bytes: the middle of the cone that the model's texts fill."""
    if (known := _centres.get(embedder.identity)) is None:
        known = vectors(embedder, _PLAIN).mean(axis=0).astype(np.float32).tobytes()
        _centres[embedder.identity] = known
    return known


def vectors(embedder: Embedder, texts: Sequence[str]) -> codes.Floats:
    """Return the vectors of texts, checked. Raise ModelError where they are not what the model says of itself."""
    found = np.asarray(embedder.embed_passages(texts), dtype=np.float32)
    wanted = (len(texts), embedder.identity.dimensions)
    if found.shape != wanted or not np.isfinite(found).all():
        raise ModelError(
            f"{embedder.identity.name!r} gave vectors of shape {found.shape} instead of {wanted}, or values that are no "
            "numbers: check the dimensions that are set for it."
        )
    return found


def encoded(found: Sequence[Passage], embedder: Embedder, middle: bytes) -> list[tuple[Passage, bytes, bytes]]:
    """Return (passage, passage code, clause codes) for each passage. A passage of one clause keeps one vector."""
    if not found:
        return []
    units = embedder.identity.units
    wholes = [] if units == "clauses" else [keyed(passage.author, passage.text) for passage in found]
    pieces = [[] if units == "passages" else _clause_texts(passage) for passage in found]
    flat = list(dict.fromkeys([*wholes, *(text for texts in pieces for text in texts)]))
    place = {text: i for i, text in enumerate(flat)}
    rows = vectors(embedder, flat)
    of_clauses = [rows[[place[text] for text in texts]] for texts in pieces]
    of_passages = rows[[place[text] for text in wholes]] if wholes else np.array([_mean(each) for each in of_clauses])
    around = np.frombuffer(middle, dtype=np.float32)
    return [
        (passage, code.tobytes(), codes.bits(each, around).tobytes() if len(each) > 1 else b"")
        for passage, code, each in zip(found, codes.nibbles(of_passages, around), of_clauses, strict=True)
    ]


def _mean(rows: codes.Floats) -> codes.Floats:
    """Return the unit vector in the middle of a passage's clauses.

    It ranks a passage as well as the vector of its whole text does (docs/decisions/0003), and costs no second run.
    """
    middle = rows.mean(axis=0)
    return middle / max(float(np.linalg.norm(middle)), 1e-12)


def keyed(author: str | None, text: str) -> str:
    """Return the text as it is embedded: with the name of who said it, since questions ask for people by name."""
    return f"{author}: {text}" if author else text


def _clause_texts(passage: Passage) -> list[str]:
    spans = _clauses(passage.text) or ((0, len(passage.text)),)
    return [keyed(passage.author, passage.text[start:stop].strip()) for start, stop in spans]


@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(clauses(text))
