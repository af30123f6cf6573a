"""`everyword eval ablation`: what each stage of the default strategy adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from everyword.cli import terminal
from everyword.cli.evaluation import options
from everyword.cli.evaluation.data import Data
from everyword.cli.evaluation.models import Models
from everyword.cli.evaluation.options import Request, budgets, command_of, lengths, names
from everyword.cli.evaluation.table import interval, limits_of, markdown
from everyword.cli.options import Home, Json
from everyword.cli.progress import Cases as CaseLines
from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from everyword.evals.ablation import Gain
    from everyword.evals.dataset import Case, Dataset

EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval ablation --dataset locomo --data locomo10.json\n"
    "  everyword eval ablation --dataset locomo --data locomo10.json \\\n"
    "      --lengths 120K --other-embedder e5-small:int8"
)
Number = TypeVar("Number")
Other = Annotated[str | None, typer.Option("--other-embedder", metavar="SPEC", help="The last step: another embedder.")]


def ablation(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    dataset: options.DatasetName,
    data: options.Data = None,
    corrections: options.Corrections = None,
    budget: options.Budgets = "1500",
    lengths: options.Lengths = None,
    filler: options.Filler = None,
    language: options.Language = None,
    kinds: options.Kinds = None,
    questions: options.Questions = None,
    seed: options.Seed = None,
    limit: options.Limit = None,
    cases: options.Cases = None,
    jobs: options.Jobs = 1,
    embedder: options.EmbedderSpec = None,
    other_embedder: Other = None,
    reranker: options.RerankerSpec = None,
    journal: options.JournalFile = None,
    resume: options.Resume = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure what each stage of the default strategy adds, in the order of work.

    From plain keywords over the text of the keys, the packing, the channels and
    the reranking to the model: each step keeps what the ones before it brought,
    and is tested against the one before on the same questions (exact McNemar).
    """
    request = Request(
        command=command_of(context),
        dataset=dataset,
        data=data,
        corrections=corrections,
        budget=budget,
        lengths=lengths,
        filler=tuple(filler or ()),
        language=language,
        kinds=kinds,
        questions=questions,
        seed=seed,
        limit=limit,
        cases=cases,
        jobs=jobs,
        embedder=embedder,
        reranker=reranker,
        journal=journal,
        resume=resume,
        home=home,
    )
    found = _gains(request, other_embedder)
    if as_json:
        terminal.write_json({"command": request.command, "steps": [gain.record() for gain in found]})
    else:
        terminal.write_lines(_lines(found))


def _gains(request: Request, other: str | None) -> list[Gain]:
    from everyword import __version__
    from everyword.evals.ablation import ablate
    from everyword.evals.journal import Journal
    from everyword.text.tokens import counter

    budget, target = _one(budgets(request.budget), "--budget"), _one(lengths(request.lengths), "--lengths")
    models, data = Models(request), Data(request)
    second = Models(replace(request, embedder=other)) if other else None
    parts: dict[str, Any] = {
        "everyword": __version__, **models.parts(), "other": second and second.parts(), "length": target
    }  # fmt: skip
    source = data.source(data.seeds[0], parts)
    with Journal(request.journal, resume=request.resume) as journal, CaseLines() as progress:
        return ablate(
            _chosen(source.dataset, request, data, target, source.seed),
            models.opener("evidence"),
            open_other=second.opener("evidence") if second else None,
            budget=budget,
            counter=counter(models.settings.counter),
            run=source.run,
            journal=journal,
            lines=request.jobs,
            limit=request.limit,
            progress=progress.started,
        )


def _one(found: Sequence[Number], option: str) -> Number:
    if len(found) > 1:
        raise InvalidInputError(f"An ablation has one budget and one length: give one number with {option}.")
    return found[0]


def _chosen(found: Dataset, request: Request, data: Data, target: int | None, seed: int | None) -> Dataset:
    """Return the dataset with the cases that were asked for, at the length that was asked for."""
    return replace(found, cases=_cases(found, names(request.cases), data, target, seed))


def _cases(found: Dataset, wanted: Sequence[str], data: Data, target: int | None, seed: int | None) -> Iterator[Case]:
    for case in found.cases:
        chosen = case if target is None else data.compose(case, target, seed)
        if chosen is not None and (not wanted or case.name in wanted):
            yield chosen


def _lines(found: Sequence[Gain]) -> Iterator[str]:
    """Yield the table, what each step is, and what one question is worth."""
    rows = [
        [
            f"{gain.group}: {gain.step}",
            str(gain.questions),
            interval(gain.all_evidence, gain.low, gain.high),
            "" if gain.gain is None else f"{100 * gain.gain:+.1f}",
            "" if gain.p is None else f"{gain.p:.2g}",
        ]
        for gain in found
    ]
    yield markdown(["step", "n", "all evidence (95 %)", "gain", "p"], rows)
    yield ""
    yield from (f"{gain.step}: {gain.about}" for gain in found)
    yield ""
    yield limits_of(min((gain.questions for gain in found), default=0))
