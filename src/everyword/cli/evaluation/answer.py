"""`everyword eval answer`: how often the answer is right."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everyword.cli.evaluation import options
from everyword.cli.evaluation.options import Request, command_of
from everyword.cli.options import Home, Json

if TYPE_CHECKING:
    from everyword.ports import LanguageModel

EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval answer --dataset longmemeval --data longmemeval_s.json \\\n"
    "      --answerer openai:gpt-4o-mini --judge openai:gpt-4o --out results/s\n"
    "  everyword eval answer --dataset locomo --data locomo10.json --limit 50"
)
Answerer = Annotated[
    str | None,
    typer.Option("--answerer", metavar="SPEC", help="Language model; `none`: a sentence of the context."),
]
Judge = Annotated[str | None, typer.Option("--judge", metavar="SPEC", help="Language model; `none`: fixed rules.")]
Templates = Annotated[
    Path | None, typer.Option("--judge-templates", metavar="FILE", help="Prompts of the judge, word for word.")
]


def answer(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    dataset: options.DatasetName,
    data: options.Data = None,
    corrections: options.Corrections = None,
    answerer: Answerer = None,
    judge: Judge = None,
    judge_templates: Templates = None,
    strategies: options.Strategies = options.STRATEGIES,
    budget: options.Budgets = "1500",
    lengths: options.Lengths = None,
    filler: options.Filler = None,
    language: options.Language = None,
    kinds: options.Kinds = None,
    questions: options.Questions = None,
    seed: options.Seed = None,
    seeds: options.Seeds = 1,
    limit: options.Limit = None,
    cases: options.Cases = None,
    jobs: options.Jobs = 1,
    embedder: options.EmbedderSpec = None,
    reranker: options.RerankerSpec = None,
    journal: options.JournalFile = None,
    resume: options.Resume = False,
    out: options.Out = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure how often a question is answered right from its context.

    The prompt is the same for all strategies; only the memory in it differs.
    Without a language model an offline stand-in quotes the context, and fixed
    rules judge: exact, contained, numeric, no record. --out also writes
    review.csv, on which a person checks the judge.
    """
    from everyword.cli.evaluation.outputs import show
    from everyword.cli.evaluation.study import study
    from everyword.evals.answering import answering
    from everyword.evals.judge_templates import load

    request = Request(
        command=command_of(context),
        dataset=dataset,
        data=data,
        corrections=corrections,
        strategies=strategies,
        budget=budget,
        lengths=lengths,
        filler=tuple(filler or ()),
        language=language,
        kinds=kinds,
        questions=questions,
        seed=seed,
        seeds=seeds,
        limit=limit,
        cases=cases,
        jobs=jobs,
        embedder=embedder,
        reranker=reranker,
        journal=journal,
        resume=resume,
        out=out,
        home=home,
    )
    templates = None if judge_templates is None else load(judge_templates)
    answers, judges = _model(answerer, home), _model(judge, home)
    found = study(
        request,
        answer=answering(answers, judges, templates=templates),
        answerer=_name(answers, "quoting the context"),
        judge=_name(judges, "fixed rules") + (f", templates {_digest(judge_templates)}" if judge_templates else ""),
    )
    show(found, as_json=as_json, out=out)


def _model(spec: str | None, home: Path | None) -> LanguageModel | None:
    """Return the language model of a spec, or of the settings; what it spends counts for the memory folder."""
    from everyword.assembly import language_model_of
    from everyword.config import default_home, settings

    folder = home or default_home()
    return language_model_of(settings(folder, llm=spec), folder)


def _name(model: LanguageModel | None, stand_in: str) -> str:
    if model is None:
        return stand_in
    return f"{model.identity.name} at {model.identity.endpoint}" if model.identity.endpoint else model.identity.name


def _digest(path: Path) -> str:
    """Return what tells templates apart."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
