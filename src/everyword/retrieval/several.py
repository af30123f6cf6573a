"""Whether a question asks for several things, each of which was said in words of its own."""

from __future__ import annotations

import re

_BEFORE = "in|on|at|to|from|for|by|with|of|during|under"
_AUXILIARY = "is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would"
_SINGULAR = r"his|its|this|us|series|news|\w*[su]s"
"""Words that end as a plural does and are none: bus, class."""
_SEVERAL = re.compile(
    rf"(?:^|[.!?:,;] )\W*(?:(?:{_BEFORE}) )?(?:"
    r"(?:what|which) (?:kind|type|sort)s? of\b|how (?:many|often)\b|(?:who|what|which) (?:are|were)\b|where ha(?:s|ve)\b"
    rf"|(?:what|which) (?!(?:{_AUXILIARY})\b)(?:[\w'’/+-]+ ){{0,3}}(?!(?:{_SINGULAR})\b)[\w/-]+s (?:{_AUXILIARY})\b)"
    r"|哪些|[幾几](?:次|[個个]|[種种]|位|本|家|[間间]|[條条]|[隻只]|部|[場场]|[項项])|多少(?:次|[個个]|[種种]|位)|[有都](?:什|甚)[麼么]",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Tell whether a question asks for a list or a count, so that no single record is the answer."""
    return _SEVERAL.search(question) is not None
