"""One run, from its options to its document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everyword import __version__
from everyword.cli.evaluation.data import Data
from everyword.cli.evaluation.models import Models
from everyword.cli.evaluation.options import Request, budgets, lengths, names
from everyword.cli.progress import Cases
from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from everyword.evals.document import About
    from everyword.evals.plan import Plan
    from everyword.evals.runner import Answer


def study(
    request: Request,
    *,
    answer: Answer | None = None,
    answerer: str | None = None,
    judge: str | None = None,
) -> dict[str, Any]:
    """Run what was asked for and return its document. Raise InvalidInputError."""
    from everyword.evals.document import document
    from everyword.evals.journal import Journal
    from everyword.evals.runner import Runner

    started = datetime.now(UTC)
    plan = planned(request)
    if request.resume and request.journal_file is None:
        raise InvalidInputError(
            "Go on with what? Name the journal with --journal, or the folder of the run with --out."
        )
    models, data = Models(request), Data(request)
    asked = {"answerer": answerer, "judge": judge} if answer is not None else {}
    parts = {"everyword": __version__, **models.parts(), **asked}
    sources = [data.source(seed, parts) for seed in data.seeds]
    with Journal(request.journal_file, resume=request.resume) as journal, Cases() as cases:
        runner = Runner(
            models.opener, plan, journal=journal, compose=data.compose, answer=answer, progress=cases.started
        )
        found = runner.run(sources)
    return document(_about(request, plan, models, sources, started, asked), found)


def planned(request: Request) -> Plan:
    """Return the plan of a request. Raise InvalidInputError."""
    from everyword.evals.arms import arms, conditions
    from everyword.evals.plan import Arm, Plan

    chosen = conditions(arms(request.strategies), budgets(request.budget))
    return Plan(
        arms=tuple(Arm(strategy=name, budget=budget) for name, budget in chosen),
        targets=lengths(request.lengths),
        lines=request.jobs,
        limit=request.limit,
        cases=names(request.cases),
    )


def _about(
    request: Request,
    plan: Plan,
    models: Models,
    sources: list[Any],
    started: datetime,
    asked: Mapping[str, str | None],
) -> About:
    from everyword.evals.document import About
    from everyword.evals.journal import fingerprint

    first = sources[0]
    return About(
        run=fingerprint(
            {
                "sources": [source.run for source in sources],
                "arms": [[arm.strategy, arm.budget] for arm in plan.arms],
                "targets": plan.targets,
                "limit": plan.limit,
                "cases": plan.cases,
            }
        ),
        command=request.command,
        everyword=__version__,
        started_at=started.isoformat(timespec="seconds"),
        task="answering" if asked else "retrieval",
        dataset=first.dataset.name,
        sha256=first.dataset.sha256,
        seed=first.seed,
        lengths=tuple(target for target in plan.targets if target is not None),
        embedder=models.embedder_name,
        reranker=models.reranker_name,
        counter=models.settings.counter,
        **asked,
    )
