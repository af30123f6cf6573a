"""`everyword eval`: measure strategies on published, generated or own data."""

from __future__ import annotations

import typer

from everyword.cli.evaluation import ablation, answer, check, habits, reports, retrieval

HELP = "Measure strategies on published, generated or your own data."
app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def evaluate() -> None:
    """Measure strategies on published, generated or your own data."""


app.command("retrieval", epilog=retrieval.EXAMPLE)(retrieval.retrieval)
app.command("answer", epilog=answer.EXAMPLE)(answer.answer)
app.command("ablation", epilog=ablation.EXAMPLE)(ablation.ablation)
app.command("report", epilog=reports.REPORT_EXAMPLE)(reports.report)
app.command("pairs", epilog=reports.PAIRS_EXAMPLE)(reports.pairs)
app.command("check", epilog=check.EXAMPLE)(check.check)
app.command("review", epilog=reports.REVIEW_EXAMPLE)(reports.review)
app.command("habits", epilog=habits.EXAMPLE)(habits.habits)
