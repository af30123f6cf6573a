"""Whom a question is about: the one who asks, or what they were told."""

from __future__ import annotations

import re

_SELF = re.compile(r"\b(?:i|my|me|(?<!the )mine|myself|our|ours)\b|我|俺|咱", re.IGNORECASE)
_SAID_IT = re.compile(
    r"\bi (?:\w+ )?(?:tell|told|say|said|mention|mentioned|ask|asked|share|shared|describe|described) "
    r"|我(?:之前|上次|先前|那時|那时|曾經|曾经|有)?(?:跟|和|對|对|告訴|告诉)[你您妳]",
    re.IGNORECASE,
)
_DID = (
    "recommended|suggested|told|said|mentioned|gave|given|provided|listed|explained|described|shared|wrote|written|proposed|"
    "found|made|created|calculated|showed|shown|sent|advised|drafted|outlined|generated|promised"
)
_TOLD = re.compile(
    rf"\byou (?:\w+ )?(?:{_DID})\b|\b(?:had|have) you (?:\w+ )?(?:{_DID})\b|\bdid you\b"
    r"|\byour (?:\w+ )?(?:advice|answer|suggestion|recommendation|list|plan|reply)"
    r"|\bremind me\b|\bwe (?:\w+ )?(?:discuss|talk|chat|agree|decide)"
    r"|\b(?:previous|last|earlier|past) (?:conversation|chat|discussion)"
    r"|[你您妳].{0,6}(?:推薦|推荐|建議|建议|說|说|提|給|给|列|寫|写|介紹|介绍|整理)[過过了]"
    r"|[你您妳](?:之前|上次|先前|那時|那时|當時|当时|剛才|刚才|昨天).{0,8}(?:推薦|推荐|建議|建议|說|说|提到|給|给|列|寫|写|介紹|介绍)"
    r"|[你您妳](?:推薦|推荐|建議|建议|說|说|提到|列|寫|写|介紹|介绍)(?:給我|给我)?的"
    r"|提醒我|我[們们](?:之前|上次|先前)?(?:討論|讨论|聊|決定|决定)",
    re.IGNORECASE,
)


def is_about_asker(question: str) -> bool:
    """Tell whether a question asks for something about the asker, which they said themselves if anybody did."""
    if _SAID_IT.search(question):
        return True
    return bool(_SELF.search(question)) and not _TOLD.search(question)
