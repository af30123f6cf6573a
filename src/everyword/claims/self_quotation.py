"""Users who quote themselves: "I told you what I said: I quit". Their own words, though they stand as a quotation.

Only where the one who says it is plainly the user: the sentence begins with "I said", "我說過" or the like, without `not`,
`if` or a stage on which it was said, and nobody else speaks between that and the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from everyword.text.clauses import Span
from everyword.text.expression import expression

_LEAD = (
    r"(?:(?:so|and|but|well|yes|no|yeah|ok|okay|again|look|listen|like|as|then|anyway|honestly|also|yesterday|today|earlier|"
    r"this (?:morning|week|month)|last (?:night|week|month|year|time))\b[ \t,]*)*+"
)
_WHO = r"(?:you(?: all)?|him|her|them|everyone|everybody|people|my (?!lines?\b|text\b)\w+|(?-i:[A-Z][\w.]+))"
_OFTEN = r"(?:\s+(?:already|just|also|clearly|only|once|always))*+"
_WHEN = (
    r"(?:\s+(?:before|already|again|earlier|yesterday|today|clearly|twice|once|many times|this morning|"
    r"last (?:night|week|month|year|time)))*+"
)
_SAID = (
    rf"(?:(?:told|tell)\s+{_WHO}"
    rf"|(?:said|say|repeated|repeat|answered|replied|explained|insisted|admitted|announced|mentioned)(?:\s+to\s+{_WHO})?)"
)
_WISH = r"(?:\s+(?:want|need|have)\s+to|\s+(?:must|can)|['’]d\s+like\s+to|\s+would\s+like\s+to)"
_I_SAID = rf"(?:i|we)(?:['’]ve|\s+have|\s+had|{_WISH})?{_OFTEN}\s+{_SAID}{_WHEN}"
_ENGLISH = (
    rf"{_LEAD}(?:{_I_SAID}(?:\s+(?:exactly\s+)?what\s+{_I_SAID})?|what\s+{_I_SAID}(?:\s+(?:was|is))?"
    rf"|let\s+me\s+(?:tell\s+you|repeat)|my\s+(?:answer|reply)(?:\s+to\s+{_WHO})?\s+(?:was|is))"
)

_WHO_ZH = (
    r"(?:[你您妳他她][們们]?|大家|我(?:[老主]?[闆板管]|太太|老婆|先生|老公|媽媽?|妈妈?|爸爸?|朋友|同事|家人|醫生|医生))"
)
_LEAD_ZH = r"(?:所以|就像|就如|正如|[如像對对嗯好那]|是的|昨天|今天|上次|之前|[剛刚][才剛刚]|那[時时]|[，,、 \t])*+"
_WHEN_ZH = r"(?:之前|先前|已[經经]|早就?|[剛刚][才剛刚]|昨天|今天|上次|一直|明明|清楚地?|想要?|要|[也都就再])*+"
_SAID_ZH = (
    rf"(?:(?:[跟對对和向]{_WHO_ZH})?{_WHEN_ZH}(?:[說说講讲]|[強强][調调]|回答|重[複复])[過过了]?(?:的是?)?"
    rf"|告[訴诉][過过了]?{_WHO_ZH}[過过了]?)"
)
_I_SAID_ZH = rf"(?:我[們们]?){_WHEN_ZH}{_SAID_ZH}"
_CHINESE = rf"{_LEAD_ZH}{_I_SAID_ZH}(?:我{_WHEN_ZH}[說说講讲][過过了]?(?:什[麼么]|的[話话]?)?)?"

_OPENING = r"[\"“「『]"
_BEFORE = expression(
    rf"(?:^|(?<=[.!?。！？]))[ \t]*+(?:{_ENGLISH}|{_CHINESE})\s*(?:[:：][ \t]*|,?[ \t]*(?={_OPENING})|，(?={_OPENING}))",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = expression(
    rf"[ \t]*+[,，]?[ \t]*+(?:{_I_SAID}|(?:我[們们]?)(?:[當当][時时]|[這这]樣|[這这]样|就是?|是)*{_SAID_ZH}的?)[ \t]*(?:[.!。！]|$)",
    re.IGNORECASE | re.MULTILINE,
)


def introductions(text: str) -> list[Span]:
    """Return the characters with which users announce that they quote themselves, up to where the quotation begins."""
    return [found.span() for found in _BEFORE.finditer(text)]


def stated(sentence: str) -> str:
    """Return what a sentence says, without the announcement that it begins with."""
    found = _BEFORE.match(sentence)
    return sentence if found is None else sentence[found.end() :]


def without_own(quotations: Iterator[re.Match[str]], text: str) -> Iterator[Span]:
    """Yield the quotations but those that the user says are their own words, right before or right after them."""
    ends = {stop for _, stop in introductions(text)}
    for found in quotations:
        if found.start() not in ends and not (found[0][0] in '"“「『' and _AFTER.match(text, found.end())):
            yield found.span()


def pasted(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield what a pattern of announcements finds, where it is not the user's own words that are announced."""
    own, place = introductions(text), 0
    while (found := pattern.search(text, place)) is not None:
        frame = next((stop for start, stop in own if start <= found.start() < stop), None)
        if frame is None:
            yield found.span()
        place = found.end() if frame is None else frame
