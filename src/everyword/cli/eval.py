"""`everyword eval`: measure strategies on published data, without a language model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword.cli.options import Home, Json
from everyword.cli.progress import Cases
from everyword.errors import InvalidInputError

app = typer.Typer(
    help="Measure strategies on published data, without a language model.", no_args_is_help=True, rich_markup_mode=None
)
_STRATEGIES = "bm25,raw-semantic,raw-fused,raw-rag,evidence"
_EXAMPLE = (
    "\b\nExample:\n  everyword eval retrieval --dataset locomo --data ~/data/locomo10.json \\\n"
    "      --strategies bm25,evidence --budget 1500"
)


@app.callback()
def evaluate() -> None:
    """Measure strategies on published data, without a language model."""


@app.command("retrieval", epilog=_EXAMPLE)
def retrieval(
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="locomo or longmemeval.")],
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="The publisher's file, also .gz.")],
    strategies: Annotated[str, typer.Option("--strategies", metavar="A,B", help="Names, by commas.")] = _STRATEGIES,
    budget: Annotated[str, typer.Option("--budget", metavar="N[,N]", help="Tokens of a context.")] = "1500",
    embedder: Annotated[str | None, typer.Option("--embedder", metavar="SPEC", help="Default: as in settings.")] = None,
    reranker: Annotated[str | None, typer.Option("--reranker", metavar="SPEC", help="Default: as in settings.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure how often all the evidence of a question reaches a context of N tokens.

    A message counts as packed when all of it is in the context; one longer than 256 tokens also when a part of it is,
    and `whole` is the stricter figure. Vectors are kept in the cache folder, so that a second run takes seconds.
    """
    from everyword.evals.catalogue import dataset as named
    from everyword.evals.retrieval import measure
    from everyword.strategies.catalogue import strategy

    names = [name.strip() for name in strategies.split(",") if name.strip()]
    for name in names:
        strategy(name)
    with Cases() as cases:
        found = measure(
            named(dataset, data),
            _memories(home, embedder, reranker),
            strategies=names,
            budgets=_budgets(budget),
            progress=cases.started,
        )
    if as_json:
        json.dump(found, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(table(found))


def _budgets(text: str) -> list[int]:
    try:
        budgets = [int(part) for part in text.split(",")]
    except ValueError:
        budgets = []
    if not budgets or min(budgets) < 1:
        raise InvalidInputError(f"--budget {text!r}: give whole numbers of tokens, for example 1500 or 1500,8000.")
    return budgets


def _memories(home: Path | None, embedder: str | None, reranker: str | None) -> Callable[[Path], Any]:
    """Return what opens an empty memory of these models; vectors that were computed before are taken from the cache."""
    from everyword.assembly import Memory, embedder_of
    from everyword.config import cache_folder, default_home, settings
    from everyword.evals.vector_cache import CachedEmbedder

    chosen = settings(home or default_home(), embedder=embedder, reranker=reranker)
    model = embedder_of(chosen)
    cached = None if model is None else CachedEmbedder(model, cache_folder() / "eval")
    return lambda folder: Memory(
        folder, embedder=cached or "none", reranker=chosen.reranker, counter=chosen.counter, vectors="off"
    )


def table(found: dict[str, Any]) -> str:
    """Return the figures as a Markdown table with 95 % intervals."""
    lines = [
        f"{found['dataset']}: {found['messages']} messages, {found['tokens']} tokens, sha256 {found['sha256'][:16]}",
        *(f"left out: {number} ({reason})" for reason, number in sorted(found["left_out"].items())),
        "",
        "| strategy | budget | n | all evidence (95 %) | whole | share | tokens mean/max | p50/p95 ms |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in found["results"]:
        interval = f"{_percent(row['all_evidence_low'])}-{_percent(row['all_evidence_high'])}"
        lines.append(
            f"| {row['strategy']} | {row['budget']} | {row['questions']} | {_percent(row['all_evidence'])} ({interval}) "
            f"| {_percent(row['all_evidence_whole'])} | {_percent(row['evidence_share'])} "
            f"| {row['tokens_mean']:.0f}/{row['tokens_max']} | {row['p50_ms']:.0f}/{row['p95_ms']:.0f} |"
        )
    return "\n".join([*lines, "", *_kinds(found), ""])


def _kinds(found: dict[str, Any]) -> list[str]:
    """Return the lines of the table of all evidence by the kind of question."""
    kinds = {kind: row["questions"] for kind, row in found["results"][0]["by_kind"].items()} if found["results"] else {}
    head = ["| all evidence by kind |" + "".join(f" {kind} ({number}) |" for kind, number in kinds.items())]
    rule = ["|---|" + "---|" * len(kinds)]
    rows = [
        f"| {row['strategy']} @{row['budget']} |"
        + "".join(f" {_percent(row['by_kind'][kind]['all_evidence'])} |" for kind in kinds)
        for row in found["results"]
    ]
    return [*head, *rule, *rows]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
