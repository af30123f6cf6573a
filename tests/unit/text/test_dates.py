from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.text.dates import TimeSpan, find, keys, keys_of, message_keys, question_span

WEDNESDAY = date(2023, 6, 14)
SUNDAY = date(2023, 6, 18)
MONDAY = date(2023, 6, 12)
NEW_YEAR = date(2024, 1, 1)  # a Monday
LEAP_DAY = date(2024, 2, 29)  # a Thursday
MONTH_END = date(2023, 3, 31)  # a Friday
TAIPEI = timezone(timedelta(hours=8))


def spans(text: str, anchor: date | None = WEDNESDAY) -> list[str]:
    return [str(_shown(span)) for span in find(text, anchor)]


def _shown(span: TimeSpan | None) -> str | None:
    if span is None:
        return None
    return span.start.isoformat() if span.start == span.end else f"{span.start}/{span.end}"


ABSOLUTE = [
    ("we met on 2023-05-22 at noon", "2023-05-22"),
    ("2023-05-22T23:59:59+08:00", "2023-05-22"),
    ("2023/5/22", "2023-05-22"),
    ("2023.05.22", "2023-05-22"),
    ("5/22/2023", "2023-05-22"),
    ("22/5/2023", "2023-05-22"),
    ("May 22, 2023", "2023-05-22"),
    ("MAY 22, 2023", "2023-05-22"),
    ("22 May 2023", "2023-05-22"),
    ("the 22nd of May, 2023", "2023-05-22"),
    ("Sept. 3, 2022", "2022-09-03"),
    ("Feb 29, 2024", "2024-02-29"),
    ("May 2023", "2023-05-01/2023-05-31"),
    ("February 2024", "2024-02-01/2024-02-29"),
    ("February 2023", "2023-02-01/2023-02-28"),
    ("late May 2023", "2023-05-21/2023-05-31"),
    ("in 2022", "2022-01-01/2022-12-31"),
    ("summer of 2022", "2022-06-01/2022-08-31"),
    ("winter 2023", "2023-12-01/2024-02-29"),
    ("from May to July 2022", "2022-05-01/2022-07-31"),
    ("2023年5月22日", "2023-05-22"),
    ("2023 年 5 月 22 日", "2023-05-22"),
    ("２０２３年５月２２日", "2023-05-22"),
    ("2023年5月", "2023-05-01/2023-05-31"),
    ("2022年", "2022-01-01/2022-12-31"),
    ("2022年底", "2022-11-01/2022-12-31"),
    ("2022年夏天", "2022-06-01/2022-08-31"),
    ("民國112年5月22日", "2023-05-22"),
    ("民国112年5月22日", "2023-05-22"),
    ("民國 112 年", "2023-01-01/2023-12-31"),
    ("民國一一二年", "2023-01-01/2023-12-31"),
    ("民國九十八年八月八日", "2009-08-08"),
    ("民國一百一十二年二月", "2023-02-01/2023-02-28"),
    ("民國元年", "1912-01-01/1912-12-31"),
    ("112年12月15號", "2023-12-15"),
    ("112/12/15", "2023-12-15"),
    ("113/2/29", "2024-02-29"),
    ("二〇二三年五月", "2023-05-01/2023-05-31"),
    ("二零二二年十二月三十一日", "2022-12-31"),
]

WITHOUT_YEAR = [
    ("May 22nd", WEDNESDAY, "2023-05-22"),
    ("may 22nd", WEDNESDAY, "2023-05-22"),
    ("on may 22", WEDNESDAY, "2023-05-22"),
    ("8 May", WEDNESDAY, "2023-05-08"),
    ("June 14", WEDNESDAY, "2023-06-14"),
    ("June 15", WEDNESDAY, "2022-06-15"),
    ("Dec 31", NEW_YEAR, "2023-12-31"),
    ("February 29", WEDNESDAY, "2020-02-29"),
    ("May 3-5", WEDNESDAY, "2023-05-03/2023-05-05"),
    ("May 22 last year", WEDNESDAY, "2022-05-22"),
    ("5/22", WEDNESDAY, "2023-05-22"),
    ("on 3/4", WEDNESDAY, "2023-03-04"),
    ("6/3（六）搬家", WEDNESDAY, "2023-06-03"),
    ("5月22日", WEDNESDAY, "2023-05-22"),
    ("五月廿二號", WEDNESDAY, "2023-05-22"),
    ("十二月三十一日", NEW_YEAR, "2023-12-31"),
    ("5月3日到5日", WEDNESDAY, "2023-05-03/2023-05-05"),
]

RELATIVE = [
    ("today", WEDNESDAY, "2023-06-14"),
    ("this morning", WEDNESDAY, "2023-06-14"),
    ("yesterday", NEW_YEAR, "2023-12-31"),
    ("last night", date(2024, 3, 1), "2024-02-29"),
    ("the day before yesterday", date(2024, 3, 1), "2024-02-28"),
    ("tomorrow", date(2024, 2, 28), "2024-02-29"),
    ("3 days ago", WEDNESDAY, "2023-06-11"),
    ("ten days ago", WEDNESDAY, "2023-06-04"),
    ("a couple of days ago", WEDNESDAY, "2023-06-11/2023-06-12"),
    ("a few days ago", WEDNESDAY, "2023-06-08/2023-06-12"),
    ("two weeks ago", WEDNESDAY, "2023-05-28/2023-06-03"),
    ("a month ago", MONTH_END, "2023-02-01/2023-02-28"),
    ("three months ago", date(2024, 5, 31), "2024-02-01/2024-02-29"),
    ("2 years ago", WEDNESDAY, "2021-01-01/2021-12-31"),
    ("last week", WEDNESDAY, "2023-06-05/2023-06-11"),
    ("last week", MONDAY, "2023-06-05/2023-06-11"),
    ("last week", SUNDAY, "2023-06-05/2023-06-11"),
    ("this week", SUNDAY, "2023-06-12/2023-06-18"),
    ("next week", SUNDAY, "2023-06-19/2023-06-25"),
    ("this week", NEW_YEAR, "2024-01-01/2024-01-07"),
    ("last month", NEW_YEAR, "2023-12-01/2023-12-31"),
    ("last month", MONTH_END, "2023-02-01/2023-02-28"),
    ("next month", date(2024, 1, 31), "2024-02-01/2024-02-29"),
    ("this year", LEAP_DAY, "2024-01-01/2024-12-31"),
    ("last weekend", WEDNESDAY, "2023-06-10/2023-06-11"),
    ("last weekend", SUNDAY, "2023-06-10/2023-06-11"),
    ("this weekend", WEDNESDAY, "2023-06-17/2023-06-18"),
    ("over the weekend", SUNDAY, "2023-06-17/2023-06-18"),
    ("last Friday", WEDNESDAY, "2023-06-09"),
    ("this Friday", WEDNESDAY, "2023-06-16"),
    ("next Friday", WEDNESDAY, "2023-06-23"),
    ("on Tuesday", WEDNESDAY, "2023-06-13"),
    ("on Wednesday", WEDNESDAY, "2023-06-07"),
    ("Sunday night", MONDAY, "2023-06-11"),
    ("the past two weeks", WEDNESDAY, "2023-05-31/2023-06-14"),
    ("last 3 months", date(2023, 5, 31), "2023-02-28/2023-05-31"),
    ("the last month", date(2024, 3, 31), "2024-02-29/2024-03-31"),
    ("earlier this month", WEDNESDAY, "2023-06-01/2023-06-14"),
    ("end of the month", LEAP_DAY, "2024-02-21/2024-02-29"),
    ("in March", WEDNESDAY, "2023-03-01/2023-03-31"),
    ("in July", WEDNESDAY, "2022-07-01/2022-07-31"),
    ("between March and May", WEDNESDAY, "2023-03-01/2023-05-31"),
    ("from november to february", WEDNESDAY, "2022-11-01/2023-02-28"),
    ("last summer", WEDNESDAY, "2022-06-01/2022-08-31"),
    ("last winter", LEAP_DAY, "2022-12-01/2023-02-28"),
    ("this spring", WEDNESDAY, "2023-03-01/2023-05-31"),
    ("今天", WEDNESDAY, "2023-06-14"),
    ("昨天", date(2024, 3, 1), "2024-02-29"),
    ("昨晚", NEW_YEAR, "2023-12-31"),
    ("前天", WEDNESDAY, "2023-06-12"),
    ("大前天", WEDNESDAY, "2023-06-11"),
    ("明天", date(2023, 12, 31), "2024-01-01"),
    ("後天", WEDNESDAY, "2023-06-16"),
    ("上週三", WEDNESDAY, "2023-06-07"),
    ("上周三", SUNDAY, "2023-06-07"),
    ("上星期三", MONDAY, "2023-06-07"),
    ("上個禮拜天", WEDNESDAY, "2023-06-11"),
    ("這週", MONDAY, "2023-06-12/2023-06-18"),
    ("这周", SUNDAY, "2023-06-12/2023-06-18"),
    ("下週", WEDNESDAY, "2023-06-19/2023-06-25"),
    ("下下週一", WEDNESDAY, "2023-06-26"),
    ("上個月", MONTH_END, "2023-02-01/2023-02-28"),
    ("上个月底", NEW_YEAR, "2023-12-21/2023-12-31"),
    ("上個月5號", WEDNESDAY, "2023-05-05"),
    ("去年", WEDNESDAY, "2022-01-01/2022-12-31"),
    ("前年", WEDNESDAY, "2021-01-01/2021-12-31"),
    ("去年五月", WEDNESDAY, "2022-05-01/2022-05-31"),
    ("去年夏天", WEDNESDAY, "2022-06-01/2022-08-31"),
    ("三天前", date(2024, 3, 2), "2024-02-28"),
    ("兩個星期前", WEDNESDAY, "2023-05-28/2023-06-03"),
    ("两个星期前", WEDNESDAY, "2023-05-28/2023-06-03"),
    ("兩三天前", WEDNESDAY, "2023-06-11/2023-06-12"),
    ("十二天前", WEDNESDAY, "2023-06-02"),
    ("三個月前", WEDNESDAY, "2023-03-01/2023-03-31"),
    ("半年前", WEDNESDAY, "2022-11-01/2023-01-31"),
    ("月初", WEDNESDAY, "2023-06-01/2023-06-10"),
    ("月底", LEAP_DAY, "2024-02-21/2024-02-29"),
    ("週末", WEDNESDAY, "2023-06-10/2023-06-11"),
    ("上週末", SUNDAY, "2023-06-10/2023-06-11"),
    ("最近三個月", date(2023, 5, 31), "2023-02-28/2023-05-31"),
    ("過去兩週", WEDNESDAY, "2023-05-31/2023-06-14"),
    ("三月", WEDNESDAY, "2023-03-01/2023-03-31"),
    ("星期五", WEDNESDAY, "2023-06-09"),
]

NOT_A_TIME = [
    "May I ask you something? You may, and it may take a while.",
    "march on, they march 20 miles and march 2 more",
    "give me a second, the second one",
    "12/0", "13/45", "0/5", "5/0", "2月30日", "February 30", "2023-13-45",
    "version 3.5.22", "v2023.5.22", "127.0.0.1", "at 10:30", "ratio 1/2", "1/2 cup of sugar", "3/4 of it", "on 1/2 cup",
    "use 1/15 and a wider aperture",
    "1/2 杯糖", "a 10/10 film", "9/10", "24/7", "see #5/22", "example.com/5/22/post", "50% of 3.5",
    "目前天氣很好", "以前年紀小", "一周三次", "每週三", "三個月", "十年", "5個月", "這一天", "上月球",
    "how many days ago", "99999 years ago", "9999 years ago", "0 weeks ago", "in 20222", "the summer", "the 5 sun beds",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ABSOLUTE)
def test_an_absolute_date_needs_no_anchor(text: str, expected: str) -> None:
    assert spans(text, None) == [expected]
    assert [span.kind for span in find(text, WEDNESDAY)] == ["absolute"]


@pytest.mark.parametrize(("text", "anchor", "expected"), WITHOUT_YEAR)
def test_a_date_without_a_year_is_the_nearest_one_that_is_past(text: str, anchor: date, expected: str) -> None:
    assert spans(text, anchor) == [expected]
    assert spans(text, None) == []


@pytest.mark.parametrize(("text", "anchor", "expected"), RELATIVE)
def test_a_relative_expression_counts_from_its_anchor(text: str, anchor: date, expected: str) -> None:
    assert spans(text, anchor) == [expected]
    assert [span.kind for span in find(text, anchor)] == ["relative"]
    assert find(text, None) == []


@pytest.mark.parametrize("text", NOT_A_TIME)
def test_what_only_looks_like_a_date_is_left_alone(text: str) -> None:
    assert spans(text) == []


def test_a_text_in_two_languages_gives_its_spans_in_order() -> None:
    text = "昨天 meeting 改到 5/22, 上週三 we shipped 2 cameras；May 3rd 再說"
    found = find(text, WEDNESDAY)
    assert [span.text for span in found] == ["昨天", "5/22", "上週三", "May 3rd"]
    assert spans(text) == ["2023-06-13", "2023-05-22", "2023-06-07", "2023-05-03"]


def test_the_text_of_a_span_is_as_it_was_written() -> None:
    assert [span.text for span in find("İİ It was YESTERDAY, ok", WEDNESDAY)] == ["YESTERDAY"]


def test_a_moment_may_be_the_anchor() -> None:
    assert spans("yesterday", datetime(2023, 6, 14, 0, 5)) == ["2023-06-13"]


def test_a_day_has_keys_of_day_month_year_and_weekday() -> None:
    assert keys("on 2023-05-22", None) == ["date:2023-05-22", "month:2023-05", "year:2023", "weekday:mon"]


def test_a_week_has_each_day_and_no_weekday() -> None:
    days = [f"date:2023-06-{day:02}" for day in range(5, 12)]
    assert keys("last week", WEDNESDAY) == [*days, "month:2023-06", "year:2023"]


def test_a_week_over_new_year_has_both_months_and_years() -> None:
    found = keys("這週", date(2024, 12, 31))
    assert found[0] == "date:2024-12-30"
    assert found[7:] == ["month:2024-12", "month:2025-01", "year:2024", "year:2025"]


def test_longer_spans_have_no_finer_keys_than_they_can_tell() -> None:
    assert keys("in May 2023", None) == ["month:2023-05", "year:2023"]
    assert keys("last winter", WEDNESDAY) == [
        "month:2022-12",
        "month:2023-01",
        "month:2023-02",
        "year:2022",
        "year:2023",
    ]
    assert keys("in 2022", None) == ["year:2022"]
    assert keys("the last 30 years", WEDNESDAY) == []


def test_keys_do_not_repeat() -> None:
    assert keys("May 22, 2023, that is 2023-05-22 or 民國112年5月22日", None) == keys("2023-05-22", None)


def test_a_message_keeps_the_day_of_its_own_offset_around_midnight() -> None:
    before = datetime(2024, 2, 29, 23, 59, 59, tzinfo=TAIPEI)
    assert keys_of(before) == ["date:2024-02-29", "month:2024-02", "year:2024", "weekday:thu"]
    assert keys_of(before + timedelta(seconds=1))[0] == "date:2024-03-01"
    assert keys_of((before + timedelta(seconds=1)).astimezone(UTC))[0] == "date:2024-02-29"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did I buy in the last month?", "2023-05-14/2023-06-14"),
        ("Who did I meet in May 2023?", "2023-05-01/2023-05-31"),
        ("where was I last weekend", "2023-06-10/2023-06-11"),
        ("What happened between March and May?", "2023-03-01/2023-05-31"),
        ("What did I read from May 3 to June 2?", "2023-05-03/2023-06-02"),
        ("anything between 11/20 and 2/23?", "2022-11-20/2023-02-23"),
        ("What have I sold since March?", "2023-03-01/2023-06-14"),
        ("I came by bus since March, didn't I?", "2023-03-01/2023-06-14"),
        ("What did I do after May 5?", "2023-05-06/2023-06-14"),
        ("我上個月買了什麼？", "2023-05-01/2023-05-31"),
        ("去年10月到今年2月去了哪些地方？", "2022-10-01/2023-02-28"),
        ("5月以來修了幾台？", "2023-05-01/2023-06-14"),
        ("三月之後搬過家嗎？", "2023-04-01/2023-06-14"),
        ("How many days ago did I see the dentist?", None),
        ("What did I do before the trip?", None),
        ("Who called after my wedding?", None),
        ("What did I own before March?", None),
        ("我是幾天前看的牙醫？", None),
        ("這幾天吃了什麼？", "2023-06-08/2023-06-14"),
        ("搬家之後買了什麼？", None),
        ("", None),
    ],
)
def test_the_window_of_a_question(question: str, expected: str | None) -> None:
    assert _shown(question_span(question, WEDNESDAY)) == expected


PIECES = st.sampled_from(
    "May march 5/ 22 , 2023 the past last this next 2 few couple weeks day ago on between and to of in fall Sun".split()
    + "年 月 日 民國 上 下 週 三 十 百 廿 元 半 前 天 最近 這 個 初 底 幾 9999 / - . ２".split()
)


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)), st.dates() | st.none())
def test_no_text_raises_and_every_span_is_a_part_of_it(text: str, anchor: date | None) -> None:
    for span in find(text, anchor):
        assert span.start <= span.end
        assert span.text in text
    assert all(":" in key for key in keys(text, anchor))
    question_span(text, anchor)
    json.dumps(keys(text, anchor))


@given(st.datetimes())
def test_every_moment_has_four_keys(moment: datetime) -> None:
    assert [key.split(":")[0] for key in keys_of(moment)] == ["date", "month", "year", "weekday"]


@pytest.mark.parametrize("piece", ["五", "5月", "1", "in  ", "between may and ", "a few ", "民國 ", "2023年 "])
def test_the_time_grows_with_the_length_only(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = process_time()
    find(text, WEDNESDAY)
    assert process_time() - started < 10


@pytest.mark.parametrize(
    "text, expected",
    [
        ("the wedding is on July 16", ["date:2022-07-16", "date:2023-07-16"]),
        ("7月16日要去日本", ["date:2022-07-16", "date:2023-07-16"]),
        ("7/22 (Sat) 搬家", ["date:2022-07-22", "date:2023-07-22"]),
        ("May 16 was fun", ["date:2023-05-16"]),
        ("until December 31", ["date:2022-12-31"]),
        ("June 14 is today", ["date:2023-06-14"]),
        ("July 16, 2022", ["date:2022-07-16"]),
        ("July 16 last year", ["date:2022-07-16"]),
        ("on Tuesday", ["date:2023-06-13", "date:2023-06-20"]),
        ("週二去看牙醫", ["date:2023-06-13", "date:2023-06-20"]),
        ("on Wednesday", ["date:2023-06-07", "date:2023-06-21"]),
        ("last Tuesday", ["date:2023-06-13"]),
        ("yesterday", ["date:2023-06-13"]),
        ("in October", ["month:2022-10", "month:2023-10"]),
        ("in May", ["month:2023-05"]),
        ("over the weekend", ["date:2023-06-10", "date:2023-06-11", "date:2023-06-17", "date:2023-06-18"]),
    ],
)
def test_a_message_may_speak_of_the_next_such_day(text: str, expected: list[str]) -> None:
    found = message_keys(text, WEDNESDAY)
    kind = expected[0].partition(":")[0]
    assert [key for key in found if key.startswith(kind)] == expected
    assert found[: len(keys(text, WEDNESDAY))] == keys(text, WEDNESDAY)


def test_plans_at_the_end_of_the_calendar_and_without_a_time_are_read() -> None:
    assert message_keys("on July 16", None) == []
    assert "date:9999-12-30" in message_keys("on Dec 30", date.max)


@given(st.text(), st.dates())
def test_the_keys_of_a_message_hold_those_of_its_words(text: str, said: date) -> None:
    assert set(keys(text, said)) <= set(message_keys(text, said))
