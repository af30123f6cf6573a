"""Whether a written line says what its sources say: no figure, name or word of its own, no item lost, no other script.

It is strict on purpose: a line that is refused costs nothing, since its sources are quoted in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from everyword.claims import patterns
from everyword.domain.claim import SETTLED, Claim
from everyword.text.expression import expression
from everyword.text.script import simplified_only, traditional_only
from everyword.text.words import STOP_WORDS, UNSPACED, fold, is_unspaced, stem

LONGEST = 400
"""Characters of a line."""
_TOLD = 0.7
"""Share of the words of a source that its line has to have."""
_SHORT = 4
"""Words of a source up to which all of them count."""
_LIST = 3
"""Parts from which on a source is a list, no part of which may be lost."""

_FIGURE = expression(r"\d+(?:[.,:/-]\d+)*")
_NAME = expression(r"(?<![\w.])[A-Za-z0-9][\w-]*(?:[._/@+-]+\w+)+")
"""A file, an address, an identifier: one word with a sign inside."""
_WORD = expression(rf"[^\W\d_{UNSPACED}]+(?:['’][^\W\d_]+)?")
_HAN = expression(rf"[{UNSPACED}]")
_UNIT = expression(rf"{_FIGURE.pattern}|{_WORD.pattern}|{_HAN.pattern}")
_CAPITAL = expression(r"(?<=[^\W_][ ,;:(])[A-Z][\w'’-]+")
_PARTS = expression(r"[,;、，；]|\band\b|\bor\b|[和及與与跟]")
_NOT = expression(
    r"\b(?:no|not|never|none|cannot|without|nor|neither)\b|n['’]t\b|[不没無无未别別非莫勿]", re.IGNORECASE
)
_ADDRESSED = expression(
    r"(?:^|[\n,.;:!])\W*(?:(?:from now on|now|remember)\W+)?(?:that )?(?:you(?:['’]re| are| were| will be)|act as|pretend|"
    r"behave as|your (?:name|role|job) is)\b"
    r"|(?:^|[\n,.;:!，。；：！])\W*(?:记住|从现在起|现在|以后)?[,，]?(?:你|您|妳)(?:现在|从现在起|以后|其实)?"
    r"(?:是|叫|扮演|担任|的(?:名字|角色|身份))",
    re.IGNORECASE,
)
"""Said about the one who is spoken to; Chinese in its folded form."""
_MAY_ADDRESS = expression(r"[你您妳]|[Yy][Oo][Uu]|[Aa][Cc][Tt]|[Pp][Rr][Ee][Tt]|[Bb][Ee][Hh]")
_MAY_BE_EXACT = expression(r"\d|[A-Za-z][._/@+-]\w")
"""Quick looks that spare most sentences the slow ones."""
_ABOUT_THE_USER = frozenset(
    map(
        stem,
        """user they them their theirs he him she his her say says said state states stated tell tells told mention mentions
        mentioned has have had is are was were be been also""".split(),
    )
)
_HAN_FREE = frozenset(fold("使用者用戶他她其的了是有在和與及也都說提到表示為於並而且對於該位另外"))
"""Characters that a line may add: who it is about, and what holds words together."""
_QUALIFIER = expression(
    r"\b(?:will|would|could|should|might|may|must|can|was|were|had|did|used to|almost|nearly|hardly|barely|rarely|seldom|"
    r"sometimes|usually|often|always|only|just|if|unless|until|except|before|after|since|formerly|once|twice|half|both|each|"
    r"every|all|some|most|few|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million)\b"
    r"|['’](?:ll|d)\b"
    r"|[已曾将要会想只总每一二两三四五六七八九十百千万半]|差点|几乎|很少|偶尔|有时|通常|如果|除非|以前|以后|之前|之后"
)
"""Words that change what is said and are easily lost: when, how often, how many, under which condition. Folded."""
_SAME_QUALIFIER = {"'ll": "will", "’ll": "will", "'d": "would", "’d": "would", "were": "was"}


def exact(text: str) -> int:
    """Return how much of a text nobody could guess: its figures and its names of files, addresses and the like."""
    if not _MAY_BE_EXACT.search(text):
        return 0
    return len(_FIGURE.findall(text)) + len(_NAME.findall(text))


def is_about_assistant(text: str) -> bool:
    """Tell whether a sentence says who the assistant is: `你是阿里員工` is no fact about the user."""
    if not _MAY_ADDRESS.search(text):
        return False
    folded = fold(text)
    return bool(_ADDRESSED.search(folded)) and not patterns.RULE.search(folded)


def refusal(line: str, sources: Sequence[Claim], beside: str) -> str | None:
    """Return why a line does not agree with its sources, None where it does; `beside` is all that it was written from."""
    return next(_refusals(line, sources, beside), None)


def _refusals(line: str, sources: Sequence[Claim], beside: str) -> Iterator[str]:
    """Yield what is wrong, the quickest checks first."""
    words = " ".join(claim.text for claim in sources)
    if not line.strip() or len(line) > LONGEST:
        yield "empty or too long"
    if not sources:
        yield "no source"
    if len({_state(claim) for claim in sources}) > 1 or len({_group(claim) for claim in sources}) > 1:
        yield "a plan, a guess and what is so are mixed, or profile and facts"
    if is_about_assistant(line):
        yield "about the assistant"
    if is_unspaced(line) not in {is_unspaced(claim.text) for claim in sources} or _changes_script(line, words, beside):
        yield "another language or script"
    if {bool(_NOT.search(claim.text)) for claim in sources} != {bool(_NOT.search(line))}:
        yield "a negation is lost or added"
    if added := _qualifiers(line) - _qualifiers(words):
        yield f"not in the sources: {min(added)}"
    yield from (f"not in the sources: {added}" for added in _added(line, words))


def _state(claim: Claim) -> str:
    return "settled" if claim.state in SETTLED else claim.state


def _group(claim: Claim) -> bool:
    return claim.kind in ("profile", "procedure")


def _changes_script(line: str, words: str, beside: str) -> bool:
    """Tell whether a line has a character of the script that its sources are not in."""
    new = "".join(set(line) - set(words))
    has_traditional, has_simplified = traditional_only(beside), simplified_only(beside)
    if has_traditional and has_simplified:
        return False
    return bool(simplified_only(new)) if has_traditional else bool(traditional_only(new))


def _added(line: str, words: str) -> list[str]:
    """Return figures, names, words and characters of a line that none of its sources has."""
    figures = set(_FIGURE.findall(words))
    added = [figure for figure in _FIGURE.findall(line) if figure not in figures]
    names = {name.casefold() for name in _NAME.findall(words)}
    added += [name for name in _NAME.findall(line) if name.casefold() not in names]
    own = {stem(word) for word in _words(words)}
    added += [word for word in _words(line) if word not in STOP_WORDS and stem(word) not in own | _ABOUT_THE_USER]
    return added + sorted(set(_HAN.findall(fold(line))) - set(_HAN.findall(fold(words))) - _HAN_FREE)


def _words(text: str) -> list[str]:
    """Return the folded words of spaced scripts, without what is elided."""
    return [re.split("['’]", word)[0] for word in _WORD.findall(fold(text))]


def _qualifiers(text: str) -> frozenset[str]:
    return frozenset(_SAME_QUALIFIER.get(found, found) for found in map(str, _QUALIFIER.findall(fold(text))))


def lost(line: str, claim: Claim) -> list[str]:
    """Return what a line leaves out of a source and must not; the source itself where it hardly says it any more."""
    figures, folded = set(_FIGURE.findall(line)), fold(line)
    missing = [figure for figure in _FIGURE.findall(claim.text) if figure not in figures]
    named = [*_NAME.findall(claim.text), *_CAPITAL.findall(claim.text), *_whose(claim.text)]
    missing += [name for name in named if fold(name) not in folded]
    missing += sorted(_qualifiers(claim.text) - _qualifiers(line))
    missing += _lost_items(claim.text, line)
    return missing if _is_told(claim.text, line) else [*missing, claim.text]


def _whose(text: str) -> list[str]:
    """Return the words for who or what of the user's it is about: a brother's yacht is not the user's."""
    found = [*patterns.RELATIVE.finditer(text), *patterns.RELATIVE_ZH.finditer(fold(text))]
    return [each["who"] for each in found]


def _lost_items(text: str, line: str) -> list[str]:
    """Return the parts of a list that a line leaves out."""
    parts = [part.strip() for part in _PARTS.split(text) if _units(part)]
    if len(parts) < _LIST:
        return []
    has = {*_units(line), *_HAN_FREE}
    return [item for item in (_last_word(parts[0]), *parts[1:]) if not has.issuperset(_units(item))]


def _last_word(part: str) -> str:
    """Return where the first item of a list stands: behind what leads up to it."""
    return part.rsplit(maxsplit=1)[-1] if part.strip() else ""


def _is_told(text: str, line: str) -> bool:
    """Tell whether a line has enough of a source, all of a short one, and in its order: who loves whom stays the same."""
    told = [unit for unit in _units(text) if unit not in _HAN_FREE]
    said = _units(line)
    kept = [unit for unit in told if unit in set(said)]
    enough = len(told) if len(told) <= _SHORT else _TOLD * len(told)
    following = iter(said)
    return len(kept) >= enough and all(unit in following for unit in kept)


def _units(text: str) -> list[str]:
    """Return the stems of words that say something, figures, and single characters of unspaced scripts, in their order."""
    found = (each.group() for each in _UNIT.finditer(fold(text)))
    words = (re.split("['’]", unit)[0] for unit in found)
    return [unit if _HAN.match(unit) else stem(unit) for unit in words if unit not in STOP_WORDS and unit not in "我们"]
