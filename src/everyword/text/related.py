"""Words that answers use for a word of the question: a kind's members and words of nearly the same meaning.

`related.txt` is written by hand, in English and Chinese: `= kid child | 孩子 小孩` joins words that stand for each other,
`> pet | 寵物 : dog cat | 狗 貓` leads from a kind to its members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from everyword.text.words import fold, query_terms, stem

Group = Mapping[str, bool]
"""Index terms of which any one will do; True: every term that begins with it."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """What one word leads to."""

    synonyms: dict[str, bool] = field(default_factory=dict[str, bool])
    members: dict[str, bool] = field(default_factory=dict[str, bool])


def related(text: str) -> list[Relatives]:
    """Return the relatives of each word of a question that has any, without the terms of the question itself."""
    asked = query_terms(text)
    return [
        Relatives(
            synonyms={term: is_prefix for term, is_prefix in found.synonyms.items() if term not in asked},
            members={term: is_prefix for term, is_prefix in found.members.items() if term not in asked},
        )
        for found in _found(fold(text), asked)
    ]


def stand_ins(text: str) -> dict[str, frozenset[str]]:
    """Return for each term of a question the terms that may stand for it; of an unspaced script every pair of the word."""
    spaced, unspaced = _lexicon()
    asked, folded = query_terms(text), fold(text)
    found = {term: _terms_of(spaced[term]) for term in asked if term in spaced}
    if not folded.isascii():
        for word in _longest(word for word in unspaced if word in folded):
            for term in asked:
                if term in word or word in term:
                    found[term] = found.get(term, frozenset()) | _terms_of(unspaced[word])
    return found


def _terms_of(relatives: Relatives) -> frozenset[str]:
    return frozenset(relatives.synonyms) | frozenset(relatives.members)


def _found(folded: str, asked: Iterable[str]) -> Iterator[Relatives]:
    """Yield the relatives of the words that stand in a question; words of an unspaced script stand anywhere in it."""
    spaced, unspaced = _lexicon()
    yield from (spaced[term] for term in asked if term in spaced)
    if not folded.isascii():
        yield from (unspaced[word] for word in _longest(word for word in unspaced if word in folded))


def _longest(words: Iterable[str]) -> list[str]:
    """Return the words that are part of no other one: 運動鞋 is not about 運動."""
    found = list(words)
    return [word for word in found if not any(word != other and word in other for other in found)]


@cache
def _lexicon() -> tuple[dict[str, Relatives], dict[str, Relatives]]:
    """Return the relatives by index term, and those by word of an unspaced script."""
    spaced: dict[str, Relatives] = {}
    unspaced: dict[str, Relatives] = {}
    for line in fold(files("everyword.text").joinpath("related.txt").read_text("utf-8")).splitlines():
        relation, _, rest = line.partition(" ")
        if relation in ("=", ">"):
            heads, members = _sides(relation, rest)
            terms = dict(map(_term, members))
            for word in heads:
                table, key = (spaced, stem(word)) if word.isascii() else (unspaced, word)
                relatives = table.setdefault(key, Relatives())
                (relatives.synonyms if relation == "=" else relatives.members).update(terms)
    return spaced, unspaced


def _sides(relation: str, rest: str) -> tuple[Sequence[str], Sequence[str]]:
    heads, _, members = rest.partition(":")
    words = heads.replace("|", " ").split()
    return words, words if relation == "=" else members.replace("|", " ").split()


def _term(word: str) -> tuple[str, bool]:
    """Return the index term that stands for a folded word; of a longer Chinese word its first pair, which tells most."""
    return (stem(word), False) if word.isascii() else (word[:2], len(word) == 1)
