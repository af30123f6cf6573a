"""Numbers with their units in a text, in digits or words, English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from everyword.text.words import fold

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: number for number, word in enumerate(_ONES)} | {word: 20 + 10 * n for n, word in enumerate(_TENS)}
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "万": 1e4}

_UNITS = {
    "day": "day days 天 日",
    "week": "week weeks 周 星期 礼拜",
    "month": "month months 月 个月",
    "year": "year years 年 岁",
    "hour": "hour hours hr hrs h 小时 钟头",
    "minute": "minute minutes min mins 分钟",
    "second": "second seconds sec secs 秒 秒钟",
    "dollar": "$ dollar dollars usd 美元 美金",
    "yuan": "¥ yuan rmb cny 元 块 人民币",
    "percent": "% percent",
    "time": "time times 次 遍 回",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_COUNTED = "个本只条件人位点倍份张杯台辆家种枚篇支名间部座首场项瓶盒包双套棵朵颗道封座幅"

_SPOKEN = "|".join([*_TIMES, *sorted(_WORDS, key=len, reverse=True), "hundred", "thousand", "million"])
_NUMBER = re.compile(
    r"(?P<sign>[$¥€£])?\s?(?P<digits>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<scale>[km](?![a-z])|万|\s(?:thousand|million)\b)?"
    rf"|\b(?P<words>(?:{_SPOKEN})(?:(?:-| and | )(?:{_SPOKEN}))*)\b"
    rf"|(?P<unspaced>[零〇一二两三四五六七八九十百千万]+)(?=[{_COUNTED}]|{'|'.join(w for w in _UNIT_OF if not w.isascii())})"
)
_UNIT = re.compile(
    r"[\s-]*(?:"
    + "|".join(rf"{re.escape(word)}(?![a-z])" for word in sorted(_UNIT_OF, key=len, reverse=True) if word != "$")
    + ")"
)
_RANGE = re.compile(rf"[{_COUNTED}]?\s*(?:-|–|~|\bor\b|\bto\b|\band\b|或|至|到)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and what it counts."""

    value: float
    unit: str | None
    start: int
    """Place in the folded text."""
    end: int
    is_hedged: bool = False
    """It is one end of a range or one of two choices."""

    def is_same(self, other: Quantity, *, within: float = 0.0) -> bool:
        """Tell whether both say the same; a unit that is not told is any."""
        units = {self.unit, other.unit} - {None}
        return abs(self.value - other.value) <= within and len(units) <= 1


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text in order; places are those of the folded text."""
    return list(_hedged(fold(text), list(_found(fold(text)))))


def _found(folded: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(folded):
        if folded[: match.start()].rstrip().endswith("第"):  # the third is not three
            continue
        unit = _UNIT.match(folded, match.end())
        name = _UNIT_OF.get(match.group("sign") or "") or (_UNIT_OF[unit.group().strip(" -\t\n")] if unit else None)
        if (match.group("words") or "") in _TIMES:
            name = "time"
        end = unit.end() if unit else match.end()
        yield Quantity(value=_value(match), unit=name, start=match.start(), end=end)


def _hedged(folded: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Yield the quantities; those that are joined by `or`, `to` or a dash, or stand between two ends, are hedged."""
    joined: set[int] = set()
    for number, (one, other) in enumerate(pairwise(found)):
        between = folded[one.end : other.start]
        is_between = "and" in between and re.search(r"\bbetween\s*$", folded[: one.start]) is not None
        if _RANGE.fullmatch(between) and ("and" not in between or is_between):
            joined |= {number, number + 1}
    for number, each in enumerate(found):
        yield Quantity(value=each.value, unit=each.unit, start=each.start, end=each.end, is_hedged=number in joined)


def _value(match: re.Match[str]) -> float:
    if digits := match.group("digits"):
        scale = _SCALES.get((match.group("scale") or "").strip(), 1.0)
        return float(digits.replace(",", "")) * scale
    if words := match.group("words"):
        return _spoken(words)
    return _unspaced(match.group("unspaced"))


def _spoken(words: str) -> float:
    total = part = 0.0
    for word in re.split(r"-| and | ", words):
        if word in ("thousand", "million"):
            total, part = total + (part or 1) * (1e3 if word == "thousand" else 1e6), 0.0
        elif word == "hundred":
            part = (part or 1) * 100
        else:
            part += _TIMES.get(word) or _WORDS[word]
    return total + part


def _unspaced(text: str) -> float:
    total = digit = 0
    for character in text:
        if character == "万":
            total, digit = (total + digit or 1) * 10_000, 0
        elif character in _PLACES:
            total, digit = total + (digit or 1) * _PLACES[character], 0
        else:
            digit = _DIGITS[character]
    return float(total + digit)
