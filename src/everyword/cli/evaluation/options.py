"""Options of the runs, and what their words mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from everyword.errors import InvalidInputError

STRATEGIES = "bm25,raw-semantic,raw-fused,raw-rag,evidence"
_TOKENS = re.compile(r"(\d+(?:[._]\d+)*)([kKmM]?)")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
PUBLISHED = "published"

DatasetName = Annotated[str, typer.Option("--dataset", metavar="NAME", help="Published data by name, or `generated`.")]
Data = Annotated[Path | None, typer.Option("--data", metavar="PATH", help="The publisher's file or folder, also .gz.")]
Corrections = Annotated[
    Path | None, typer.Option("--corrections", metavar="FILE", help="LoCoMo: corrected evidence and answers.")
]
Strategies = Annotated[
    str,
    typer.Option("--strategies", metavar="A,B", help="Names, by commas, or all; A@500k gives A a budget of its own."),
]
Budgets = Annotated[str, typer.Option("--budget", metavar="N[,N]", help="Tokens of a context.")]
Lengths = Annotated[
    str | None,
    typer.Option(
        "--lengths", metavar="N[,N]", help="Raise histories to N tokens: 15K,1.2M; `published` leaves them as they are."
    ),
]
Filler = Annotated[
    list[str] | None,
    typer.Option(
        "--filler",
        metavar="F",
        help="What to raise them with, once or more: `generated`, a dataset as NAME:PATH, or conversations that "
        "`everyword import` takes.  [default: generated]",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", metavar="L[,L]", help="Generated: en, zh-Hant, zh-Hans.  [default: en]")
]
Kinds = Annotated[
    str | None, typer.Option("--kinds", metavar="K[,K]", help="Generated: only these kinds of questions.")
]
Questions = Annotated[
    int | None, typer.Option("--questions", metavar="N", min=1, help="Generated: how many.  [default: 100]")
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", min=0, help="Of what is generated.  [default: 0]")]
Seeds = Annotated[
    int, typer.Option("--seeds", metavar="N", min=1, help="Repeat with N seeds: figures with their spread.")
]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions only.")]
Cases = Annotated[str | None, typer.Option("--cases", metavar="A,B", help="Only these cases of the data.")]
Jobs = Annotated[
    int, typer.Option("--jobs", metavar="N", min=1, help="Lines at the same time; the results are the same.")
]
EmbedderSpec = Annotated[str | None, typer.Option("--embedder", metavar="SPEC", help="Default: as in settings.")]
RerankerSpec = Annotated[str | None, typer.Option("--reranker", metavar="SPEC", help="Default: as in settings.")]
JournalFile = Annotated[Path | None, typer.Option("--journal", metavar="FILE", help="Keep each outcome there at once.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the journal; nothing in it is done again.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="Write run.json, report.html, card.md, journal.jsonl.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person asked to be measured."""

    command: str
    dataset: str
    data: Path | None = None
    corrections: Path | None = None
    strategies: str = STRATEGIES
    budget: str = "1500"
    lengths: str | None = None
    filler: tuple[str, ...] = ()
    language: str | None = None
    kinds: str | None = None
    questions: int | None = None
    seed: int | None = None
    seeds: int = 1
    limit: int | None = None
    cases: str | None = None
    jobs: int = 1
    embedder: str | None = None
    reranker: str | None = None
    journal: Path | None = None
    resume: bool = False
    out: Path | None = None
    home: Path | None = None

    @property
    def journal_file(self) -> Path | None:
        """Return where outcomes are kept: the file that was named, or one in the folder for the results."""
        return self.journal if self.journal or self.out is None else self.out / "journal.jsonl"


def names(text: str | None) -> tuple[str, ...]:
    """Return the parts of a list by commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def budgets(text: str) -> list[int]:
    """Return token budgets. Raise InvalidInputError."""
    try:
        return [tokens(part) for part in names(text)] or [tokens("")]
    except ValueError as error:
        raise InvalidInputError(
            f"--budget {text!r}: give whole numbers of tokens, for example 1500 or 1500,8000."
        ) from error


def lengths(text: str | None) -> tuple[int | None, ...]:
    """Return lengths of histories in tokens; None: as published. Raise InvalidInputError."""
    if text is None:
        return (None,)
    try:
        found = [None if part == PUBLISHED else tokens(part) for part in names(text)] or [tokens("")]
    except ValueError as error:
        raise InvalidInputError(
            f"--lengths {text!r}: give tokens, for example 15K,120K,1.2M, or `published` for histories as they are."
        ) from error
    return tuple(dict.fromkeys(found))


def tokens(text: str) -> int:
    """Return the number that `1500`, `15K` or `1.2M` means. Raise ValueError."""
    found = _TOKENS.fullmatch(text)
    number = round(float(found[1].replace("_", "")) * _UNITS[found[2].lower()]) if found else 0
    if number < 1:
        raise ValueError(text)
    return number


def command_of(context: typer.Context) -> str:
    """Return the command line that makes a run again: the options that were given, in one form."""
    import shlex

    given: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        value = context.params.get(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE" and parameter.name not in ("as_json", "home", "out"):
            given.extend(_written(parameter.opts[0], value))
    return shlex.join([*context.command_path.split(), *given])


def _written(option: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [option] if value else []
    if isinstance(value, list | tuple):
        return [word for each in cast("list[Any]", value) for word in (option, str(each))]
    return [option, str(value)]
