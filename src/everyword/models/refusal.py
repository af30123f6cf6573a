"""Refusals in plain words, of models that have no other way to refuse."""

from __future__ import annotations

import re

_LONGEST = 600
_REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:very |so )?sorry,? (?:but )?I (?:can(?:['’]t|not)|am (?:unable|not able))"
    r"|\bI(?:['’]m| am) (?:unable|not able) to (?:help|assist|comply|fulfil|process|provide|continue|do that)"
    r"|\bI can(?:['’]t|not) (?:help|assist|comply|fulfil|engage|process|continue|do that|provide)"
    r"|\bI (?:must|have to) (?:decline|refuse)|\bI won['’]t (?:help|assist|be able)"
    r"|(?:抱歉|对不起|對不起|不好意思)[，,。！ ]*(?:但)?(?:是)?我?(?:无法|無法|不能|沒辦法|没办法)"
    r"|我(?:无法|無法|不能)(?:协助|協助|提供|帮助|幫助|处理|處理|满足|滿足|执行|執行)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Tell whether a short text declines to do what was asked, in English or Chinese."""
    return len(text) <= _LONGEST and _REFUSAL.search(text) is not None
