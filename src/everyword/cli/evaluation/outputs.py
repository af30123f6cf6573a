"""What a run leaves: a document on stdout or tables, and files in a folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from everyword.cli import terminal
from everyword.cli.evaluation.table import table


def show(found: Mapping[str, Any], *, as_json: bool, out: Path | None = None) -> None:
    """Write the files where a folder is named, and the figures to stdout."""
    if out is not None:
        write(found, out)
    if as_json:
        json.dump(found, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(terminal.visible(table(found)))


def write(found: Mapping[str, Any], folder: Path) -> None:
    """Write the document, the page, the card, and a review sheet where answers were judged."""
    from everyword.evals.report import card, page

    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / "run.json").write_text(f"{text}\n", "utf-8", errors="backslashreplace")
    (folder / "report.html").write_text(page([found]), "utf-8", errors="backslashreplace")
    (folder / "card.md").write_text(card([found]), "utf-8", errors="backslashreplace")
    if found.get("task") == "answering":
        review(found, folder / "review.csv")
    terminal.say(f"Written to {folder}: " + ", ".join(sorted(each.name for each in folder.iterdir())))


def review(found: Mapping[str, Any], path: Path) -> None:
    """Write the sheet on which a person checks the judge."""
    from everyword.evals.document import outcomes_of
    from everyword.evals.review import sheet
    from everyword.evals.review import write as write_sheet

    with path.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        write_sheet(sheet(outcomes_of(found)), file)
