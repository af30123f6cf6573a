"""Who may become what: only the user's own statements are more than an observation."""

from __future__ import annotations

import re

from everyword.claims.memory_types import check_way, sets_rule
from everyword.claims.self_quotation import pasted, without_own
from everyword.domain.claim import SETTLED, ClaimKind, ClaimState, Statement
from everyword.domain.message import Message
from everyword.errors import UntrustedClaimError
from everyword.text.clauses import Span
from everyword.text.expression import expression

ASKED = "everyword_claim"
"""Name in a message's metadata: the user asked for this claim, `{"kind": …, "corrects": …}`."""
_FENCED = expression(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<([a-zA-Z][\w-]{0,40})\b[^>]*>.*?</\1>", re.DOTALL)
_QUOTED = expression(r"^[ \t]*>.*$|“[^”\n]{12,}”|「[^」\n]{8,}」|『[^』\n]{8,}』|\"[^\"\n]{12,}\"", re.MULTILINE)

_DOCUMENT = expression(
    r"(?:\bit (?:says|said|reads|states|claims)\b|"
    r"\b(?:the|this|that|an?|my) (?:\w+ )?(?:page|site|website|article|e-?mail|letter|document|tool|result|log|bot|"
    r"assistant|ad|post|message|book|character)\s+(?:\w+ )?(?:said|says|told|tells|wrote|writes|claims?|claimed|reads?|states?)\b"
    r"|(?:網頁|网页|網站|网站|文章|文件|郵件|邮件|信|工具|結果|结果|助手|上面)(?:裡|里|上)?都?(?:說|说|寫|写|講|讲|顯示|显示))"
    r"(?:(?!\n[ \t]*\n).)*",
    re.IGNORECASE | re.DOTALL,
)
"""What a document says, up to the end of the paragraph."""
_PASTED = expression(
    r"(?:\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|edit|review|explain|fix|reply to|respond to|the following|below)\b"
    r"|翻譯|翻译|摘要|總結|总结|校對|校对|潤飾|润色|改寫|改写|回覆|回复|解釋|解释|以下|下面)[^\n:：]{0,80}[:：].*"
    r"|\b(?:wrote|writes|forwarded|forwards|posted|texted|quotes?|quoted|(?:a|the) line|lyrics|means?|says|said|told|tells|"
    r"answered|answers|replied|replies|repeated|shouted|whispered|insisted|insists|explained)\b"
    r"(?:[^\n:：.!?]|\d:\d\d){0,60}(?!(?<=\d):\d\d)[:：].*"
    r"|(?:寫道|写道|轉傳|转传|轉寄|转寄|傳來|传来|貼文|贴文|台詞|台词|什麼意思|什么意思|說|说|告訴|告诉|回答|回覆|回复)"
    r"(?:[^\n:：。！？]|\d[:：]\d\d){0,20}(?!(?<=\d)[:：]\d\d)[:：].*",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a request to work on a text, or who wrote it, is that text."""


def is_own(message: Message) -> bool:
    """Tell whether the user said it: not a tool, a page, an import's context or a side chain in the user's place."""
    return message.role == "user" and message.origin == "user" and message.branch == "main"


def others_words(text: str) -> list[Span]:
    """Return the characters of a message that the user only shows: quotations, code, mark-up, what a document says.

    What users quote of themselves is theirs.
    """
    found = [each.span() for pattern in (_FENCED, _DOCUMENT) for each in pattern.finditer(text)]
    return sorted([*found, *without_own(_QUOTED.finditer(text), text), *pasted(_PASTED, text)])


def is_within(span: Span, others: list[Span]) -> bool:
    """Tell whether any of the characters are somebody else's."""
    return any(start < span[1] and span[0] < stop for start, stop in others)


def reviewed(kind: ClaimKind, state: ClaimState, text: str) -> ClaimKind:
    """Return what words may become: a guess, a plan or a joke stays a note, a habit is no rule, a profile line has no figures."""
    if kind == "procedure" and not sets_rule(text):
        return "note"
    if state not in SETTLED or (kind == "profile" and any(character.isdigit() for character in text)):
        return "note"
    return kind


def admitted(statement: Statement, message: Message) -> Statement:
    """Return the statement. Raise UntrustedClaimError where its source may not become what it says."""
    if is_own(message):
        words = message.text[statement.start : statement.stop]
        check_way(statement.kind, words, message, is_asked=ASKED in message.metadata)
        return statement
    if statement.kind == "note" and statement.trust == "observed":
        return statement
    raise UntrustedClaimError(
        f"Message {message.message_id!r} was said by {message.role!r} (origin {message.origin!r}): it can be kept as a note "
        f"of what was observed, never as {statement.kind!r} that the user stated."
    )
