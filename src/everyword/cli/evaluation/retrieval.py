"""`everyword eval retrieval`: how often all the evidence reaches the context."""

from __future__ import annotations

import typer

from everyword.cli.evaluation import options
from everyword.cli.evaluation.options import Request, command_of
from everyword.cli.options import Home, Json

EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval retrieval --dataset locomo --data ~/data/locomo10.json \\\n"
    "      --strategies bm25,evidence,window@8k --budget 1500\n"
    "  everyword eval retrieval --dataset generated --lengths 15K,120K,1.2M \\\n"
    "      --seeds 5 --out results/needles"
)


def retrieval(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    dataset: options.DatasetName,
    data: options.Data = None,
    corrections: options.Corrections = None,
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
    """Measure how often all the evidence of a question reaches a context.

    No language model takes part. A message counts as packed when all of it is in
    the context; one longer than 256 tokens also when a part of it is, and `whole`
    is the stricter figure; of a generated message its exact sentence has to be
    there. Vectors are kept in the cache folder, so that a second run takes
    seconds. Times are only comparable with --jobs 1.
    """
    from everyword.cli.evaluation.outputs import show
    from everyword.cli.evaluation.study import study

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
    show(study(request), as_json=as_json, out=out)
