"""Whom a question is about: the one who asks, or what they were told."""

from __future__ import annotations

import re

_SELF = re.compile(r"\b(?:i|my|me|mine|myself|i'(?:m|ve|d|ll))\b|我|俺|咱", re.IGNORECASE)
_TOLD = re.compile(
    r"\byou (?:\w+ )?(?:recommended|suggested|told|said|mentioned|gave|provided|listed|explained|described|shared|wrote|"
    r"proposed|found|made|created|calculated|showed)"
    r"|\b(?:did|had|have) you\b|\byour (?:\w+ )?(?:advice|answer|suggestion|recommendation|list|plan|reply)"
    r"|\bremind me\b|\bwe (?:\w+ )?(?:discussed|talked|chatted|agreed|decided)"
    r"|\b(?:previous|last|earlier) (?:conversation|chat|discussion)"
    r"|[你您妳](?:之前|上次|先前|那時|那时)?.{0,6}(?:推薦|推荐|建議|建议|說|说|提|給|给|列|寫|写)[過过了]"
    r"|提醒我|我們(?:之前|上次)?(?:討論|聊|決定)|我们(?:之前|上次)?(?:讨论|聊|决定)",
    re.IGNORECASE,
)


def is_about_asker(question: str) -> bool:
    """Tell whether a question asks for something about the asker, which they said themselves if anybody did."""
    return bool(_SELF.search(question)) and not _TOLD.search(question)
