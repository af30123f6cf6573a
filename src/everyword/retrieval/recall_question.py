"""Whether a text asks for something that was said or happened, so that a history without it can be told to lack it.

Requests for advice, for a summary or for work, and turns of a conversation that only end in a question, are answered
from what is there: no single record decides them.
"""

from __future__ import annotations

import re

from everyword.text.clauses import sentences

_BEFORE = "and|but|so|also|in|on|at|to|from|for|by|with|of|under|until|since|about|during|after|before|around"
_ASKS = re.compile(
    rf"(?:^|[.!?:,;]\s+|\n\s*)\W{{0,8}}(?:(?:{_BEFORE}) )*(?:what|when|where|who|whom|whose|which|why|how|is|are|was|were"
    r"|am|do|does|did|has|have|had)\b|[什甚][麼么]|哪|[幾几]|[誰谁]|多少|[嗎吗]|何[時时]|[為为]何|怎[麼么樣样]",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:(?<!how long )(?<!how many )(?<!how much )(?<!how often )(?:should|shall|could|would|might|can) "
    r"(?:i|we|you|it|be|that|he|she|they|like)|please|let'?s|help me|any (?:tips|advice|ideas|suggestions|recommendations|"
    r"thoughts)|likely|summar\w*|walk me through)\b"
    r"|[該该].{0,8}(?:什|怎|哪|何|几|幾)|[請请]你|[請请][幫帮]|[幫帮]我|怎[麼么].{0,3}(?:做|去|辦|办)",
    re.IGNORECASE,
)
_MARK = re.compile("[?？]")
_LONGEST = 1_000
"""Characters above which a text is a story, whatever it asks."""


def asks_for_record(text: str) -> bool:
    """Tell whether at least half of a text is a question for something that was said or happened."""
    if len(text) > _LONGEST or _ADVICE.search(text):
        return False
    parts = [part for start, end in sentences(text) if (part := text[start:end].strip())]
    asked = [part for part in parts if (len(parts) == 1 or _MARK.search(part)) and _ASKS.search(part)]
    return 2 * sum(map(len, asked)) >= max(sum(map(len, parts)), 1)
