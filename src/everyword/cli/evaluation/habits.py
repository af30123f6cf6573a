"""`everyword eval habits`: what a memory in use sends, in three figures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from everyword.cli import terminal
from everyword.cli.evaluation.table import percent
from everyword.cli.options import Home, Json, User, whose
from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from everyword.evals.usage import Asked, Habits

EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval habits --user me\n"
    "  everyword eval habits --user me --files ~/project --count 200 --json"
)


def habits(
    *,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="One a line; default: messages of the user, at their time."),
    ] = None,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="How many messages are asked.")] = 50,
    first: Annotated[int, typer.Option("--first", metavar="K", min=1, help="Among how many doubles are sought.")] = 10,
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="Where the files are that messages name.")
    ] = None,
    budget: Annotated[int | None, typer.Option("--budget", metavar="N", min=1, help="Tokens of a context.")] = None,
    strategy: Annotated[str | None, typer.Option("--strategy", metavar="NAME", help="Default: as in settings.")] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure on your own memory what it sends: sources, doubles, staleness.

    Only figures are shown, no words. The prompt's share by source tells of
    expansion, doubles among the first found of failed deduplication, and packed
    items that are older than the file they name of expiry.
    """
    from everyword import Memory
    from everyword.evals.usage import habits as measured

    named = whose(user)
    asked = () if questions is None else _asked(questions)
    with Memory(home, vectors="off") as memory:
        found = measured(
            memory,
            user_id=named,
            questions=asked,
            count=count,
            first=first,
            files=files,
            budget=budget,
            strategy=strategy,
        )
    if as_json:
        terminal.write_json(found.record())
    else:
        terminal.write_lines(_lines(found))


def _asked(path: Path) -> list[Asked]:
    from everyword.evals.usage import Asked

    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read ({error}): give a text file with a question a line.") from error
    found = [Asked(text=line.strip()) for line in lines if line.strip()]
    if not found:
        raise InvalidInputError(f"{path} has no questions: give a text file with a question a line.")
    return found


def _lines(found: Habits) -> Iterable[str]:
    yield f"{found.questions} questions, {found.tokens_mean:,.0f} tokens each"
    yield ""
    yield "Prompt by source:"
    for source, share in found.sources.items():
        yield f"  {source:<22}{percent(share):>6} %"
    yield ""
    yield f"Doubles among the first {found.first}: {percent(found.doubles)} %"
    yield f"Packed items that name a file: {found.items}; older than its last change: {found.stale}"
    if found.days_behind_median is not None and found.days_behind_p90 is not None:
        yield f"  by {found.days_behind_median:,.1f} days in the middle, {found.days_behind_p90:,.1f} at the 90th percentile"
