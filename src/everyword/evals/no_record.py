"""How an answer says that the history does not hold what was asked, in English and Chinese."""

from __future__ import annotations

import re

from everyword.text.words import UNSPACED, fold

NO_RECORD = {"en": "There is no record of that.", "zh": "沒有這方面的紀錄。"}

_UNSPACED = re.compile(rf"[{UNSPACED}]")
_THING = r"(?:records?|mentions?|information|info|evidence|notes?|details?|indications?|references?|trace)"
_NOT = r"(?:not|never|n['’]t)"
_SAYS = re.compile(
    rf"\bno (?:[\w-]+ ){{0,3}}{_THING}\b"
    rf"|\b(?:(?:don|doesn|didn)['’]t|do(?:es)? not|did not) (?:\w+ ){{0,2}}(?:have|contain|include|provide|hold|find|see) "
    rf"(?:[\w-]+ ){{0,3}}{_THING}\b"
    rf"|\b(?:is|are|was|were|has|have|had|do|does|did|you)(?: |(?=n['’]))?{_NOT} (?:\w+ ){{0,3}}?"
    rf"(?:mention(?:ed)?|record(?:ed)?|specif(?:y|ied)|stated?|discuss(?:ed)?|noted|say|said|tell|told)\b"
    rf"|\bnot (?:\w+ )?(?:mentioned|recorded|specified|stated|on record|enough information|in the (?:memory|records?))\b"
    rf"|\bnever (?:mentioned|told|said|recorded|discussed|talked about|came up|brought up)\b"
    rf"|\b(?:could|can)(?:not|n['’]t| not) (?:find|see|determine|locate|tell from)\b|\bunable to (?:find|determine|locate)\b"
    rf"|\binsufficient (?:information|evidence)\b|\binformation (?:\w+ ){{0,3}}(?:is|was)(?: not|n['’]t) (?:enough|sufficient|"
    rf"available|provided)\b|\bnothing (?:\w+ ){{0,3}}(?:on record|recorded|about (?:that|it|this)\b)",
    re.IGNORECASE,
)
_SAYS_UNSPACED = re.compile(
    r"(?:没有|未有|无|并无|查无|没)[^，。；！？]{0,12}?(?:记录|纪录|记载|信息|资讯|资料|证据|提及|提到|提过|说过|讲过|说明|谈到|谈过|谈及|聊到|聊过)"
    r"|(?:未|从未|从来没|不曾|未曾|并未)(?:曾)?(?:有)?[^，。；！？]{0,4}?(?:提及|提到|提过|记录|纪录|记载|说明|说过|谈及|谈到|出现)"
    r"|(?:找不到|查不到|看不到|无法得知|无法确定|无法判断|无从得知|信息不足|资料不足|资讯不足)"
)
"""Of folded text: Traditional is Simplified there."""


def says_no_record(answer: str) -> bool:
    """Tell whether an answer says that there is no record; a bare "no" or "I don't know" does not."""
    return bool(_SAYS.search(answer) or _SAYS_UNSPACED.search(fold(answer)))


def no_record(question: str) -> str:
    """Return the sentence that says so in the language of the question."""
    return NO_RECORD["zh" if _UNSPACED.search(question) else "en"]
