"""What histories are raised with: sessions of other data, of your own conversations, or generated ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everyword.evals.dataset import Case
    from everyword.evals.filler import Filler

GENERATED = "generated"
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Fillers:
    """The fillers of a run: those that were named one after the other; without a name, generated ones."""

    def __init__(self, named: Sequence[str], languages: Sequence[str]) -> None:
        """Read what was named. Raise InvalidInputError."""
        self.parts: list[Any] = []
        """What tells these fillers from others."""
        self._language = languages[0] if len(languages) == 1 else None
        self._named = [self._read(each) for each in named] or [None]
        self.parts.append(self._language)
        self._made: dict[str, Filler] = {}

    def of(self, case: Case) -> Filler:
        """Return the filler of a case; generated sessions are in the language of its questions, unless one was named."""
        from everyword.evals.filler import generated, in_turn

        language = self._language or language_of(case)
        if language not in self._made:
            found = [generated(language) if each is None else each for each in self._named]
            self._made[language] = found[0] if len(found) == 1 else in_turn(found)
        return self._made[language]

    def _read(self, name: str) -> Filler | None:
        """Return a filler of `NAME:PATH`, of conversations at a path, or None for generated ones."""
        from everyword.evals import catalogue, conversations
        from everyword.evals.filler import from_dataset

        if name == GENERATED:
            self.parts.append(GENERATED)
            return None
        kind, colon, path = name.partition(":")
        is_known = bool(colon) and kind in catalogue.LOADERS
        dataset = catalogue.dataset(kind, Path(path)) if is_known else conversations.load(Path(name))
        self.parts.append([dataset.name, dataset.sha256])
        return from_dataset(dataset)


def language_of(case: Case) -> str:
    """Return the language of generated sessions that fit a case: that of its questions."""
    from everyword.evals.generated.stock import LANGUAGES
    from everyword.text.words import fold, is_unspaced

    for language in LANGUAGES:
        if case.name.startswith(f"{language}-"):
            return language
    asked = "".join(question.text for question in case.questions[:20])
    if not is_unspaced(asked):
        return "en"
    han = "".join(_HAN.findall(asked))
    return "zh-Hans" if fold(han) == han else "zh-Hant"
