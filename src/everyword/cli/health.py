"""Health: how a memory is, each figure with what it means and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from everyword import Memory
from everyword.cli import documents, terminal
from everyword.cli.options import Home, Json, User, whose
from everyword.domain.health import Figure, Health

if TYPE_CHECKING:
    from rich.text import Text


def health(
    *,
    questions: Annotated[
        int, typer.Option("--questions", metavar="N", help="Of your last questions, how many are asked again.")
    ] = 20,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show how a memory is: prompts, evidence, claims, index.

    Each figure says what it means; one that is bad is marked with `!`, and
    says what helps. Evidence is looked at for your last questions.
    """
    with Memory(home, vectors="off") as memory:
        found = memory.health(user_id=whose(user), questions=questions)
    if as_json:
        terminal.write_json({"ok": found.ok, **documents.plain(found)})
    else:
        _show(found)


def _show(found: Health) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for figure in found.figures:
        mark = Text("!", "bold red") if figure.is_bad else Text("ok" if figure.value is not None else "-", "green")
        table.add_row(mark, Text(figure.name, "bold"), _told(figure))
    about = f"{found.prompts:,} prompts on the account, the last {found.questions:,} questions asked again"
    terminal.show(Text(about, "dim"), table)


def _told(figure: Figure) -> Text:
    from rich.text import Text

    told = Text.assemble(figure.shown, "\n", (figure.meaning, "dim"))
    return told if figure.remedy is None else told.append(f"\n-> {figure.remedy}", "yellow")
