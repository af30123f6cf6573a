"""Time expressions in English and Chinese, as spans of days and as index keys.

Most messages name no date: a look for telling words and signs comes first. Close before each of them a word, a number or
a telling Chinese character (`_TOKEN`) selects the few rules that may begin with it.
Weeks start on Monday. A date without a year is the nearest one that is not after the anchor.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from string import ascii_lowercase
from typing import Any, Literal, TypeVar

Kind = Literal["absolute", "relative"]
Days = tuple[date, date]
Match = re.Match[str]
Absolute = Callable[[Match, "date | None"], "Days | None"]
Relative = Callable[[Match, date], "Days | None"]
Rule = TypeVar("Rule", Absolute, Relative)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """Days that an expression names, both ends included."""

    start: date
    end: date
    text: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """What may begin with one token, in order of preference."""

    absolute: tuple[tuple[re.Pattern[str], Absolute], ...]
    relative: tuple[tuple[re.Pattern[str], Relative], ...]


def find(text: str, anchor: date | None) -> list[TimeSpan]:
    """Return the time expressions of a text in order; without an anchor only those that need none."""
    return [span for _, span in _located(text, _day_of(anchor))]


def keys(text: str, anchor: date | None) -> list[str]:
    """Return index terms for the dates of a text, without repetition: `date:2023-05-22`, `month:2023-05`, ..."""
    found = (key for span in find(text, anchor) for key in _span_keys(span.start, span.end))
    return list(dict.fromkeys(found))


def message_keys(text: str, said: date | None) -> list[str]:
    """Return the keys of a message; a date without a year also gives its next day, since plans speak of the future."""
    anchor = _day_of(said)
    spans = list(_located(text, anchor))
    days = [(span.start, span.end) for _, span in spans]
    if anchor is not None:
        days += [ahead for at, span in spans if (ahead := _upcoming(text, at, span, anchor))]
    return list(dict.fromkeys(key for start, end in days for key in _span_keys(start, end)))


def keys_of(moment: datetime) -> list[str]:
    """Return index terms for a message's own time, by the calendar of its own offset."""
    return list(_day_keys(moment.date()))


@lru_cache(maxsize=1024)
def _day_keys(day: date) -> tuple[str, ...]:
    return tuple(_span_keys(day, day))


def question_span(question: str, asked_at: date | None) -> TimeSpan | None:
    """Return the window that a question asks about, or None.

    Several dates give the window that covers them all; "since" and "after" a date run to the day of the question;
    "before" a date has no beginning and is None.
    """
    anchor = _day_of(asked_at)
    windows = [w for at, span in _ordered(question, anchor) if (w := _window(question, at, span, anchor))]
    if not windows:
        return None
    return TimeSpan(
        start=min(w.start for w in windows),
        end=max(w.end for w in windows),
        text=" … ".join(w.text for w in windows),
        kind="relative" if any(w.kind == "relative" for w in windows) else "absolute",
    )


# --- from text to spans -------------------------------------------------------------------------------------------


def _located(text: str, anchor: date | None) -> Iterator[tuple[int, TimeSpan]]:
    lowered = _lowered(text)
    resume = 0
    for token in _tokens(lowered):
        if not _may_begin(token):
            continue
        at = token.start()
        if at < resume or not (rules := _rules_for(token, lowered)):
            continue
        if span := _read(text, at, rules, anchor):
            yield at, span
            resume = at + len(span.text)


def _tokens(lowered: str) -> Iterator[Match]:
    """Yield what an expression may begin with: of an ASCII text only what stands close before a telling word or sign."""
    telling = sorted(_telling(lowered))
    if not telling:
        return
    if not lowered.isascii():
        yield from _TOKEN.finditer(lowered)
        return
    done = 0
    for start, end in telling:
        for token in _TOKEN.finditer(lowered, max(done, start - _REACH), end + _REACH):
            if token.start() >= end:
                break
            done = token.end()
            yield token


def _telling(lowered: str) -> Iterator[tuple[int, int]]:
    """Yield where the words and signs stand one of which every expression has."""
    for word in _TELLING_WORDS.intersection(_english_words(lowered)):
        yield from (found.span() for found in _whole_word(word.decode()).finditer(lowered))
    sign = _TELLING_DIGITS if lowered.isascii() else _TELLING_SIGN
    yield from (found.span() for found in sign.finditer(lowered))


def _english_words(lowered: str) -> list[bytes]:
    """Return the words of a-z. Bytes are split several times faster than a regular expression reads."""
    return lowered.encode("utf-8", "surrogatepass").translate(_LETTERS_ONLY).split()


@cache
def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"{word}(?<![a-z]{word})(?![a-z])")


def _may_begin(token: Match) -> bool:
    return token.lastgroup != "word" or token[0] in _FIRST_WORDS


def _rules_for(token: Match, lowered: str) -> _Rules | None:
    if token.lastgroup == "word":
        return _english(token[0])
    if token.lastgroup == "digits":
        return _number_rules() if _BEHIND_NUMBER.search(lowered, token.start(), token.end() + _REACH) else None
    return _chinese_rules()


def _read(text: str, at: int, rules: _Rules, anchor: date | None) -> TimeSpan | None:
    for pattern, absolute in rules.absolute:
        if (match := pattern.match(text, at)) and (days := _checked(absolute, match, anchor)):
            return TimeSpan(start=days[0], end=days[1], text=match[0], kind="absolute")
    if anchor is None:
        return None
    for pattern, relative in rules.relative:
        if (match := pattern.match(text, at)) and (days := _checked(relative, match, anchor)):
            return TimeSpan(start=days[0], end=days[1], text=match[0], kind="relative")
    return None


def _upcoming(text: str, at: int, span: TimeSpan, anchor: date) -> Days | None:
    """Return the next days that an expression may mean instead of the past ones: within a week, or half a year."""
    token = _TOKEN.match(_lowered(text), at)
    rules = _rules_for(token, token.string) if token and _may_begin(token) else None
    if rules is None:
        return None
    days = _ahead(rules.absolute if span.kind == "absolute" else rules.relative, text, at, span, anchor)
    return days if days and days[0] > anchor else None


def _ahead(
    rules: Iterable[tuple[re.Pattern[str], Absolute | Relative]], text: str, at: int, span: TimeSpan, anchor: date
) -> Days | None:
    """Resolve with the rule that gave the span, as seen from a later day."""
    for pattern, rule in rules:
        match = pattern.match(text, at)
        if not match or match[0] != span.text or _checked(rule, match, anchor) != (span.start, span.end):
            continue
        reach = timedelta(days=_AHEAD.get(rule, 0) if not match.groupdict().get("y") else 0)
        return _checked(rule, match, anchor + reach) if reach and anchor < date.max - reach else None
    return None


def _checked(rule: Callable[[Match, Any], Days | None], match: Match, anchor: date | None) -> Days | None:
    """Resolve, or None for a day that no calendar has: "February 30", "9999 years ago"."""
    try:
        days = rule(match, anchor)
    except (ValueError, OverflowError):
        return None
    return days if days and days[0] <= days[1] else None


def _lowered(text: str) -> str:
    """Lower-case without changing the length, so that positions stay true."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _day_of(moment: date | None) -> date | None:
    return moment.date() if isinstance(moment, datetime) else moment


# --- from spans to keys and windows -------------------------------------------------------------------------------

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MOST_DAYS = 7
_MOST_MONTHS = 6
_MOST_YEARS = 10


def _span_keys(start: date, end: date) -> Iterator[str]:
    """Yield days for a week at most, months for half a year at most, years for ten years at most."""
    length = (end - start).days + 1
    if length <= _MOST_DAYS:
        yield from (f"date:{(start + timedelta(days=n)).isoformat()}" for n in range(length))
    first, last = start.year * 12 + start.month - 1, end.year * 12 + end.month - 1
    if last - first < _MOST_MONTHS:
        yield from (f"month:{n // 12:04}-{n % 12 + 1:02}" for n in range(first, last + 1))
    if end.year - start.year < _MOST_YEARS:
        yield from (f"year:{year:04}" for year in range(start.year, end.year + 1))
    if length == 1:
        yield f"weekday:{_WEEKDAYS[start.weekday()]}"


def _ordered(question: str, anchor: date | None) -> list[tuple[int, TimeSpan]]:
    """Find the spans of a question; "from X to Y" puts X before Y even where each alone would fall in another year."""
    spans = list(_located(question, anchor))
    for n in range(len(spans) - 1):
        (at, first), (next_at, second) = spans[n], spans[n + 1]
        if first.start > second.start and _TO.fullmatch(question, at + len(first.text), next_at):
            spans[n] = next(((p, s) for p, s in _located(question, second.start) if p == at), spans[n])
    return spans


def _window(question: str, at: int, span: TimeSpan, anchor: date | None) -> TimeSpan | None:
    cue = _cue(question, at, span)
    if cue == "until" or span.text[0] in "幾几":  # 幾天前 asks how many days ago
        return None
    if cue is None or anchor is None:
        return span
    start = span.start if cue == "since" else span.end + timedelta(days=1)
    return TimeSpan(start=start, end=anchor, text=span.text, kind=span.kind) if start <= anchor else None


def _cue(question: str, at: int, span: TimeSpan) -> Literal["since", "after", "until"] | None:
    """Return what a word right before or behind a date makes of it."""
    end = at + len(span.text)
    for before in _CUE_BEFORE.finditer(question, max(0, at - 12), end):
        if at in (before.start(), before.end()):
            word = before[1].lower()
            return "since" if word == "since" else "after" if word == "after" else "until"
    if behind := _CUE_BEHIND.match(question, end):
        return "since" if behind[1] else "after" if behind[2] else "until"
    return None


_TO = re.compile(r"\s*(?:and|to|through|until|till|[-–~～到至和])?\s*", re.I | re.A)
_CUE_BEFORE = re.compile(r"(?<![a-z])(since|after|before|until|till|by)(?:\s+(?:the\s+)?)", re.I | re.A)
_CUE_BEHIND = re.compile(r"(以來|以来|至今|起|開始|开始)|(之後|之后|以後|以后|過後|过后)|(之前|以前)")


# --- the calendar -------------------------------------------------------------------------------------------------


def _day(anchor: date, offset: int) -> Days:
    day = anchor + timedelta(days=offset)
    return day, day


def _week(anchor: date, shift: int) -> Days:
    monday = anchor - timedelta(days=anchor.weekday()) + timedelta(weeks=shift)
    return monday, monday + timedelta(days=6)


def _weekend(anchor: date, shift: int) -> Days:
    _, sunday = _week(anchor, shift)
    return sunday - timedelta(days=1), sunday


def _month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _season(year: int, season: int) -> Days:
    """Return three months; 0 is spring (March to May), and winter starts in the December of its year."""
    end_year = year + 1 if season == 3 else year
    return date(year, 3 + 3 * season, 1), _month(end_year, 2 if season == 3 else 5 + 3 * season)[1]


def _month_from(anchor: date, shift: int) -> Days:
    months = anchor.year * 12 + anchor.month - 1 + shift
    return _month(months // 12, months % 12 + 1)


def _months_away(anchor: date, shift: int) -> date:
    """Return the same day of another month, or its last day where the month is shorter."""
    first, last = _month_from(anchor, shift)
    return first.replace(day=min(anchor.day, last.day))


def _past_weekday(anchor: date, weekday: int) -> Days:
    return _day(anchor, -((anchor.weekday() - weekday - 1) % 7 + 1))


def _past_weekend(anchor: date) -> Days:
    return _weekend(anchor, 0 if anchor.weekday() >= 5 else -1)


def _past_month(anchor: date, month: int) -> Days:
    return _month(anchor.year if month <= anchor.month else anchor.year - 1, month)


def _past_season(anchor: date, season: int) -> Days:
    this_year = _season(anchor.year, season)
    return this_year if this_year[0] <= anchor else _season(anchor.year - 1, season)


def _past_day(anchor: date, month: int, day: int) -> date:
    """Return the nearest such day not after the anchor; 29 February looks back to a leap year."""
    for year in range(anchor.year, anchor.year - 9, -1):
        if day <= monthrange(year, month)[1] and (found := date(year, month, day)) <= anchor:
            return found
    raise ValueError(f"no month {month} has a day {day}")


def _part(days: Days, word: str) -> Days:
    """Return the third of a month, or the two months of a year, that a word names; all of it for ""."""
    start, end = days
    if not word:
        return days
    if (end - start).days < 31:
        first, last = {"first": (1, 10), "middle": (11, 20), "last": (21, end.day)}[_PARTS[word]]
        return start.replace(day=first), start.replace(day=last)
    first, last = {"first": (1, 2), "middle": (6, 7), "last": (11, 12)}[_PARTS[word]]
    return date(start.year, first, 1), _month(start.year, last)[1]


# --- counts and units ---------------------------------------------------------------------------------------------


def _ago(anchor: date, count: tuple[int, int], unit: str) -> Days | None:
    """Return a day for days, a week around it for weeks, the calendar month or year for the longer units."""
    least, most = count
    if most == 0:
        return None
    if unit == "day":
        return anchor - timedelta(days=most), anchor - timedelta(days=least)
    if unit == "week":
        return anchor - timedelta(days=7 * most + 3), anchor - timedelta(days=7 * least - 3)
    if unit == "month":
        return _month_from(anchor, -most)[0], _month_from(anchor, -least)[1]
    return _year(anchor.year - most)[0], _year(anchor.year - least)[1]


def _rolling(anchor: date, count: int, unit: str, direction: int) -> Days | None:
    """Return the days from the anchor back (-1) or on (1) over so many units."""
    if count == 0:
        return None
    if unit in ("day", "week"):
        other = anchor + timedelta(days=direction * count * (7 if unit == "week" else 1))
    else:
        other = _months_away(anchor, direction * count * (12 if unit == "year" else 1))
    return min(anchor, other), max(anchor, other)


_COUNTS: dict[str, tuple[int, int]] = {
    word: (n, n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {"a": (1, 1), "an": (1, 1), "twenty": (20, 20), "thirty": (30, 30), "few": (2, 6), "several": (3, 8)}


def _count(words: str) -> tuple[int, int]:
    """Return the least and the most that a count means: "a few" is two to six."""
    words = words.lower()
    if "couple" in words:
        return 2, 3
    last = words.split()[-1]
    if found := _COUNTS.get(last):
        return found
    number = int(last)
    return number, number


_CHINESE_DIGITS = {c: n for n, cs in enumerate("〇零○ 一 二兩两 三 四 五 六 七 八 九".split()) for c in cs}


def _number(text: str) -> int:
    """Read digits, 十二, 二十, 廿二, 一百一十二, and years digit by digit: 二〇二三, 一一二."""
    if text == "元":
        return 1
    if not set(text) & set("十百廿卅"):
        return int("".join(str(_CHINESE_DIGITS.get(c, c)) for c in text))
    total, digit = 0, 0
    for char in text.replace("廿", "二十").replace("卅", "三十"):
        if char in "十百":
            total += max(1, digit) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = _CHINESE_DIGITS[char] if char in _CHINESE_DIGITS else int(char)
    return total + digit


def _chinese_count(text: str) -> tuple[int, int]:
    if text[0] in "幾几數数好":
        return _COUNTS["few"]
    if text[-1] in "幾几多":
        tens = _number(text[:-1])
        return tens, tens + 9
    if len(text) == 2 and all(c in _CHINESE_DIGITS for c in text):
        return _CHINESE_DIGITS[text[0]], _CHINESE_DIGITS[text[1]]
    number = _number(text)
    return number, number


# --- English ------------------------------------------------------------------------------------------------------

_MONTHS = {m: n for n, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_DAY_WORDS = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "last night": -1,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
    "the day before yesterday": -2, "the day after tomorrow": 2,
}  # fmt: skip
_SHIFTS = {"last": -1, "this": 0, "next": 1}
_PARTS = {
    "beginning": "first", "start": "first", "early": "first", "middle": "middle", "mid": "middle",
    "end": "last", "late": "last", "初": "first", "中": "middle", "底": "last",
}  # fmt: skip


def _group(m: Match, name: str) -> str:
    """Return a group in lower case, or "" where the rule has no such group or it did not take part."""
    return (m.groupdict().get(name) or "").lower()


def _month_number(name: str) -> int:
    return _MONTHS[name[:3].lower()]


def _year_beside(m: Match, anchor: date | None) -> int | None:
    """Return the year that stands beside a date ("2023", "23", "last year"), or None where nothing does."""
    year = _group(m, "y")
    if year.isdigit():
        return int(year) + (2000 if len(year) == 2 else 0)
    return anchor.year + _SHIFTS[year.split()[0]] if year and anchor else None


def _days_in_month(year: int | None, month: int, first: int, last: int, anchor: date | None) -> Days | None:
    if year is not None:
        return date(year, month, first), date(year, month, last)
    if anchor is None:
        return None
    start = _past_day(anchor, month, first)
    return start, start.replace(day=last)


def _year_month_day(m: Match, anchor: date | None) -> Days | None:
    year = int(m["y"])
    days = date(year + 1911 if year < 1000 else year, int(m["m"]), int(m["d"]))
    return days, days


def _slashed(m: Match, anchor: date | None) -> Days | None:
    """Read month/day/year, and day/month/year where the first cannot be a month."""
    month, day = int(m["m"]), int(m["d"])
    if month > 12:
        month, day = day, month
    return _days_in_month(_year_beside(m, anchor), month, day, day, anchor)


def _month_over_day(m: Match, anchor: date | None) -> Days | None:
    """Read 5/22, and leave fractions, scores and rates alone unless a word says that it is a date."""
    month, day = int(m["m"]), int(m["d"])
    fraction = month <= day and (month == 1 or day <= 12 or day == 16)
    if fraction and not (_DATE_CUE_BEFORE.search(m.string, max(0, m.start() - 8), m.start()) or m["cue"]):
        return None
    return _days_in_month(None, month, day, day, anchor)


def _named_day(m: Match, anchor: date | None) -> Days | None:
    first = int(m["d"])
    last = int(_group(m, "to") or first)
    return _days_in_month(_year_beside(m, anchor), _month_number(m["m"]), first, last, anchor)


def _named_month(m: Match, anchor: date | None) -> Days | None:
    year = _year_beside(m, anchor)
    return None if year is None else _part(_month(year, _month_number(m["m"])), _group(m, "part"))


def _month_range(m: Match, anchor: date | None) -> Days | None:
    year = _year_beside(m, anchor)
    if year is None:
        return None
    end = _month(year, _month_number(m["to"]))
    return _past_month(end[0], _month_number(m["m"]))[0], end[1]


def _month_range_past(m: Match, anchor: date) -> Days | None:
    end = _past_month(anchor, _month_number(m["to"]))
    return _past_month(end[0], _month_number(m["m"]))[0], end[1]


def _named_year(m: Match, anchor: date | None) -> Days | None:
    return _year(int(m["y"]))


def _named_season(m: Match, anchor: date | None) -> Days | None:
    return _season(int(m["y"]), _SEASONS[m["season"].lower()])


def _day_word(m: Match, anchor: date) -> Days | None:
    return _day(anchor, _DAY_WORDS[" ".join(m[0].lower().split())])


def _other_day(m: Match, anchor: date) -> Days | None:
    return anchor - timedelta(days=7), anchor - timedelta(days=1)


def _counted_ago(m: Match, anchor: date) -> Days | None:
    return _ago(anchor, _count(m["n"]), m["unit"].lower())


def _half_year_ago(m: Match, anchor: date) -> Days | None:
    return _ago(anchor, (5, 7), "month")


def _counted_window(m: Match, anchor: date) -> Days | None:
    most = _count(_group(m, "n") or "one")[1]
    return _rolling(anchor, most, m["unit"].lower(), 1 if _group(m, "way") in ("next", "coming") else -1)


def _shifted_unit(m: Match, anchor: date) -> Days | None:
    shift, unit = _SHIFTS[m["way"].lower()], m["unit"].lower()
    if unit == "year":
        return _year(anchor.year + shift)
    return {"week": _week, "weekend": _weekend, "month": _month_from}[unit](anchor, shift)


def _shifted_weekday(m: Match, anchor: date) -> Days | None:
    """Return the nearest past day for "last Friday", and the one of this or the next week for the others."""
    way, weekday = m["way"].lower(), _WEEKDAYS.index(m["weekday"][:3].lower())
    if way == "last":
        return _past_weekday(anchor, weekday)
    return _day(_week(anchor, _SHIFTS[way])[0], weekday)


def _shifted_month(m: Match, anchor: date) -> Days | None:
    way, month = m["way"].lower(), _month_number(m["m"])
    if way == "this":
        return _month(anchor.year, month)
    past = _past_month(_month_from(anchor, -1)[0], month)
    return past if way == "last" else _past_month(_month_from(anchor, 12)[0], month)


def _shifted_season(m: Match, anchor: date) -> Days | None:
    """Return for "last" the latest season that is over, for "next" the first that has not begun."""
    return _season_from(anchor, _SHIFTS[m["way"].lower()], _SEASONS[m["season"].lower()])


def _season_from(anchor: date, shift: int, season: int) -> Days:
    past = _past_season(anchor, season)
    running = past[0] <= anchor <= past[1]
    if shift == 0:
        return past if running else _season(anchor.year, season)
    if shift < 0:
        return _past_season(past[0] - timedelta(days=1), season) if running else past
    return _season(past[0].year + 1, season)


def _month_in(m: Match, anchor: date) -> Days | None:
    return _part(_past_month(anchor, _month_number(m["m"])), _group(m, "part"))


def _season_in(m: Match, anchor: date) -> Days | None:
    return _past_season(anchor, _SEASONS[m["season"].lower()])


def _weekday_on(m: Match, anchor: date) -> Days | None:
    return _past_weekday(anchor, _WEEKDAYS.index(m["weekday"][:3].lower()))


def _the_weekend(m: Match, anchor: date) -> Days | None:
    return _past_weekend(anchor)


def _so_far(m: Match, anchor: date) -> Days | None:
    unit = m["unit"].lower()
    start, end = _year(anchor.year) if unit == "year" else {"week": _week, "month": _month_from}[unit](anchor, 0)
    return (start, anchor) if m["when"].lower() == "earlier" else (anchor, end)


def _part_of(m: Match, anchor: date) -> Days | None:
    shift = _SHIFTS.get(m["way"].lower(), 0)
    days = _year(anchor.year + shift) if m["unit"].lower() == "year" else _month_from(anchor, shift)
    return _part(days, _group(m, "part"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def _compiled_rules(rules: Iterable[tuple[str, Rule]]) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    return tuple((_compiled(pattern), rule) for pattern, rule in rules)


# "may", "march" and "mar" are words too: without a capital they count only where the context leaves no doubt.
_PLAIN_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_SURE_MONTH = rf"(?P<m>(?-i:May|March|Mar|MAY|MARCH|MAR)|{_PLAIN_MONTH})(?![a-z])"
_MONTH_NAME = rf"(?P<m>may|mar(?:ch)?|{_PLAIN_MONTH})(?![a-z])"
_END_MONTH = _MONTH_NAME.replace("<m>", "<to>")
_WEEKDAY = (
    r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|tues?|thu(?:rs?)?|fri|mon|(?-i:Wed|Sat|Sun))(?![a-z])"
)
_FOUR = r"(?:19|20)\d\d(?!\d)"
_BESIDE = rf"(?:,?\s+(?:of\s+|in\s+)?(?P<y>{_FOUR}|(?:last|this|next)\s+year(?![a-z])))"
_ORDINAL = r"(?:st|nd|rd|th)(?![a-z])"
_NO_MORE = r"(?![\d%]|[.:/]\d|\s?[ap]m(?![a-z]))"
_TWO = r"(?P<d>\d{1,2})"
_DAYS = rf"{_TWO}(?:{_ORDINAL})?(?:\s?[-–]\s?(?P<to>\d{{1,2}})(?:{_ORDINAL})?)?"
_ON = r"(?:(?<=on )|(?<=by )|(?<=since )|(?<=until )|(?<=from )|(?<=before )|(?<=after )|(?<=for )|(?<=in )|(?<=of ))"
_COUNT_WORD = "|".join(word for word in _COUNTS if len(word) > 2 and word != "few")
_COUNT = rf"(?P<n>a\s+couple(?:\s+of)?|(?:a\s+)?few|an?|\d{{1,4}}|{_COUNT_WORD})"
_WINDOW_COUNT = rf"(?P<n>couple(?:\s+of)?|few|\d{{1,4}}|{_COUNT_WORD})"
_UNIT = r"(?P<unit>day|week|month|year)s?(?![a-z])"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)(?![a-z])"
_WAY = r"(?P<way>last|this|next)\s+"
_PART = r"(?P<part>early|mid|late)[\s-]+"
_SEASON_NAMES = "|".join(_SEASONS)
_RANGE = rf"(?:between|from)\s+{_MONTH_NAME}\s+(?:and|to|through|until)\s+{_END_MONTH}"
_PREPOSITION = "in|since|during|until|till|by|from|between|before|after|of|around"
_YEAR_CUE = f"{_PREPOSITION}|year|early|mid|late"

_MONTH_WORDS = (
    "jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october"
    "|nov|november|dec|december"
)
_DAY_NAMES = "monday|mon|tuesday|tue|tues|wednesday|wed|thursday|thu|thur|thurs|friday|fri|saturday|sat|sunday|sun"

_ENGLISH_ABSOLUTE: tuple[tuple[str, str, Absolute], ...] = (
    (_MONTH_WORDS, rf"{_SURE_MONTH}\.?\s+{_DAYS}{_NO_MORE}{_BESIDE}?", _named_day),
    (_MONTH_WORDS, rf"{_ON}{_MONTH_NAME}\.?\s+{_DAYS}{_NO_MORE}{_BESIDE}?", _named_day),
    (_MONTH_WORDS, rf"{_MONTH_NAME}\s+(?:the\s+)?{_TWO}{_ORDINAL}{_BESIDE}?", _named_day),
    (_MONTH_WORDS, rf"{_MONTH_NAME}\s+{_DAYS}{_BESIDE}", _named_day),
    (f"early|mid|late|{_MONTH_WORDS}", rf"(?:{_PART})?{_SURE_MONTH}\.?{_BESIDE}", _named_month),
    (_MONTH_WORDS, rf"{_ON}{_MONTH_NAME}\.?{_BESIDE}", _named_month),
    ("between|from", rf"{_RANGE},?\s+(?P<y>{_FOUR})", _month_range),
    (_YEAR_CUE, rf"(?:{_YEAR_CUE})[\s-]+(?P<y>{_FOUR})(?!%|[,.:/-]\d)", _named_year),
    (_SEASON_NAMES, rf"{_SEASON}\s+(?:of\s+)?(?P<y>{_FOUR})", _named_season),
)
_ENGLISH_RELATIVE: tuple[tuple[str, str, Relative], ...] = (
    ("today|tonight|yesterday|tomorrow", r"(?:today|tonight|yesterday|tomorrow)(?![a-z])", _day_word),
    ("the", r"the\s+day\s+(?:before\s+yesterday|after\s+tomorrow)(?![a-z])", _day_word),
    ("last|this", r"(?:last\s+night|this\s+(?:morning|afternoon|evening))(?![a-z])", _day_word),
    ("the", r"the\s+other\s+day(?![a-z])", _other_day),
    (f"a|an|few|{_COUNT_WORD}", rf"{_COUNT}\s+{_UNIT}\s+ago(?![a-z])", _counted_ago),
    ("half", r"half\s+a\s+year\s+ago(?![a-z])", _half_year_ago),
    (
        "the|these|this|last|past|next|coming",
        rf"(?:(?:the|these|this)\s+)?(?P<way>last|past|next|coming)\s+{_WINDOW_COUNT}\s+{_UNIT}",
        _counted_window,
    ),
    ("the|this", r"(?:the|this)\s+(?P<way>last|past|next)\s+(?P<unit>week|month|year)(?![a-z])", _counted_window),
    ("last|this|next", rf"{_WAY}(?P<unit>week|weekend|month|year)(?![a-z])", _shifted_unit),
    ("last|this|next", rf"{_WAY}{_WEEKDAY}", _shifted_weekday),
    ("last|this|next", rf"{_WAY}{_SURE_MONTH}(?!,?\s+\d)", _shifted_month),
    ("last|this|next", rf"{_WAY}{_SEASON}", _shifted_season),
    ("on", rf"on\s+{_WEEKDAY}(?!,?\s+(?:the\s+)?(?:\d|{_PLAIN_MONTH}|may|mar))", _weekday_on),
    (_DAY_NAMES, rf"{_WEEKDAY}\s+(?:morning|afternoon|evening|night)(?![a-z])", _weekday_on),
    ("between|from", rf"{_RANGE}(?!\.?,?\s+\d)", _month_range_past),
    (_PREPOSITION, rf"(?:{_PREPOSITION})\s+(?:{_PART})?{_MONTH_NAME}(?!\.?,?\s+\d)", _month_in),
    ("and|to|through", rf"(?:and|to|through)\s+{_SURE_MONTH}(?!\.?,?\s+(?:\d|I(?![a-z])))", _month_in),
    ("early|mid|late", rf"{_PART}{_SURE_MONTH}(?!\.?,?\s+\d)", _month_in),
    ("in|over|during|since", rf"(?:in|over|during|since)\s+(?:the\s+)?{_SEASON}(?!\s+(?:of\s+)?\d)", _season_in),
    ("earlier|later", r"(?P<when>earlier|later)\s+this\s+(?P<unit>week|month|year)(?![a-z])", _so_far),
    (
        "beginning|start|middle|end|early|late",
        (
            r"(?P<part>beginning|start|middle|end|early|late)\s+(?:of\s+)?(?P<way>this|last|next|the)\s+"
            r"(?P<unit>month|year)(?![a-z])"
        ),
        _part_of,
    ),
    ("over|on|at|during|the", r"(?:(?:over|on|at|during)\s+)?the\s+weekend(?![a-z])", _the_weekend),
)


@cache
def _english(first: str) -> _Rules | None:
    """Return the rules that may begin with a word; compiled when the word is first met, to keep the import light."""
    absolute = _compiled_rules((p, rule) for words, p, rule in _ENGLISH_ABSOLUTE if first in words.split("|"))
    relative = _compiled_rules((p, rule) for words, p, rule in _ENGLISH_RELATIVE if first in words.split("|"))
    return _Rules(absolute=absolute, relative=relative) if absolute or relative else None


_FIRST_WORDS = frozenset(w for words, *_ in (*_ENGLISH_ABSOLUTE, *_ENGLISH_RELATIVE) for w in words.split("|"))
_TELLING_WORDS = frozenset(
    f"{_MONTH_WORDS}|{_DAY_NAMES}|{_SEASON_NAMES}|today|tonight|yesterday|tomorrow|ago|day|days|week|weeks|weekend"
    "|month|months|year|years|night|morning|afternoon|evening".encode().split(b"|")
)
_LETTERS_ONLY = bytes(byte if chr(byte) in ascii_lowercase else ord(" ") for byte in range(256))


# --- Chinese ------------------------------------------------------------------------------------------------------

_CHINESE_DAYS = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "後": 2, "后": 2, "大後": 3, "大后": 3,
}  # fmt: skip
_CHINESE_SHIFTS = {
    "上上": -2, "上": -1, "這": 0, "这": 0, "本": 0, "下": 1, "下下": 2,
    "大前": -3, "前": -2, "去": -1, "今": 0, "明": 1, "後": 2, "后": 2,
}  # fmt: skip
_CHINESE_UNITS = {"天": "day", "日": "day", "月": "month", "年": "year"}


def _chinese_year(m: Match) -> int | None:
    """Return the year that is written: of the Republic after 民國 or with three digits 1xx before a month."""
    text = m.groupdict().get("y")
    if text is None:
        return None
    number = _number(text)
    if m["era"] or (100 <= number < 200 and _group(m, "m")):
        return number + 1911
    if number < 1000:
        raise ValueError(f"{text!r} counts years")
    return number


def _chinese_day(m: Match, anchor: date | None) -> Days | None:
    first = _number(m["d"])
    last = _number(_group(m, "to")) if _group(m, "to") else first
    return _days_in_month(_chinese_year(m), _number(m["m"]), first, last, anchor)


def _chinese_named(m: Match, anchor: date | None) -> Days | None:
    """Read a year with a month, a season, a part or nothing."""
    year = _chinese_year(m)
    return None if year is None else _within_year(m, year)


def _within_year(m: Match, year: int) -> Days:
    if _group(m, "m"):
        return _part(_month(year, _number(m["m"])), _group(m, "part"))
    if _group(m, "season"):
        return _season(year, "春夏秋冬".index(m["season"]))
    return _part(_year(year), _group(m, "part"))


def _chinese_day_word(m: Match, anchor: date) -> Days | None:
    return _day(anchor, _CHINESE_DAYS[m["word"]])


def _chinese_week(m: Match, anchor: date) -> Days | None:
    shift, weekday = _CHINESE_SHIFTS[m["way"]], m["weekday"]
    if weekday == "末":
        return _weekend(anchor, shift)
    week = _week(anchor, shift)
    return _day(week[0], _chinese_weekday(weekday)) if weekday else week


def _chinese_weekday(name: str) -> int:
    return min("一二三四五六日天".index(name), 6)


def _chinese_month(m: Match, anchor: date) -> Days | None:
    days = _month_from(anchor, _CHINESE_SHIFTS[m["way"]])
    if _group(m, "d"):
        return _day(days[0].replace(day=_number(m["d"])), 0)
    return _part(days, _group(m, "part"))


def _chinese_shifted_year(m: Match, anchor: date) -> Days | None:
    year = anchor.year + _CHINESE_SHIFTS[m["way"]]
    if _group(m, "d"):
        day = date(year, _number(m["m"]), _number(m["d"]))
        return day, day
    return _within_year(m, year)


def _chinese_ago(m: Match, anchor: date) -> Days | None:
    return _ago(anchor, _chinese_count(m["n"]), _CHINESE_UNITS.get(m["unit"], "week"))


def _chinese_half_ago(m: Match, anchor: date) -> Days | None:
    return _ago(anchor, (5, 7), "month") if m["unit"] == "年" else _ago(anchor, (2, 2), "week")


def _chinese_days_before(m: Match, anchor: date) -> Days | None:
    """Read 前兩天 and 前幾天: some days that ended yesterday."""
    most = 3 if m["n"] in "兩两" else 7
    return anchor - timedelta(days=most), anchor - timedelta(days=1)


def _chinese_window(m: Match, anchor: date) -> Days | None:
    if m["n"] == "半":
        return _rolling(anchor, 6, "month", -1) if m["unit"] == "年" else _rolling(anchor, 15, "day", -1)
    return _rolling(anchor, _chinese_count(m["n"])[1], _CHINESE_UNITS.get(m["unit"], "week"), -1)


def _chinese_past_month(m: Match, anchor: date) -> Days | None:
    return _part(_past_month(anchor, _number(m["m"])), _group(m, "part"))


def _chinese_part_of_now(m: Match, anchor: date) -> Days | None:
    return _part(_year(anchor.year) if m["unit"] == "年" else _month_from(anchor, 0), m["part"])


def _chinese_past_weekday(m: Match, anchor: date) -> Days | None:
    return _past_weekday(anchor, _chinese_weekday(m["weekday"]))


_N = "[0-9０-９〇零○一二兩两三四五六七八九十百廿卅]"
_C_YEAR = rf"(?:(?P<era>民國|民国)\s*)?(?P<y>{_N}{{1,5}}|元)\s*年\s*"
_C_MONTH = rf"(?P<m>{_N}{{1,3}})\s*月份?"
_C_DAY = rf"(?P<d>{_N}{{1,3}})\s*[日號号]"
_C_DAYS = rf"{_C_DAY}(?:\s*[到至~～–-]\s*(?P<to>{_N}{{1,3}})\s*[日號号])?"
_C_SEASON = r"(?P<season>[春夏秋冬])[天季]"
_C_WEEK = r"(?:週|周|星期|禮拜|礼拜)"
_C_WEEKDAY = r"(?P<weekday>[一二三四五六](?![次回個个天])|日|天(?![氣气]))"
_C_WEEKDAY_OR_END = _C_WEEKDAY.replace("日|", "日|末|")
_C_COUNT = rf"(?P<n>好?[幾几數数]|{_N}{{1,4}}[多幾几]?)"
_C_UNIT = rf"\s*(?:[個个]\s*)?(?P<unit>[天日年月]|{_C_WEEK})"
_C_IN_YEAR = rf"(?:的\s*)?(?:{_C_MONTH}\s*(?:{_C_DAY}|(?P<part>[初中底]))?|{_C_SEASON})"

_CHINESE_DATES: tuple[tuple[str, Absolute], ...] = (
    (rf"(?:{_C_YEAR})?{_C_MONTH}\s*{_C_DAYS}", _chinese_day),
    (rf"{_C_YEAR}(?:的\s*)?{_C_MONTH}(?P<part>[初中底])?", _chinese_named),
    (rf"{_C_YEAR}(?:的\s*)?{_C_SEASON}", _chinese_named),
    (rf"{_C_YEAR}(?:年?(?P<part>[初底]))?", _chinese_named),
)
_CHINESE_COUNTED: tuple[tuple[str, Relative], ...] = (
    (rf"{_C_COUNT}{_C_UNIT}\s*[之以]?前", _chinese_ago),
    (rf"{_C_MONTH}(?P<part>[初中底])?(?!\s*{_N}{{1,3}}\s*[日號号])", _chinese_past_month),
)

_CHINESE_RELATIVE: tuple[tuple[str, Relative], ...] = (
    (r"(?P<word>昨|今|明)(?:[天日晚早晨]|夜)", _chinese_day_word),
    (r"(?P<word>大[前後后]|[前後后])[天晚](?![氣气空])", _chinese_day_word),
    (rf"(?P<way>上上|下下|[上下這这本])\s?[個个]?\s?{_C_WEEK}(?:{_C_WEEKDAY_OR_END})?", _chinese_week),
    (
        rf"(?P<way>上上|下下|[上下這这本])\s?[個个]?\s?月(?![球臺台])(?:份?的?(?P<part>[初中底])|份?的?{_C_DAY})?",
        _chinese_month,
    ),
    (rf"(?P<way>大前|[前去今明後后])年\s*{_C_IN_YEAR}", _chinese_shifted_year),
    (r"(?P<way>大前|[前去今明後后])年(?![輕轻紀纪])\s*(?:年?(?P<part>[初底]))?", _chinese_shifted_year),
    (r"半[個个]?(?P<unit>[年月])[之以]?前", _chinese_half_ago),
    *_CHINESE_COUNTED,
    (r"前(?P<n>[幾几兩两])[天日]", _chinese_days_before),
    (rf"(?:最近|過去|过去|近)這?(?P<n>半|好?[幾几數数]|{_N}{{1,4}}){_C_UNIT}", _chinese_window),
    (rf"[這这](?P<n>半|[幾几]|(?!一){_N}{{1,3}}){_C_UNIT}(?!\s*[之以]?前)", _chinese_window),
    (r"(?P<unit>[月年])(?P<part>[初底])", _chinese_part_of_now),
    (rf"{_C_WEEK}{_C_WEEKDAY}", _chinese_past_weekday),
    (r"[週周]末", _the_weekend),
)


@cache
def _chinese_rules() -> _Rules:
    return _Rules(absolute=_compiled_rules(_CHINESE_DATES), relative=_compiled_rules(_CHINESE_RELATIVE))


# --- dates that begin with a digit, in either language ------------------------------------------------------------

_ALONE = r"(?<![0-9a-z_./:$#%])"
_UNIT_BEHIND = (
    r"(?!\s?(?:cups?|tsps?|tbsps?|teaspoons?|tablespoons?|inch(?:es)?|in\.|miles?|of|hours?|lbs?|oz|pounds?|pages?"
    r"|tests?|tasks?|done|passed|stars?|full|\"|″|杯|大匙|小匙|茶匙|匙|斤|吋|寸|公升|磅|頁|页|顆|颗|份|題|题|的|分))"
)
_DATE_CUE_BEHIND = (
    r"(?=(?P<cue>\s?[(（]\s?(?:mon|tue|wed|thu|fri|sat|sun|[週周]?[一二三四五六日])[a-z]{0,6}\s?[)）]"
    r"|\s?(?:早|晚|上午|下午|中午|開始|开始|搬|那天|之前|之後|之后|以前|以後|以后))?)"
)
_DATE_CUE_BEFORE = re.compile(r"(?:(?<![a-z])(?:on|by|until|since|due|date)\s|[在於于到從从至])\s?$", re.I | re.A)

_NUMBER_ABSOLUTE: tuple[tuple[str, Absolute], ...] = (
    (
        r"(?<![0-9v])(?<![0-9][./-])(?P<y>(?:19|20)\d\d)([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?!\d)",
        _year_month_day,
    ),
    (rf"{_ALONE}(?P<y>1\d\d)/(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})(?![\d/])", _year_month_day),
    (rf"{_ALONE}(?P<m>\d{{1,2}})/{_TWO}/(?P<y>{_FOUR}|\d\d)(?![\d/])", _slashed),
    *_CHINESE_DATES,
    (rf"{_ALONE}{_DAYS}\s+(?:of\s+)?{_SURE_MONTH}{_BESIDE}?", _named_day),
    (rf"{_ALONE}{_TWO}{_ORDINAL}\s+(?:of\s+)?{_MONTH_NAME}{_BESIDE}?", _named_day),
    (rf"{_ALONE}{_TWO}\s+{_MONTH_NAME}{_BESIDE}", _named_day),
    (rf"{_ALONE}{_ON}{_TWO}\s+{_MONTH_NAME}", _named_day),
    (
        rf"{_ALONE}(?P<m>\d{{1,2}})/{_TWO}(?![\d/%]|[.:]\d){_UNIT_BEHIND}{_DATE_CUE_BEHIND}",
        _month_over_day,
    ),
)
_NUMBER_RELATIVE: tuple[tuple[str, Relative], ...] = (
    (rf"{_ALONE}{_COUNT}\s+{_UNIT}\s+ago(?![a-z])", _counted_ago),
    *_CHINESE_COUNTED,
)


@cache
def _number_rules() -> _Rules:
    return _Rules(absolute=_compiled_rules(_NUMBER_ABSOLUTE), relative=_compiled_rules(_NUMBER_RELATIVE))


_AHEAD: dict[Absolute | Relative, int] = {
    _named_day: 183, _chinese_day: 183, _month_over_day: 183, _month_in: 183, _chinese_past_month: 183,
    _weekday_on: 8, _chinese_past_weekday: 8, _the_weekend: 7,
}  # fmt: skip
"""Days ahead in which the expressions that look back may lie instead."""

# --- where an expression may begin --------------------------------------------------------------------------------

_CHINESE_SIGNS = "今昨明大前後后去上下這这本民最過过近半好幾几數数月年週周星禮礼〇零○一二兩两三四五六七八九十百廿卅"
_CHINESE_HINT = (
    r"[今昨明](?=[天日晚早晨夜年])|大(?=[前後后][天年])|(?<![以之目先從从])[前後后](?=[天晚年幾几兩两])|去(?=年)"
    r"|(?<![晚早以路馬马網网線线])[上下這这本](?=[上下]?\s?[個个]?\s?(?:[週周月]|星期|禮拜|礼拜)|[幾几半兩两三-十])"
    rf"|民(?=[國国])|(?:最近|過去|过去|近)(?=這?(?:半|好?[幾几數数]|{_N}))|半(?=[個个]?[年月])"
    r"|好?[幾几數数](?=[天日週周年個个星禮礼])"
    r"|(?<![〇零○一二兩两三四五六七八九十百廿卅])[〇零○一二兩两三四五六七八九十百廿卅]{1,6}(?=\s?[多幾几]?[0-9年月天日週周號号個个星禮礼])"
    r"|(?<![個个歲岁每各])[月年](?=[初底])"
    r"|(?<![每一二兩两三四五六七八九十0-9])(?:[週周](?=[一二三四五六日天末])|星期|[禮礼]拜)"
)
_TELLING_DIGITS = re.compile(r"[0-9](?:/[0-9]|[0-9]{3})")
_TELLING_SIGN = re.compile(f"{_TELLING_DIGITS.pattern}|[０-９{_CHINESE_SIGNS}]")
"""A number is no date unless it has a slash or four digits, or one of the words or signs is there too."""
_BEHIND_NUMBER = re.compile(
    r"[/年月日號号天日週周個个星禮礼多幾几半]|[-.][0-9]|ago|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
"""One of these stands near a number that begins a date."""
_REACH = 40
_TOKEN = re.compile(
    rf"(?P<word>(?<![a-z])[a-z]+)|(?P<digits>(?<![0-9０-９])[0-9０-９]+)|(?P<sign>(?=[{_CHINESE_SIGNS}])(?:{_CHINESE_HINT}))"
)
