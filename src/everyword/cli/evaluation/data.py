"""The data of a run: published by path or generated, and what histories are raised with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.cli.evaluation.fillers import Fillers
from everyword.cli.evaluation.options import Request, lengths, names
from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from everyword.evals.dataset import Case, Dataset
    from everyword.evals.plan import Source

GENERATED = "generated"
DEFAULT_LANGUAGES = ("en",)
QUESTIONS = 100
SHORTEST = 15_000
"""Tokens of a generated history that nobody raises."""


class Data:
    """What is asked about, under one or more seeds, at any length."""

    def __init__(self, request: Request) -> None:
        """Check the options against each other, and read the fillers. Raise InvalidInputError."""
        self._request = request
        self._is_generated = request.dataset == GENERATED
        self._targets = [length for length in lengths(request.lengths) if length is not None]
        _check(request, is_generated=self._is_generated, is_raised=bool(self._targets))
        is_drawn = self._is_generated or bool(self._targets)
        first = request.seed or 0
        self.seeds: tuple[int | None, ...] = tuple(range(first, first + request.seeds)) if is_drawn else (None,)
        self._fillers = Fillers(request.filler, names(request.language)) if self._targets else None

    def source(self, seed: int | None, parts: Mapping[str, Any]) -> Source:
        """Return the data under a seed; `parts` is what else its figures depend on. Raise InvalidInputError."""
        from everyword.evals.journal import fingerprint
        from everyword.evals.plan import Source

        dataset = self._generated(seed or 0) if self._is_generated else self._published()
        fillers = self._fillers.parts if self._fillers else None
        of_data = {"dataset": dataset.name, "sha256": dataset.sha256, "seed": seed, "fillers": fillers}
        return Source(dataset=dataset, run=fingerprint({**parts, **of_data}), seed=seed)

    def compose(self, case: Case, tokens: int, seed: int | None) -> Case | None:
        """Return the case in a history of so many tokens; None where it is longer already. Raise InvalidInputError."""
        from everyword.evals.haystack import TOLERANCE, compose, tokens_of

        if self._fillers is None or tokens_of(case) > tokens * (1 + TOLERANCE):
            return None
        return compose(case, tokens, self._fillers.of(case), seed or 0)

    def _published(self) -> Dataset:
        from everyword.evals.catalogue import dataset

        data = self._request.data or Path()
        return dataset(self._request.dataset, data, corrections=self._request.corrections)

    def _generated(self, seed: int) -> Dataset:
        """Return generated questions in each language, in histories as short as the shortest that is asked for."""
        from everyword.evals.generated.catalogue import KINDS, generate

        tokens = min([SHORTEST, *self._targets])
        found = [
            generate(
                names(self._request.kinds) or KINDS,
                language,
                self._request.questions or QUESTIONS,
                tokens=tokens,
                seed=seed,
            )
            for language in names(self._request.language) or DEFAULT_LANGUAGES
        ]
        return _together(found)


def _together(found: Sequence[Dataset]) -> Dataset:
    """Return several datasets as one."""
    from everyword.evals.dataset import Dataset
    from everyword.evals.journal import fingerprint

    if len(found) == 1:
        return found[0]
    return Dataset(
        name=" and ".join(each.name for each in found),
        sha256=fingerprint({each.name: each.sha256 for each in found}),
        cases=chain.from_iterable(each.cases for each in found),
    )


def _check(request: Request, *, is_generated: bool, is_raised: bool) -> None:
    if is_generated and (request.data or request.corrections):
        raise InvalidInputError("--dataset generated needs no --data and no --corrections: it is made from --seed.")
    if not is_generated and request.data is None:
        raise InvalidInputError(f"Where is {request.dataset!r}? Give the publisher's file or folder with --data.")
    if not is_generated and (request.kinds or request.questions):
        raise InvalidInputError("--kinds and --questions are for --dataset generated.")
    if not (is_generated or is_raised) and request.language:
        raise InvalidInputError("--language is of what is generated: questions, or what --lengths adds.")
    if request.filler and not is_raised:
        raise InvalidInputError("--filler is what histories are raised with: say to how many tokens with --lengths.")
    if not (is_generated or is_raised) and (request.seed is not None or request.seeds > 1):
        raise InvalidInputError("A seed changes nothing here: it is for --dataset generated and for --lengths.")
